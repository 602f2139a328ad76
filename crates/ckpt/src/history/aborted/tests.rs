use super::*;

/// The numbers of those revisions that took effect.
fn told(lines: &[&str], last: Option<u64>) -> Vec<u64> {
    let seals = Seals::none();
    let parsed = |line: &&str| Line::parse(line.as_bytes().to_vec()).unwrap();
    let last = last.map(|number| Revision {
        number,
        ..parsed(&r#"{"rev":1,"epoch":"mi0k3x5z"}"#)
            .revision()
            .unwrap()
    });
    let mut aborted = Aborted::new(&seals, "command:x", last);
    let newest_first = lines.iter().map(parsed).rev();
    let mut told: Vec<u64> = newest_first
        .filter(|line| !aborted.has(line))
        .filter_map(|line| line.number())
        .collect();
    told.reverse();
    told
}

#[test]
fn a_change_that_never_took_effect_is_known_by_the_line_that_says_so() {
    let lines = [
        r#"{"event":"phase_updated","rev":1,"epoch":"mi0k3x5z","files":{}}"#,
        r#"{"event":"phase_updated","rev":2,"epoch":"mi0k3x5y","files":{}}"#,
        r#"{"event":"phase_updated","rev":2,"epoch":"mi0k3x5z","files":{}}"#,
        r#"{"event":"gate_set","rev":2,"epoch":"mi0k3x5z"}"#,
        r#"{"event":"aborted","aborted":2,"rev":3,"epoch":"mi0k3x5z","files":{}}"#,
        r#"{"event":"phase_updated","rev":4,"epoch":"mi0k3x5z","files":{}}"#,
    ];
    assert_eq!(told(&lines, None), [1, 2, 3, 4]);
    assert_eq!(told(&lines, Some(4)), [1, 2, 3]);
}

#[test]
fn a_change_that_made_way_and_was_aborted_then_is_aborted_as_a_whole() {
    let lines = [
        r#"{"event":"task_edited","rev":1,"epoch":"mi0k3x5z","files":{}}"#,
        r#"{"event":"checksum_mismatch","rebases":1,"rev":2,"epoch":"mi0k3x5z","files":{}}"#,
        r#"{"event":"rebased","rev":3,"epoch":"mi0k3x5z","files":{}}"#,
        r#"{"event":"aborted","aborted":3,"rev":4,"epoch":"mi0k3x5z","files":{}}"#,
    ];
    assert_eq!(told(&lines, None), [2, 4]);
    assert_eq!(told(&lines[..3], Some(3)), [2]);
    assert_eq!(told(&lines[..3], None), [1, 2, 3]);
}
