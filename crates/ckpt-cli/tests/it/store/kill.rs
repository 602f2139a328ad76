//! Writers that are killed at any moment.

use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::random::Random;
use crate::support::record;

const KILLS: usize = 500;

/// After this many kills the duration of an update is measured again, because the load of the machine
/// changes.
const ROUND: usize = 50;

/// The arguments of an update that leaves a mark of its own.
fn update(mark: usize) -> Vec<String> {
    let data = json!({ "tasks": { format!("t{mark}"): true } }).to_string();
    let words = [
        "phase",
        "implement/auth",
        "build",
        "in_progress",
        "--json",
        "--data",
    ];
    let words = words.into_iter().map(str::to_owned);
    words.chain([data]).collect()
}

/// The median duration of an update that nobody disturbs.
fn undisturbed(environment: &Environment) -> Duration {
    let one = |_| {
        let started = Instant::now();
        let phase = ["phase", "implement/auth", "build", "in_progress", "--json"];
        environment.ckpt(&phase).exits(0);
        started.elapsed()
    };
    let mut durations: Vec<Duration> = (0..9).map(one).collect();
    durations.sort_unstable();
    durations[4]
}

/// Starts an update and kills it after a while, unless it has ended by then.
fn killed_after(environment: &Environment, mark: usize, delay: Duration) -> Run {
    let mut command = environment.command(CKPT);
    command
        .args(update(mark))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    thread::sleep(delay);
    child.kill().unwrap();
    child.wait_with_output().unwrap().into()
}

fn has_mark(document: &Value, mark: usize) -> bool {
    document["phases"]["build"]["tasks"][format!("t{mark}")] == true
}

#[test]
fn no_kill_at_500_random_instants_loses_or_damages_anything() {
    let environment = Environment::new();
    let mut random = Random::seeded();
    let mut acknowledged = Vec::new();
    let mut span = Duration::ZERO;
    let (mut killed, mut revision, mut mark) = (0, 0, 0);
    while killed < KILLS {
        if mark % ROUND == 0 {
            span = undisturbed(&environment);
            let shown = environment.ckpt(&["show", "--json"]).exits(0).json();
            revision = record::number(&shown["revision"]);
        }
        mark += 1;
        assert!(
            mark < KILLS * 10,
            "only {killed} of {mark} updates were killed in time"
        );
        let instant = random.below(u64::try_from(span.as_nanos()).unwrap());
        let run = killed_after(&environment, mark, Duration::from_nanos(instant));
        if run.code == Some(0) {
            acknowledged.push(mark);
            revision = record::number(&run.json()["revision"]);
            assert_eq!(
                record::litter(&environment),
                [""; 0],
                "after a change that succeeded"
            );
        } else {
            assert_eq!(run.code, None, "only the kill may end it early: {run}");
            killed += 1;
        }
        let shown = environment
            .ckpt(&["show", "implement/auth", "--json"])
            .exits(0)
            .json();
        let now = record::number(&shown["revision"]);
        assert!(
            now >= revision,
            "revision {now} is behind the acknowledged {revision}"
        );
        assert_eq!(shown["findings"], json!([]));
        if let Some(last) = acknowledged.last() {
            assert!(has_mark(&shown["document"], *last), "t{last} is lost");
        }
    }
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    record::assert_sound(&environment, "implement-auth");
    let document = environment.document("implement-auth");
    acknowledged.retain(|mark| !has_mark(&document, *mark));
    assert_eq!(acknowledged, [0; 0], "acknowledged and lost");
    let aborted = record::count(&environment, "implement-auth", "aborted");
    eprintln!("{killed} of {mark} killed within {span:?}; {aborted} between history and document");
    assert!(
        aborted > 0,
        "no kill hit the time between history and document"
    );
}
