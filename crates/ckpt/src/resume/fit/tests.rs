use super::*;
use crate::command::Checkpoint;
use crate::document::Document;
use crate::gate::{Approvals, Trust};
use crate::key::Key;
use crate::repository::Head;
use crate::seal::Seals;

fn brief(name: &str, text: &str) -> Brief {
    let document = Document::parse(text).unwrap();
    let checkpoint = Checkpoint::new(document.root());
    Brief::new(
        Key::parse(name).unwrap(),
        checkpoint,
        &Head::default(),
        None,
        Trust {
            seals: &Seals::none(),
            about: "",
            approvals: Approvals::Anybody,
            is_alive: |_| false,
        },
    )
}

fn under_way(name: &str, summary: &str) -> Brief {
    let summary = crate::document::Value::from(summary).to_compact();
    brief(
        name,
        &format!(
            r#"{{"state":{{"current_phase":"build","completed_phases":["research"],"pending_phases":["test"]}},
                "phases":{{"research":{{"status":"complete","context_summary":{summary}}},"build":{{"status":"in_progress"}}}}}}"#
        ),
    )
}

#[test]
fn the_brief_says_what_is_done_what_is_next_and_what_is_pending() {
    let text = render(
        &[under_way("implement/auth", "Found the session code.")],
        0,
        500,
    );
    assert_eq!(
        text.text,
        format!(
            "{INTRODUCTION}\n\
                 implement/auth: 1 of 3 phases done, in build. Next: continue phase build.\n\
                 Done as reported, do not redo: research.\n\
                 Pending: test.\n\
                 From research: \"Found the session code.\"\n"
        )
    );
    assert!(!text.shortened);
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(200))]
    /// Emoji, ids and scripts with many tokens per byte are counted correctly.
    #[test]
    fn no_text_makes_a_brief_longer_than_its_budget(
        words in proptest::collection::vec("[a-z]{1,9}|[a-z0-9]{2,6}-[0-9a-f]{4}|[🚀🦀😀]{1,4}|[一-龥]{1,5}|[#%&=<>|]{1,6}", 1..400),
        count in 1_usize..40,
        budget in 200_usize..900,
    ) {
        let briefs: Vec<Brief> = (0..count)
            .map(|number| under_way(&format!("implement/f{number}"), &words.join(" ")))
            .collect();
        let text = render(&briefs, 0, budget);
        proptest::prop_assert!(text.tokens() <= budget, "{} tokens: {}", text.tokens(), text.text);
        proptest::prop_assert!(text.text.chars().count() < 10_000);
        let second = text.text.lines().nth(1).unwrap();
        proptest::prop_assert!(second.starts_with("implement/f0: 1 of 3 phases done"));
    }
}

#[test]
fn the_next_step_is_what_is_really_left_to_do() {
    let next = |state: &str, phases: &str| {
        brief("x", &format!(r#"{{"state":{state},"phases":{phases}}}"#)).next
    };
    let none = r#"{"current_phase":null,"completed_phases":["b"],"pending_phases":[]}"#;
    let two = r#"{"a":{"status":"in_progress"},"b":{"status":"complete"}}"#;
    assert_eq!(next(none, two), "continue phase a");
    assert_eq!(next(none, r#"{"a":{"status":"pending"}}"#), "start phase a");
    assert_eq!(
        next(none, r#"{"a":{"status":"failed"}}"#),
        "fix and retry phase a"
    );
    assert_eq!(
        next(none, "{}"),
        "all phases are done; finish with: ckpt complete x"
    );
    assert_eq!(
        next("{}", "{}"),
        "record a phase with: ckpt phase x PHASE in_progress"
    );
}

#[test]
fn even_the_smallest_budget_leaves_the_first_line() {
    for budget in [0, 5, usize::MAX] {
        let text = render(&[under_way("implement/auth", "x")], 0, budget);
        let second = text.text.lines().nth(1).unwrap();
        assert!(
            second.starts_with("implement/auth: 1 of 3 phases done"),
            "{budget}"
        );
    }
}

#[test]
fn a_long_summary_is_cut_to_the_budget_and_says_so() {
    let text = render(&[under_way("implement/auth", &"word ".repeat(500))], 0, 160);
    assert!(text.tokens() <= 160, "{}", text.tokens());
    assert!(
        text.shortened && text.text.ends_with(" …\n"),
        "{}",
        text.text
    );
}

#[test]
fn many_checkpoints_become_one_line_each_and_never_silence() {
    let briefs: Vec<_> = (0..300)
        .map(|n| under_way(&format!("implement/f{n}"), "x"))
        .collect();
    let text = render(&briefs, 0, 500);
    assert!(text.tokens() <= 500);
    assert!(text.text.contains("\nimplement/f0: "));
    assert!(text.text.contains("\nAlso: implement/f1: "));
    assert!(text.text.contains(" more: ckpt list\n"));
    let counted = render(
        &briefs[..most_shown(500)],
        briefs.len() - most_shown(500),
        500,
    );
    assert_eq!(counted, text, "what cannot be shown need not be made");
    let few = render(&briefs[..4], 0, 500);
    assert_eq!(few.text.matches("Also: ").count(), 3);
}

#[test]
fn control_and_bidi_characters_do_not_reach_the_reader() {
    let text = render(
        &[under_way("implement/x", "a\u{1b}[31mred\u{202e}\nb")],
        0,
        500,
    );
    assert!(
        text.text.contains("From research: \"a [31mred b\"\n"),
        "{:?}",
        text.text
    );
}
