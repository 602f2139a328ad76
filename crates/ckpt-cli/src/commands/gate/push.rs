//! `ckpt gate pre-push`

use ckpt::repository::CommitId;
use ckpt::voice::{name, quotes, suggested};
use ckpt::workspace::Shipped;

use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// The `--json` report on a push.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PushJudged"))]
pub(crate) struct Report {
    allowed: bool,
    blocked: Vec<Blocked>,
}

/// A gate that blocks a pushed ref.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PushBlocked"))]
struct Blocked {
    /// The pushed ref, as git names it.
    pushed: String,
    commit: String,
    /// The checkpoint whose gate blocks.
    gate: String,
    reasons: Vec<String>,
}

fn not_from_git(line: &str) -> Failure {
    let message =
        format!("cannot read the pushed refs: {line:?} is not a line from git's pre-push hook");
    Failure::new(Exit::Usage, message)
        .with_hint("Expected: LOCAL-REF LOCAL-COMMIT REMOTE-REF REMOTE-COMMIT")
}

/// Checks the content of every pushed commit. A deleted ref has none.
pub(super) fn judge(ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
    let input = ui
        .input()
        .map_err(|error| Failure::io("cannot read the pushed refs", &error))?;
    let input = String::from_utf8_lossy(&input);
    let mut blocked = Vec::new();
    for line in input.lines() {
        // Only the local ref may contain spaces, as in `HEAD@{1 day ago}`.
        let mut words = line.rsplitn(4, ' ');
        let _remote = (words.next(), words.next());
        let (Some(commit), Some(pushed)) = (words.next(), words.next()) else {
            return Err(not_from_git(line));
        };
        if commit.bytes().all(|byte| byte == b'0') {
            continue;
        }
        let commit: CommitId = commit.parse()?;
        for gate in session.workspace.blocked_gates(Shipped::Commit(&commit))? {
            blocked.push(Blocked {
                pushed: pushed.to_owned(),
                commit: commit.to_string(),
                gate: gate.name,
                reasons: gate.reasons,
            });
        }
    }
    for one in &blocked {
        ui.note(&format!(
            "error: the gate of {} blocks the push of {}: {}. Details: ckpt gate check {}",
            name(&one.gate),
            name(&one.pushed),
            quotes(&one.reasons),
            suggested(&one.gate)
        ));
    }
    let allowed = blocked.is_empty();
    if session.json {
        ui.json(&Report { allowed, blocked })?;
    }
    Ok(match allowed {
        true => Exit::Done,
        false => Exit::Blocked,
    })
}
