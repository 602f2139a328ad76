use super::{Options, cases};
use crate::failure::Result;

fn parse(arguments: &[&str]) -> Result<Options> {
    Options::parse(arguments.iter().map(Into::into))
}

#[test]
fn without_only_every_case_is_wanted() {
    assert!(parse(&[]).unwrap().wants("list"));
}

#[test]
fn only_leaves_out_the_cases_it_does_not_name() {
    let options = parse(&["--only", "show", "--only", "phase", "--quick"]).unwrap();
    assert_eq!(
        ["show", "phase", "list"].map(|case| options.wants(case)),
        [true, true, false]
    );
}

#[test]
fn an_unknown_case_is_answered_with_the_known_ones() {
    let message = parse(&["--only", "speed"]).unwrap_err().to_string();
    let (said, known) = message.split_once(": ").unwrap();
    assert_eq!(said, "there is no case speed. Cases");
    let known: Vec<&str> = known.trim_end_matches('.').split(", ").collect();
    let names: Vec<&str> = cases().map(|case| case.name).collect();
    assert_eq!(known, names);
}

#[test]
fn a_flag_without_its_value_is_refused() {
    assert!(parse(&["--binary"]).is_err());
}
