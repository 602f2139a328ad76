use super::*;

#[test]
fn an_exclusion_holds_for_its_path_and_all_below() {
    let exclusion = Exclusion::of("plans").any().named("plan.md");
    let alone = exclusion.clone().file();
    for (path, expected, expected_alone) in [
        ("plans/a/plan.md", true, true),
        ("plans/a/plan.md/x", true, false),
        ("plans/a/plan.rs", false, false),
        ("plans/plan.md", false, false),
        ("plans/a/b/plan.md", false, false),
        ("other/a/plan.md", false, false),
        ("plans", false, false),
    ] {
        let path = path.as_bytes();
        let held = [exclusion.holds(path, FILE), alone.holds(path, FILE)];
        assert_eq!(held, [expected, expected_alone], "{path:?}");
    }
    assert!(exclusion.may_hold_below(b"plans/"));
    assert!(exclusion.may_hold_below(b"plans/a/"));
    assert!(!exclusion.may_hold_below(b"plan/"));
}

#[test]
fn a_link_and_a_submodule_always_count() {
    let exclusion = Exclusion::of("a");
    let alone = Exclusion::of("a/b").file();
    for (mode, expected, expected_alone) in [
        (FILE, true, true),
        (EXECUTABLE, true, false),
        (0o120_000, false, false),
        (0o160_000, false, false),
    ] {
        let held = [exclusion.holds(b"a/b", mode), alone.holds(b"a/b", mode)];
        assert_eq!(held, [expected, expected_alone], "{mode:o}");
    }
}

#[test]
fn a_pattern_means_the_same_to_git() {
    let exclusion = Exclusion::of("a*b/c").any();
    assert_eq!(exclusion.pattern().unwrap(), b"[a]\\*b/c/*");
    assert_eq!(Exclusion::of("x").such(|_| true).pattern(), None);
    assert_eq!(
        Exclusion::of("/x/./y").directory(),
        Some(PathBuf::from("x/y"))
    );
}
