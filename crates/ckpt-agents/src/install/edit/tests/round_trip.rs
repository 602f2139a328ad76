use super::super::{added, removed};
use super::place;
use crate::agent::Agent;
use crate::install::{Program, registrations};

/// The text after hooks were added and removed again.
fn there_and_back(text: &str, agent: Agent) -> String {
    let place = place(agent);
    let program = Program::new("/opt/my tools/ckpt");
    let with = added(text, &place, &program).unwrap();
    assert_eq!(added(&with, &place, &program).unwrap(), with, "{agent}");
    let moved = added(&with, &place, &Program::new("ckpt")).unwrap();
    assert_eq!(
        removed(&moved, agent).unwrap(),
        removed(&with, agent).unwrap()
    );
    removed(&with, agent).unwrap()
}

/// Settings as people write them. `@` stands for an event that is registered.
const TEXTS: [&str; 29] = [
    "{ /* none */ }",
    "/* none */ { // none\n}",
    "{}",
    "{}\n",
    "\u{feff}{}",
    "{\"version\":1}",
    "{ \"version\": 1 }\n",
    "{ \"version\" : 1 , }",
    "{\n  \"version\": 1\n}\n",
    "{\n  \"version\": 1,\n}\n",
    "{\n\t\"version\": 1,\n\t\"other\": {\n\t\t\"a\": [1, 2]\n\t}\n}",
    "{\r\n    \"version\": 1,\r\n    \"other\": [\r\n    ]\r\n}\r\n",
    "\u{feff}{\r\n  \"version\": 1\r\n}\r\n",
    "// first\n{ // second\n  \"version\": 1 // third\n  // fourth\n}\n// fifth\n",
    "{\n  \"version\": 1, // third\n  /* fourth */\n}",
    "{\"version\":1 // third\n}",
    "{\"version\":1 /* third */ }",
    "{\n  // \"version\": 2,\n  \"version\": 1 }",
    "{\"version\":1,\"hooks\":{\"other\":[]}}",
    "{\"version\": 1, \"hooks\": {\"@\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
    "{\"version\": 1, \"hooks\": {\"@\": [{\"command\": \"x\"}, ], }, }",
    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"@\": [\n      { \"command\": \"x\" } // theirs\n    ]\n  },\n  \"last\": null\n}\n",
    "{\n  \"version\": 1,\n  \"hooks\": {\n    \"@\": [\n      { \"command\": \"x\" }, // theirs\n    ],\n  },\n}\n",
    "{\n  \"version\": 1,\n  \"hooks\": {\"@\": [{\"command\": \"x\"}]}\n}\n",
    "{\n  \"hooks\": {\n    // none yet\n  },\n  \"version\": 1\n}\n",
    "{\n  \"hooks\": { // none yet\n  },\n  \"version\": 1\n}\n",
    "{\n  \"hooks\": {\n    \"@\": [\n      // none yet\n    ],\n    \"other\": [ ]\n  },\n  \"version\": 1\n}\n",
    "{\n  \"hooks\": {\"other\": [],\n    \"more\": {} /* x */, // y\n    \"most\": false // z\n  },\n  \"version\": 1\n}\n",
    "{\"hooks\": 1, \"hooks\": {\"@\": 2, \"@\": [3]}, \"version\": 1}",
];

#[test]
fn what_was_put_in_can_be_taken_out_without_a_trace() {
    for agent in Agent::ALL {
        let event = registrations(agent)[3].event;
        for text in TEXTS {
            let text = text.replace('@', event);
            // A version that had to be added stays, because it is not a hook.
            if matches!(agent, Agent::Cursor | Agent::Copilot) && !text.contains("version") {
                continue;
            }
            assert_eq!(there_and_back(&text, agent), text, "{agent}");
        }
    }
}

#[test]
fn of_some_texts_only_the_meaning_comes_back() {
    let cases = [
        ("", "{}\n"),
        (" \r\n", "{}\n"),
        ("\u{feff}", "\u{feff}{}\n"),
        ("{ }", "{}"),
        ("{\n}", "{}"),
        ("{\"hooks\":{}}", "{}"),
        ("{\"a\":1,\"hooks\":{}}", "{\"a\":1}"),
        ("{\"hooks\":{\"Stop\":[]}}", "{}"),
    ];
    for (text, expected) in cases {
        assert_eq!(there_and_back(text, Agent::Claude), expected, "{text:?}");
    }
    for agent in [Agent::Cursor, Agent::Copilot] {
        assert_eq!(there_and_back("{}", agent), "{\n  \"version\": 1\n}");
        assert_eq!(
            there_and_back("{\"a\":1}", agent),
            "{\"a\":1,\"version\":1}"
        );
    }
}

#[test]
fn settings_without_hooks_of_ours_are_left_as_they_are() {
    for text in TEXTS
        .into_iter()
        .chain(["[]", "null", "// nothing\n", "", "{\"hooks\":[]}"])
    {
        for agent in Agent::ALL {
            assert_eq!(removed(text, agent).unwrap(), text);
        }
    }
}
