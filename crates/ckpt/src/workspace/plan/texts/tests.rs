//! Which files are brought back.

use super::is_markdown;

#[test]
fn only_files_beside_plan_md_are_markdown_of_a_plan() {
    for name in ["plan.md", "phase-01-setup.md", "phase-2.md"] {
        assert!(is_markdown(name), "{name}");
    }
    for name in [
        "state.json",
        "phase-one.md",
        "phase-01-/../../../README.md",
        "phase-01-\\..\\README.md",
    ] {
        assert!(!is_markdown(name), "{name}");
    }
}
