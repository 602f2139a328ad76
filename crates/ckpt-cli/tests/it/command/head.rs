//! The commit that a checkpoint is stamped with.

use serde_json::json;

use crate::support::environment::Environment;

#[test]
fn a_detached_head_is_stamped_like_any_other() {
    let environment = Environment::new();
    environment.commit("second");
    environment.git(&["checkout", "--quiet", "--detach", "HEAD~"]);
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    assert_eq!(
        environment.document("implement-auth")["head_commit"],
        environment.head()
    );
    let report = environment.ckpt(&["resume", "--json"]).exits(0).json();
    assert_eq!(report["in_flight"][0]["branch"], json!(null));
    environment.git(&["checkout", "--quiet", "main"]);
    environment.ckpt(&["resume", "--fail-if-stale"]).exits(7);
}

#[test]
fn a_repository_without_a_commit_has_no_head() {
    let environment = Environment::without_git();
    environment.git(&["init", "--quiet", "--initial-branch=main"]);
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    assert_eq!(
        environment.document("implement-auth")["head_commit"],
        json!(null)
    );
    environment.ckpt(&["resume", "--drift"]).exits(0);
    assert_eq!(environment.git(&["status", "--porcelain"]), "");
}

#[test]
fn packed_refs_are_read() {
    let environment = Environment::new();
    environment.git(&["pack-refs", "--all"]);
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    assert_eq!(
        environment.document("implement-auth")["head_commit"],
        environment.head()
    );
}
