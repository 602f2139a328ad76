//! Every way to write state. A feature that adds one adds a line here.

/// One operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// What is there before: files to write, lines for `ckpt`, and paths to remove.
    pub(crate) before: &'static [Step],
    /// The operation itself, and its input.
    pub(crate) line: &'static str,
    pub(crate) input: Option<&'static str>,
    /// How to see what is there.
    pub(crate) looks: &'static [Look],
    /// The next command, which must find everything in order. It may find nothing if there was nothing before.
    pub(crate) next: &'static str,
    /// What comes before that.
    pub(crate) then: &'static [Step],
    pub(crate) creates: bool,
    /// What success means.
    pub(crate) promise: Promise,
}

/// What the success of an operation promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    /// The change is there.
    Done,
    /// Nothing: hooks succeed whatever happens.
    Nothing,
    /// Nothing, but the next command finds the change.
    Later,
}

/// A step before an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// Runs `ckpt`.
    Run(&'static str),
    /// Tells `ckpt` of an event.
    Hook(&'static str),
    /// Writes a file.
    Put(&'static str, &'static str),
    /// Removes a file or directory.
    Remove(&'static str),
    /// Makes everything that was deleted look as if that had been long ago.
    Age,
}

/// A way to see what is there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Look {
    /// What `ckpt` prints as JSON; nothing if it is not found.
    Json(&'static str),
    /// A file, byte for byte.
    File(&'static str),
    /// Whether there is such a file.
    There(&'static str),
    /// The exit code of `ckpt`.
    Exit(&'static str),
}

use Look::{Exit, File, Json, There};
use Promise::{Done, Later, Nothing};
use Step::{Age, Hook, Put, Remove, Run};

const PLAN: &str = "\
# Login

## Setup
<!-- CHECKPOINT: setup -->
- [ ] Create schema <!-- TASK: schema -->
- [ ] Make roles <!-- TASK: roles -->

## Build
<!-- CHECKPOINT: build -->
- [ ] Form <!-- TASK: form -->
- [ ] It works <!-- ACCEPT: works -->
";

const TICKED: &str = "\
# Login

## Setup
<!-- CHECKPOINT: setup -->
- [x] Create schema <!-- TASK: schema -->
- [ ] Make roles <!-- TASK: roles -->

## Build
<!-- CHECKPOINT: build -->
- [ ] Form <!-- TASK: form -->
- [ ] It works <!-- ACCEPT: works -->
";

const UNMARKED: &str = "# Notes\n\n## First\n- [ ] One thing\n- [ ] Another\n";

const SPEC: &str = "\
---
prd: PRD-001
workstreams:
  WS1: { name: Data, gate: tests }
  WS2: { name: Pages, depends_on: [WS1] }
gates:
  tests: { command: \"true\" }
---
";

const ANSWER: &str = r#"{"task_id": "T7", "phase": "write", "status": "complete", "decision": "PROCEED",
"findings": {}, "context_summary": "It is there."}"#;

const DOCUMENT: &str = r#"{"version": 1, "command": "implement", "feature": "auth", "state": {"current_phase": "build",
"completed_phases": [], "pending_phases": []}, "phases": {"build": {"status": "in_progress"}}}"#;

const FINISHED: &str = r#"{"version": 1, "command": "test", "feature": "old", "created_at": "2020-01-01T00:00:00.000Z",
"updated_at": "2020-01-01T00:00:00.000Z", "completed_at": "2020-01-01T00:00:00.000Z",
"state": {"current_phase": null, "completed_phases": [], "pending_phases": []}, "phases": {}}"#;

const PLAN_FILE: &str = "plans/260220-1149-login/plan.md";
const PLAN_STATE: &str = "plans/260220-1149-login/.checkpoint/state.json";
const STATE: &str = ".claude/state/implement-auth.json";

const STARTED: Step = Run("start implement auth --phases build,test");
const SHOWN: &[Look] = &[Json("show implement/auth --json")];
const NEXT: &str = "phase implement/auth next complete --new";

const PLANNED: Step = Put(PLAN_FILE, PLAN);
const SYNCED: Step = Run("plan sync");
const PLAN_SHOWN: &[Look] = &[Json("plan show --json"), File(PLAN_FILE)];
const SESSION: &[Look] = &[
    Json("plan show --json"),
    File(PLAN_FILE),
    There(".claude/state/sessions/s1.json"),
];
const PLAN_NEXT: &str = "plan note After";

const SPECIFIED: Step = Put("spec.md", SPEC);
const INITIALIZED: Step = Run("pipeline init spec.md");
const REVIEWED: Step = Run("pipeline review PRD-001 ship");
const WS1: Step = Run("pipeline start PRD-001 WS1");
const PIPELINE: &[Look] = &[Json("show pipeline:PRD-001 --json")];
const PIPELINE_NEXT: &str = "pipeline note PRD-001 --cleanup after";

const SETTINGS: &[Look] = &[File(".claude/settings.local.json"), File(".gitattributes")];

const EDITED: &str = r#"{"hook_event_name": "PostToolUse", "session_id": "s1", "tool_name": "Edit",
"tool_input": {"file_path": "plans/260220-1149-login/plan.md"}}"#;
const WORKED: Step = Run("phase implement/auth build complete --summary 'It works'");
const RETRIED: Step = Run("phase implement/auth build complete --summary 'It works twice'");
const BEGUN: &str =
    r#"{"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"}"#;
const ENDED: &str = r#"{"hook_event_name": "SessionEnd", "session_id": "s1", "reason": "exit"}"#;
const COMPACTED: &str =
    r#"{"hook_event_name": "PreCompact", "session_id": "s1", "trigger": "auto"}"#;

const fn command(name: &'static str, before: &'static [Step], line: &'static str) -> Operation {
    Operation {
        name,
        before,
        line,
        input: None,
        looks: SHOWN,
        next: NEXT,
        then: &[],
        creates: false,
        promise: Done,
    }
}

const fn plan(name: &'static str, before: &'static [Step], line: &'static str) -> Operation {
    Operation {
        name,
        before,
        line,
        input: None,
        looks: PLAN_SHOWN,
        next: PLAN_NEXT,
        then: &[],
        creates: false,
        promise: Done,
    }
}

const fn pipeline(name: &'static str, before: &'static [Step], line: &'static str) -> Operation {
    Operation {
        name,
        before,
        line,
        input: None,
        looks: PIPELINE,
        next: PIPELINE_NEXT,
        then: &[],
        creates: false,
        promise: Done,
    }
}

const fn hook(name: &'static str, before: &'static [Step], input: &'static str) -> Operation {
    Operation {
        name,
        before,
        line: "hook claude",
        input: Some(input),
        looks: PLAN_SHOWN,
        next: PLAN_NEXT,
        then: &[Hook(BEGUN)],
        creates: false,
        promise: Nothing,
    }
}

pub(crate) const OPERATIONS: &[Operation] = &[
    command("start", &[], "start implement auth --phases build"),
    command(
        "start again",
        &[STARTED, Run("complete implement/auth --force")],
        "start implement auth --again",
    ),
    command(
        "phase",
        &[STARTED],
        "phase implement/auth build complete --summary 'It works'",
    ),
    command(
        "phase, first change ever",
        &[],
        "phase implement/auth build complete",
    ),
    command(
        "phase, without a key",
        &[STARTED, Remove(".git/ckpt")],
        "phase implement/auth build complete",
    ),
    command(
        "phase, file damaged",
        &[STARTED, Put(STATE, "{ torn")],
        "phase implement/auth build complete",
    ),
    command("complete", &[STARTED], "complete implement/auth --force"),
    command("abandon", &[STARTED], "abandon implement/auth --reason no"),
    Operation {
        input: Some(DOCUMENT),
        ..command("save", &[STARTED], "save implement/auth")
    },
    command("gate set", &[STARTED], "gate set implement/auth --block no"),
    command(
        "gate approval",
        &[STARTED],
        "gate set implement/auth --allow",
    ),
    command(
        "gate override",
        &[STARTED, Run("gate set implement/auth --block no")],
        "gate override implement/auth --reason hotfix",
    ),
    command(
        "gate run",
        &[STARTED],
        "gate run implement/auth tests -- true",
    ),
    command(
        "start, with an issue",
        &[STARTED],
        "start implement auth --issue BAS-6",
    ),
    Operation {
        input: Some(ANSWER),
        ..command("handoff reply", &[STARTED], "handoff reply implement/auth")
    },
    command(
        "recover",
        &[STARTED, Put(STATE, "{ torn")],
        "recover implement/auth",
    ),
    Operation {
        next: "recover",
        ..command(
            "recover, state removed",
            &[STARTED, WORKED, Remove(".claude")],
            "recover implement/auth",
        )
    },
    Operation {
        // A history that had begun anew would not have this revision.
        then: &[Run(NEXT)],
        next: "show implement/auth --at 5",
        ..command(
            "phase, state removed",
            &[STARTED, WORKED, RETRIED, WORKED, RETRIED, Remove(".claude")],
            "phase implement/auth test complete",
        )
    },
    command(
        "resume --auto",
        &[STARTED, Put(STATE, "{ torn")],
        "resume --auto implement auth",
    ),
    Operation {
        next: "recover",
        ..command(
            "resume --auto, state removed",
            &[STARTED, WORKED, Remove(".claude")],
            "resume --auto implement auth",
        )
    },
    Operation {
        next: "show implement/auth",
        ..command(
            "archive",
            &[STARTED, WORKED],
            "archive implement/auth --force",
        )
    },
    command(
        "unarchive",
        &[STARTED, WORKED, Run("archive implement/auth --force")],
        "unarchive implement/auth",
    ),
    command(
        "phase, archived",
        &[STARTED, WORKED, Run("archive implement/auth --force")],
        "phase implement/auth test complete",
    ),
    Operation {
        looks: &[Json("show implement/sso --json")],
        next: "phase implement/sso next complete --new",
        ..command(
            "fork",
            &[STARTED, WORKED],
            "fork implement/auth implement/sso",
        )
    },
    Operation {
        looks: &[There(STATE), Json("show implement/sso --json")],
        // It is done already, or this finishes it.
        next: "rename implement/auth implement/sso",
        creates: true,
        ..command(
            "rename",
            &[STARTED, WORKED],
            "rename implement/auth implement/sso",
        )
    },
    Operation {
        // It is done already, or this finishes it.
        next: "delete implement/auth --force",
        creates: true,
        ..command(
            "delete",
            &[STARTED, WORKED],
            "delete implement/auth --force",
        )
    },
    Operation {
        looks: &[
            Json("show implement/auth --json"),
            Json("show test/old --json"),
            There(".claude/state/test-old.json"),
            There(".claude/state/archive/command/test-old.zst"),
            There(".claude/state/archive/trash/command/test-gone.20200101T000000.000Z.zst"),
        ],
        // It is done already, or this finishes it. What was archived is there.
        then: &[Run("gc")],
        next: "unarchive test/old",
        ..command(
            "gc",
            &[
                STARTED,
                WORKED,
                Run("start test gone"),
                Run("delete test/gone --force"),
                Age,
                Put(".claude/state/test-old.json", FINISHED),
            ],
            "gc",
        )
    },
    command("restore", &[STARTED, WORKED], "restore implement/auth 1"),
    command("undo", &[STARTED, WORKED], "undo implement/auth"),
    Operation {
        creates: true,
        looks: &[Json("plan list --json")],
        ..plan(
            "plan new",
            &[Put("notes.md", UNMARKED)],
            "plan new Login --from notes.md",
        )
    },
    Operation {
        next: "plan mark",
        ..plan("plan mark", &[Put(PLAN_FILE, UNMARKED)], "plan mark")
    },
    plan("plan sync, first", &[PLANNED], "plan sync"),
    plan("plan done", &[PLANNED, SYNCED], "plan done schema"),
    plan(
        "restore of a plan",
        &[PLANNED, SYNCED, Run("plan done schema")],
        "restore 260220-1149-login 1",
    ),
    plan(
        "undo of a plan",
        &[PLANNED, SYNCED, Run("plan decide Postgres")],
        "undo 260220-1149-login",
    ),
    plan(
        "plan undo",
        &[PLANNED, SYNCED, Run("plan done schema")],
        "plan undo schema",
    ),
    plan(
        "plan done, state damaged",
        &[PLANNED, SYNCED, Put(PLAN_STATE, "{ torn")],
        "plan done schema",
    ),
    plan("plan accept", &[PLANNED, SYNCED], "plan accept works"),
    plan("plan add", &[PLANNED, SYNCED], "plan add 'One more'"),
    plan(
        "plan edit",
        &[PLANNED, SYNCED],
        "plan edit form 'A better form'",
    ),
    plan(
        "plan decide",
        &[PLANNED, SYNCED],
        "plan decide Redis --reason speed",
    ),
    plan("plan block", &[PLANNED, SYNCED], "plan block 'No key'"),
    plan(
        "plan unblock",
        &[PLANNED, SYNCED, Run("plan block 'No key'")],
        "plan unblock key",
    ),
    plan("plan note", &[PLANNED, SYNCED], "plan note Hello"),
    plan(
        "plan claim",
        &[PLANNED, SYNCED],
        "plan claim schema --by team:a",
    ),
    plan(
        "plan release",
        &[PLANNED, SYNCED, Run("plan claim schema --by team:a")],
        "plan release schema --by team:a",
    ),
    plan(
        "plan sync, edited",
        &[PLANNED, SYNCED, Put(PLAN_FILE, TICKED)],
        "plan sync",
    ),
    // Two files come back one after the other, so each of them is looked at alone. In between, the plan is shown from its
    // Markdown and its history.
    Operation {
        next: "recover",
        looks: &[File(PLAN_FILE)],
        ..plan(
            "recover, plan removed",
            &[PLANNED, SYNCED, Run("plan done schema"), Remove("plans")],
            "recover 260220-1149-login",
        )
    },
    Operation {
        next: "recover",
        looks: &[File(PLAN_STATE)],
        ..plan(
            "recover, plan removed: its state",
            &[PLANNED, SYNCED, Run("plan done schema"), Remove("plans")],
            "recover 260220-1149-login",
        )
    },
    // Its state is removed last but for its history.
    Operation {
        next: "delete 260220-1149-login --force",
        looks: &[There(PLAN_STATE)],
        creates: true,
        ..plan(
            "delete of a plan",
            &[PLANNED, SYNCED, Run("plan done schema")],
            "delete 260220-1149-login --force",
        )
    },
    Operation {
        next: "plan recover",
        ..plan(
            "plan recover",
            &[PLANNED, SYNCED, Remove(PLAN_FILE)],
            "plan recover",
        )
    },
    Operation {
        // A closed plan is named.
        next: "plan note After --plan 260220-1149-login",
        ..plan(
            "complete of a plan",
            &[PLANNED, SYNCED],
            "complete 260220-1149-login --force",
        )
    },
    Operation {
        // A closed plan is named.
        next: "plan note After --plan 260220-1149-login",
        ..plan(
            "abandon of a plan",
            &[PLANNED, SYNCED],
            "abandon 260220-1149-login --reason no",
        )
    },
    Operation {
        looks: &[Json("plan use --json")],
        next: "plan use 260220-1149-login",
        ..plan("plan use", &[PLANNED, SYNCED], "plan use 260220-1149-login")
    },
    Operation {
        creates: true,
        ..pipeline("pipeline init", &[SPECIFIED], "pipeline init spec.md")
    },
    pipeline(
        "pipeline review",
        &[SPECIFIED, INITIALIZED],
        "pipeline review PRD-001 ship",
    ),
    pipeline(
        "pipeline start",
        &[SPECIFIED, INITIALIZED, REVIEWED],
        "pipeline start PRD-001 WS1",
    ),
    pipeline(
        "pipeline done",
        &[SPECIFIED, INITIALIZED, REVIEWED, WS1],
        "pipeline done PRD-001 WS1",
    ),
    pipeline(
        "undo of a pipeline",
        &[SPECIFIED, INITIALIZED, REVIEWED, WS1],
        "undo PRD-001",
    ),
    pipeline(
        "restore of a pipeline",
        &[SPECIFIED, INITIALIZED, REVIEWED, WS1],
        "restore PRD-001 1",
    ),
    pipeline(
        "pipeline fail",
        &[SPECIFIED, INITIALIZED, REVIEWED, WS1],
        "pipeline fail PRD-001 WS1 --message no",
    ),
    pipeline(
        "pipeline fixed",
        &[
            SPECIFIED,
            INITIALIZED,
            REVIEWED,
            WS1,
            Run("pipeline fail PRD-001 WS1 --message no"),
        ],
        "pipeline fixed PRD-001",
    ),
    pipeline(
        "pipeline defer",
        &[SPECIFIED, INITIALIZED, REVIEWED],
        "pipeline defer PRD-001 WS2 --reason later",
    ),
    pipeline(
        "pipeline gate pass",
        &[
            SPECIFIED,
            INITIALIZED,
            REVIEWED,
            WS1,
            Run("pipeline done PRD-001 WS1"),
        ],
        "pipeline gate pass PRD-001 tests --for WS1",
    ),
    pipeline(
        "pipeline gate run",
        &[
            SPECIFIED,
            INITIALIZED,
            REVIEWED,
            WS1,
            Run("pipeline done PRD-001 WS1"),
        ],
        "pipeline gate run PRD-001 tests --for WS1",
    ),
    pipeline(
        "pipeline abort",
        &[SPECIFIED, INITIALIZED, REVIEWED],
        "pipeline abort PRD-001 --reason no",
    ),
    pipeline(
        "pipeline note",
        &[SPECIFIED, INITIALIZED],
        "pipeline note PRD-001 --cleanup done",
    ),
    Operation {
        looks: SESSION,
        ..hook("hook, session start", &[PLANNED, SYNCED], BEGUN)
    },
    Operation {
        promise: Later,
        then: &[],
        ..hook(
            "hook, edit of a plan",
            &[PLANNED, SYNCED, Put(PLAN_FILE, TICKED)],
            EDITED,
        )
    },
    hook("hook, compaction", &[PLANNED, SYNCED], COMPACTED),
    Operation {
        looks: SESSION,
        ..hook("hook, session end", &[PLANNED, SYNCED, Hook(BEGUN)], ENDED)
    },
    Operation {
        looks: SETTINGS,
        next: "init --agent claude",
        ..command("init", &[STARTED], "init --agent claude")
    },
    Operation {
        looks: SETTINGS,
        next: "init --uninstall",
        ..command(
            "init --uninstall",
            &[STARTED, Run("init --agent claude")],
            "init --uninstall",
        )
    },
    Operation {
        looks: &[Json("config list --json")],
        next: "config set --user summary_limit 400",
        ..command(
            "config set",
            &[STARTED],
            "config set --user summary_limit 300",
        )
    },
    Operation {
        looks: &[File(".claude/config/ckpt.json")],
        next: "config set summary_limit 400",
        ..command(
            "config set, of the repository",
            &[STARTED, Run("config set resume_budget 900")],
            "config set summary_limit 300",
        )
    },
    Operation {
        looks: &[
            Json("show implement/auth --json"),
            Exit("gate check implement/auth"),
        ],
        ..command(
            "new key",
            &[STARTED, Run("gate set implement/auth --allow")],
            "doctor --new-key",
        )
    },
];
