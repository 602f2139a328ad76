//! Tests of laying out a brief.

use proptest::prelude::*;

use super::*;
use crate::facts::{Hazard, Headline, Source, Unit};
use crate::key::Key;
use crate::standing::{Lifecycle, Progress};

fn fact(kind: FactKind, text: &str) -> Fact {
    Fact {
        kind,
        key: None,
        ids: Vec::new(),
        source: Source::Checkpoint,
        at: None,
        text: text.to_owned(),
        short: None,
        details: Vec::new(),
        command: None,
    }
}

fn hazard_of(hazard: Hazard, text: &str) -> Fact {
    let ends = hazard.ends();
    fact(FactKind::Hazard { hazard, ends }, text)
}

fn facts(facts: Vec<Fact>) -> Facts {
    Facts {
        focus: Some(Headline {
            key: Key::parse("implement/auth").unwrap(),
            title: None,
            unit: Unit::Phases,
            lifecycle: Lifecycle::InFlight,
            progress: Progress { done: 1, total: 3 },
        }),
        facts,
    }
}

/// 200 checkpoints, 60 tasks, 40 decisions, and a hazard of each of a few kinds.
fn crowd() -> Facts {
    let mut all = vec![
        hazard_of(
            Hazard::SessionDied,
            "Session s1 died. Last words: \"half a rename\"",
        ),
        hazard_of(Hazard::Uncommitted, "Uncommitted: src/a.rs."),
        hazard_of(Hazard::GateFailed, "Gate lint failed."),
        Fact {
            details: vec!["So far: \"the form\"".to_owned()],
            command: Some("ckpt phase implement/auth build complete".to_owned()),
            ..fact(FactKind::Next, "Continue phase build of implement/auth.")
        },
        fact(FactKind::NotNow, "test: waits for phase build"),
    ];
    all.extend(
        (0..30).map(|number| fact(FactKind::Done, &format!("task-{number} \"Do it\" (ticked)"))),
    );
    all.extend((0..40).map(|number| {
        fact(
            FactKind::Decided,
            &format!("\"Decision {number}\", because \"it is so\""),
        )
    }));
    all.extend((0..10).map(|number| fact(FactKind::Noted, &format!("\"Note {number}\""))));
    all.extend((0..30).map(|number| fact(FactKind::Open, &format!("later-{number} \"Do it\""))));
    all.extend((0..200).map(|number| {
        fact(
            FactKind::Elsewhere,
            &format!("implement/f{number}: 0 of 2 done"),
        )
    }));
    facts(all)
}

#[test]
fn everything_is_shown_in_order_where_there_is_room() {
    let page = brief(
        &facts(vec![
            Fact {
                command: Some("git status".to_owned()),
                ..hazard_of(Hazard::Uncommitted, "Uncommitted: a.rs.")
            },
            Fact {
                command: Some("ckpt phase implement/auth build complete".to_owned()),
                ..fact(FactKind::Next, "Continue phase build of implement/auth.")
            },
            Fact {
                details: vec!["First. Second.".to_owned()],
                ..fact(FactKind::Done, "research (reported)")
            },
            fact(FactKind::Open, "test"),
        ]),
        500,
    );
    assert_eq!(
        page.text,
        format!(
            "{INTRODUCTION}\n\
             In focus: implement/auth, 1 of 3 phases done.\n\
             CHECK FIRST\n\
             - Uncommitted: a.rs. See: git status\n\
             NEXT\n\
             Continue phase build of implement/auth.\n\
             DONE, do not redo\n\
             - research (reported): \"First. Second.\"\n\
             OPEN AFTER\n\
             - test\n\
             Record NEXT with: ckpt phase implement/auth build complete\n"
        )
    );
    assert!(!page.shortened);
}

#[test]
fn hazards_of_a_kind_share_a_line_and_the_rest_is_counted() {
    let gates =
        (0..5).map(|number| hazard_of(Hazard::GateFailed, &format!("Gate g{number} failed.")));
    let page = brief(&facts(gates.collect()), 500);
    let expected = "\n- Gate g0 failed. Gate g1 failed. Gate g2 failed. And 2 more of this kind.\n";
    assert!(page.text.contains(expected), "{}", page.text);
}

#[test]
fn however_much_there_is_hazards_and_the_next_step_are_shown_and_what_is_cut_is_counted() {
    for budget in [300, 600, 1_000] {
        let page = brief(&crowd(), budget);
        assert!(page.tokens() <= budget, "{budget}: {}", page.tokens());
        assert!(page.shortened);
        for always in [
            "half a rename",
            "Uncommitted: src/a.rs",
            "Gate lint failed",
            "Continue phase build of implement/auth.",
            "So far: \"the form\"",
            "Not now: test",
        ] {
            assert!(
                page.text.contains(always),
                "{budget}: {always}: {}",
                page.text
            );
        }
        let last = "\nRecord NEXT with: ckpt phase implement/auth build complete\n";
        assert!(page.text.ends_with(last), "{budget}: {}", page.text);
        let shown = |begins: &str| {
            page.text
                .lines()
                .filter(|line| line.starts_with(begins))
                .count()
        };
        let counted = |title: &str| {
            let section = page
                .text
                .split_once(&format!("\n{title}"))
                .map_or("", |(_, rest)| rest);
            let own = section
                .lines()
                .skip(1)
                .take_while(|line| line.starts_with("- "));
            let line = own.into_iter().find(|line| line.starts_with("- and "));
            let number = line.and_then(|line| line.split(' ').nth(2)?.parse::<usize>().ok());
            let title = title.split(',').next().unwrap();
            let left_out = page
                .text
                .lines()
                .find_map(|line| line.strip_prefix("Left out: "));
            let together = left_out.and_then(|line| {
                let counts = line.split_once(". More").map_or(line, |(counts, _)| counts);
                let mut counts = counts.split(", ");
                let own = counts.find(|count| count.ends_with(title))?;
                own.split(' ').next()?.parse::<usize>().ok()
            });
            together.or(number).unwrap_or(0)
        };
        for (title, begins, total) in [
            ("DONE, do not redo", "- task-", 30),
            ("DECIDED", "- \"Decision", 40),
            ("OPEN AFTER", "- later-", 30),
            ("ALSO", "- implement/f", 200),
        ] {
            assert_eq!(
                shown(begins) + counted(title),
                total,
                "{budget}: {title}: {}",
                page.text
            );
        }
    }
}

#[test]
fn a_budget_of_nothing_still_names_the_hazards_and_the_next_step() {
    let page = brief(&crowd(), 0);
    for always in [
        "Session s1 died",
        "Uncommitted",
        "Gate lint failed",
        "Continue phase build",
    ] {
        assert!(page.text.contains(always), "{always}: {}", page.text);
    }
    assert!(page.text.len() < 2_000, "{}", page.text.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn whatever_is_said_the_page_stays_below_what_platforms_cut_off(
        texts in proptest::collection::vec("\\PC{0,2000}", 0..60),
    ) {
        let hazards = [Hazard::SessionDied, Hazard::Blocked, Hazard::GateVoid, Hazard::Vanished];
        let all = texts.iter().enumerate().map(|(number, text)| match number % 3 {
            0 => hazard_of(hazards[number % hazards.len()], text),
            1 => fact(FactKind::Noted, text),
            _ => Fact { details: vec![text.clone(); 3], ..fact(FactKind::Next, text) },
        });
        let mut all: Vec<Fact> = all.collect();
        all.sort_by_key(|fact| matches!(fact.kind, FactKind::Hazard { .. }));
        let page = brief(&facts(all), 1_000);
        prop_assert!(page.text.len() <= MAX_BYTES, "{}", page.text.len());
    }
}
