//! Small scripts in the words of the lives: what ends each hazard, and what a brief says at each step of git.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::lives::masked;
use crate::support::environment::CKPT;
use crate::support::written::strangers;

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// A script that was played.
struct Played {
    directory: tempfile::TempDir,
    /// What it said, if it failed.
    failure: Option<String>,
}

impl Played {
    fn new(script: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let run = Command::new(tests().join("lives/play"))
            .arg(script)
            .arg(directory.path())
            .env("CKPT", CKPT)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        Self {
            failure: (!run.status.success()).then_some(said),
            directory,
        }
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        let processes = std::fs::read_to_string(self.directory.path().join("processes"));
        for process in processes.unwrap_or_default().lines() {
            let _ = Command::new("kill").args(["-9", process]).output();
        }
    }
}

fn names(directory: &Path, ending: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(directory).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let ours = names.filter_map(|name| Some(name.strip_suffix(ending)?.to_owned()));
    ours.collect()
}

/// The kinds of hazard, as the schema lists them.
pub(super) fn hazards() -> BTreeSet<String> {
    let schema = tests().join("../../../schema/output.schema.json");
    let schema: serde_json::Value =
        serde_json::from_slice(&std::fs::read(schema).unwrap()).unwrap();
    let kinds = schema["$defs"]["Hazard"]["oneOf"].as_array().unwrap();
    let name = |kind: &serde_json::Value| kind["const"].as_str().unwrap().to_owned();
    kinds.iter().map(name).collect()
}

#[test]
fn every_hazard_ends_as_it_says() {
    let endings = tests().join("endings");
    let scripts = names(&endings, ".sh");
    let shown: BTreeSet<String> = scripts
        .iter()
        .map(|name| name.split('.').next().unwrap().to_owned())
        .collect();
    assert_eq!(shown, hazards(), "each kind has a script, and no other");
    let mut failed = Vec::new();
    for name in &scripts {
        let played = Played::new(&endings.join(format!("{name}.sh")));
        if let Some(failure) = &played.failure {
            failed.push(format!("{name}: {failure}"));
        }
        failed.extend(strangers(played.directory.path()));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn every_hazard_is_described() {
    let formats = std::fs::read_to_string(tests().join("../../../docs/formats.md")).unwrap();
    for hazard in hazards() {
        assert!(formats.contains(&format!("`{hazard}`")), "{hazard}");
    }
}

#[test]
fn at_each_step_of_git_the_brief_says_what_is_so() {
    let steps = tests().join("steps");
    let updates = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut failed = Vec::new();
    for name in names(&steps, "") {
        let own = steps.join(&name);
        let played = Played::new(&own.join("steps.sh"));
        assert!(played.failure.is_none(), "{name}: {:?}", played.failure);
        failed.extend(strangers(played.directory.path()));
        let shown = played.directory.path().join("shown");
        let said = names(&shown, ".txt");
        for step in &said {
            let text = std::fs::read_to_string(shown.join(format!("{step}.txt"))).unwrap();
            let text = commits_masked(&masked(&text));
            let golden = own.join(format!("{step}.txt"));
            if updates {
                std::fs::write(&golden, &text).unwrap();
            } else if std::fs::read_to_string(&golden).unwrap_or_default() != text {
                failed.push(format!(
                    "{name}/{step} (UPDATE_GOLDEN=1 accepts it):\n{text}"
                ));
            }
        }
        assert_eq!(
            names(&own, ".txt"),
            said,
            "{name}: a golden file for each step"
        );
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Short commit ids differ from run to run.
fn commits_masked(text: &str) -> String {
    let is_id = |word: &str| word.len() == 7 && word.chars().all(|c| c.is_ascii_hexdigit());
    let mask = |word: &str| match is_id(word) && word.chars().any(|c| c.is_ascii_digit()) {
        true => "COMMIT".to_owned(),
        false => word.to_owned(),
    };
    let lines = text
        .lines()
        .map(|line| line.split(' ').map(mask).collect::<Vec<_>>().join(" "));
    lines.map(|line| line + "\n").collect()
}
