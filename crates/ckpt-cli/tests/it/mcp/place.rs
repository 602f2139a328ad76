//! The server works where its client works.

use serde_json::json;

use crate::support::environment::{CKPT, Environment};
use crate::support::mcp::Client;

fn uri_of(environment: &Environment) -> String {
    format!("file://{}", environment.root().display())
}

#[test]
fn the_root_of_the_client_is_where_it_works() {
    let (here, there) = (Environment::new(), Environment::started_with("build"));
    let (nowhere, root) = ("file:///no/such/directory", uri_of(&there));
    let mut client = Client::with_roots(here.command(CKPT).arg("mcp"), &[nowhere, &root]);
    let status = client.done("status", &json!({}));
    assert_eq!(status["checkpoints"][0]["key"], "command:implement/auth");
    // A named directory counts more than what the client says.
    let mut command = here.command(CKPT);
    command.arg("-C").arg(here.root()).arg("mcp");
    let mut client = Client::with_roots(&mut command, &[&root]);
    assert_eq!(client.done("status", &json!({}))["checkpoints"], json!([]));
}

#[test]
fn of_several_roots_the_one_around_the_server_counts() {
    let (here, there) = (Environment::started_with("build"), Environment::new());
    let roots = [uri_of(&there), uri_of(&here)];
    let mut client = Client::with_roots(here.command(CKPT).arg("mcp"), &[&roots[0], &roots[1]]);
    let status = client.done("status", &json!({}));
    assert_eq!(status["checkpoints"][0]["key"], "command:implement/auth");
}

#[test]
fn a_root_that_does_not_exist_is_named_and_nothing_is_written_elsewhere() {
    let here = Environment::new();
    let before = here.files();
    let mut client = Client::with_roots(here.command(CKPT).arg("mcp"), &["file:///no/such/root"]);
    let message = client.refused("start", &json!({ "command": "ship" }));
    assert!(message.contains("file:///no/such/root"), "{message}");
    assert_eq!(here.files(), before);
}
