use proptest::prelude::*;

use super::*;
use crate::key::name::MAX_STEM;

#[test]
fn keys_are_read_with_and_without_their_kind() {
    for (text, shown, stem) in [
        ("implement/auth", "command:implement/auth", "implement-auth"),
        ("ship", "command:ship", "ship-checkpoint"),
        ("command:ship", "command:ship", "ship-checkpoint"),
        (
            "implement/user/login",
            "command:implement/user/login",
            "implement-user-login",
        ),
        (
            "implement/a:b*c",
            "command:implement/a:b*c",
            "implement-abc",
        ),
        (
            "implement/../../etc/passwd",
            "command:implement/../../etc/passwd",
            "implement---etc-passwd",
        ),
    ] {
        let key = CommandKey::parse(text).unwrap();
        assert_eq!(
            (key.to_string().as_str(), key.stem().as_str()),
            (shown, stem)
        );
    }
}

#[test]
fn ids_without_a_usable_character_are_refused() {
    assert_eq!(CommandKey::parse(""), Err(KeyError::Command));
    for feature in ["", "..", "???", "..."] {
        let key = CommandKey::parse(&format!("implement/{feature}"));
        assert_eq!(key, Err(KeyError::Feature), "{feature:?}");
    }
    assert_eq!(
        CommandKey::parse("plan:x"),
        Err(KeyError::Kind("plan".into(), "x".into()))
    );
}

#[test]
fn no_command_is_hidden() {
    for command in [".vis", " .vis", "<.vis"] {
        let hidden = Err(KeyError::Hidden("command", command.into()));
        assert_eq!(CommandKey::new(command, Some("x")), hidden);
        assert_eq!(CommandKey::new(command, None), hidden);
    }
    assert_eq!(CommandKey::parse("vis/.x").unwrap().stem(), "vis-.x");
}

proptest! {
    #[test]
    fn no_id_leaves_its_directory(command in ".{0,40}", feature in ".{0,300}") {
        if let Ok(key) = CommandKey::new(&command, Some(&feature)) {
            let stem = key.stem();
            prop_assert!(!stem.is_empty() && stem.len() <= MAX_STEM && !stem.starts_with('.'));
            prop_assert!(!stem.contains(['/', '\\', '\0', ':']) && !stem.contains(".."));
        }
    }
}
