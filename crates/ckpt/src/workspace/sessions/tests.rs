//! Races between the end of a session and other events.

use std::path::Path;

use super::*;
use crate::key::PlanId;
use crate::plan::Helper;
use crate::repository::Environment;
use crate::workspace::Options;

const SESSION: &str = "s1";

fn id() -> PlanId {
    PlanId::new("260220-1149-login").unwrap()
}

/// A workspace with a plan and a running session.
fn begun(root: &Path) -> Workspace {
    let plan = root.join("plans/260220-1149-login/plan.md");
    std::fs::create_dir_all(plan.parent().unwrap()).unwrap();
    std::fs::write(plan, "- [ ] First <!-- TASK: first -->\n").unwrap();
    let environment = Environment {
        git_root: Some(root.to_owned()),
        ..Environment::default()
    };
    let options = Options {
        session: Some(SESSION.to_owned()),
        user_state: Some(root.join("user-state")),
        ..Options::default()
    };
    let workspace = Workspace::open(root, &environment, options).unwrap();
    workspace.sessions().note(&beginning()).unwrap();
    workspace
}

fn beginning() -> Beginning<'static> {
    Beginning {
        agent: "claude",
        id: SESSION,
        process: None,
        transcript: None,
        told_at: None,
    }
}

fn starts(workspace: &Workspace, name: &str) -> bool {
    let helper = Helper {
        id: name.to_owned(),
        kind: "dev".to_owned(),
        ..Helper::default()
    };
    workspace.plan(&id()).start_helper(&helper).unwrap();
    let at_work = workspace
        .sessions()
        .plan_of_helper(SESSION, &helper)
        .unwrap();
    at_work.is_some()
}

#[test]
fn no_sub_agent_begins_while_the_end_of_its_session_is_reported() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = begun(directory.path());
    assert!(starts(&workspace, "a"));
    let closed = workspace
        .sessions()
        .close(SESSION, Closing::SaidGoodbye, |_| {
            assert!(!starts(&workspace, "b"));
            Ok(())
        });
    assert!(closed.unwrap());
    assert!(!starts(&workspace, "c"));
}

#[test]
fn a_session_that_continues_while_its_end_is_reported_has_not_ended() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = begun(directory.path());
    let closed = workspace
        .sessions()
        .close(SESSION, Closing::SaidGoodbye, |told| {
            let goodbye = told.goodbye_at.as_deref().and_then(Timestamp::parse);
            let later = goodbye.unwrap().as_millisecond() + 1;
            workspace.sessions().note(&Beginning {
                told_at: Timestamp::from_millisecond(later),
                ..beginning()
            })
        });
    assert!(closed.unwrap());
    assert!(!workspace.sessions().get(SESSION).unwrap().is_over());
}
