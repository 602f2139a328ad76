use proptest::prelude::*;

use super::*;
use crate::seal::{Domain, SealKey, Seals};

fn seals(key: u8) -> Seals {
    Seals::with(SealKey::new([key; 32]))
}

fn packed(files: Vec<(String, Vec<u8>)>, history: Vec<u8>) -> Packed {
    Packed {
        label: Label {
            key: "command:implement/auth".to_owned(),
            at: "2026-01-29T10:30:00.000Z".to_owned(),
            lifecycle: "complete".to_owned(),
            progress: (3, 3),
            revision: "7-abc".parse().ok(),
        },
        files,
        history,
        damaged: Vec::new(),
    }
}

fn sealer(seals: &Seals) -> Sealer<'_> {
    Sealer::new(seals, Domain::Archive, "command:implement-auth")
}

fn one() -> Packed {
    let file = br#"{"command": "implement"}"#.to_vec();
    let history = b"{\"event\":\"checkpoint_started\"}\n".repeat(50);
    packed(vec![("implement-auth.json".to_owned(), file)], history)
}

proptest! {
    #[test]
    fn what_is_packed_is_unpacked_as_it_was(
        files in prop::collection::vec(("[a-z]{1,8}\\.(json|md)", prop::collection::vec(any::<u8>(), 0..200)), 0..4),
        history in prop::collection::vec(any::<u8>(), 0..500),
    ) {
        let mut files = files;
        files.sort();
        files.dedup_by(|one, two| one.0 == two.0);
        let packed = packed(files, history);
        let seals = seals(1);
        let bytes = packed.pack(sealer(&seals)).unwrap();
        prop_assert_eq!(label(&bytes), Some(packed.label.clone()));
        prop_assert_eq!(Packed::unpack(&bytes, sealer(&seals)), Ok(packed));
    }
}

#[test]
fn whatever_bit_of_an_archive_flips_is_noticed() {
    let seals = seals(1);
    let whole = one();
    let bytes = whole.pack(sealer(&seals)).unwrap();
    for at in 0..bytes.len() {
        for bit in [0, 3, 7] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            if let Ok(found) = Packed::unpack(&damaged, sealer(&seals)) {
                assert_eq!(found, whole, "byte {at}, bit {bit}");
            }
        }
    }
}

#[test]
fn an_archive_that_was_cut_short_is_damaged() {
    let seals = seals(1);
    let bytes = one().pack(sealer(&seals)).unwrap();
    for length in 0..bytes.len() {
        let found = Packed::unpack(&bytes[..length], sealer(&seals));
        assert!(
            matches!(found, Err(ArchiveFlaw::Damaged(_))),
            "{length} bytes"
        );
    }
}

#[test]
fn an_archive_from_elsewhere_is_refused_where_there_is_a_key() {
    let (ours, theirs, none) = (seals(1), seals(2), Seals::none());
    let foreign = one().pack(sealer(&theirs)).unwrap();
    assert_eq!(
        Packed::unpack(&foreign, sealer(&ours)),
        Err(ArchiveFlaw::Unsealed)
    );
    let unsealed = one().pack(sealer(&none)).unwrap();
    assert_eq!(
        Packed::unpack(&unsealed, sealer(&ours)),
        Err(ArchiveFlaw::Unsealed)
    );
    assert_eq!(Packed::unpack(&unsealed, sealer(&none)), Ok(one()));
    let other = Sealer::new(&ours, Domain::Archive, "command:implement-other");
    let bytes = one().pack(sealer(&ours)).unwrap();
    assert!(matches!(
        Packed::unpack(&bytes, other),
        Err(ArchiveFlaw::Damaged(_))
    ));
}

#[test]
fn the_beginning_of_a_long_archive_that_was_cut_short_is_read() {
    let seals = seals(1);
    let line = |number: u64| {
        let noise = ContentHash::of(&number.to_le_bytes());
        format!("{{\"event\":\"note_added\",\"number\":{number},\"noise\":\"{noise}\"}}\n")
    };
    let history: String = (0..20_000).map(line).collect();
    let file = ("a.json".to_owned(), b"{}".to_vec());
    let whole = packed(vec![file], history.clone().into_bytes());
    let bytes = whole.pack(sealer(&seals)).unwrap();
    let lines = Sealer::new(&seals, Domain::History, "command:implement-auth");
    let left = Packed::beginning(&bytes[..bytes.len() / 2], sealer(&seals), lines).unwrap();
    assert!(
        left.history.len() > history.len() / 4,
        "{}",
        left.history.len()
    );
    assert!(history.as_bytes().starts_with(&left.history));
    // No line confirms what the file was.
    assert!(left.files.is_empty());
    assert_eq!(left.label, whole.label);
    assert!(Packed::beginning(&bytes[..20], sealer(&seals), lines).is_none());
    let theirs = self::seals(2);
    assert!(Packed::beginning(&bytes, sealer(&theirs), lines).is_none());
}

#[test]
fn an_archive_that_was_not_written_here_is_refused_by_its_beginning() {
    // Nothing of the rest can be read, so it was not.
    let theirs = packed(
        Vec::new(),
        (0..400_000_u32).flat_map(u32::to_le_bytes).collect(),
    );
    let bytes = theirs.pack(sealer(&seals(2))).unwrap();
    let cut = &bytes[..bytes.len() / 2];
    let refused = Packed::unpack(cut, sealer(&seals(1)));
    assert!(matches!(refused, Err(ArchiveFlaw::Unsealed)), "{refused:?}");
    let damaged = Packed::unpack(cut, sealer(&seals(2)));
    assert!(
        matches!(damaged, Err(ArchiveFlaw::Damaged(_))),
        "{damaged:?}"
    );
}
