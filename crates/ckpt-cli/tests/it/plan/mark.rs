//! Ids for checkboxes and headings that have none, and nothing else changed.

use std::collections::BTreeSet;

use crate::support::environment::Run;
use crate::support::planned::{ID, Planned, TEXT};
use crate::support::tree;

/// Nothing is marked; there is a fence, a comment, text twice, no final newline.
const BARE: &str = "\
# Login

Some prose with [ ] brackets.

## Set up
- [ ] Create the schema
* [X] Create the schema
  1. [ ] Nested: `code` and \"quotes\"

```md
- [ ] Only an example
```

<!--
- [ ] Only a comment
-->

## Build it
+ [ ] ÄÖÜ ✓
- [x] 日本語
- [ ] !!!";

/// The text without the markers.
fn unmarked(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("<!-- CHECKPOINT: ") {
            continue;
        }
        match (line.find(" <!-- TASK: "), line.find(" -->")) {
            (Some(start), Some(end)) => {
                out.push_str(&line[..start]);
                out.push_str(&line[end + " -->".len()..]);
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// The ids that a text gives, in order.
fn ids(text: &str) -> Vec<String> {
    let markers = text.split("<!-- ").skip(1);
    let ids = markers.filter_map(|marker| {
        let marker = marker.strip_prefix("TASK: ")?;
        Some(marker.split(" -->").next()?.to_owned())
    });
    ids.collect()
}

#[test]
fn marking_adds_markers_and_changes_nothing_else() {
    for text in [
        BARE.to_owned(),
        BARE.replace('\n', "\r\n"),
        format!("{BARE}\n"),
    ] {
        let planned = Planned::new(&text);
        planned.does(&["mark"]);
        let marked = planned.markdown();
        assert_eq!(unmarked(&marked), text);
        let ids = ids(&marked);
        assert_eq!(ids.len(), 6, "{marked}");
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 6, "{ids:?}");
        for id in &ids {
            let fits = |c: char| c.is_alphanumeric() || "._-".contains(c);
            assert!(!id.is_empty() && id.chars().all(fits), "{id:?}");
        }
        let shown = planned.does(&["show", "--json"]).json();
        assert_eq!(shown["untracked"], 0);
        assert_eq!(shown["state"]["progress"]["totalTasks"], 6);
        assert_eq!(shown["state"]["progress"]["completedTasks"], 2);
        assert_eq!(shown["state"]["phases"].as_object().unwrap().len(), 2);
        planned.does(&["mark"]);
        assert_eq!(planned.markdown(), marked, "there is nothing left to mark");
        for id in &ids {
            planned.does(&["done", id, "--plan", ID]);
        }
    }
}

#[test]
fn untracked_boxes_are_counted_and_shown_until_they_are_marked() {
    let planned = Planned::new(BARE);
    for (name, run) in planned.readers() {
        let tells = ["plan show", "plan next", &format!("show {ID}")].contains(&name.as_str());
        assert!(!tells || run.stdout.contains("plan mark"), "{name}: {run}");
    }
    let shown = planned.does(&["show", "--json"]).json();
    assert_eq!(shown["untracked"], 6);
}

#[test]
fn existing_markers_stay_and_no_id_is_given_twice() {
    let text = TEXT.replace(" <!-- TASK: session -->", "") + "- [ ] Schema\n- [ ] schema!\n";
    let planned = Planned::new(&text);
    planned.does(&["mark"]);
    let marked = planned.markdown();
    for id in ["schema", "roles", "form", "release"] {
        assert!(marked.contains(&format!("<!-- TASK: {id} -->")), "{marked}");
    }
    let ids = ids(&marked);
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 7, "{ids:?}");
    assert_eq!(marked.matches("CHECKPOINT").count(), 3, "{marked}");
}

#[test]
fn a_dry_run_prints_a_diff_that_git_applies_and_writes_nothing() {
    for text in [
        BARE.to_owned(),
        BARE.replace('\n', "\r\n"),
        format!("{BARE}\n"),
    ] {
        let planned = Planned::new(&text);
        planned.put("phase-02-build.md", "# Build\n\n- [ ] In a file\n");
        planned.git(&["config", "core.autocrlf", "false"]);
        planned.commit("plan");
        let before = tree::listing(planned.base());
        let run = planned.does(&["mark", "--dry-run"]);
        tree::assert_unchanged(planned.base(), &before, "a dry run");
        let patch = planned.base().join("patch");
        std::fs::write(&patch, &run.stdout).unwrap();
        planned.git(&["apply", "--whitespace=nowarn", patch.to_str().unwrap()]);
        let applied = (planned.markdown(), planned.text("phase-02-build.md"));
        planned.git(&["checkout", "--quiet", "--", "plans"]);
        planned.does(&["mark"]);
        let marked = (planned.markdown(), planned.text("phase-02-build.md"));
        assert_eq!(applied, marked);
        let run = planned.does(&["mark", "--dry-run"]);
        assert_eq!(run.stdout, "", "nothing left to mark");
    }
}

#[test]
fn a_dry_run_from_below_the_top_and_as_json_writes_nothing_either() {
    let planned = Planned::new(BARE);
    planned.write("sub/file", "");
    let before = tree::listing(planned.base());
    let run = planned
        .ckpt_in("sub", &["plan", "mark", "--dry-run"])
        .exits(0);
    assert!(run.stdout.contains("+<!-- CHECKPOINT: "), "{run}");
    planned.does(&["mark", "--dry-run", "--json"]).json();
    tree::assert_unchanged(planned.base(), &before, "a dry run");
}

/// The ids are stable: what was marked keeps its id when text moves around it.
#[test]
fn new_boxes_between_marked_ones_change_no_id() {
    let planned = Planned::new(BARE);
    planned.does(&["mark"]);
    let before: BTreeSet<String> = ids(&planned.markdown()).into_iter().collect();
    let more = planned
        .markdown()
        .replace("## Build it", "- [ ] Create the schema\n\n## Build it");
    planned.put("plan.md", more);
    planned.does(&["mark"]);
    let after: BTreeSet<String> = ids(&planned.markdown()).into_iter().collect();
    assert!(after.is_superset(&before), "{before:?} {after:?}");
    assert_eq!(after.len(), before.len() + 1);
}

#[test]
fn a_new_plan_from_a_file_has_its_text_and_leaves_the_file_alone() {
    let planned = Planned::new(TEXT);
    planned.write("notes.md", BARE);
    let made = planned
        .does(&["new", "Add login", "--from", "notes.md", "--json"])
        .json();
    let id = made["plan"].as_str().unwrap();
    let stamp = id.split('-').take(2).collect::<Vec<_>>().join("-");
    let digits = |c: &char| c.is_ascii_digit();
    assert_eq!(
        stamp.chars().filter(digits).count(),
        10,
        "YYMMDD-HHMM: {id}"
    );
    assert!(id.ends_with("-add-login"), "{id}");
    let text = planned.read(&format!("plans/{id}/plan.md"));
    assert!(text.contains("Some prose with [ ] brackets."), "{text}");
    assert_eq!(planned.read("notes.md"), BARE);
    let again: Run = planned.plan(&["new", "Add login", "--json"]);
    let other = again.json()["plan"].clone();
    assert!(again.code != Some(0) || other != made["plan"], "{again}");
    assert_eq!(planned.read(&format!("plans/{id}/plan.md")), text);
}
