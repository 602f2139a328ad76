use super::Meaning::{self, Exact, Near, Several, Short, Unknown};

fn of<'k>(typed: &str, known: &[&'k str]) -> Meaning<&'k str> {
    let known: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    Meaning::of(typed, &known)
}

fn near_new<'k>(typed: &str, known: &[&'k str]) -> Vec<&'k str> {
    let known: Vec<(&str, &str)> = known.iter().map(|name| (*name, *name)).collect();
    Meaning::near_new(typed, &known)
}

#[test]
fn a_name_means_itself_even_if_others_begin_with_it() {
    assert_eq!(of("WS1", &["WS10", "WS1", "ws1"]), Exact("WS1"));
}

#[test]
fn a_name_in_another_case_comes_before_a_beginning() {
    assert_eq!(of("ws1", &["WS10", "WS1"]), Short("WS1"));
    assert_eq!(of("größe", &["GRÖSSE", "Größe"]), Short("Größe"));
    assert_eq!(of("Ws1", &["ws1", "WS1"]), Several(vec!["ws1", "WS1"]));
}

#[test]
fn a_beginning_means_the_only_name_that_has_it() {
    let known = ["create-schema", "create-index", "seed-data"];
    assert_eq!(of("SEED", &known), Short("seed-data"));
    assert_eq!(
        of("create", &known),
        Several(vec!["create-schema", "create-index"])
    );
    assert_eq!(of("", &known), Unknown);
}

#[test]
fn one_thing_with_several_names_is_found_once() {
    let known = [
        ("EXEC-065", 1),
        ("FIB-001", 1),
        ("EXEC-066", 2),
        ("FIB-001-B", 2),
    ];
    assert_eq!(Meaning::of("FIB-001", &known), Exact(1));
    assert_eq!(Meaning::of("EXEC", &known), Several(vec![1, 2]));
    let claimed = [("A", 1), ("A", 2)];
    assert_eq!(Meaning::of("A", &claimed), Several(vec![1, 2]));
}

#[test]
fn a_typing_error_finds_the_name_that_was_meant() {
    let known = ["research", "build", "test"];
    for (typed, meant) in [
        ("biuld", "build"),
        ("reserch", "research"),
        ("tset", "test"),
        ("tests", "test"),
    ] {
        assert_eq!(of(typed, &known), Near(vec![meant]), "{typed}");
    }
    assert_eq!(
        of("implement auth", &["implement/auth"]),
        Near(vec!["implement/auth"])
    );
    assert_eq!(
        of("createschema", &["create-schema"]),
        Near(vec!["create-schema"])
    );
    assert_eq!(of("implement/auth/x", &["implement/auth"]), Unknown);
    for typed in ["deploy", "te-st-2", "bd", "x"] {
        assert_eq!(of(typed, &known), Unknown, "{typed}");
    }
}

#[test]
fn numbered_and_lettered_names_are_not_typing_errors_of_each_other() {
    assert_eq!(of("phase-3", &["phase-1", "phase-2"]), Unknown);
    assert_eq!(of("L1-T3", &["L1-T1", "L1-T2"]), Unknown);
    assert_eq!(of("auth-b", &["auth-a"]), Unknown);
    assert_eq!(of("q10", &["p10"]), Unknown);
    assert_eq!(of("implement/exports", &["implement/reports"]), Unknown);
    assert_eq!(of("PRD-0004", &["PRD-003"]), Unknown);
}

#[test]
fn a_new_name_may_be_a_word_of_another_but_not_a_part_of_one() {
    assert_eq!(near_new("auth", &["auth-ui"]), Vec::<&str>::new());
    assert_eq!(near_new("rese", &["research"]), ["research"]);
    assert_eq!(
        near_new("implement/aut", &["implement/auth"]),
        ["implement/auth"]
    );
    assert_eq!(
        near_new("implement/auht", &["implement/auth"]),
        ["implement/auth"]
    );
    assert_eq!(near_new("test-2", &["test-1", "test"]), Vec::<&str>::new());
}

#[test]
fn thousands_of_names_are_compared_in_no_time() {
    let known: Vec<(String, usize)> = (0..100_000)
        .map(|n| (format!("task-number-{n}"), n))
        .collect();
    assert_eq!(Meaning::of("task-nubmer-70000", &known), Near(vec![70_000]));
}
