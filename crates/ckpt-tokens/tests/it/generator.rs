//! Generates the tables, and checks that those in the repository are up to date.

use std::env;
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use regex_syntax::hir::{Class, HirKind};
use sha2::{Digest, Sha256};
use tiktoken_rs::CoreBPE;

#[path = "../../src/table.rs"]
#[expect(dead_code, reason = "lookups are not used here")]
mod table;

use table::{BLOCK, Hash, RANK_BITS};

#[test]
fn the_table_of_o200k_is_up_to_date() {
    let published = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d";
    let tokens = tokens(&tiktoken_rs::o200k_base().unwrap(), published);
    assert_up_to_date("o200k.bin", &laid_out(&tokens));
}

#[test]
fn the_table_of_cl100k_is_up_to_date() {
    let published = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7";
    let tokens = tokens(&tiktoken_rs::cl100k_base().unwrap(), published);
    assert_up_to_date("cl100k.bin", &laid_out(&tokens));
}

#[test]
fn the_table_of_character_classes_is_up_to_date() {
    assert_up_to_date("classes.bin", &classes());
}

fn assert_up_to_date(name: &str, made: &[u8]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tables")
        .join(name);
    if env::var_os("UPDATE_TABLES").is_some() {
        fs::write(&path, made).unwrap();
    }
    let present = fs::read(&path).unwrap_or_default();
    let hint = "UPDATE_TABLES=1 cargo nextest run -p ckpt-tokens generator";
    assert!(present == made, "{name} is out of date: {hint}");
}

/// All tokens by rank. Written in the published format, they must have the checksum of the published file.
fn tokens(encoding: &CoreBPE, published: &str) -> Vec<Vec<u8>> {
    let tokens: Vec<Vec<u8>> = (0..)
        .map_while(|rank| encoding.decode_bytes(&[rank]).ok())
        .collect();
    let lines = tokens.iter().enumerate();
    let lines = lines.map(|(rank, token)| format!("{} {rank}\n", BASE64_STANDARD.encode(token)));
    let digest = Sha256::digest(lines.collect::<String>());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, published);
    tokens
}

fn laid_out(tokens: &[Vec<u8>]) -> Vec<u8> {
    let (buckets, slots) = (tokens.len() / 4, tokens.len() * 100 / 97);
    let (pilots, places) = placed(tokens, buckets, slots);
    let mut table = Vec::new();
    let longest = tokens.iter().map(Vec::len).max().unwrap();
    for number in [tokens.len(), buckets, slots, longest] {
        table.extend(u32::try_from(number).unwrap().to_le_bytes());
    }
    table.extend(pilots.iter().flat_map(|pilot| pilot.to_le_bytes()));
    table.extend(places.iter().flat_map(|place| place.to_le_bytes()));
    let mut start = 0;
    for block in tokens.chunks(BLOCK) {
        table.extend(u32::try_from(start).unwrap().to_le_bytes());
        start += block.iter().map(Vec::len).sum::<usize>();
    }
    table.extend(
        tokens
            .iter()
            .map(|token| u8::try_from(token.len()).unwrap()),
    );
    table.extend(tokens.iter().flatten());
    table
}

/// Finds for each bucket, fullest first, the first pilot that sends all of its tokens to free slots.
fn placed(tokens: &[Vec<u8>], buckets: usize, slots: usize) -> (Vec<u16>, Vec<u32>) {
    let mut members: Vec<Vec<(u32, Hash)>> = vec![Vec::new(); buckets];
    for (rank, token) in tokens.iter().enumerate() {
        let hash = Hash::of(token);
        let rank = u32::try_from(rank).unwrap();
        members[hash.bucket(buckets)].push((rank, hash));
    }
    let mut order: Vec<usize> = (0..buckets).collect();
    order.sort_by_key(|bucket| std::cmp::Reverse(members[*bucket].len()));
    let mut pilots = vec![0; buckets];
    let mut places = vec![u32::MAX; slots];
    for bucket in order {
        let bucket_members = &members[bucket];
        let is_free = |pilot: u16| {
            let mut wanted: Vec<usize> = Vec::with_capacity(bucket_members.len());
            bucket_members.iter().all(|(_, hash)| {
                let slot = hash.slot(pilot, slots);
                let free = places[slot] == u32::MAX && !wanted.contains(&slot);
                wanted.push(slot);
                free
            })
        };
        let pilot = (0..=u16::MAX)
            .find(|pilot| is_free(*pilot))
            .expect("a pilot for every bucket");
        pilots[bucket] = pilot;
        for (rank, hash) in bucket_members {
            places[hash.slot(pilot, slots)] = hash.mark() << RANK_BITS | rank;
        }
    }
    (pilots, places)
}

/// The numbers of `Class` in `src/class.rs`. All other characters are 0.
const CLASSES: [(&str, u8); 7] = [
    (r"[\p{Lu}\p{Lt}]", 1),
    (r"\p{Ll}", 2),
    (r"[\p{Lm}\p{Lo}]", 3),
    (r"\p{M}", 4),
    (r"\p{N}", 5),
    (r"[\s--[\r\n]]", 6),
    (r"[\r\n]", 7),
];

fn classes() -> Vec<u8> {
    let mut all = vec![0_u8; 0x11_0000];
    for (pattern, number) in CLASSES {
        let HirKind::Class(Class::Unicode(class)) =
            regex_syntax::parse(pattern).unwrap().into_kind()
        else {
            panic!("{pattern} is not a class");
        };
        for range in class.iter() {
            all[range.start() as usize..=range.end() as usize].fill(number);
        }
    }
    let mut pages: Vec<Vec<u8>> = Vec::new();
    let mut table = Vec::new();
    for page in all.chunks(256) {
        let page: Vec<u8> = page.chunks(2).map(|two| two[0] | two[1] << 4).collect();
        let number = pages
            .iter()
            .position(|known| *known == page)
            .unwrap_or_else(|| {
                pages.push(page);
                pages.len() - 1
            });
        table.push(u8::try_from(number).unwrap());
    }
    table.extend(pages.into_iter().flatten());
    table
}
