//! Any settings: adding hooks a second time changes nothing, all added hooks are current, and removal leaves none.

#![no_main]

use ckpt_agents::Agent;
use ckpt_agents::install::{Program, Scope, added, found, removed, settings_file};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let program = Program::new("/opt/a b/ckpt");
    for agent in Agent::ALL {
        let place = settings_file(agent, Scope::Local);
        let Ok(once) = added(text, &place, &program) else {
            continue;
        };
        assert_eq!(added(&once, &place, &program).as_ref(), Ok(&once));
        assert!(found(&once, agent).iter().all(|hook| hook.is_current));
        let without = removed(&once, agent).expect("what was edited can be edited");
        assert_eq!(found(&without, agent), []);
    }
});
