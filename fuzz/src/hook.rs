//! Any input of a hook, from its bytes to the answer.

use std::fs;
use std::sync::LazyLock;

use ckpt::document::Document;
use ckpt::repository::Environment;
use ckpt::workspace::{Options, Workspace};
use ckpt_agents::{Agent, Enforcement, Event, Host, Policy, Unfinished, decide, respond};

/// A repository with a plan and a checkpoint.
static WORLD: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let world = tempfile::tempdir().expect("a directory to work in");
    let plan = world.path().join("plans/260220-1149-x");
    fs::create_dir_all(&plan).expect("a plan");
    fs::write(plan.join("plan.md"), "- [ ] A <!-- TASK: a -->\n").expect("a plan");
    let state = world.path().join(".claude/state");
    fs::create_dir_all(&state).expect("a state");
    let checkpoint = r#"{"command":"ship","phases":{},"state":{},"gate":{"ship_allowed":false,"blockers":["x"]}}"#;
    fs::write(state.join("ship-checkpoint.json"), checkpoint).expect("a checkpoint");
    world
});

/// Answers an event for each agent: the answer is nothing or JSON.
pub fn run(bytes: &[u8]) {
    let Ok(event) = Event::read(bytes) else {
        return;
    };
    let environment = Environment {
        git_root: Some(WORLD.path().to_owned()),
        ..Environment::default()
    };
    for agent in Agent::ALL {
        let options = Options {
            session: event.session.clone(),
            ..Options::default()
        };
        let workspace = Workspace::open(WORLD.path(), &environment, options).expect("a workspace");
        let host = Host {
            agent,
            process: Box::new(|_| None),
            told_at: None,
            budget: 500,
            policy: Policy {
                enforcement: Enforcement::Denied,
                unfinished: Unfinished::GoesOn,
            },
        };
        let written = respond(&workspace, &host, &event, decide(&event, host.policy))
            .answer
            .written(agent, &event);
        assert!(written.is_empty() || Document::parse(written).is_ok());
    }
}
