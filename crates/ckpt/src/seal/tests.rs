use std::fs;

use super::{Domain, SEAL, SealKey, Seals, Unsealed, Vault};
use crate::document::{Document, Object, Value};

fn seals(byte: u8) -> Seals {
    Seals::with(SealKey::new([byte; 32]))
}

fn sealed(domain: Domain, about: &str) -> Object {
    let text = r#"{"b": [1, 2.5, null, true], "a": "é\n", "c": {"y": 1, "x": false}}"#;
    let Value::Object(mut object) = Document::parse(text).unwrap().value() else {
        panic!("an object");
    };
    seals(1).seal(domain, about, &mut object);
    object
}

fn vouches(seals: &Seals, domain: Domain, about: &str, text: &str) -> bool {
    let document = Document::parse(text).unwrap();
    let by_node = seals.vouches(domain, about, document.root());
    let Value::Object(object) = document.value() else {
        panic!("an object");
    };
    assert_eq!(seals.vouches(domain, about, object.view()), by_node);
    by_node
}

#[test]
fn a_seal_holds_for_its_key_domain_document_and_values_alone() {
    let object = sealed(Domain::History, "plan:p");
    let text = Value::Object(object.clone()).to_compact();
    assert!(vouches(&seals(1), Domain::History, "plan:p", &text));
    assert!(!vouches(&seals(2), Domain::History, "plan:p", &text));
    assert!(!vouches(&seals(1), Domain::Receipt, "plan:p", &text));
    assert!(!vouches(&seals(1), Domain::History, "plan:q", &text));
    assert!(!vouches(&Seals::none(), Domain::History, "plan:p", &text));
    for (old, new) in [
        ("2.5", "2.6"),
        ("null", "0"),
        ("true", "false"),
        ("é", "e"),
        ("\"y\"", "\"z\""),
        ("[1,", "[[1],"),
        ("{\"b\"", "{\"d\":1,\"b\""),
    ] {
        let changed = text.replacen(old, new, 1);
        assert_ne!(changed, text, "{old}");
        assert!(
            !vouches(&seals(1), Domain::History, "plan:p", &changed),
            "{old}"
        );
    }
}

#[test]
fn a_formatter_keeps_a_seal() {
    let object = sealed(Domain::History, "plan:p");
    let seal = object.get(SEAL).and_then(Value::as_str).unwrap();
    let text = format!(
        "{{ \"seal\": \"{seal}\",\n \"c\": {{\"x\":false, \"y\":1.0e0}},\n \"a\": \"\\u00e9\\u000a\",\n \"b\": [1.0, 25e-1, null, true] }}"
    );
    assert!(vouches(&seals(1), Domain::History, "plan:p", &text));
}

#[test]
fn values_that_look_alike_have_different_seals() {
    let texts = [
        r#"{"a": ["b", "c"]}"#,
        r#"{"a": ["bc"]}"#,
        r#"{"a": "bc"}"#,
        r#"{"a": {"b": "c"}}"#,
        r#"{"a": []}"#,
        r#"{"a": {}}"#,
        r#"{"a": "1"}"#,
        r#"{"a": 1}"#,
        r#"{"a": 12345678901234567890}"#,
        r#"{"a": 12345678901234567891}"#,
        r"{}",
    ];
    let mut all = Vec::new();
    for text in texts {
        let Value::Object(mut object) = Document::parse(text).unwrap().value() else {
            panic!("an object");
        };
        seals(1).seal(Domain::Session, "s", &mut object);
        all.push(object.get(SEAL).cloned());
    }
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count);
}

#[test]
fn what_may_change_later_does_not_break_a_seal() {
    let mut gate = sealed(Domain::Approval, "command:x");
    gate.set("override", "anything");
    assert!(seals(1).vouches(Domain::Approval, "command:x", gate.view()));
    let mut receipt = sealed(Domain::Receipt, "x");
    receipt.set("pause_due", true);
    assert!(seals(1).vouches(Domain::Receipt, "x", receipt.view()));
}

#[test]
fn without_a_key_a_seal_is_taken_away_not_left() {
    let mut object = sealed(Domain::History, "plan:p");
    Seals::none().seal(Domain::History, "plan:p", &mut object);
    assert_eq!(object.get(SEAL), None);
}

#[test]
fn a_key_is_made_once_and_is_private() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("ckpt");
    let reader = Vault::at(place.clone());
    assert_eq!(reader.status(), Some(&Unsealed::Missing));
    assert!(!place.exists(), "reading makes nothing");
    let writer = Vault::at(place.clone());
    assert_eq!(writer.ensure_key(), Ok(()));
    let key = fs::read(place.join("key")).unwrap();
    assert_eq!(key.len(), 32);
    let again = Vault::at(place.clone());
    assert_eq!(again.ensure_key(), Ok(()));
    assert_eq!(fs::read(place.join("key")).unwrap(), key);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "nothing is left");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name: &str| fs::metadata(place.join(name)).unwrap().permissions().mode();
        assert_eq!((mode(".") & 0o777, mode("key") & 0o777), (0o700, 0o600));
    }
}

#[test]
fn many_that_come_first_share_one_key() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("ckpt");
    let objects: Vec<Object> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let vault = Vault::at(place.clone());
                    let mut object = Object::new();
                    let seals = vault.seals_for_writing();
                    seals.seal(Domain::Session, "s", &mut object);
                    object
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(objects.iter().all(|object| object == &objects[0]));
}

#[test]
fn a_file_that_is_not_a_key_is_neither_used_nor_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("key");
    for content in [&b""[..], b"short", &[7; 33]] {
        fs::write(&path, content).unwrap();
        let vault = Vault::at(directory.path().to_owned());
        assert!(matches!(
            vault.ensure_key(),
            Err(Unsealed::Malformed { .. })
        ));
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    fs::remove_file(&path).unwrap();
    #[cfg(unix)]
    {
        let elsewhere = directory.path().join("elsewhere");
        fs::write(&elsewhere, [7; 32]).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        let vault = Vault::at(directory.path().to_owned());
        assert!(matches!(
            vault.ensure_key(),
            Err(Unsealed::Unreadable { .. })
        ));
        assert!(!vault.seals_for_writing().has_key());
    }
}

#[test]
fn a_new_key_believes_nothing_of_the_old_one() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().to_owned();
    let old = Vault::at(place.clone());
    let mut object = Object::new();
    old.seals_for_writing()
        .seal(Domain::Session, "s", &mut object);
    old.replace_key().unwrap();
    let new = Vault::at(place);
    assert!(new.seals().has_key());
    assert!(!new.seals().vouches(Domain::Session, "s", object.view()));
}
