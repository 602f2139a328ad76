//! The document that tells agents how to hand over work.

use crate::support::environment::Environment;

#[test]
fn the_protocol_is_written_extended_and_left_alone() {
    let environment = Environment::new();
    let path = ".claude/sub-agents/protocols/handoff.md";
    let doc = ["handoff", "doc", "--write", path];
    environment.ckpt(&doc).exits(0);
    let written = environment.read(path);
    assert_eq!(
        environment.ckpt(&["handoff", "doc"]).exits(0).stdout,
        written
    );
    let run = environment.ckpt(&doc).exits(0);
    assert!(run.stdout.contains("up to date"), "{run}");
    let old = written
        .replace(
            "  \"mode\": \"plan | code | ui | docs | eval | reconcile | research (required)\",\n",
            "",
        )
        .replace("previous_summary", "previous_findings");
    environment.write(path, old);
    let report = environment
        .ckpt(&[&doc[..], &["--json"]].concat())
        .exits(0)
        .json();
    assert_eq!(report["changes"].as_array().unwrap().len(), 2, "{report}");
    environment.write("README.md", "# Other\n");
    let run = environment
        .ckpt(&["handoff", "doc", "--write", "README.md"])
        .exits(4);
    assert!(run.stderr.contains("not a handoff protocol"), "{run}");
    assert_eq!(environment.read("README.md"), "# Other\n");
}
