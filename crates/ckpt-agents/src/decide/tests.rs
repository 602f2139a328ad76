//! The actions for every event, under every policy.

use std::path::PathBuf;

use super::{Action, Enforcement, Policy, Unfinished, decide};
use crate::event::{Event, Happening, Subagent, Tool};
use crate::shipping::Shipment;

const LAX: Policy = Policy {
    enforcement: Enforcement::Told,
    unfinished: Unfinished::MayStop,
};
const STRICT: Policy = Policy {
    enforcement: Enforcement::Denied,
    unfinished: Unfinished::GoesOn,
};

fn event(happening: Happening) -> Event {
    Event {
        name: "Event".to_owned(),
        happening,
        session: Some("s".to_owned()),
        directory: None,
        id: None,
        subagent: None,
        transcript: None,
        source: String::new(),
        sender: None,
    }
}

fn within(subagent: &Subagent, happening: Happening) -> Event {
    Event {
        subagent: Some(subagent.clone()),
        ..event(happening)
    }
}

fn shell(command: &str) -> Tool {
    Tool::Shell {
        command: command.to_owned(),
    }
}

fn edit(files: &[&str]) -> Tool {
    Tool::Edit {
        files: paths(files),
    }
}

fn paths(files: &[&str]) -> Vec<PathBuf> {
    files.iter().map(PathBuf::from).collect()
}

fn prompt(text: &str) -> Happening {
    Happening::Prompt {
        text: text.to_owned(),
    }
}

#[test]
fn what_is_asked_for_whatever_the_policy() {
    use Happening::{AfterTool, BeforeCompaction, BeforeTool, Other, SessionEnd, SessionStart};

    let table: Vec<(Happening, Vec<Action>)> = vec![
        (
            SessionStart,
            vec![Action::BeginSession, Action::HealActivePlan, Action::Brief],
        ),
        (SessionEnd, vec![Action::FollowPlans, Action::EndSession]),
        (
            BeforeCompaction,
            vec![Action::FollowPlans, Action::NoteCompaction],
        ),
        (prompt("go on"), vec![Action::CountPrompt]),
        (
            prompt("/ship it"),
            vec![Action::CountPrompt, Action::TellGates],
        ),
        (
            prompt("/ckpt:ship"),
            vec![Action::CountPrompt, Action::TellGates],
        ),
        (prompt("do not /ship"), vec![Action::CountPrompt]),
        (
            AfterTool(edit(&["a/plan.md"])),
            vec![Action::FollowPlansOf(paths(&["a/plan.md"]))],
        ),
        (
            AfterTool(edit(&["fix.json"])),
            vec![Action::Absorb(paths(&["fix.json"]))],
        ),
        (
            AfterTool(edit(&["fix.json", "src/main.rs", "PLAN.MD", "state.json"])),
            vec![
                Action::FollowPlansOf(paths(&["PLAN.MD"])),
                Action::Absorb(paths(&["fix.json", "state.json"])),
            ],
        ),
        (AfterTool(edit(&["src/main.rs", "Makefile"])), vec![]),
        (AfterTool(edit(&[])), vec![]),
        (
            AfterTool(shell("git push")),
            vec![Action::FollowPlans, Action::LookAtHead],
        ),
        (
            BeforeTool(Tool::Spawn {
                kind: "tester".to_owned(),
                prompt: "1.1".to_owned(),
            }),
            vec![Action::RememberSpawn {
                kind: "tester".to_owned(),
                prompt: "1.1".to_owned(),
            }],
        ),
        (
            AfterTool(Tool::Spawn {
                kind: "tester".to_owned(),
                prompt: "1.1".to_owned(),
            }),
            vec![],
        ),
        (BeforeTool(shell("ls")), vec![]),
        (BeforeTool(edit(&["a/plan.md"])), vec![]),
        (BeforeTool(Tool::Other), vec![]),
        (AfterTool(Tool::Other), vec![]),
        (Other, vec![]),
    ];
    for (happening, actions) in table {
        for policy in [LAX, STRICT] {
            assert_eq!(
                decide(&event(happening.clone()), policy),
                actions,
                "{happening:?} {policy:?}"
            );
        }
    }
}

#[test]
fn shipping_is_looked_at_only_where_gates_are_enforced() {
    for command in ["git push", "gh pr create --fill", "make && git push -u o x"] {
        let before = event(Happening::BeforeTool(shell(command)));
        assert_eq!(decide(&before, LAX), []);
        assert_eq!(
            decide(&before, STRICT),
            [Action::DenyWhileBlocked(Shipment::Commits)]
        );
    }
}

#[test]
fn an_agent_is_told_what_is_next_only_if_the_user_wants_that() {
    for is_pause in [false, true] {
        let stop = event(Happening::Stop { is_pause });
        let expected = match is_pause {
            false => vec![Action::Nudge],
            true => vec![],
        };
        assert_eq!(decide(&stop, LAX), []);
        assert_eq!(decide(&stop, STRICT), expected);
    }
}

#[test]
fn what_happens_in_a_sub_agent_is_noted_for_those_with_a_type() {
    let tester = Subagent {
        id: "a1".to_owned(),
        kind: "tester".to_owned(),
    };
    let own = Subagent {
        kind: String::new(),
        ..tester.clone()
    };
    let (task, report) = ("1.1".to_owned(), "done".to_owned());
    let stop = |was_sent_back| Happening::SubagentStop {
        task: task.clone(),
        report: report.clone(),
        was_sent_back,
    };
    let stopped = |may_send_back| Action::StopSubagent {
        subagent: tester.clone(),
        task: task.clone(),
        report: report.clone(),
        may_send_back,
    };
    let said = Tool::Report {
        text: report.clone(),
    };
    let heard = Action::RememberReport {
        subagent: tester.clone(),
        report: report.clone(),
    };
    let seen = Action::SeeSubagent(tester.clone());
    // The actions for the main agent, and the additional ones for a sub-agent.
    let table = [
        (
            Happening::SubagentStart { task: task.clone() },
            vec![],
            vec![Action::StartSubagent {
                subagent: tester.clone(),
                task: task.clone(),
            }],
        ),
        (stop(false), vec![], vec![stopped(true)]),
        (stop(true), vec![], vec![stopped(false)]),
        (
            Happening::BeforeTool(said.clone()),
            vec![],
            vec![heard.clone()],
        ),
        (Happening::AfterTool(said), vec![], vec![heard]),
        (
            Happening::AfterTool(edit(&["src/main.rs"])),
            vec![],
            vec![seen.clone()],
        ),
        (
            Happening::AfterTool(shell("ls")),
            vec![Action::FollowPlans, Action::LookAtHead],
            vec![seen],
        ),
    ];
    for (happening, anybody, more) in table {
        let own = decide(&within(&own, happening.clone()), LAX);
        assert_eq!(own, anybody, "{happening:?}");
        assert_eq!(decide(&event(happening.clone()), LAX), anybody);
        let expected = [anybody, more].concat();
        assert_eq!(decide(&within(&tester, happening), LAX), expected);
    }
}
