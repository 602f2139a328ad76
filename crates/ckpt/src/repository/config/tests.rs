use std::path::PathBuf;

use super::Settings;

fn settings(text: &str) -> Settings {
    let mut settings = Settings::default();
    settings.absorb_bytes(text.as_bytes());
    settings
}

#[test]
fn settings_are_found_whatever_the_case_and_layout() {
    let found = settings(
        "; comment\n[Core] bare\n\tWorkTree = \"../a b\" ; where\n[extensions]\nobjectFormat=sha256\nworktreeConfig = yes # on\n",
    );
    let expected = Settings {
        bare: true,
        work_tree: Some(PathBuf::from("../a b")),
        per_worktree: true,
        sha256: true,
    };
    assert_eq!(found, expected);
}

#[test]
fn settings_of_other_sections_do_not_count() {
    assert_eq!(
        settings("[core \"x\"]\nbare = true\n[remote \"core\"]\nbare\n"),
        Settings::default()
    );
}

#[test]
fn the_last_of_several_settings_counts() {
    assert!(!settings("[core]\nbare = true\nbare = false\n").bare);
}

#[test]
fn what_git_reads_is_read() {
    let tree = |text: &str| settings(text).work_tree;
    let found = Some(PathBuf::from("x"));
    assert_eq!(tree("\u{feff}[core]\nworktree = x\n"), found);
    assert_eq!(tree("[a] [core] worktree = x"), found);
    assert_eq!(tree("[core]\r\nworktree=x\r\n"), found);
    assert_eq!(tree("[core]\n  a = b \\\n c\nworktree = x"), found);
    assert_eq!(tree("[core]\nworktree = \\\n\"x\""), found);
    let hidden = "[x]\ny = a\\\n[extensions] objectformat = sha256\n[core]\nworktree = x";
    assert_eq!(tree(hidden), found);
    assert!(!settings(hidden).sha256);
}

#[test]
fn what_git_does_not_read_ends_it() {
    for text in [
        "[core\nworktree = x",
        "[core]\na = \"b\nworktree = x",
        "[core]\n= x\nworktree = x",
    ] {
        assert_eq!(settings(text).work_tree, None, "{text}");
    }
}

#[test]
fn escapes_and_quoted_blanks_are_kept() {
    let found = settings("[core]\nworktree = \"a\\\\b\\\"c \"  \n");
    assert_eq!(found.work_tree, Some(PathBuf::from("a\\b\"c ")));
}
