//! What the real clients send is read as they mean it.
//!
//! `scripts/real-agents --record crates/ckpt-agents/tests/payloads` renews the payloads, and `UPDATE_GOLDEN=1` the reading.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ckpt_agents::{Agent, Event, Policy, decide};
use serde_json::Value;

/// How much of a line is shown.
const WIDEST: usize = 300;

#[test]
fn every_payload_of_a_real_client_is_read_as_it_is_meant() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/payloads");
    let mut read = String::new();
    for agent in [Agent::Claude, Agent::Codex, Agent::Copilot, Agent::Gemini] {
        let payloads = fs::read_to_string(folder.join(format!("{agent}.json"))).unwrap();
        let payloads: Value = serde_json::from_str(&payloads).unwrap();
        for (name, payload) in payloads.as_object().unwrap() {
            let event = Event::read(payload.to_string().as_bytes()).unwrap();
            writeln!(read, "{agent} {name}").unwrap();
            for line in [
                format!("{:?}", event.happening),
                format!("in {:?} {:?}", event.session.as_deref(), event.subagent),
                format!("does {:?}", decide(&event, Policy::default())),
            ] {
                let end = line.floor_char_boundary(WIDEST);
                writeln!(read, "  {}", &line[..end]).unwrap();
            }
            // A hook that was set up for Claude Code knows who calls it.
            let caller = event.agent(Agent::Claude);
            let is_known = matches!(agent, Agent::Claude | Agent::Copilot);
            assert!(!is_known || caller == agent, "{agent} {name}: {caller}");
        }
    }
    let golden = folder.join("read.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &read).unwrap();
    }
    assert!(
        fs::read_to_string(&golden).is_ok_and(|golden| golden == read),
        "the reading has changed: run UPDATE_GOLDEN=1 cargo nextest run -p ckpt-agents payloads, and read the diff"
    );
}
