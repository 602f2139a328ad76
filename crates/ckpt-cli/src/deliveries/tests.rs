use super::*;

fn below(directory: &std::path::Path) -> Deliveries {
    Deliveries {
        record: Some(directory.join("deliveries.jsonl")),
        given_up: Some(directory.join("undelivered.jsonl")),
    }
}

fn attempt(number: usize) -> Attempt {
    Attempt {
        at: format!("2026-02-20T11:49:{:02}.000Z", number % 60),
        id: format!("msg_{number}"),
        checkpoint: "ship".to_owned(),
        event: "gate_set".to_owned(),
        outcome: Outcome::Failed,
        status: None,
        reason: Some("x".repeat(1_000)),
        milliseconds: 1,
    }
}

#[test]
fn the_record_stays_short_and_keeps_the_newest() {
    let directory = tempfile::tempdir().unwrap();
    let deliveries = below(directory.path());
    let many = 2 * LONGEST_RECORD / 1_000;
    for number in 0..many {
        deliveries.record(&attempt(number));
    }
    let length = std::fs::metadata(directory.path().join("deliveries.jsonl"))
        .unwrap()
        .len();
    assert!(length <= LONGEST_RECORD as u64 + 2_000, "{length}");
    let kept = deliveries.attempts();
    assert_eq!(kept.last(), Some(&attempt(many - 1)));
    let first: usize = kept[0].id[4..].parse().unwrap();
    assert_eq!(kept.len(), many - first, "no line in between is gone");
    assert!(kept.len() > 100);
}

#[test]
fn what_was_given_up_twice_is_kept_once_and_a_line_that_was_cut_off_is_skipped() {
    let directory = tempfile::tempdir().unwrap();
    let deliveries = below(directory.path());
    let given_up = |id: &str| GivenUp {
        id: id.to_owned(),
        at: "2026-02-20T11:49:00.000Z".to_owned(),
        reason: "down".to_owned(),
        checkpoint: Some("command:ship".to_owned()),
        about: "command:ship-checkpoint".to_owned(),
        worktree: "w1".to_owned(),
        line: r#"{"event":"gate_set"}"#.to_owned(),
    };
    deliveries.keep(&given_up("one")).unwrap();
    deliveries.keep(&given_up("one")).unwrap();
    let file = directory.path().join("undelivered.jsonl");
    let mut text = std::fs::read_to_string(&file).unwrap();
    text += "{\"id\":\"cut";
    std::fs::write(&file, text).unwrap();
    deliveries.keep(&given_up("two")).unwrap();
    assert_eq!(deliveries.given_up(), [given_up("one"), given_up("two")]);
    deliveries.keep_only(&[given_up("two")]).unwrap();
    assert_eq!(deliveries.given_up(), [given_up("two")]);
    assert_eq!(given_up("one").key().unwrap().to_string(), "command:ship");
}
