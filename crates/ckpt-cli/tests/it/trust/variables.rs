//! Variables that a clone can set through the settings of an agent: what they name is the user's own only if it is not part
//! of the clone.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::environment::{CKPT, Environment, Run};

/// Files that git runs through a filter, and settings of git that name a program for it.
struct Filter {
    ran: PathBuf,
    settings: String,
}

impl Filter {
    fn new(environment: &Environment) -> Self {
        let ran = environment.base().join("ran");
        let program = environment.base().join("program");
        fs::write(
            &program,
            format!("#!/bin/sh\ntouch '{}'\ncat\n", ran.display()),
        )
        .unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        environment.write(".gitattributes", "*.txt filter=x\n");
        environment.write("a.txt", "a\n");
        environment.commit("files with a filter");
        Self {
            ran,
            settings: format!("[filter \"x\"]\n\tclean = {}\n", program.display()),
        }
    }

    /// Makes git look at the files, with one more variable.
    fn look(&self, environment: &Environment, directory: &Path, variable: (&str, &Path)) {
        let ckpt = |arguments: &[&str]| {
            let mut command = environment.command(CKPT);
            command.current_dir(directory).args(arguments);
            Run::of(command.env(variable.0, variable.1)).exits(0)
        };
        ckpt(&["start", "ship"]);
        fs::write(directory.join("a.txt"), "b\n").unwrap();
        ckpt(&["gate", "set", "ship", "--allow"]);
        assert!(!self.ran.exists(), "{} ran a program", variable.0);
    }
}

#[test]
fn settings_below_the_directory_that_a_variable_names_do_not_count() {
    let environment = Environment::new();
    let filter = Filter::new(&environment);
    // The clone has the name of the directory in which git looks for settings.
    environment.write("config", &filter.settings);
    let above = environment.base().join("src");
    fs::create_dir(&above).unwrap();
    let clone = above.join("git");
    fs::rename(environment.root(), &clone).unwrap();
    for named in [Path::new(".."), &above] {
        filter.look(&environment, &clone, ("XDG_CONFIG_HOME", named));
        fs::remove_dir_all(clone.join(".claude")).unwrap();
    }
}

#[test]
fn settings_in_another_worktree_do_not_count() {
    let environment = Environment::new();
    let filter = Filter::new(&environment);
    environment.write("evil", &filter.settings);
    environment.write("evil.json", r#"{"follow_symlinks": true}"#);
    let tree = environment.linked_worktree();
    let evil = environment.path("evil");
    filter.look(&environment, &tree, ("GIT_CONFIG_GLOBAL", &evil));
    let settings = environment.path("evil.json");
    let mut command = environment.command(CKPT);
    command.current_dir(&tree).env("CKPT_CONFIG", &settings);
    let run = Run::of(command.args(["config", "get", "follow_symlinks", "--json"])).exits(0);
    assert!(run.stdout.contains("false"), "{run}");
}

#[test]
fn a_way_through_the_kernel_leads_into_the_clone() {
    let environment = Environment::new();
    let filter = Filter::new(&environment);
    environment.write("evil", &filter.settings);
    for named in [
        "/dev/fd/../cwd/evil",
        "/tmp/../proc/self/cwd/evil",
        "/proc/self/cwd/evil",
    ] {
        let mut command = environment.command(CKPT);
        command
            .current_dir("/")
            .env("GIT_CONFIG_GLOBAL", named)
            .arg("-C")
            .arg(environment.root());
        Run::of(command.args(["gate", "run", "ship", "tests", "--", "true"]));
        assert!(!filter.ran.exists(), "{named}");
    }
}

#[test]
fn a_link_in_the_clone_is_not_the_users_own_settings() {
    let environment = Environment::new();
    let own = environment.base().join("home/.claude/settings.json");
    fs::create_dir_all(own.parent().unwrap()).unwrap();
    fs::write(&own, "{\n  \"model\": \"opus\"\n}\n").unwrap();
    fs::create_dir(environment.path("conf")).unwrap();
    symlink(&own, environment.path("conf/config.json")).unwrap();
    let receipt =
        json!({"files": [{"path": own, "created": false, "edit": [[0, "{\"hooks\": 1,", "{"]]}]});
    environment.write("conf/init.json", receipt.to_string());
    for named in [
        environment.path("conf/config.json"),
        PathBuf::from("conf/config.json"),
    ] {
        for arguments in [
            &["init", "--user", "--uninstall"][..],
            &["config", "set", "--user", "resume_budget", "400"],
            &["config", "list"],
        ] {
            let mut command = environment.command(CKPT);
            let run = Run::of(command.env("CKPT_CONFIG", &named).args(arguments)).exits(0);
            assert!(!run.to_string().contains("model"), "{run}");
        }
    }
    assert_eq!(
        fs::read_to_string(&own).unwrap(),
        "{\n  \"model\": \"opus\"\n}\n"
    );
}

#[test]
fn settings_of_an_agent_in_the_clone_are_not_the_users_own() {
    let environment = Environment::new();
    let own = environment.base().join("home/theirs.json");
    fs::write(&own, "{}").unwrap();
    fs::create_dir(environment.path("cfg")).unwrap();
    symlink(&own, environment.path("cfg/settings.json")).unwrap();
    for named in [Path::new("cfg"), &environment.path("cfg")] {
        let mut command = environment.command(CKPT);
        command.env("CLAUDE_CONFIG_DIR", named);
        let run = Run::of(command.args(["init", "--user", "--agent", "claude"])).exits(4);
        assert!(
            run.reason().contains("points into this repository"),
            "{run}"
        );
        assert_eq!(fs::read_to_string(&own).unwrap(), "{}");
    }
}

#[test]
fn the_demo_ignores_git_settings_named_by_a_variable() {
    let environment = Environment::new();
    let filter = Filter::new(&environment);
    environment.write("evil/git/config", &filter.settings);
    environment.write("evil/git/attributes", "* filter=x\n");
    for named in [Path::new("../evil"), &environment.path("evil")] {
        let mut command = environment.command(CKPT);
        command.env("TMPDIR", ".").env("XDG_CONFIG_HOME", named);
        Run::of(command.arg("demo")).exits(0);
        assert!(!filter.ran.exists(), "{}", named.display());
    }
}

#[test]
fn git_writes_and_reads_nothing_that_variables_name() {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    let traced = environment.base().join("traced");
    let environment = environment
        .with_variable("GIT_TRACE", &traced)
        .with_variable("GIT_TRACE_WORKING_TREE_ENCODING", &traced)
        .with_variable("GIT_TRACE2_EVENT", &traced)
        .with_variable("GIT_TEST_SPLIT_INDEX", "1")
        .with_variable("GIT_OBJECT_DIRECTORY", "nowhere");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(0);
    environment.ckpt(&["doctor"]);
    assert!(!traced.exists());
    let shared = fs::read_dir(environment.path(".git")).unwrap();
    let mut shared = shared.map(|entry| entry.unwrap().file_name());
    assert!(!shared.any(|name| name.to_string_lossy().starts_with("sharedindex")));
}

#[test]
fn files_that_are_named_are_read_and_written_through_no_link_of_the_repository() {
    let environment = Environment::new();
    let notes = environment.base().join("notes.md");
    fs::write(&notes, "# Notes\n\nSECRET\n").unwrap();
    symlink("/dev/zero", environment.path("zero.md")).unwrap();
    symlink(&notes, environment.path("link.md")).unwrap();
    symlink(environment.base(), environment.path("outside")).unwrap();
    for file in [
        "zero.md",
        "link.md",
        "outside/notes.md",
        "./outside/../link.md",
    ] {
        for arguments in [
            &["tokens", file][..],
            &["plan", "new", "x", "--from", file],
            &["handoff", "check", file],
            &["handoff", "fix", file, "--write"],
            &["handoff", "doc", "--write", file],
            &["phase", "ship", "a", "in_progress", "--summary-file", file],
            &["pipeline", "init", file],
            &["validate", file],
        ] {
            let run = environment.ckpt(arguments);
            assert_ne!(run.code, Some(0), "{run}");
            assert!(!run.to_string().contains("SECRET"), "{run}");
        }
    }
    environment
        .ckpt(&["handoff", "doc", "--write", "outside/new/handoff.md"])
        .exits(1);
    assert!(!environment.base().join("new").exists());
    assert_eq!(fs::read_to_string(&notes).unwrap(), "# Notes\n\nSECRET\n");
    // What is elsewhere is the user's own, including links.
    let link = environment.base().join("own.md");
    symlink(&notes, &link).unwrap();
    environment
        .ckpt(&["tokens", link.to_str().unwrap()])
        .exits(0);
    environment.ckpt(&["tokens", "../notes.md"]).exits(0);
}

#[test]
fn a_clone_does_not_become_a_home_directory() {
    let environment = Environment::new();
    let filter = Filter::new(&environment);
    environment.write(".gitconfig", &filter.settings);
    environment.write(".config/ckpt/config.json", r#"{"follow_symlinks": true}"#);
    for named in [".", "/proc/self/cwd", environment.root().to_str().unwrap()] {
        let ckpt = |arguments: &[&str]| {
            let mut command = environment.command(CKPT);
            command
                .env("HOME", named)
                .env_remove("XDG_CONFIG_HOME")
                .env_remove("GIT_CONFIG_GLOBAL");
            Run::of(command.args(arguments)).exits(0)
        };
        let run = ckpt(&["config", "get", "follow_symlinks", "--json"]);
        assert!(run.stdout.contains("false"), "{named}: {run}");
        ckpt(&["start", "ship"]);
        environment.write("a.txt", format!("for {named}\n"));
        ckpt(&["gate", "set", "ship", "--allow"]);
        assert!(!filter.ran.exists(), "{named}");
    }
}

#[test]
fn a_file_is_guarded_whatever_path_leads_to_it() {
    let environment = Environment::new();
    let secret = environment.base().join("secret");
    fs::write(&secret, "SECRET\n").unwrap();
    symlink(&secret, environment.path("notes.md")).unwrap();
    symlink(environment.path(".git/config"), environment.path("git.md")).unwrap();
    let other = environment.base().join("other");
    environment.git(&["clone", "--quiet", ".", other.to_str().unwrap()]);
    // The user's own link to where repositories are kept.
    let way = environment.base().join("way");
    symlink(environment.root(), &way).unwrap();
    for file in [
        way.join("notes.md"),
        way.join("git.md"),
        environment.path("../repository/notes.md"),
    ] {
        for directory in [environment.root(), &other] {
            let file = file.to_str().unwrap();
            let phase = ["phase", "ship", "a", "in_progress", "--summary-file", file];
            let run = environment.ckpt_in(directory, &phase);
            assert_eq!(run.code, Some(1), "{run}");
        }
    }
    environment.write("plain.md", "Plain.\n");
    let plain = way.join("plain.md");
    environment
        .ckpt(&["tokens", plain.to_str().unwrap()])
        .exits(0);
}

#[test]
fn a_key_does_not_come_with_a_directory_outside_git() {
    let environment = Environment::without_git();
    let state = environment.path("state");
    let environment = environment.with_variable("XDG_STATE_HOME", &state);
    environment.ckpt(&["start", "ship"]).exits(0);
    assert!(!state.exists(), "nothing is kept there");
    assert!(environment.base().join("home/.local/state/ckpt").exists());
}

#[test]
fn the_demo_runs_no_hook_that_a_variable_brings() {
    let environment = Environment::new();
    let hooks = environment.path("template/hooks");
    fs::create_dir_all(&hooks).unwrap();
    let hook = hooks.join("post-commit");
    fs::write(&hook, "#!/bin/sh\ntouch \"$RAN\"\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let ran = environment.base().join("ran");
    let environment = environment
        .with_variable("GIT_TEMPLATE_DIR", "template")
        .with_variable("GIT_CONFIG_COUNT", "1")
        .with_variable("GIT_CONFIG_KEY_0", "core.hooksPath")
        .with_variable("GIT_CONFIG_VALUE_0", &hooks)
        .with_variable("RAN", &ran);
    environment.ckpt(&["demo"]).exits(0);
    assert!(!ran.exists());
}
