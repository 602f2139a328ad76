use super::*;
use crate::document::Object;
use crate::seal::{Domain, SealKey, Seals};
use crate::store::Unpacked;

/// Sealed lines of one history.
fn lines(about: &str) -> Vec<String> {
    let seals = seals();
    let line = |number: u64| {
        let mut line = Object::new();
        line.set("event", format!("{about} {number}"));
        line.set("rev", number);
        Sealer::new(&seals, Domain::History, "it").seal(&mut line);
        crate::document::Value::Object(line).to_compact() + "\n"
    };
    (1..=6).map(line).collect()
}

fn seals() -> Seals {
    Seals::with(SealKey::new([1; 32]))
}

fn compared(history: &str, copy: &str) -> Agreement {
    let seals = seals();
    let sealer = Sealer::new(&seals, Domain::History, "it");
    let file = |text: &str| Unpacked::new(text.as_bytes().to_vec());
    Agreement::of(&file(history), &file(copy), sealer).unwrap()
}

/// The same with one line changed: it is not a line any more, or another one.
fn damaged(lines: &[String], at: usize) -> [String; 2] {
    let with = |old: &str, new: &str| {
        let mut lines = lines.to_vec();
        lines[at] = lines[at].replacen(old, new, 1);
        lines.concat()
    };
    [with("{", "?"), with("one", "two")]
}

#[test]
fn what_goes_on_is_the_same() {
    let lines = lines("one");
    for kept in 0..=lines.len() {
        let copy = lines[..kept].concat();
        assert_eq!(compared(&lines.concat(), &copy), Agreement::Same, "{kept}");
    }
    assert_eq!(compared("", ""), Agreement::Same);
}

#[test]
fn what_goes_on_with_lines_that_cannot_be_read_is_damaged() {
    let lines = lines("one");
    let copy = lines[..3].concat();
    let going_on = |beyond: &str| compared(&format!("{copy}{beyond}"), &copy);
    assert_eq!(going_on("garbage\n"), Agreement::HistoryDamaged);
    assert_eq!(going_on("\ngarbage\n\0\n"), Agreement::HistoryDamaged);
    // It is still being written, or a line follows it.
    let mixed = format!("garbage\n{}", lines[3]);
    for beyond in ["garbage", "{\"event\":\"o", "\n", &mixed] {
        assert_eq!(going_on(beyond), Agreement::Same, "{beyond}");
    }
}

#[test]
fn the_damaged_one_is_found_wherever_the_damage_is() {
    let lines = lines("one");
    let whole = lines.concat();
    for at in 0..lines.len() {
        for damaged in damaged(&lines, at) {
            assert_eq!(
                compared(&damaged, &whole),
                Agreement::HistoryDamaged,
                "{at}"
            );
            assert_eq!(compared(&whole, &damaged), Agreement::CopyDamaged, "{at}");
            // A copy may be behind, too.
            let longer = format!("{whole}{{\"event\":\"later\"}}\n");
            assert_eq!(compared(&longer, &damaged), Agreement::CopyDamaged, "{at}");
        }
        let cut = lines[..at].concat();
        assert_eq!(compared(&cut, &whole), Agreement::HistoryDamaged, "{at}");
        let torn = format!("{cut}{{\"event\":\"o");
        assert_eq!(compared(&torn, &whole), Agreement::HistoryDamaged, "{at}");
        let zeros = format!("{cut}{}", "\0".repeat(whole.len() - cut.len()));
        assert_eq!(compared(&zeros, &whole), Agreement::HistoryDamaged, "{at}");
    }
}

#[test]
fn neither_is_preferred_where_each_has_something_of_its_own() {
    let (lines, others) = (lines("one"), lines("another"));
    let [torn, altered] = damaged(&lines, 1);
    let [_, elsewhere] = damaged(&lines, 3);
    let unsealed = "{\"event\":\"theirs\",\"rev\":7}\n";
    let whole = lines.concat();
    for (history, copy) in [
        (&torn, &elsewhere),
        (&altered, &elsewhere),
        (&whole, &others.concat()),
        (&format!("{}{unsealed}", lines[..3].concat()), &whole),
        (&unsealed.to_owned(), &whole),
        (&[&lines[1..], &lines[..1]].concat().concat(), &whole),
    ] {
        assert_eq!(compared(history, copy), Agreement::Apart, "{history}");
    }
}
