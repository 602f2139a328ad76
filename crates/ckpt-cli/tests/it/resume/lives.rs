//! Scripted lives, each with a key that says what a fresh agent must learn from the brief. See `tests/lives/README.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::scripts::hazards;
use crate::support::environment::CKPT;
use crate::support::written::strangers;

fn lives() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lives")
}

/// Hazards that need what no life has: a gate that is still running, git that cannot be asked, a file of a newer version.
const NOT_LIVED: [&str; 3] = ["gate_running", "gate_unchecked", "newer_format"];

/// The brief that the session after a life gets, and the kinds of hazard that it tells.
fn brief_after(life: &str) -> (String, BTreeSet<String>) {
    let directory = tempfile::tempdir().unwrap();
    let run = Command::new(lives().join("run"))
        .arg(life)
        .arg(directory.path())
        .env("CKPT", CKPT)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{life}: {said}");
    assert_eq!(strangers(directory.path()), Vec::<String>::new(), "{life}");
    let facts = std::fs::read(directory.path().join("facts.json")).unwrap();
    let facts: serde_json::Value = serde_json::from_slice(&facts).unwrap();
    let facts = facts["facts"].as_array().unwrap().iter();
    let hazards = facts.filter_map(|fact| Some(fact["hazard"].as_str()?.to_owned()));
    (String::from_utf8(run.stdout).unwrap(), hazards.collect())
}

/// What a brief fails to say, or says and should not.
fn faults(brief: &str, key: &str) -> Vec<String> {
    let brief = Brief::read(brief);
    let mut faults = Vec::new();
    for line in key.lines().filter(|line| !line.trim().is_empty()) {
        let (word, value) = line.split_once(':').unwrap();
        let value = value.trim();
        let is_said = match word {
            "about" | "right" | "harm" => true,
            "hazard" => has(&brief.check_first, value),
            "next" => has(&brief.action, value),
            "record" => has(&brief.record, value),
            "not-now" => has(&brief.not_now, value),
            "fact" => has(&brief.all, value),
            "not-next" => !has(&brief.action, value),
            "never" => !has(&brief.all, value),
            _ => false,
        };
        if !is_said {
            faults.push(line.to_owned());
        }
    }
    faults
}

/// Whether one line has all of these texts, or one of these alternatives.
fn has(lines: &[String], value: &str) -> bool {
    lines.iter().any(|line| match value.contains(" & ") {
        true => value
            .split(" & ")
            .all(|part| line.contains(&part.trim().to_lowercase())),
        false => value
            .split(" | ")
            .any(|part| line.contains(&part.trim().to_lowercase())),
    })
}

/// The lines of a brief, in lower case.
#[derive(Default)]
struct Brief {
    all: Vec<String>,
    check_first: Vec<String>,
    action: Vec<String>,
    record: Vec<String>,
    not_now: Vec<String>,
}

impl Brief {
    fn read(text: &str) -> Self {
        let mut brief = Self::default();
        let mut section = "";
        for line in text.lines() {
            let lower = line.to_lowercase();
            brief.all.push(lower.clone());
            let is_title = line.starts_with(|c: char| c.is_ascii_uppercase())
                && line
                    .chars()
                    .take(4)
                    .all(|c| c.is_ascii_uppercase() || c == ',' || c == ' ');
            if is_title {
                section = line;
                continue;
            }
            if lower.starts_with("record next with:")
                || lower.starts_with("once that is resolved, run:")
            {
                brief.action.push(lower.clone());
                brief.record.push(lower);
                section = "";
                continue;
            }
            match section {
                "CHECK FIRST" => brief.check_first.push(lower),
                "NEXT" if lower.trim_start().starts_with("not now") => brief.not_now.push(lower),
                "NEXT" => brief.action.push(lower),
                _ => {}
            }
        }
        brief
    }
}

/// The brief with times masked: they differ from run to run.
pub(super) fn masked(brief: &str) -> String {
    let is_time = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        word.ends_with('Z') && word.contains(':') && digits >= 4
    };
    let mask = |word: &str| {
        let kept = word.trim_end_matches(['.', ',', ';', ':', '"']);
        match is_time(kept) {
            true => format!("TIME{}", &word[kept.len()..]),
            false => word.to_owned(),
        }
    };
    let line = |line: &str| line.split(' ').map(mask).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = brief.lines().map(line).collect();
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// The same with the times in the ids of new plans masked: those that the script does not name.
fn without_new_ids(brief: &str, script: &str) -> String {
    const MASK: &str = "YYMMDD-HHMM-";
    let mut masked = String::new();
    let mut rest = brief;
    while !rest.is_empty() {
        let id = rest.get(..MASK.len()).filter(|id| is_time_of_plan(id));
        let length = rest.chars().next().map_or(1, char::len_utf8);
        match id {
            Some(id) if !script.contains(id) => {
                masked += MASK;
                rest = &rest[MASK.len()..];
            }
            _ => {
                masked += &rest[..length];
                rest = &rest[length..];
            }
        }
    }
    masked
}

fn is_time_of_plan(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        6 | 11 => byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}

fn names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(lives())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("key").is_file())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn every_life_leaves_a_brief_that_meets_its_key() {
    let names = names();
    assert!(names.len() >= 30);
    let updates = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut failed = Vec::new();
    let mut together: BTreeSet<(String, String)> = BTreeSet::new();
    let mut lived = BTreeSet::new();
    for life in &names {
        let key = std::fs::read_to_string(lives().join(life).join("key")).unwrap();
        let script = std::fs::read_to_string(lives().join(life).join("life.sh")).unwrap();
        let (brief, hazards) = brief_after(life);
        let brief = without_new_ids(&brief, &script);
        for one in &hazards {
            let later = hazards.iter().filter(|other| one.as_str() < other.as_str());
            together.extend(later.map(|other| (one.clone(), other.clone())));
        }
        lived.extend(hazards);
        let faults = faults(&brief, &key);
        if !faults.is_empty() {
            failed.push(format!("{life}:\n  {}\n{brief}", faults.join("\n  ")));
            continue;
        }
        let golden = lives().join(life).join("brief.txt");
        let brief = masked(&brief);
        if updates {
            std::fs::write(&golden, &brief).unwrap();
        } else if std::fs::read_to_string(&golden).unwrap_or_default() != brief {
            failed.push(format!("{life} (UPDATE_GOLDEN=1 accepts it):\n{brief}"));
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {}:\n{}",
        failed.len(),
        names.len(),
        failed.join("\n")
    );
    let kinds = hazards();
    let not_lived: Vec<&String> = kinds.difference(&lived).collect();
    assert_eq!(not_lived, NOT_LIVED, "kinds of hazard that no life has");
    assert!(together.len() >= 80, "pairs of hazards: {}", together.len());
}

#[test]
fn a_typical_brief_has_250_to_450_tokens() {
    let mut counts: Vec<usize> = names()
        .iter()
        .map(|life| {
            let run = Command::new(CKPT)
                .args(["tokens", "--counter", "o200k"])
                .arg(lives().join(life).join("brief.txt"))
                .output()
                .unwrap();
            let said = String::from_utf8(run.stdout).unwrap();
            said.split_whitespace().next().unwrap().parse().unwrap()
        })
        .collect();
    counts.sort_unstable();
    let median = counts[counts.len() / 2];
    assert!((250..=450).contains(&median), "{counts:?}");
    assert!(*counts.last().unwrap() <= 450, "{counts:?}");
}

#[test]
fn a_key_fails_a_brief_that_leaves_something_out() {
    let brief = "CHECK FIRST\n- Uncommitted: a.rs.\nNEXT\nStart task t1.\n  Not now: t2: blocked\nRecord NEXT with: ckpt plan done t1\n";
    let key = |key: &str| faults(brief, key).is_empty();
    for met in [
        "hazard: uncommitted & a.rs",
        "next: T9 | T1",
        "record: ckpt plan done t1",
        "not-now: t2",
        "not-next: t2",
        "never: t3",
        "fact: a.rs",
    ] {
        assert!(key(met), "{met}");
    }
    for unmet in [
        "hazard: uncommitted & b.rs",
        "hazard: t1",
        "next: t2",
        "record: plan done t2",
        "not-now: t1",
        "not-next: t1",
        "never: a.rs",
        "fact: b.rs",
        "unknown: t1",
    ] {
        assert!(!key(unmet), "{unmet}");
    }
}
