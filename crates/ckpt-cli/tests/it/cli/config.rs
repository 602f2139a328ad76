//! Settings: where they come from and how they are kept.

use serde_json::{Value, json};

use crate::support::environment::Environment;

const PROJECT: &str = ".claude/config/ckpt.json";

fn entry(environment: &Environment, name: &str) -> (Value, Value) {
    let report = environment
        .ckpt(&["config", "get", name, "--json"])
        .exits(0)
        .json();
    let entry = &report["settings"][0];
    (entry["value"].clone(), entry["source"].clone())
}

fn write_user(environment: &Environment, content: &str) {
    let path = environment.user_settings();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

#[test]
fn these_are_the_settings() {
    let environment = Environment::new().with_variable("CKPT_HOOK_DEADLINE_MS", "");
    let listed = environment.ckpt(&["config", "list"]).exits(0).stdout;
    insta::assert_snapshot!(listed, @r#"
    summary_limit        500                              default      maximum tokens in a context summary
    token_counter        "words"                          default      how tokens in a summary are counted
    resume_budget        1000                             default      maximum tokens in the resume brief
    lock_timeout_ms      30000                            default      how long a change waits for another to finish
    enforce_gates        false                            default      hooks deny commands that ship while a gate blocks
    require_review       false                            default      no workstream starts before the adversarial review is recorded
    approvals            "anybody"                        default      who may approve: anybody, or only a person at a terminal
    continue_unfinished  false                            default      hooks ask an agent that stops to continue its plan, once per task
    hook_deadline_ms     800                              default      how long an agent waits for a hook; the rest is done in the background
    git_timeout_ms       120000                           default      how long a git command may take
    repository_filters   false                            default      let git run filters that only the repository configures
    follow_symlinks      false                            default      follow symbolic links, but never into a git directory
    archive_after_days   30                               default      when ckpt gc archives what is finished; 0 for never
    keep_deleted_days    90                               default      how long ckpt gc keeps what was deleted; 0 for ever
    vercel_url           "https://api.vercel.com"         default      where the API of Vercel is
    github_url           "https://api.github.com"         default      where the API of GitHub is
    linear_url           "https://api.linear.app/graphql" default      where the API of Linear is
    certificates         ""                               default      a PEM file of authorities to trust instead of the usual ones
    "#);
    assert_eq!(environment.ckpt(&["config"]).exits(0).stdout, listed);
}

#[test]
fn a_variable_beats_the_project_which_beats_the_user_who_beats_the_default() {
    let environment = Environment::new();
    assert_eq!(
        entry(&environment, "summary_limit"),
        (json!(500), json!("default"))
    );
    write_user(&environment, r#"{ "summary_limit": 100 }"#);
    assert_eq!(
        entry(&environment, "summary_limit"),
        (json!(100), json!("user"))
    );
    environment.write(PROJECT, r#"{ "summary_limit": 200 }"#);
    assert_eq!(
        entry(&environment, "summary_limit"),
        (json!(200), json!("project"))
    );
    let environment = environment.with_variable("CKPT_SUMMARY_LIMIT", "300");
    assert_eq!(
        entry(&environment, "summary_limit"),
        (json!(300), json!("environment"))
    );
}

#[test]
fn a_setting_does_what_it_says() {
    let environment = Environment::new();
    environment.write(PROJECT, r#"{ "summary_limit": 2 }"#);
    environment
        .ckpt(&["phase", "implement/auth", "a", "--summary", "one two"])
        .exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "a", "--summary", "one two three"])
        .exits(4);
}

#[test]
fn an_unknown_setting_gets_a_warning_and_stops_nothing() {
    let environment = Environment::new();
    let path = environment.write(PROJECT, r#"{ "sumary_limit": 2 }"#);
    let run = environment.ckpt(&["start", "ship"]).exits(0);
    let expected = format!(
        "warning: {}: unknown setting \"sumary_limit\"\n",
        path.display()
    );
    assert_eq!(run.stderr, expected);
}

#[test]
fn a_value_of_the_wrong_type_is_an_error_that_names_file_and_key() {
    for (content, message) in [
        (
            r#"{ "summary_limit": "many" }"#,
            r#"summary_limit must be a whole number from 1 to 1000000, not "many""#,
        ),
        (
            r#"{ "summary_limit": 0 }"#,
            "summary_limit must be a whole number from 1 to 1000000, not 0",
        ),
        (
            r#"{ "summary_limit": 1.5 }"#,
            "summary_limit must be a whole number from 1 to 1000000, not 1.5",
        ),
        (
            r#"{ "lock_timeout_ms": null }"#,
            "lock_timeout_ms must be a whole number from 0 to 3600000, not null",
        ),
        ("[]", "settings must be a JSON object"),
    ] {
        let environment = Environment::new();
        let path = environment.write(PROJECT, content);
        let run = environment.ckpt(&["list"]).exits(4);
        assert_eq!(
            run.reason(),
            format!("error: {}: {message}", path.display())
        );
        let environment = Environment::new();
        write_user(&environment, content);
        let run = environment.ckpt(&["list"]).exits(4);
        let path = environment.user_settings();
        assert_eq!(
            run.reason(),
            format!("error: {}: {message}", path.display())
        );
    }
}

#[test]
fn a_wrong_variable_is_an_error_that_names_it() {
    let environment = Environment::new().with_variable("CKPT_LOCK_TIMEOUT_MS", "soon");
    let run = environment.ckpt(&["list"]).exits(4);
    assert!(
        run.reason()
            .contains("CKPT_LOCK_TIMEOUT_MS: lock_timeout_ms must be"),
        "{run}"
    );
}

#[test]
fn settings_that_are_not_json_are_an_error_that_names_the_file() {
    let environment = Environment::new();
    let path = environment.write(PROJECT, "{ broken");
    let run = environment.ckpt(&["list"]).exits(4);
    assert!(run.reason().contains(path.to_str().unwrap()), "{run}");
}

#[test]
fn setting_a_value_keeps_the_formatting_of_the_file() {
    let environment = Environment::new();
    let before = "{\n\t\"lock_timeout_ms\":   5000,\n\n\t\"theirs\": [1,2,  3],\n\t\"summary_limit\" : 100\n}";
    environment.write(PROJECT, before);
    environment
        .ckpt(&["config", "set", "lock_timeout_ms", "7000"])
        .exits(0);
    assert_eq!(environment.read(PROJECT), before.replace("5000", "7000"));
}

#[test]
fn setting_a_value_makes_the_file() {
    let environment = Environment::new();
    environment
        .ckpt(&["config", "set", "summary_limit", "400"])
        .exits(0);
    assert_eq!(
        environment.read(PROJECT),
        "{\n  \"summary_limit\": 400\n}\n"
    );
    environment
        .ckpt(&["config", "set", "--user", "summary_limit", "300"])
        .exits(0);
    let user = std::fs::read_to_string(environment.user_settings()).unwrap();
    assert_eq!(user, "{\n  \"summary_limit\": 300\n}\n");
    assert_eq!(
        entry(&environment, "summary_limit"),
        (json!(400), json!("project"))
    );
}

#[test]
fn a_project_cannot_let_links_lead_out_of_itself() {
    let environment = Environment::new();
    let run = environment
        .ckpt(&["config", "set", "follow_symlinks", "true"])
        .exits(4);
    assert!(
        run.reason()
            .contains("a project cannot set follow_symlinks to true"),
        "{run}"
    );
    assert!(!environment.path(PROJECT).exists());
    environment.write(PROJECT, r#"{ "follow_symlinks": true }"#);
    assert_eq!(
        entry(&environment, "follow_symlinks"),
        (json!(false), json!("default"))
    );
    environment
        .ckpt(&["config", "set", "--user", "follow_symlinks", "true"])
        .exits(0);
    assert_eq!(
        entry(&environment, "follow_symlinks"),
        (json!(true), json!("user"))
    );
}

#[test]
fn setting_a_value_mends_a_wrong_one() {
    let environment = Environment::new();
    environment.write(".claude/config/ckpt.json", r#"{"summary_limit": "x"}"#);
    environment.ckpt(&["list"]).exits(4);
    environment
        .ckpt(&["config", "set", "summary_limit", "400"])
        .exits(0);
    environment.ckpt(&["list"]).exits(0);
    let after = environment.read(".claude/config/ckpt.json");
    assert_eq!(after, r#"{"summary_limit": 400}"#);
}

/// A setting, its value in each place, the effective value, and where that comes from.
type Case = (&'static str, [Option<&'static str>; 3], Value, &'static str);

#[test]
fn a_repository_and_the_environment_tighten_what_protects_and_never_loosen_it() {
    let cases: [Case; 16] = [
        // user, project, environment
        (
            "enforce_gates",
            [Some("true"), Some("false"), None],
            json!(true),
            "user",
        ),
        (
            "enforce_gates",
            [Some("true"), None, Some("false")],
            json!(true),
            "user",
        ),
        (
            "enforce_gates",
            [None, Some("true"), Some("false")],
            json!(true),
            "project",
        ),
        (
            "enforce_gates",
            [None, None, Some("true")],
            json!(true),
            "environment",
        ),
        (
            "enforce_gates",
            [Some("false"), Some("true"), None],
            json!(true),
            "project",
        ),
        (
            "approvals",
            [Some("\"person\""), Some("\"anybody\""), Some("anybody")],
            json!("person"),
            "user",
        ),
        (
            "approvals",
            [None, Some("\"person\""), None],
            json!("person"),
            "project",
        ),
        (
            "follow_symlinks",
            [None, Some("true"), Some("true")],
            json!(false),
            "default",
        ),
        (
            "follow_symlinks",
            [Some("true"), Some("false"), None],
            json!(false),
            "project",
        ),
        (
            "continue_unfinished",
            [None, Some("true"), Some("true")],
            json!(false),
            "default",
        ),
        (
            "continue_unfinished",
            [Some("true"), None, None],
            json!(true),
            "user",
        ),
        (
            "hook_deadline_ms",
            [None, Some("600000"), None],
            json!(800),
            "default",
        ),
        (
            "hook_deadline_ms",
            [None, None, Some("900")],
            json!(900),
            "environment",
        ),
        (
            "resume_budget",
            [None, Some("100000"), None],
            json!(1000),
            "default",
        ),
        (
            "resume_budget",
            [None, Some("100"), None],
            json!(100),
            "project",
        ),
        (
            "lock_timeout_ms",
            [Some("1000"), Some("2000"), None],
            json!(1000),
            "user",
        ),
    ];
    for (name, [user, project, variable], value, source) in cases {
        let mut environment = Environment::new().with_variable("CKPT_HOOK_DEADLINE_MS", "");
        let file = |text: &str| format!("{{ {name:?}: {text} }}");
        if let Some(text) = user {
            write_user(&environment, &file(text));
        }
        if let Some(text) = project {
            environment.write(PROJECT, file(text));
        }
        if let Some(text) = variable {
            let name = format!("CKPT_{}", name.to_ascii_uppercase());
            environment = environment.with_variable(&name, text);
        }
        let found = entry(&environment, name);
        assert_eq!(found, (value, json!(source)), "{name}");
    }
}

#[test]
fn settings_that_a_repository_may_not_set_are_ignored_with_a_warning() {
    let environment = Environment::new();
    environment.write(PROJECT, r#"{ "follow_symlinks": true }"#);
    let run = environment.ckpt(&["list"]).exits(0);
    assert!(
        run.stderr.contains("follow_symlinks = true is ignored"),
        "{run}"
    );
}

#[test]
fn settings_in_the_repository_are_not_the_users_own() {
    let environment = Environment::new();
    environment.write("mine.json", r#"{ "follow_symlinks": true }"#);
    let path = environment.path("mine.json");
    let environment = environment.with_variable("CKPT_CONFIG", path);
    let found = entry(&environment, "follow_symlinks");
    assert_eq!(found, (json!(false), json!("default")));
    let run = environment.ckpt(&["list"]).exits(0);
    assert!(run.stderr.contains("points into this repository"), "{run}");
}

#[test]
fn a_project_is_held_against_what_the_user_has_set() {
    let environment = Environment::new();
    let user = |value: &str| {
        let set = ["config", "set", "--user", "resume_budget", value];
        environment.ckpt(&set).exits(0);
    };
    let project = |value: &str| environment.ckpt(&["config", "set", "resume_budget", value]);
    user("1000");
    project("800").exits(0);
    user("300");
    project("400").exits(4);
    project("200").exits(0);
    let budget = environment.ckpt(&["config", "get", "resume_budget"]);
    assert_eq!(budget.exits(0).stdout, "200\n");
}

#[test]
fn doctor_uses_the_effective_settings() {
    let environment = Environment::new();
    environment.git(&["config", "filter.x.clean", "cat"]);
    environment.ckpt(&["start", "ship"]).exits(0);
    let doctor = || environment.ckpt(&["doctor"]).stdout;
    assert!(doctor().contains("filters do not run"));
    let set = ["config", "set", "--user", "repository_filters", "true"];
    environment.ckpt(&set).exits(0);
    assert!(!doctor().contains("filters do not run"));
}
