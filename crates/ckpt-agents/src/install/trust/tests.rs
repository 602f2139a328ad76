use super::*;
use crate::install::places::{Scope, settings_file};
use crate::install::{Program, added};

#[test]
fn the_longest_rule_of_gemini_decides() {
    let rules = r#"{ // mine
        "/home/me": "TRUST_FOLDER", "/home/me/clones": "DO_NOT_TRUST", "/srv/apps/app": "TRUST_PARENT" }"#;
    for (folder, expected) in [
        ("/home/me/site", true),
        ("/home/me/clones/x", false),
        ("/srv/apps/other", true),
        ("/srv/appser", false),
        ("/home", false),
    ] {
        assert_eq!(
            gemini_trusts(rules, Path::new(folder)),
            expected,
            "{folder}"
        );
    }
    assert!(!gemini_trusts("", Path::new("/home/me")));
    assert!(gemini_asks_for_trust("{}"));
    assert!(!gemini_asks_for_trust(
        r#"{"security":{"folderTrust":{"enabled":false}}}"#
    ));
}

#[test]
fn copilot_trusts_a_folder_and_all_below_it() {
    let config = r#"{"trustedFolders": ["/home/me/apps/"], "trusted_folders": ["/srv"]}"#;
    for (folder, expected) in [
        ("/home/me/apps/app", true),
        ("/srv", true),
        ("/home/me/appser", false),
    ] {
        assert_eq!(
            copilot_trusts(config, Path::new(folder)),
            expected,
            "{folder}"
        );
    }
}

/// What Codex 0.166.0 noted when the user trusted these hooks.
#[test]
fn hooks_are_named_and_hashed_as_codex_does() {
    let place = settings_file(Agent::Codex, Scope::Project);
    let program = Program::new("/tmp/ckpt-real-agents-V6Xq1l/bin/ckpt");
    let hooks = added("", &place, &program).expect("an empty file can be edited");
    let all = hooks_of_codex(Path::new("/p/.codex/hooks.json"), &hooks);
    for (key, hash) in [
        (
            "/p/.codex/hooks.json:session_start:0:0",
            "sha256:8c4a8f923ba30ae492e10beb1c76fadcc700629db57785487fe83fe4b68d7194",
        ),
        (
            "/p/.codex/hooks.json:pre_tool_use:0:0",
            "sha256:6a9b34b159d609805407649abe18aa346e15ec6bade653c090c9fc79cd657add",
        ),
    ] {
        let found = all.iter().find(|(known, _)| known == key);
        let (_, found) = found.unwrap_or_else(|| panic!("{key}: {all:?}"));
        assert!(hash.starts_with(found.as_str()), "{key}: {found}");
    }
}

#[test]
fn codex_calls_hooks_that_were_trusted_as_they_are() {
    let place = settings_file(Agent::Codex, Scope::Project);
    let hooks = added("", &place, &Program::new("ckpt")).expect("an empty file can be edited");
    let file = Path::new("/p/.codex/hooks.json");
    let all = hooks_of_codex(file, &hooks);
    let none = uncalled_by_codex("", file, &hooks);
    assert_eq!(none.untrusted, all.len());
    let mut config = String::from("[projects.\"/p\"]\ntrust_level = \"trusted\"\n");
    for (key, hash) in &all {
        // Codex writes all 64 digits.
        config += &format!(
            "[hooks.state.\"{key}\"]\ntrusted_hash = \"{hash}{}\"\n",
            "0".repeat(32)
        );
    }
    assert!(codex_trusts(&config, Path::new("/p")));
    assert!(!codex_trusts(&config, Path::new("/p/below")));
    assert_eq!(
        uncalled_by_codex(&config, file, &hooks),
        Uncalled::default()
    );
    let changed = hooks.replace("\"timeout\": 3", "\"timeout\": 2");
    let expected = Uncalled {
        changed: 1,
        ..Uncalled::default()
    };
    assert_eq!(uncalled_by_codex(&config, file, &changed), expected);
    let off = config.replacen("trusted_hash", "enabled = false\ntrusted_hash", 1);
    assert_eq!(uncalled_by_codex(&off, file, &hooks).disabled, 1);
}
