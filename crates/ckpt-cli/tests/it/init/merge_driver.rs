//! The merge driver for plans is set up and undone byte for byte.

use crate::support::doctor::checks;
use crate::support::environment::{CKPT, Environment};

const ATTRIBUTES: &str = ".gitattributes";
const CONFIG: &str = ".git/config";

#[test]
fn the_merge_driver_is_undone_byte_for_byte() {
    let fresh = Environment::new().read(CONFIG);
    for attributes in [
        None,
        Some(""),
        Some("*.png binary"),
        Some("*.png binary\r\n"),
        Some("# ours\n\n*.md text\n"),
    ] {
        for config in [
            fresh.clone(),
            format!("{fresh}[user]\n\tname = Somebody"),
            String::new(),
        ] {
            let environment = Environment::new();
            if let Some(attributes) = attributes {
                environment.write(ATTRIBUTES, attributes);
            }
            environment.write(CONFIG, &config);
            let before = environment.files();
            for _ in 0..2 {
                environment.ckpt(&["init", "--agent", "claude"]).exits(0);
                let of_plan = [
                    "check-attr",
                    "merge",
                    "plans/x/plan.md",
                    "plans/x/phase-01-a.md",
                ];
                let attribute = environment.git(&of_plan);
                assert_eq!(
                    attribute.matches("merge: ckpt-plan").count(),
                    2,
                    "{attribute}"
                );
                let driver = environment.git(&["config", "--local", "merge.ckpt-plan.driver"]);
                assert!(
                    driver.starts_with(&format!("{CKPT} plan merge ")),
                    "{driver}"
                );
                let sections = environment.read(CONFIG).matches("[merge").count();
                assert_eq!(sections, 1);
            }
            let text = environment.read(ATTRIBUTES);
            assert!(text.starts_with(attributes.unwrap_or_default()), "{text}");
            environment.ckpt(&["init", "--uninstall"]).exits(0);
            assert_eq!(environment.files(), before, "{attributes:?}");
            assert_eq!(environment.read(CONFIG), config, "{attributes:?}");
        }
    }
}

#[test]
fn what_others_changed_in_the_meantime_stays() {
    let environment = Environment::new();
    environment.write(ATTRIBUTES, "*.png binary\n");
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    environment.git(&["config", "core.editor", "vi"]);
    environment.git(&["config", "alias.st", "status"]);
    let attributes = environment.read(ATTRIBUTES);
    environment.write(ATTRIBUTES, format!("*.md text\n{attributes}*.txt text\n"));
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(
        environment.read(ATTRIBUTES),
        "*.md text\n*.png binary\n*.txt text\n"
    );
    let config = environment.read(CONFIG);
    assert!(!config.contains("ckpt"), "{config}");
    assert_eq!(environment.git(&["config", "core.editor"]), "vi\n");
    assert_eq!(environment.git(&["config", "alias.st"]), "status\n");
    // A section that others have added to is theirs.
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    environment.git(&["config", "merge.ckpt-plan.recursive", "binary"]);
    let run = environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(
        run.stdout
            .contains("note: .git/config has been changed since, so it stays"),
        "{run}"
    );
    assert!(environment.read(CONFIG).contains("recursive = binary"));
}

#[test]
fn worktrees_share_the_merge_driver() {
    let environment = Environment::new();
    let before = environment.read(CONFIG);
    let tree = environment.linked_worktree();
    environment
        .ckpt_in(&tree, &["init", "--agent", "claude"])
        .exits(0);
    assert!(environment.read(CONFIG).contains("[merge \"ckpt-plan\"]"));
    // The worktree is removed, and its receipt with it.
    environment.git(&["worktree", "remove", "--force", tree.to_str().unwrap()]);
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(environment.read(CONFIG), before);
}

#[test]
fn files_that_cannot_be_edited_leave_the_merge_to_git() {
    let environment = Environment::new();
    std::os::unix::fs::symlink("README.md", environment.path(ATTRIBUTES)).unwrap();
    let before = environment.read(CONFIG);
    let run = environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    assert!(
        run.stdout
            .contains("note: plans are merged by git alone: cannot read .gitattributes"),
        "{run}"
    );
    assert_eq!(environment.read("README.md"), "hello\n");
    assert_eq!(environment.read(CONFIG), before);
}

#[test]
fn the_doctor_says_when_the_driver_is_not_set_up() {
    let environment = Environment::new();
    let of_plans = |environment: &Environment| -> Vec<String> {
        let report = environment.ckpt(&["doctor", "--json"]).json();
        let warnings = checks(&report, "warning").into_iter();
        let of_plans = warnings.filter(|(topic, _)| topic == "plans");
        of_plans.map(|(_, text)| text).collect()
    };
    assert_eq!(of_plans(&environment), Vec::<String>::new());
    environment.write(ATTRIBUTES, "plans/**/plan.md merge=ckpt-plan\n");
    let expected = "git merges plans line by line: .gitattributes names a merge driver that is not set up here";
    assert_eq!(of_plans(&environment), [expected]);
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    assert_eq!(of_plans(&environment), Vec::<String>::new());
}
