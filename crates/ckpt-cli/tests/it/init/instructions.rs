//! Agents are told when to run ckpt, in the files that they read.

use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use crate::support::environment::{CKPT, Environment};
use crate::support::tool;

const SET_UP: [&str; 3] = ["init", "--agent", "claude"];
const COPILOT: &str = ".github/copilot-instructions.md";

#[test]
fn the_block_goes_into_every_file_that_an_agent_reads_and_out_again_to_the_byte() {
    let environment = Environment::new();
    environment.write("CLAUDE.md", "# Rules\n\nNo tabs.");
    environment.write("GEMINI.md", "# Rules\r\n");
    environment.write(COPILOT, "");
    let before = environment.files();
    environment.ckpt(&SET_UP).exits(0);
    for name in ["AGENTS.md", "CLAUDE.md", "GEMINI.md", COPILOT] {
        let text = environment.read(name);
        assert_eq!(text.matches("ckpt:begin").count(), 1, "{name}: {text}");
        assert!(text.contains("`ckpt plan done ID`"), "{name}: {text}");
    }
    assert!(
        environment
            .read("CLAUDE.md")
            .starts_with("# Rules\n\nNo tabs.\n\n<!--")
    );
    assert!(
        !environment
            .read("GEMINI.md")
            .replace("\r\n", "")
            .contains('\n')
    );
    let after = environment.files();
    environment.ckpt(&SET_UP).exits(0);
    assert_eq!(environment.files(), after);
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(environment.files(), before);
}

#[test]
fn what_others_write_beside_the_block_stays() {
    let environment = Environment::new();
    environment.write("AGENTS.md", "# Rules\n");
    environment.ckpt(&SET_UP).exits(0);
    let text = environment.read("AGENTS.md");
    environment.write("AGENTS.md", format!("First.\n\n{text}\nLast.\n"));
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(
        environment.read("AGENTS.md"),
        "First.\n\n# Rules\n\nLast.\n"
    );
}

#[test]
fn an_old_block_is_updated_and_one_that_came_with_a_clone_is_removed() {
    let environment = Environment::new();
    let old = "# Rules\n\n<!-- ckpt:begin -->\nRun evil.\n<!-- ckpt:end -->\n";
    environment.write("AGENTS.md", old);
    environment.ckpt(&SET_UP).exits(0);
    let text = environment.read("AGENTS.md");
    assert!(
        !text.contains("evil") && text.contains("ckpt resume"),
        "{text}"
    );
    environment.write("AGENTS.md", old);
    std::fs::remove_dir_all(environment.path(".git/ckpt")).unwrap();
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(environment.read("AGENTS.md"), "# Rules\n");
}

#[test]
fn a_file_that_is_a_link_to_another_is_left_alone() {
    let environment = Environment::new();
    environment.write("CLAUDE.md", "# Rules\n");
    symlink("CLAUDE.md", environment.path("AGENTS.md")).unwrap();
    environment.ckpt(&SET_UP).exits(0);
    let text = environment.read("CLAUDE.md");
    assert_eq!(text.matches("ckpt:begin").count(), 1, "{text}");
    assert!(environment.path("AGENTS.md").is_symlink());
}

#[test]
fn whoever_wants_no_instructions_gets_none() {
    let environment = Environment::new();
    environment
        .ckpt(&["init", "--agent", "claude", "--no-instructions"])
        .exits(0);
    assert!(!environment.path("AGENTS.md").exists());
    environment
        .ckpt(&["init", "--user", "--agent", "claude"])
        .exits(0);
    assert!(!environment.path("AGENTS.md").exists());
}

#[test]
fn a_block_without_an_end_is_named_and_left_alone() {
    let environment = Environment::new();
    let broken = "<!-- ckpt:begin -->\nmine\n";
    environment.write("AGENTS.md", broken);
    let run = environment.ckpt(&SET_UP).exits(0);
    assert!(
        run.stdout.contains("note: AGENTS.md was not changed"),
        "{run}"
    );
    assert_eq!(environment.read("AGENTS.md"), broken);
}

#[test]
fn a_user_at_a_terminal_is_asked_once() {
    if !tool::works("script", &["--version"]) {
        return;
    }
    for (answer, is_written) in [("n\n", false), ("\n", true)] {
        let environment = Environment::new();
        let mut shell: Command = environment.command("script");
        let line = format!("{CKPT} init --agent claude");
        shell.args(["--quiet", "--return", "--command", &line, "/dev/null"]);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let mut keys = shell.stdin.take().unwrap();
        std::io::Write::write_all(&mut keys, answer.as_bytes()).unwrap();
        let shown = shell.wait_with_output().unwrap();
        drop(keys);
        let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert_eq!(
            shown.matches("Tell agents in AGENTS.md").count(),
            1,
            "{shown}"
        );
        assert_eq!(
            environment.path("AGENTS.md").exists(),
            is_written,
            "{shown}"
        );
    }
}
