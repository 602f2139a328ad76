//! Behaviour of the operations on plans.

use proptest::prelude::*;

use super::super::*;
use super::*;
use crate::document::{Document, Object, Pointer};
use crate::history::{EventName, Line};
use crate::time::Timestamp;

const PLAN: &str = "\
# Login

## Setup
<!-- CHECKPOINT: setup -->
- [x] Create schema <!-- TASK: schema -->

## Build
<!-- CHECKPOINT: build -->
- [ ] Form <!-- TASK: form -->
- [ ] Page <!-- TASK: page -->

Closing words.
";

fn time(minute: u32) -> Timestamp {
    Timestamp::parse(&format!(
        "2026-02-20T{:02}:{:02}:00Z",
        11 + minute / 60,
        minute % 60
    ))
    .unwrap()
}

/// Runs an operation on the files of a plan.
fn run<T>(
    files: &[(&str, &str)],
    state: &Object,
    (now, by): (Timestamp, &str),
    operation: impl Fn(&Present<'_>) -> T,
) -> T {
    let sources: Vec<Source<'_>> = files
        .iter()
        .map(|(name, text)| Source {
            name,
            text: text.as_bytes(),
        })
        .collect();
    operation(&Present {
        sources: &sources,
        outline: &Outline::read(&sources).unwrap(),
        state,
        now,
        by,
        agent: None,
        session: None,
        gone: &[],
    })
}

fn at_work(text: &str, operation: impl Fn(&Present<'_>) -> Result<Change, Refusal>) -> String {
    let files = [("plan.md", text)];
    let change = run(&files, &Object::new(), (time(0), "main"), operation).unwrap();
    edited(text, &change)
}

fn edited(text: &str, change: &Change) -> String {
    let edit = change.edits.iter().find(|(position, _)| *position == 0);
    let after = match edit {
        Some((_, edit)) => edit.apply(text.as_bytes()).unwrap(),
        None => text.as_bytes().to_vec(),
    };
    String::from_utf8(after).unwrap()
}

fn blocked(text: &str, concern: &Concern) -> String {
    at_work(text, |present| block(present, "No key", concern))
}

#[test]
fn a_blocker_goes_to_the_end_of_the_phase_it_concerns() {
    let line = "<!-- BLOCKER: No key -->\n";
    let setup = Concern::Phase("setup".into());
    let schema = "<!-- TASK: schema -->\n";
    assert_eq!(
        blocked(PLAN, &setup),
        PLAN.replace(schema, &format!("{schema}{line}"))
    );
    assert_eq!(blocked(PLAN, &Concern::Current), format!("{PLAN}{line}"));
    assert_eq!(
        blocked(&PLAN.replace('\n', "\r\n"), &setup),
        PLAN.replace(schema, &format!("{schema}{line}"))
            .replace('\n', "\r\n")
    );
    let unfinished = PLAN.trim_end();
    assert_eq!(
        blocked(unfinished, &Concern::Current),
        format!("{unfinished}\n{}", line.trim_end())
    );
    assert_eq!(blocked("", &Concern::Current), line);
    assert_eq!(
        blocked(
            "- [ ] A <!-- TASK: a -->\n\n# One\n<!-- CHECKPOINT: one -->\n",
            &Concern::Phase("main".into())
        ),
        format!("- [ ] A <!-- TASK: a -->\n{line}\n# One\n<!-- CHECKPOINT: one -->\n")
    );
}

#[test]
fn a_marker_is_never_written_where_it_would_not_be_seen() {
    // The phase ends in an open code block, whose content is plain text.
    let fenced = "<!-- CHECKPOINT: a -->\n- [ ] A <!-- TASK: a -->\n```\nopen\n";
    let files = [("plan.md", fenced)];
    let refused = run(&files, &Object::new(), (time(0), "main"), |present| {
        block(present, "No key", &Concern::Current)
    });
    assert_eq!(
        refused,
        Err(Refusal::NoPlace {
            name: "plan.md".into()
        })
    );
    let phase = run(&files, &Object::new(), (time(0), "main"), |present| {
        block(present, "No key", &Concern::Phase("b".into()))
    });
    assert_eq!(phase, Err(Refusal::UnknownPhase("b".into())));
}

#[test]
fn a_phase_in_its_own_file_gets_its_markers_there() {
    let files = [
        ("plan.md", "# Plan\n<!-- CHECKPOINT: one -->\n"),
        (
            "phase-02-more.md",
            "<!-- CHECKPOINT: two -->\n- [ ] M <!-- TASK: m -->\n",
        ),
        ("phase-03-last.md", "- [ ] L <!-- TASK: l -->\n"),
    ];
    for (phase, position) in [("one", 0), ("two", 1), ("phase-03-last", 2)] {
        let change = run(&files, &Object::new(), (time(0), "main"), |present| {
            block(present, "No key", &Concern::Phase(phase.into())).unwrap()
        });
        assert_eq!(change.edits[0].0, position, "{phase}");
    }
}

#[test]
fn text_that_would_leave_its_marker_is_refused() {
    for text in ["", "  ", "a --> b", "two\nlines", "two\rlines"] {
        let files = [("plan.md", PLAN)];
        run(&files, &Object::new(), (time(0), "main"), |present| {
            let decision = Decision {
                text: text.into(),
                reason: None,
                concern: Concern::Current,
            };
            assert!(
                matches!(decide(present, &decision), Err(Refusal::NotOneLine(_))),
                "{text:?}"
            );
            let blocked = block(present, text, &Concern::Current);
            assert!(matches!(blocked, Err(Refusal::NotOneLine(_))), "{text:?}");
        });
    }
}

#[test]
fn unblocking_takes_the_line_away_or_only_the_comment() {
    let unblocked = |text: &str| at_work(text, |present| unblock(present, "no KEY"));
    assert_eq!(unblocked("A\n<!-- BLOCKER: No key -->\nB\n"), "A\nB\n");
    assert_eq!(unblocked("A\r\n  <!-- BLOCKER: No key -->\r\nB"), "A\r\nB");
    assert_eq!(unblocked("A\n<!-- BLOCKER: No key -->"), "A");
    assert_eq!(unblocked("A <!-- BLOCKER: No key --> b\n"), "A b\n");
    assert_eq!(unblocked("- A <!-- BLOCKER: No key -->\n"), "- A\n");
    let files = [(
        "plan.md",
        "<!-- BLOCKER: No key -->\n<!-- BLOCKER: No keyboard -->\n",
    )];
    run(&files, &Object::new(), (time(0), "main"), |present| {
        assert!(matches!(
            unblock(present, "no"),
            Err(Refusal::AmbiguousBlocker { .. })
        ));
        assert!(matches!(
            unblock(present, "mouse"),
            Err(Refusal::UnknownBlocker { .. })
        ));
        assert_eq!(
            unblock(present, "No key").unwrap().edits.len(),
            1,
            "the exact one"
        );
    });
}

fn claimed(state: &Object, now: Timestamp, by: &str, task: &str) -> Result<Object, Refusal> {
    run(&[("plan.md", PLAN)], state, (now, by), |present| {
        claim(present, &[task.to_owned()], &Elsewhere::default())
    })
    .map(|change| change.state.unwrap())
}

#[test]
fn a_claim_holds_until_its_agent_was_silent_for_half_an_hour() {
    let state = claimed(&Object::new(), time(0), "subagent:ui", "form").unwrap();
    let agents = state.get("agents").unwrap().to_compact();
    assert_eq!(
        agents,
        r#"{"subagent:ui":{"type":"ui","assignedTasks":["form"],"completedTasks":[],"lastActive":"2026-02-20T11:00:00.000Z"}}"#
    );
    let refused = claimed(&state, time(29), "main", "form");
    assert!(matches!(refused, Err(Refusal::Claimed { holder, .. }) if holder == "subagent:ui"));
    let mut alive = state.clone();
    keep_account(&mut alive, "subagent:ui", "subagent:ui", time(20), &[]);
    claimed(&alive, time(31), "main", "form").unwrap_err();
    let passed_on = claimed(&state, time(30), "main", "form").unwrap();
    assert_eq!(claims(&passed_on, time(31), &[])["form"].by, "main");
    assert!(!claims(&state, time(30), &[])["form"].live);
    let again = claimed(&state, time(5), "subagent:ui", "form").unwrap();
    assert_eq!(claims(&again, time(34), &[])["form"].by, "subagent:ui");
    assert!(matches!(
        claimed(&state, time(0), "main", "schema"),
        Err(Refusal::AlreadyDone(_))
    ));
    assert!(matches!(
        claimed(&state, time(0), "main", "nope"),
        Err(Refusal::Unknown { .. })
    ));
}

#[test]
fn only_the_owner_can_give_up_a_claim() {
    let state = claimed(&Object::new(), time(0), "team:a", "form").unwrap();
    let released = |by: &str| {
        run(&[("plan.md", PLAN)], &state, (time(1), by), |present| {
            release(present, &["form".to_owned()])
        })
    };
    assert!(matches!(
        released("main"),
        Err(Refusal::NotClaimed { holder: Some(holder), .. }) if holder == "team:a"
    ));
    let after = released("team:a").unwrap().state.unwrap();
    assert!(claims(&after, time(1), &[]).is_empty());
}

#[test]
fn completions_of_helpers_are_on_their_account_and_leave_it_when_undone() {
    let mut state = Object::new();
    let event = |name: EventName| {
        let event = crate::history::Event::new(name);
        event.with("taskId", "form")
    };
    keep_account(
        &mut state,
        "main",
        "main",
        time(0),
        &[event(EventName::TaskCompleted)],
    );
    assert!(
        state.get("agents").is_none(),
        "the main session needs no account"
    );
    keep_account(
        &mut state,
        "team:a",
        "team:a",
        time(1),
        &[event(EventName::TaskCompleted)],
    );
    let account = |state: &Object| state.get("agents").unwrap().to_compact();
    assert!(
        account(&state).contains(r#""completedTasks":["form"],"lastActive":"2026-02-20T11:01"#)
    );
    keep_account(
        &mut state,
        "main",
        "main",
        time(2),
        &[event(EventName::TaskReopened)],
    );
    assert!(account(&state).contains(r#""completedTasks":[],"lastActive":"2026-02-20T11:01"#));
}

/// The seed's own history lines are enough to tell who did what and when.
#[test]
fn a_state_is_reconstructed_from_the_lines_of_its_history() {
    let mut state = Object::new();
    for line in [
        r#"{"ts":"2026-02-20T11:49:00Z","event":"checkpoint_created","planId":"260220-1149-feature"}"#,
        r#"{"ts":"2026-02-20T11:52:00Z","event":"task_completed","taskId":"schema","by":"main"}"#,
        r#"{"ts":"2026-02-20T12:05:00Z","event":"subagent_started","agentType":"ui","tasks":["form"]}"#,
        r#"{"ts":"2026-02-20T12:15:00Z","event":"task_completed","taskId":"form","by":"subagent:ui"}"#,
        r#"{"ts":"2026-02-20T12:30:00Z","event":"phase_completed","phaseId":"setup"}"#,
        r#"{"ts":"2026-02-20T12:31:00Z","event":"decision_recorded","decision":"Use sqlite","reason":"small","by":"main"}"#,
        r#"{"ts":"2026-02-20T12:32:00Z","event":"note_added","note":"one"}"#,
        r#"{"ts":"2026-02-20T12:33:00Z","event":"note_added","note":"two"}"#,
        r#"{"ts":"2026-02-20T12:34:00Z","event":"task_reopened","taskId":"schema"}"#,
        r#"{"ts":"not a time","event":"notes_cleared"}"#,
    ] {
        retell(&mut state, &Line::parse(line.as_bytes().to_vec()).unwrap());
    }
    let outline = Outline::read(&[Source {
        name: "plan.md",
        text: PLAN.replace("[ ] Form", "[x] Form").as_bytes(),
    }])
    .unwrap();
    let context = Context {
        plan_id: "260220-1149-feature",
        plan_path: "/plan.md",
        checksum: "sha256:0",
        phase_files: &[],
        now: time(200),
        by: Some("main"),
    };
    let told = reconcile(Some(&state), &outline, &context).state;
    let at = |pointer: &str| {
        let value = told.at(&Pointer::parse(pointer).unwrap()).cloned();
        value.map(|value| value.to_compact())
    };
    let form =
        r#"{"done":true,"completedAt":"2026-02-20T12:15:00.000Z","completedBy":"subagent:ui"}"#;
    assert_eq!(at("/phases/build/tasks/form").as_deref(), Some(form));
    assert_eq!(
        at("/phases/setup/completedAt").as_deref(),
        Some(r#""2026-02-20T12:30:00.000Z""#)
    );
    assert_eq!(at("/sessionNotes").as_deref(), Some(r#""one\ntwo""#));
    assert_eq!(at("/decisions/0/reason").as_deref(), Some(r#""small""#));
    assert_eq!(
        at("/agents/subagent:ui/completedTasks").as_deref(),
        Some(r#"["form"]"#)
    );
}

#[test]
fn the_seeds_backup_is_read_and_ours_has_its_members_in_its_order() {
    let seed = br#"{"savedAt":"2026-02-20T12:25:00Z","reason":"pre_subagent_spawn","state":{"version":2,"planId":"x"}}"#;
    let backup = Backup::read(seed).unwrap();
    assert_eq!(backup.revision, None);
    assert_eq!(backup.saved_at.as_deref(), Some("2026-02-20T12:25:00Z"));
    let revision: crate::history::Revision = "7-abc".parse().unwrap();
    let text = Backup::write(&backup.state, &revision, Reason::Periodic, time(0)).unwrap();
    let document = Document::parse(text.clone()).unwrap();
    let members: Vec<_> = document.root().members();
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_ref()).collect();
    assert_eq!(names, ["savedAt", "reason", "rev", "state"]);
    assert_eq!(
        Backup::revision_in(&text.as_bytes()[..100]),
        Some(revision.clone())
    );
    assert_eq!(
        Backup::read(text.as_bytes()).unwrap().revision,
        Some(revision)
    );
    for damaged in [
        &b"garbage"[..],
        b"{}",
        b"[]",
        br#"{"state":{}}"#,
        br#"{"state":{"version":1}}"#,
    ] {
        assert_eq!(Backup::read(damaged), None);
    }
}

#[test]
fn a_backup_is_due_every_fifth_checkpoint_and_in_every_new_epoch() {
    let at = |text: &str| text.parse().unwrap();
    assert!(!Backup::is_due(None, &at("4-a")));
    assert!(Backup::is_due(None, &at("5-a")));
    assert!(!Backup::is_due(Some(&at("5-a")), &at("9-a")));
    assert!(Backup::is_due(Some(&at("5-a")), &at("10-a")));
    assert!(Backup::is_due(Some(&at("90-a")), &at("5-b")));
}

#[test]
fn old_progress_is_taken_where_it_is_a_map_from_tasks_to_whether_they_are_done() {
    let outline = Outline::read(&[Source {
        name: "plan.md",
        text: PLAN.as_bytes(),
    }])
    .unwrap();
    let read = |text: &str| Legacy::read(text.as_bytes(), &outline);
    let form = Legacy::Done(vec!["form".into()]);
    assert_eq!(read(r#"{"form":true,"page":false,"other":true}"#), form);
    assert_eq!(
        read(r#"{"tasks":{"form":"completed","page":"pending"}}"#),
        form
    );
    assert_eq!(
        read(r#"{"tasks":{"form":{"done":true},"page":{"status":"todo"}}}"#),
        form
    );
    for unclear in [
        "",
        "[]",
        "{}",
        r#"{"form":7}"#,
        r#"{"tasks":[]}"#,
        r#"{"done":["form"]}"#,
        r#"{"form":"perhaps"}"#,
    ] {
        assert_eq!(read(unclear), Legacy::Unclear, "{unclear}");
    }
}

proptest! {
    /// Whatever the plan contains, an added marker is visible, and removing it restores the plan.
    #[test]
    fn what_is_blocked_and_unblocked_leaves_the_plan_as_it_was(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "- [ ] A <!-- TASK: a -->", "## Heading", "<!-- CHECKPOINT: one -->", "text", "",
                "```", "<!-- open", "-->", "<!-- CHECKPOINT: two -->", "  - [x] B <!-- TASK: b -->",
                "<!-- BLOCKER: other -->",
            ]),
            0..14,
        ),
        ending in prop::sample::select(vec!["\n", "\r\n"]),
        last in any::<bool>(),
        phase in prop::sample::select(vec!["one", "two", "main"]),
    ) {
        let mut text = lines.join(ending);
        if last {
            text += ending;
        }
        let files = [("plan.md", text.as_str())];
        let before = Outline::read(&[Source { name: "plan.md", text: text.as_bytes() }]).unwrap();
        let known = before.phases.iter().any(|known| known.id == phase);
        let concern = if known { Concern::Phase(phase.into()) } else { Concern::Current };
        let change = run(&files, &Object::new(), (time(0), "main"), |present| {
            block(present, "No key", &concern)
        });
        let Ok(change) = change else {
            let refused = matches!(change, Err(Refusal::NoPlace { .. }));
            prop_assert!(refused);
            return Ok(());
        };
        let after = edited(&text, &change);
        let outline = Outline::read(&[Source { name: "plan.md", text: after.as_bytes() }]).unwrap();
        prop_assert!(outline.blockers.contains(&"No key".to_owned()));
        prop_assert_eq!(outline.tasks().count(), before.tasks().count());
        let files = [("plan.md", after.as_str())];
        let back = run(&files, &Object::new(), (time(0), "main"), |present| {
            unblock(present, "No key").unwrap()
        });
        prop_assert_eq!(edited(&after, &back), text);
    }
}

mod subagents {
    use super::*;
    use crate::document::Value;
    use crate::plan::{
        Ending, Helper, LastKnown, Said, at_work, helper_started, helper_stopped, session_over,
    };

    fn state_after(change: Change) -> Object {
        change.state.expect("a state")
    }

    fn helper(id: &str, tasks: &[&str]) -> Helper {
        Helper {
            asked: None,
            id: id.to_owned(),
            kind: "ui".to_owned(),
            tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
            told_at: None,
        }
    }

    fn agent<'s>(state: &'s Object, id: &str) -> &'s Object {
        let agents = state.get("agents").and_then(Value::as_object).unwrap();
        agents.get(id).and_then(Value::as_object).unwrap()
    }

    const PLAN: &str = "- [ ] Form <!-- TASK: form -->\n- [ ] Page <!-- TASK: page -->\n";

    /// Runs an operation for a sub-agent in a session.
    fn run(state: &Object, minute: u32, operation: impl Fn(&Present<'_>) -> Change) -> Change {
        let sources = [Source {
            name: "plan.md",
            text: PLAN.as_bytes(),
        }];
        operation(&Present {
            sources: &sources,
            outline: &Outline::read(&sources).unwrap(),
            state,
            now: time(minute),
            by: "subagent:ui",
            agent: None,
            session: Some("s1"),
            gone: &[],
        })
    }

    #[test]
    fn a_sub_agent_that_begins_again_has_nothing_of_its_first_life_but_what_it_completed() {
        let begun = state_after(run(&Object::new(), 0, |present| {
            helper_started(present, &helper("d", &["form"]), &Elsewhere::default())
        }));
        assert_eq!(at_work(&begun, "s1").len(), 1);
        let again = run(&begun, 1, |present| {
            helper_started(present, &helper("d", &["form"]), &Elsewhere::default())
        });
        assert_eq!(again, Change::default(), "it is at work");
        let said = Said {
            claimed: vec!["form".to_owned()],
            handoff: Some(Object::new()),
            words: None,
        };
        let ended = state_after(run(&begun, 2, |present| {
            helper_stopped(present, &helper("d", &[]), &said)
        }));
        assert!(agent(&ended, "d").get("claimedTasks").is_some());
        assert_eq!(
            run(&ended, 3, |present| helper_stopped(
                present,
                &helper("d", &[]),
                &said
            )),
            Change::default()
        );
        assert!(at_work(&ended, "s1").is_empty());
        let resumed = state_after(run(&ended, 4, |present| {
            helper_started(present, &helper("d", &["page"]), &Elsewhere::default())
        }));
        for gone in ["endedAt", "died", "handoff", "claimedTasks"] {
            assert_eq!(agent(&resumed, "d").get(gone), None, "{gone}");
        }
    }

    #[test]
    fn a_start_that_is_reported_after_the_end_changes_nothing() {
        let said = Said::default();
        let ended = state_after(run(&Object::new(), 5, |present| {
            helper_stopped(present, &helper("d", &[]), &said)
        }));
        let told = |minute: u32| Helper {
            told_at: Some(time(minute)),
            ..helper("d", &["form"])
        };
        let late = run(&ended, 6, |present| {
            helper_started(present, &told(4), &Elsewhere::default())
        });
        assert_eq!(late, Change::default());
        let again = run(&ended, 8, |present| {
            helper_started(present, &told(7), &Elsewhere::default())
        });
        assert!(again.state.is_some(), "it was resumed");
    }

    #[test]
    fn those_that_ended_longest_ago_are_forgotten_and_those_at_work_never() {
        let mut state = state_after(run(&Object::new(), 0, |present| {
            helper_started(present, &helper("first", &[]), &Elsewhere::default())
        }));
        for number in 0..100 {
            let id = format!("h{number}");
            state = state_after(run(&state, number, |present| {
                helper_started(present, &helper(&id, &[]), &Elsewhere::default())
            }));
            state = state_after(run(&state, number, |present| {
                helper_stopped(present, &helper(&id, &[]), &Said::default())
            }));
        }
        let agents = state.get("agents").and_then(Value::as_object).unwrap();
        assert!((64..=66).contains(&agents.len()), "{}", agents.len());
        assert!(agents.get("first").is_some() && agents.get("h99").is_some());
        assert!(agents.get("h0").is_none());
    }

    #[test]
    fn a_session_that_is_over_ends_all_who_worked_in_it_and_tells_a_crash_only_where_it_should() {
        let begun = state_after(run(&Object::new(), 0, |present| {
            helper_started(present, &helper("d", &["form"]), &Elsewhere::default())
        }));
        let over = |ending| {
            run(&begun, 1, move |present| {
                session_over(present, "s1", &[], ending, LastKnown::State)
            })
        };
        let names = |change: &Change| {
            change
                .events
                .iter()
                .map(|event| event.name.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&over(Ending::Quiet)), ["claims_lapsed"]);
        assert_eq!(
            names(&over(Ending::Crash)),
            ["session_crash", "session_recovered"]
        );
        let state = state_after(over(Ending::Quiet));
        assert!(!claims(&state, time(1), &[])["form"].live);
        let other = run(&begun, 1, |present| {
            session_over(present, "s2", &[], Ending::Quiet, LastKnown::State)
        });
        assert_eq!(other, Change::default());
        assert!(
            !claims(&begun, time(1), &["s1".to_owned()])["form"].live,
            "its session is gone"
        );
        assert!(claims(&begun, time(1), &["s2".to_owned()])["form"].live);
    }
}
