//! Scripted lives, each with a key that says what a fresh agent must learn from the brief. See `tests/lives/README.md`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::environment::CKPT;

fn lives() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lives")
}

/// The brief that the session after a life gets.
fn brief_after(life: &str) -> String {
    let run = Command::new(lives().join("run"))
        .arg(life)
        .env("CKPT", CKPT)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{life}: {said}");
    String::from_utf8(run.stdout).unwrap()
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
            match section {
                "CHECK FIRST" => brief.check_first.push(lower),
                "NEXT" if lower.trim_start().starts_with("not now") => brief.not_now.push(lower),
                "NEXT" => {
                    if lower.contains("record it with:") {
                        brief.record.push(lower.clone());
                    }
                    brief.action.push(lower);
                }
                _ => {}
            }
        }
        brief
    }
}

/// Lives whose key is not met yet.
const NOT_YET: &[&str] = &[];

#[test]
fn every_life_leaves_a_brief_that_meets_its_key() {
    let mut names: Vec<String> = std::fs::read_dir(lives())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("key").is_file())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert!(names.len() >= 30);
    let not_yet: BTreeSet<&str> = NOT_YET.iter().copied().collect();
    let mut failed = Vec::new();
    for life in &names {
        let key = std::fs::read_to_string(lives().join(life).join("key")).unwrap();
        let brief = brief_after(life);
        let faults = faults(&brief, &key);
        match (faults.is_empty(), not_yet.contains(life.as_str())) {
            (false, false) => failed.push(format!("{life}:\n  {}\n{brief}", faults.join("\n  "))),
            (true, true) => failed.push(format!("{life}: meets its key now")),
            (true, false) | (false, true) => {}
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {}:\n{}",
        failed.len(),
        names.len(),
        failed.join("\n")
    );
}
