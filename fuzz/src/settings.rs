//! Any settings: adding hooks a second time changes nothing, all added hooks are current, and removal leaves none.

use ckpt_agents::Agent;
use ckpt_agents::install::{Program, Scope, added, found, removed, settings_file};

/// Adds the hooks of each agent to the settings, twice, and removes them.
pub fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let program = Program::new("/opt/a b/ckpt");
    for agent in Agent::ALL {
        let place = settings_file(agent, Scope::Local);
        let Ok(once) = added(&text, &place, &program) else {
            continue;
        };
        assert_eq!(added(&once, &place, &program).as_ref(), Ok(&once));
        assert!(found(&once, agent).iter().all(|hook| hook.is_current));
        let without = removed(&once, agent).expect("what was edited can be edited");
        assert_eq!(found(&without, agent), []);
    }
}
