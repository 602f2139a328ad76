//! What counts as a link to a phase file.

use super::linked_phase_files;

fn linked(text: &str) -> Vec<&str> {
    linked_phase_files(text.as_bytes()).collect()
}

#[test]
fn targets_of_links_are_found() {
    for text in [
        "[Setup](phase-01-setup.md)",
        "| 1 | [phase-01-setup.md](./phase-01-setup.md) |",
        "[Setup](<phase-01-setup.md>)",
        "[Setup]( phase-01-setup.md \"title\")",
        "[Setup](phase-01-setup.md#tasks)",
        "[Setup][1]\n\n[1]: ./phase-01-setup.md\n",
    ] {
        assert_eq!(linked(text), ["phase-01-setup.md"], "{text}");
    }
    let two = "[a](phase-01.md) and [b](phase-02-b.md)";
    assert_eq!(linked(two), ["phase-01.md", "phase-02-b.md"]);
}

#[test]
fn other_mentions_are_none() {
    for text in [
        "phase-01-setup.md was removed",
        "`phase-01-setup.md`",
        "(phase-01-setup.md)",
        "[Setup](../other/phase-01-setup.md)",
        "[Setup](phase-one.md)",
        "[Setup](phase-01-/../../README.md)",
        "[Setup](phase-01-setup.md.orphan)",
    ] {
        assert_eq!(linked(text), [""; 0], "{text}");
    }
}
