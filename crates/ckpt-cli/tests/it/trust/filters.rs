//! Git filters: the user's run, a repository's do not.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::environment::Environment;

#[test]
fn the_filters_of_the_user_run_and_those_of_a_repository_do_not() {
    let environment = Environment::new();
    let settings = environment.base().join("gitconfig");
    let environment = environment.with_variable("GIT_CONFIG_GLOBAL", &settings);
    let program = environment.base().join("filter");
    fs::write(&program, "#!/bin/sh\necho \"$1\" >> \"$0.ran\"\ncat\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    let ran = || fs::read_to_string(environment.base().join("filter.ran")).unwrap_or_default();
    let name = |scope: &str, filter: &str, value: &str| {
        let key = format!("filter.{filter}.clean");
        environment.git(&["config", scope, &key, &format!("{program} {value}")]);
    };
    name("--global", "own", "own");
    name("--local", "own", "replaced");
    name("--local", "foreign", "foreign");
    environment.write(
        ".gitattributes",
        "*.own filter=own\n*.foreign filter=foreign\n",
    );
    environment.write("a.own", "x\n");
    environment.write("a.foreign", "x\n");
    environment.ckpt(&["start", "ship"]).exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(6);
    assert_eq!(ran(), "own\n");
    let doctor = environment.ckpt(&["doctor"]).stdout;
    let expected = "only this repository configures them: foreign\n";
    assert!(doctor.contains(expected), "{doctor}");
    let wanted = ["config", "set", "repository_filters", "true"];
    let refused = environment.ckpt(&wanted).exits(4);
    assert!(refused.stderr.contains("--user"), "{refused}");
    environment
        .ckpt(&[&wanted[..], &["--user"]].concat())
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(6);
    assert!(ran().contains("foreign"), "{}", ran());
}
