//! Ids become file names only after they are made safe.

use crate::support::environment::Environment;
use crate::support::tree;

#[test]
fn no_id_leaves_the_state_directory() {
    for feature in [
        "../../etc/passwd",
        "/etc/passwd",
        "..\\..\\windows\\system32",
        "....//....//x",
        "a/../../../b",
        ". .",
        "~/.ssh/id",
        "x\ny",
        "-rf",
        "ünïcödé",
        "a b",
    ] {
        let environment = Environment::new();
        let outside = |environment: &Environment| {
            let mut names = tree::names(environment.base());
            names.retain(|name| {
                let ours = ["repository/.claude", "repository/.git/ckpt"];
                !ours.iter().any(|own| name.starts_with(own))
            });
            names
        };
        let before = outside(&environment);
        let key = format!("implement/{feature}");
        environment
            .ckpt(&["phase", &key, "build", "complete"])
            .exits(0);
        assert_eq!(outside(&environment), before, "{feature}");
        let names = tree::names(&environment.state(""));
        let documents = names.iter().filter(|name| name.ends_with(".json"));
        let documents: Vec<_> = documents.collect();
        assert_eq!(documents.len(), 1, "{feature}: {names:?}");
        assert!(!documents[0].contains('/'), "{feature}: {names:?}");
        let shown = environment.ckpt(&["show", &key, "--json"]).exits(0).json();
        assert_eq!(shown["document"]["feature"], feature);
    }
}

#[test]
fn a_feature_that_reads_like_a_path_has_this_file_name() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "../../etc/passwd"])
        .exits(0);
    assert!(environment.state("implement---etc-passwd.json").is_file());
}

#[test]
fn a_long_id_is_cut_to_200_bytes() {
    let environment = Environment::new();
    let feature = "é".repeat(300);
    environment.ckpt(&["start", "implement", &feature]).exits(0);
    let names = tree::names(&environment.state(""));
    let document = names.iter().find(|name| name.ends_with(".json")).unwrap();
    assert_eq!(document.len(), 200 + ".json".len(), "{document}");
    environment
        .ckpt(&["phase", &format!("implement/{feature}"), "a", "complete"])
        .exits(0);
    let longer = format!("implement/{feature}x");
    environment
        .ckpt(&["phase", &longer, "a", "complete"])
        .exits(5);
}

#[test]
fn two_ids_with_the_same_file_name_are_kept_apart() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "user/login"])
        .exits(0);
    let before = environment.read(".claude/state/implement-user-login.json");
    let document = before.replace("user/login", "user-login");
    for arguments in [
        &["start", "implement", "user-login"][..],
        &["phase", "implement/user-login", "a", "complete"],
        &["complete", "implement/user-login"],
        &["abandon", "implement/user-login", "--reason", "x"],
        &["gate", "set", "implement/user-login", "--allow"],
        &["save", "implement/user-login"],
    ] {
        let run = environment.ckpt_reading(&document, arguments);
        assert_eq!(run.code, Some(5), "{arguments:?}: {run}");
        assert!(run.reason().contains("implement/user/login"), "{run}");
        assert!(run.reason().contains("implement/user-login"), "{run}");
    }
    assert_eq!(
        environment.read(".claude/state/implement-user-login.json"),
        before
    );
}

#[test]
fn a_document_that_names_no_feature_matches_any_key() {
    let environment = Environment::new();
    let document = r#"{ "version": 1, "state": {}, "phases": {} }"#;
    environment.write(".claude/state/implement-auth.json", document);
    environment
        .ckpt(&["phase", "implement/auth", "a", "complete"])
        .exits(0);
}

#[test]
fn a_document_for_another_key_is_not_saved_under_this_one() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let before = environment.read(".claude/state/implement-auth.json");
    let other = before.replace("\"auth\"", "\"billing\"");
    let run = environment
        .ckpt_reading(other, &["save", "implement/auth"])
        .exits(5);
    for name in ["implement/billing", "implement/auth"] {
        assert!(run.reason().contains(name), "{run}");
    }
    let after = environment.read(".claude/state/implement-auth.json");
    assert_eq!(after, before);
}
