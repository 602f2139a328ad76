//! Whatever an agent sends, the program exits with 0 and prints nothing harmful.

#[path = "../../../../ckpt-agents/tests/vocabulary/mod.rs"]
mod vocabulary;

use serde_json::{Map, Value, json};

use crate::support::agent::{LOG, planned};
use crate::support::environment::{CKPT, Run};
use crate::support::random::Random;
use vocabulary::{EVENTS, MEMBERS, TEXTS, TOOLS};

/// The number of events. Each of them is a process.
const CASES: usize = 300;

const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "cursor", "copilot"];

fn one_of<T: Copy>(random: &mut Random, items: &[T]) -> T {
    let length = u64::try_from(items.len()).unwrap();
    items[usize::try_from(random.below(length)).unwrap()]
}

fn leaf(random: &mut Random) -> Value {
    match random.below(10) {
        0 => one_of(
            random,
            &[json!(null), json!(true), json!(0), json!(-1.5)].each_ref(),
        )
        .clone(),
        1 | 2 => json!(one_of(random, &TOOLS)),
        _ => json!(one_of(random, &TEXTS)),
    }
}

fn members(random: &mut Random, most: u64, value: fn(&mut Random) -> Value) -> Map<String, Value> {
    let length = random.below(most + 1);
    let member = |_| (one_of(random, &MEMBERS).to_owned(), value(random));
    (0..length).map(member).collect()
}

fn value(random: &mut Random) -> Value {
    match random.below(8) {
        0 => json!([leaf(random), leaf(random)]),
        1 | 2 => Value::Object(members(random, 4, leaf)),
        _ => leaf(random),
    }
}

/// Roughly what an agent could send, sometimes cut off.
fn event(random: &mut Random, root: &str) -> Vec<u8> {
    let mut event = members(random, 7, value);
    event.insert("hook_event_name".to_owned(), json!(one_of(random, &EVENTS)));
    if random.below(10) > 0 {
        event.insert("cwd".to_owned(), json!("ROOT"));
    }
    if random.below(2) > 0 {
        event.insert("session_id".to_owned(), json!("s1"));
    }
    let mut text = Value::Object(event)
        .to_string()
        .replace("ROOT", root)
        .into_bytes();
    if random.below(20) == 0 {
        let length = u64::try_from(text.len()).unwrap();
        text.truncate(usize::try_from(random.below(length)).unwrap());
    }
    text
}

#[test]
fn whatever_an_agent_says_the_program_exits_with_0_and_prints_one_object_or_nothing() {
    let environment = planned("- [ ] A <!-- TASK: a -->\n- [x] B <!-- TASK: b -->\n")
        .with_variable("CKPT_ENFORCE_GATES", "true")
        .with_variable("CKPT_CONTINUE_UNFINISHED", "true");
    environment.ckpt(&["start", "ship"]).exits(0);
    let root = environment.root().to_str().unwrap();
    let mut random = Random::seeded();
    let (mut cases, mut answered) = (0, 0);
    // Some seeds take longer to ask something that is answered.
    while cases < CASES || answered <= CASES / 30 && cases < 5 * CASES {
        cases += 1;
        let agent = one_of(&mut random, &AGENTS);
        let event = event(&mut random, root);
        let mut command = environment.command(CKPT);
        let run = Run::reading(command.args(["hook", agent]), &event);
        let told = String::from_utf8_lossy(&event);
        assert_eq!(
            (run.code, run.stderr.as_str()),
            (Some(0), ""),
            "{agent}: {told}"
        );
        let Some(line) = run.stdout.strip_suffix('\n') else {
            assert_eq!(run.stdout, "", "{agent}: {told}");
            continue;
        };
        answered += 1;
        assert!(
            !line.contains(char::is_control),
            "{agent}: {told}: {line:?}"
        );
        let answer: Value = serde_json::from_str(line).unwrap();
        assert!(answer.is_object(), "{agent}: {told}: {line}");
    }
    // The events are meaningful: some are answered, and some have changed the state.
    assert!(answered > CASES / 30, "{answered}");
    let log = environment.read(LOG);
    assert!(log.lines().count() > CASES / 2, "{log}");
}
