//! Seals against an implementation of their own, made from `docs/formats.md`: what is sealed verifies however it is
//! written, and after any other change it does not.
//!
//! An input is a JSON text and choices, which decide the domain, the name and the changes.

use ckpt::document::{Document, Object, Value, to_inline, to_pretty};
use ckpt::seal::{Domain, SEAL, SealKey, Seals};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::choices::Choices;

const SECRET: [u8; 32] = [7; 32];
const OTHER_SECRET: [u8; 32] = [8; 32];

/// Each domain with its name in a seal, and the members that it leaves out.
const DOMAINS: [(Domain, &str, &[&str]); 6] = [
    (Domain::History, "history", &[]),
    (Domain::Approval, "approval", &["override"]),
    (Domain::Override, "override", &[]),
    (Domain::Receipt, "receipt", &["pause_due", "failure_due"]),
    (Domain::Session, "session", &[]),
    (Domain::Specification, "specification", &["interrupted"]),
];

const NAMES: &[&str] = &[
    "plan:p",
    "command:x",
    "",
    "pipeline:PRD-001 tests",
    "session:é",
];

/// The most changes of one sealed text.
const MOST_CHANGES: usize = 16;

/// Seals an object and changes it.
pub fn run(bytes: &[u8]) {
    let (text, mut choices) = Choices::after_text(bytes);
    let Ok(document) = Document::from_bytes(text.to_vec()) else {
        return;
    };
    let about = About {
        domain: choices.below(DOMAINS.len()),
        name: choices.pick(NAMES),
    };
    // As it came: with a seal of any form, or none.
    about.judged(&document);
    let Value::Object(mut object) = document.value() else {
        return;
    };
    about
        .seals(SECRET)
        .seal(about.kind(), about.name, &mut object);
    let expected = about.expected(&object);
    assert_eq!(
        object.get(SEAL).and_then(Value::as_str),
        Some(expected.as_str())
    );
    let value = Value::Object(object);
    let text = value.to_compact();
    for written in [
        text.clone(),
        to_inline(&value),
        to_pretty(&value),
        respelled(&value),
    ] {
        let document = Document::parse(written).expect("it is still JSON");
        assert!(about.judged(&document), "{}", document.text());
    }
    about.others(&value);
    for _ in 0..MOST_CHANGES {
        if choices.is_over() {
            break;
        }
        let mut changed = text.clone().into_bytes();
        let at = choices.below(changed.len());
        match choices.below(4) {
            0 => drop(changed.remove(at)),
            1 => changed.insert(at, choices.byte()),
            _ => changed[at] = choices.byte(),
        }
        if let Ok(document) = Document::from_bytes(changed) {
            about.judged(&document);
        }
    }
    // Any text in the place of the seal, and some that look like it.
    let rest = std::iter::from_fn(|| (!choices.is_over()).then(|| choices.byte()));
    let any = String::from_utf8_lossy(&rest.collect::<Vec<u8>>()).into_owned();
    let mut object = value.into_object().expect("it is an object");
    let (id, digits) = expected.split_once('-').expect("a key's id and digits");
    for forged in [
        any,
        format!("{id}-{}", digits.to_uppercase()),
        format!("{expected}0"),
        format!(" {expected}"),
        format!("{id}{digits}"),
        format!("{id}-{}", &digits[1..]),
    ] {
        object.set(SEAL, forged);
        let document = Document::from_value(&Value::from(&object));
        about.judged(&document.expect("it is no deeper than it was"));
    }
}

/// What a seal is about.
struct About {
    domain: usize,
    name: &'static str,
}

impl About {
    fn kind(&self) -> Domain {
        DOMAINS[self.domain].0
    }

    fn seals(&self, secret: [u8; 32]) -> Seals {
        Seals::with(SealKey::new(secret))
    }

    /// Whether a document has a valid seal: exactly if it has the one that belongs to its values.
    fn judged(&self, document: &Document) -> bool {
        let seals = self.seals(SECRET);
        let judged = seals.vouches(self.kind(), self.name, document.root());
        let expected = match document.value() {
            Value::Object(object) => {
                let by_tree = seals.vouches(self.kind(), self.name, object.view());
                assert_eq!(by_tree, judged, "{}", document.text());
                let seal = object.get(SEAL).and_then(Value::as_str);
                seal == Some(self.expected(&object).as_str())
            }
            _ => false,
        };
        assert_eq!(judged, expected, "{}", document.text());
        judged
    }

    /// A seal is not valid for another key, domain or name, nor without a key.
    fn others(&self, value: &Value) {
        let vouches =
            |seals: &Seals, domain: Domain, name: &str| seals.vouches(domain, name, value.view());
        let seals = self.seals(SECRET);
        for (at, (domain, _, _)) in DOMAINS.into_iter().enumerate() {
            assert_eq!(vouches(&seals, domain, self.name), at == self.domain);
        }
        for name in NAMES {
            assert_eq!(vouches(&seals, self.kind(), name), *name == self.name);
        }
        assert!(!vouches(&self.seals(OTHER_SECRET), self.kind(), self.name));
        assert!(!vouches(&Seals::none(), self.kind(), self.name));
    }

    /// The seal that an object should have.
    fn expected(&self, object: &Object) -> String {
        let (_, word, left_out) = DOMAINS[self.domain];
        let mut input = b"ckpt seal 1\0".to_vec();
        for text in [word, self.name] {
            input.extend(length(text.len()));
            input.extend(text.bytes());
        }
        let members = object.iter();
        let members = members.filter(|(name, _)| *name != SEAL && !left_out.contains(name));
        add_members(members.collect(), &mut input);
        let mut mac = Hmac::<Sha256>::new_from_slice(&SECRET).expect("a key of any length");
        mac.update(&input);
        let id = Sha256::digest([b"ckpt key id\0".as_slice(), &SECRET].concat());
        format!(
            "{}-{}",
            hex(&id[..4]),
            hex(&mac.finalize().into_bytes()[..16])
        )
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn length(length: usize) -> [u8; 8] {
    (length as u64).to_be_bytes()
}

fn add_members(mut members: Vec<(&str, &Value)>, out: &mut Vec<u8>) {
    members.sort_by_key(|(name, _)| *name);
    out.push(b'o');
    out.extend(length(members.len()));
    for (name, value) in members {
        add_text(b's', name, out);
        add(value, out);
    }
}

fn add_text(tag: u8, text: &str, out: &mut Vec<u8>) {
    out.push(tag);
    out.extend(length(text.len()));
    out.extend(text.bytes());
}

fn add(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(b'n'),
        Value::Bool(true) => out.push(b't'),
        Value::Bool(false) => out.push(b'f'),
        Value::String(text) => add_text(b's', text, out),
        Value::Number(number) => add_text(b'd', &decimal(number.raw()), out),
        Value::Array(items) => {
            out.push(b'a');
            out.extend(length(items.len()));
            items.iter().for_each(|item| add(item, out));
        }
        Value::Object(object) => add_members(object.iter().collect(), out),
    }
}

/// The shortest decimal form of the float, or the spelling beyond 2^53.
fn decimal(raw: &str) -> String {
    let number: f64 = raw.parse().expect("a number of JSON is one of Rust");
    match number {
        0.0 => "0.0".to_owned(),
        number if number.abs() < 2_f64.powi(53) => format!("{number:?}"),
        _ => raw.to_owned(),
    }
}

/// The same values, written in another way: members in reverse order and with an earlier occurrence that does not count,
/// escapes for all characters, other spellings of numbers.
fn respelled(value: &Value) -> String {
    match value {
        Value::Object(object) => {
            let members = object
                .iter()
                .map(|(name, value)| format!("{} :\r\n{}", escaped(name), respelled(value)));
            let mut members: Vec<String> = members.collect();
            members.reverse();
            let first = object.iter().next();
            let first = first.map(|(name, _)| format!("\t{}:null", escaped(name)));
            members.splice(0..0, first);
            format!("{{{}}}", members.join(" , "))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(respelled).collect();
            format!("[ {}\n]", items.join(","))
        }
        Value::String(text) => escaped(text),
        Value::Number(number) => {
            let raw = number.raw();
            let is_whole = raw.len() < 16 && !raw.contains(['.', 'e', 'E']);
            if is_whole {
                format!("{raw}.00E+0")
            } else {
                raw.to_owned()
            }
        }
        _ => value.to_compact(),
    }
}

fn escaped(text: &str) -> String {
    let units = text.encode_utf16().map(|unit| format!("\\u{unit:04X}"));
    format!("\"{}\"", units.collect::<String>())
}
