use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};

use super::{Cli, Command};

#[test]
fn every_command_is_well_formed() {
    Cli::command().debug_assert();
}

/// Command lines with options in every place.
const LINES: [&str; 12] = [
    "phase implement/auth build complete --summary S",
    "--json status",
    "status --json",
    "-C /tmp show implement/auth",
    "show -C /tmp implement/auth --by team:a",
    "plan done t1 --plan 260220-1149-login",
    "plan --plan 260220-1149-login done t1",
    "plan next --json",
    "pipeline start PRD-001 WS1 WS2 --by subagent:data",
    "pipeline gate run PRD-001 tests --for WS1",
    "gate run implement/auth tests -- cargo test",
    "handoff new --task T7 --phase write --mode code --instructions I --from implement/auth",
];

#[test]
fn a_parser_of_one_command_reads_what_the_whole_parser_reads() {
    for line in LINES {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let parse = |parser: clap::Command| {
            let line = std::iter::once(OsString::from("ckpt")).chain(words.clone());
            let matches = parser.try_get_matches_from(line).unwrap();
            format!("{:?}", Cli::from_arg_matches(&matches).unwrap())
        };
        let whole = parse(Cli::command());
        match Cli::parser_of(&words) {
            Some(parser) => assert_eq!(parse(parser), whole, "{line}"),
            None => assert!(line.contains("-"), "{line}"),
        }
    }
}

#[test]
fn each_command_has_a_parser_of_its_own() {
    for command in Cli::command().get_subcommands() {
        let mut words = vec![OsString::from(command.get_name())];
        if let Some((_, actions)) = Command::with_actions(&words[0]) {
            let action = actions.get_subcommands().next().unwrap();
            words.push(action.get_name().into());
        }
        assert!(Cli::parser_of(&words).is_some(), "{words:?}");
    }
}
