//! What `ckpt` promises, as tests of the program itself.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends with a panic, and says on standard error what it measured or skipped"
)]

mod schema;
mod support;
mod tokens;

mod clones;
mod config;
mod corrupt;
mod disk_full;
mod doctor;
mod doctor_hooks;
mod documents;
mod exit_codes;
mod foreign_edit;
mod formatting;
mod gate;
mod handoff;
mod help;
mod hook;
mod hook_claims;
mod hook_ends;
mod hook_fuzzed;
mod hook_golden;
mod hook_life;
mod hook_odd;
mod hook_once;
mod hook_settings;
mod hostile;
mod ids;
mod init;
mod json;
mod kill;
mod lock;
mod messages;
mod modes;
mod obstacles;
mod pipeline;
mod pipeline_gates;
mod pipeline_odd;
mod places;
mod plan;
mod plan_branches;
mod plan_choice;
mod plan_hostile;
mod plan_kill;
mod plan_kill_recovery;
mod plan_lines;
mod plan_mark;
mod plan_operations;
mod plan_recovery;
mod plan_seed;
mod plan_warnings;
mod reading;
mod save;
mod staleness;
mod start;
mod statusline;
mod symlinks;
mod system_calls;
mod trust;
mod trust_push;
mod trust_variables;
mod trust_world;
mod voice;
mod writers;

use std::path::Path;

#[test]
fn every_file_of_this_suite_is_part_of_it() {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it"));
    let mut forgotten = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(module) = name.strip_suffix(".rs").filter(|name| *name != "main") else {
            continue;
        };
        let declaration = format!("\nmod {module};\n");
        if !include_str!("main.rs").contains(&declaration) {
            forgotten.push(name);
        }
    }
    assert_eq!(forgotten, Vec::<String>::new());
}
