//! A change touches only the bytes of what it changes.

use crate::support::environment::Environment;
use crate::support::fixture::Fixture;

/// The lines that one phase update removes and adds, according to git.
fn difference(fixture: &Fixture, arguments: &[&str]) -> Vec<String> {
    let environment = Environment::new();
    let file = fixture.place(&environment);
    environment.git(&["add", "--force", &file]);
    environment.commit("the checkpoint");
    let key = fixture.key();
    let mut typed = vec!["phase", key.as_str()];
    typed.extend_from_slice(arguments);
    environment.ckpt(&typed).exits(0);
    let shown = environment.git(&["diff", "--unified=0", "--no-color", "--text", "--", &file]);
    let lines = shown.split_terminator('\n').skip(4);
    let changed = lines.filter(|line| line.starts_with(['-', '+']));
    changed
        .map(|line| environment.normalised(line))
        .map(|line| line.replace('\r', "<CR>").replace('\t', "<TAB>"))
        .collect()
}

/// Completes the phase that is in progress in every fixture.
const COMPLETE: [&str; 2] = ["implementation", "complete"];

fn completing(name: &str) -> String {
    difference(&Fixture::named(name), &COMPLETE).join("\n")
}

#[test]
fn every_document_is_valid_and_is_printed_byte_for_byte() {
    let environment = Environment::without_git();
    for fixture in Fixture::all() {
        let path = fixture.path.to_str().unwrap();
        environment.ckpt(&["validate", path]).exits(0);
        let shown = environment.ckpt(&["show", "--raw", path]).exits(0);
        assert_eq!(shown.stdout, fixture.text, "{}", fixture.name);
    }
}

#[test]
fn the_examples_of_the_format_have_no_findings_at_all() {
    let environment = Environment::without_git();
    for name in ["schema-example", "file-structure"] {
        let fixture = Fixture::named(name);
        let path = fixture.path.to_str().unwrap();
        let run = environment.ckpt(&["validate", "--strict", "--json", path]);
        let expected = serde_json::json!({
            "format": 1,
            "valid": true,
            "documents": [{ "target": path, "path": path, "valid": true, "findings": [] }],
        });
        assert_eq!(run.exits(0).json(), expected);
    }
}

#[test]
fn a_stored_document_is_printed_byte_for_byte_by_its_key() {
    let environment = Environment::new();
    for fixture in Fixture::all() {
        fixture.place(&environment);
        let shown = environment
            .ckpt(&["show", "--raw", &fixture.key()])
            .exits(0);
        assert_eq!(shown.stdout, fixture.text, "{}", fixture.name);
    }
}

#[test]
fn beginning_a_phase_takes_away_only_lines_about_what_changes() {
    // The task belongs to the phase before. The line in front of it loses its comma.
    let members = ["head_commit", "updated_at", "current_phase", "current_task"];
    for fixture in Fixture::all().iter().filter(|one| one.name != "minified") {
        let lines = difference(fixture, &["release", "in_progress"]);
        let added: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.strip_prefix('+'))
            .collect();
        // A value that is no longer the last of its list or object gets a comma.
        let got_comma = |line: &str| {
            let (text, end) = line.split_at(line.find("<CR>").unwrap_or(line.len()));
            added.contains(&format!("{text},{end}").as_str())
        };
        let lost_comma = |line: &str| {
            let (text, end) = line.split_at(line.find("<CR>").unwrap_or(line.len()));
            let bare = text.strip_suffix(',').map(|bare| format!("{bare}{end}"));
            bare.is_some_and(|bare| added.contains(&bare.as_str()))
        };
        let removed = lines.iter().filter_map(|line| line.strip_prefix('-'));
        let surprising: Vec<&str> = removed
            .filter(|line| !members.iter().any(|member| line.contains(member)))
            .filter(|line| !got_comma(line) && !lost_comma(line))
            .collect();
        assert_eq!(surprising, [""; 0], "{}: {lines:#?}", fixture.name);
        assert!(added.iter().any(|line| line.contains("\"release\"")));
    }
}

#[test]
fn completing_a_phase_changes_these_lines_of_the_schema_example() {
    insta::assert_snapshot!(completing("schema-example"), @r#"
    -  "head_commit": "[HASH]",
    +  "head_commit": "[HASH]",
    -  "updated_at": "[TIME]",
    +  "updated_at": "[TIME]",
    -    "current_phase": "implementation",
    -    "completed_phases": ["research", "design"],
    -    "pending_phases": ["validation"],
    -    "current_task": "T002"
    +    "current_phase": null,
    +    "completed_phases": ["research", "design", "implementation"],
    +    "pending_phases": ["validation"]
    -      "status": "in_progress",
    +      "status": "complete",
    -      "updated_at": "[TIME]",
    +      "updated_at": "[TIME]",
    "#);
}

#[test]
fn completing_a_phase_changes_these_lines_of_the_file_structure() {
    insta::assert_snapshot!(completing("file-structure"), @r#"
    -  "head_commit": "[HASH]",
    +  "head_commit": "[HASH]",
    -  "updated_at": "[TIME]",
    +  "updated_at": "[TIME]",
    -    "current_phase": "implementation",
    -    "completed_phases": ["research", "design"],
    -    "pending_phases": ["validation", "documentation"],
    -    "current_task": "T002"
    +    "current_phase": null,
    +    "completed_phases": ["research", "design", "implementation"],
    +    "pending_phases": ["validation", "documentation"]
    -      "status": "in_progress",
    +      "status": "complete",
    -      "updated_at": "[TIME]",
    +      "updated_at": "[TIME]",
    "#);
}

#[test]
fn tabs_stay_tabs() {
    insta::assert_snapshot!(completing("tabs"), @r#"
    -<TAB>"head_commit": "[HASH]",
    +<TAB>"head_commit": "[HASH]",
    -<TAB>"updated_at": "[TIME]",
    +<TAB>"updated_at": "[TIME]",
    -<TAB><TAB>"current_phase": "implementation",
    +<TAB><TAB>"current_phase": null,
    -<TAB><TAB><TAB>"design"
    +<TAB><TAB><TAB>"design",
    +<TAB><TAB><TAB>"implementation"
    -<TAB><TAB>],
    -<TAB><TAB>"current_task": "T002"
    +<TAB><TAB>]
    -<TAB><TAB><TAB>"status": "in_progress",
    +<TAB><TAB><TAB>"status": "complete",
    -<TAB><TAB><TAB>"updated_at": "[TIME]",
    +<TAB><TAB><TAB>"updated_at": "[TIME]",
    "#);
}

#[test]
fn four_spaces_stay_four_spaces() {
    insta::assert_snapshot!(completing("four-spaces"), @r#"
    -    "head_commit": "[HASH]",
    +    "head_commit": "[HASH]",
    -    "updated_at": "[TIME]",
    +    "updated_at": "[TIME]",
    -        "current_phase": "implementation",
    +        "current_phase": null,
    -            "design"
    +            "design",
    +            "implementation"
    -        ],
    -        "current_task": "T002"
    +        ]
    -            "status": "in_progress",
    +            "status": "complete",
    -            "updated_at": "[TIME]",
    +            "updated_at": "[TIME]",
    "#);
}

#[test]
fn carriage_returns_stay() {
    insta::assert_snapshot!(completing("crlf"), @r#"
    -  "head_commit": "[HASH]",<CR>
    +  "head_commit": "[HASH]",<CR>
    -  "updated_at": "[TIME]",<CR>
    +  "updated_at": "[TIME]",<CR>
    -    "current_phase": "implementation",<CR>
    +    "current_phase": null,<CR>
    -      "design"<CR>
    +      "design",<CR>
    +      "implementation"<CR>
    -    ],<CR>
    -    "current_task": "T002"<CR>
    +    ]<CR>
    -      "status": "in_progress",<CR>
    +      "status": "complete",<CR>
    -      "updated_at": "[TIME]",<CR>
    +      "updated_at": "[TIME]",<CR>
    "#);
}

#[test]
fn inline_objects_and_arrays_stay_inline() {
    insta::assert_snapshot!(completing("inline"), @r#"
    -  "head_commit": "[HASH]",
    +  "head_commit": "[HASH]",
    -  "updated_at": "[TIME]",
    -  "state": { "current_phase": "implementation", "completed_phases": ["research", "design"], "pending_phases": ["validation"] },
    +  "updated_at": "[TIME]",
    +  "state": { "current_phase": null, "completed_phases": ["research", "design", "implementation"], "pending_phases": ["validation"] },
    -    "implementation": { "status": "in_progress", "files_modified": [] }
    +    "implementation": { "status": "complete", "started_at": "[TIME]", "updated_at": "[TIME]", "files_modified": [] }
    "#);
}

#[test]
fn odd_spacing_stays_odd() {
    insta::assert_snapshot!(completing("odd-spacing"), @r#"
    -"updated_at"  :"[TIME]",
    -    "head_commit":"[HASH]",
    +"updated_at"  :"[TIME]",
    +    "head_commit":"[HASH]",
    -                          "design" ],
    -     "current_phase":   "implementation"
    +                          "design",
    +                          "implementation" ],
    +     "current_phase":   null
    -        "status"   : "in_progress"
    +        "status"   : "complete",
    +        "started_at"   : "[TIME]",
    +        "updated_at"   : "[TIME]"
    "#);
}

#[test]
fn a_minified_document_stays_minified() {
    insta::assert_snapshot!(completing("minified"), @r#"
    -{"command":"implement","feature":"minified","version":1,"head_commit":"[HASH]","started_at":"[TIME]","updated_at":"[TIME]","state":{"current_phase":"implementation","completed_phases":["research","design"],"pending_phases":["validation"],"current_task":"T002"},"phases":{"research":{"status":"complete","started_at":"[TIME]","updated_at":"[TIME]","context_summary":"Analyzed existing codebase patterns..."},"implementation":{"status":"in_progress","started_at":"[TIME]","updated_at":"[TIME]","context_summary":"Implementing checkpoint-manager.cjs...","files_created":[".claude/scripts/lib/token-counter.cjs"]}}}
    +{"command":"implement","feature":"minified","version":1,"head_commit":"[HASH]","started_at":"[TIME]","updated_at":"[TIME]","state":{"current_phase":null,"completed_phases":["research","design","implementation"],"pending_phases":["validation"]},"phases":{"research":{"status":"complete","started_at":"[TIME]","updated_at":"[TIME]","context_summary":"Analyzed existing codebase patterns..."},"implementation":{"status":"complete","started_at":"[TIME]","updated_at":"[TIME]","context_summary":"Implementing checkpoint-manager.cjs...","files_created":[".claude/scripts/lib/token-counter.cjs"]}}}
    "#);
}

#[test]
fn a_byte_order_mark_stays() {
    insta::assert_snapshot!(completing("bom"), @r#"
    -  "head_commit": "[HASH]",
    +  "head_commit": "[HASH]",
    -  "updated_at": "[TIME]",
    +  "updated_at": "[TIME]",
    -    "current_phase": "implementation",
    +    "current_phase": null,
    -      "design"
    +      "design",
    +      "implementation"
    -    ],
    -    "current_task": "T002"
    +    ]
    -      "status": "in_progress",
    +      "status": "complete",
    -      "updated_at": "[TIME]",
    +      "updated_at": "[TIME]",
    "#);
}

#[test]
fn repeated_members_stay() {
    insta::assert_snapshot!(completing("repeated-keys"), @r#"
    -  "head_commit": "[HASH]",
    +  "head_commit": "[HASH]",
    -  "updated_at": "[TIME]",
    +  "updated_at": "[TIME]",
    -    "current_phase": "implementation",
    -    "completed_phases": ["research"],
    +    "current_phase": null,
    +    "completed_phases": ["research", "implementation"],
    -    "implementation": { "status": "in_progress", "owner": "a", "owner": "b" }
    +    "implementation": { "status": "complete", "started_at": "[TIME]", "updated_at": "[TIME]", "owner": "a", "owner": "b" }
    "#);
}

#[test]
fn unknown_members_and_escapes_stay() {
    insta::assert_snapshot!(completing("unknown-members"), @r#"
    -  "head_commit": null,
    +  "head_commit": "[HASH]",
    -  "updated_at": "[TIME]",
    +  "updated_at": "[TIME]",
    -    "current_phase": "implementation",
    -    "completed_phases": [],
    +    "current_phase": null,
    +    "completed_phases": ["implementation"],
    -      "status": "in_progress",
    +      "status": "complete",
    +      "started_at": "[TIME]",
    +      "updated_at": "[TIME]",
    "#);
}

#[test]
fn numbers_keep_their_spelling() {
    insta::assert_snapshot!(completing("numbers"), @r#"
    -  "head_commit": "[HASH]",
    +  "head_commit": "[HASH]",
    -  "updated_at": "[TIME]",
    +  "updated_at": "[TIME]",
    -    "current_phase": "implementation",
    -    "completed_phases": [],
    +    "current_phase": null,
    +    "completed_phases": ["implementation"],
    -    "implementation": { "status": "in_progress", "tokens": 1e3, "share": 0.30 }
    +    "implementation": { "status": "complete", "started_at": "[TIME]", "updated_at": "[TIME]", "tokens": 1e3, "share": 0.30 }
    "#);
}

#[test]
fn a_new_document_is_indented_with_two_spaces() {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    let text = environment.read(".claude/state/ship-checkpoint.json");
    insta::assert_snapshot!(environment.normalised(&text), @r#"
    {
      "command": "ship",
      "feature": null,
      "version": 1,
      "head_commit": "[HASH]",
      "started_at": "[TIME]",
      "updated_at": "[TIME]",
      "state": {
        "current_phase": null,
        "completed_phases": [],
        "pending_phases": [
          "pre-flight",
          "commit",
          "push"
        ]
      },
      "phases": {
        "pre-flight": {
          "status": "pending"
        },
        "commit": {
          "status": "pending"
        },
        "push": {
          "status": "pending"
        }
      }
    }
    "#);
}
