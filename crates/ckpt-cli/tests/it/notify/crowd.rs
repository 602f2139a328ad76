//! A thousand events arrive, whatever is down or killed meanwhile.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use super::{events, run, told, wait_until};
use crate::support::environment::CKPT;
use crate::support::server::{Reply, Server};

/// How many changes each writer makes.
const ROUNDS: usize = 250;

#[test]
fn a_thousand_events_arrive_in_order_while_the_receiver_is_down_and_workers_are_killed() {
    let begin = Instant::now();
    let server = Server::new(move |_, _| match begin.elapsed() < Duration::from_secs(4) {
        true => Reply::Answer(503, vec![("retry-after", "1".to_owned())], String::new()),
        false => Reply::status(200),
    });
    let environment = told(&server);
    let keys = ["implement/a", "implement/b", "implement/c", "review/d"];
    for key in keys {
        run(&environment, &format!("start {key} --phases x"), 0);
    }
    thread::scope(|scope| {
        for key in keys {
            let environment = &environment;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let summary = format!("round {round}");
                    let update = ["phase", key, "x", "in_progress", "--task", &summary];
                    environment.ckpt(&update).exits(0);
                }
            });
        }
        for round in 0..10 {
            let mut command = environment.command(CKPT);
            command.args(["followers", "run", "ops"]);
            let mut teller = command.stderr(Stdio::null()).spawn().unwrap();
            thread::sleep(Duration::from_millis(100 + 90 * round));
            teller.kill().unwrap();
            teller.wait().unwrap();
        }
    });
    let expected = keys.len() * (ROUNDS + 1);
    wait_until("all arrive", || {
        if events(&server).len() < expected {
            thread::sleep(Duration::from_millis(300));
            return false;
        }
        true
    });
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for heard in server.heard().iter() {
        let data = &heard.json()["data"];
        let about = data["checkpoint"].as_str().unwrap().to_owned();
        let task = data["details"]["task"].as_str().unwrap_or("start");
        let known = told.entry(about).or_default();
        if known.iter().all(|one| one != task) {
            known.push(task.to_owned());
        }
    }
    for key in keys {
        let begun = std::iter::once("start".to_owned());
        let rounds = (0..ROUNDS).map(|round| format!("round {round}"));
        let all: Vec<String> = begun.chain(rounds).collect();
        assert_eq!(told[&format!("command:{key}")], all, "{key}");
    }
}
