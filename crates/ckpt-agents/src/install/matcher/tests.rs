use super::*;

#[test]
fn a_matcher_lets_through_what_its_agent_would() {
    const CLAUDE: Reading = Reading::Names("- ,|");
    for (matcher, reading, value, expected) in [
        ("", CLAUDE, "Edit", Some(true)),
        ("*", Reading::Name, "startup", Some(true)),
        ("Edit|Write", CLAUDE, "Write", Some(true)),
        ("Edit, Write", CLAUDE, "Write", Some(true)),
        ("Edit", CLAUDE, "NotebookEdit", Some(false)),
        ("edit", CLAUDE, "Edit", Some(false)),
        ("Edit.*", CLAUDE, "NotebookEdit", Some(true)),
        ("^Edit$", CLAUDE, "NotebookEdit", Some(false)),
        ("^Edit|Write$", CLAUDE, "EditThat", Some(true)),
        ("^(Edit|Write)$", CLAUDE, "Edit", None),
        ("Ba+sh", CLAUDE, "Bash", None),
        ("Ba?sh|Edit", CLAUDE, "Bash", None),
        (".*Bash|(x)", CLAUDE, "Bash", Some(true)),
        ("Edit, Write", Reading::Names("|"), "Write", Some(false)),
        (".+", Reading::Names("|"), "Bash", Some(true)),
        ("place", Reading::Anywhere, "replace", Some(true)),
        ("place", Reading::Whole, "replace", Some(false)),
        (".*place", Reading::Whole, "replace", Some(true)),
        ("start.*", Reading::Name, "startup", Some(false)),
    ] {
        assert_eq!(
            admits(matcher, reading, value),
            expected,
            "{matcher} {value}"
        );
    }
}
