//! Verdicts of gates in words.

use ckpt::gate::{Flaw, Override, Verdict};

use super::style::{BAD, GOOD, WARN, one_line, paint};

/// The verdict itself, without the reasons that block.
pub(crate) fn state(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Allowed { approved_by } => {
            // A script could run on anyone's behalf, so it is not named.
            let by = match approved_by.as_deref() {
                Some("script") | None => String::new(),
                Some(by) => format!(", approved by {}", one_line(by)),
            };
            format!("{}{by}", paint(GOOD, "allowed"))
        }
        Verdict::Overridden {
            reason,
            by,
            approved_by,
            ..
        } => format!(
            "{} {}",
            paint(WARN, "overridden"),
            who_overrode(by, approved_by.as_deref(), reason)
        ),
        Verdict::Blocked { .. } => paint(BAD, "blocked"),
        Verdict::NotChecked => {
            format!(
                "{}: the content was not compared",
                paint(WARN, "not checked")
            )
        }
    }
}

/// The reasons that block, or would without the override.
pub(crate) fn reasons(verdict: &Verdict) -> &[String] {
    match verdict {
        Verdict::Blocked { reasons } | Verdict::Overridden { reasons, .. } => reasons,
        Verdict::Allowed { .. } | Verdict::NotChecked => &[],
    }
}

/// An override that does not count, and why.
pub(crate) fn void(pass: &Override, flaw: Flaw) -> String {
    let flaw = match flaw {
        Flaw::ClaimedElsewhere => "elsewhere, which does not count,",
        Flaw::NotByAPerson => "not by a person, which does not count,",
        Flaw::OtherContent => "for other content",
    };
    let who = who_overrode(&pass.by, pass.approved_by.as_deref(), &pass.reason);
    format!("{} {flaw} {who}", paint(WARN, "overridden"))
}

/// Who overrode a gate, and why.
fn who_overrode(by: &str, approved_by: Option<&str>, reason: &str) -> String {
    // A script could run on anyone's behalf, so it is not named.
    match approved_by.filter(|who| *who != "script") {
        Some(who) => one_line(&format!("by {by} ({who}): {reason}")),
        None => one_line(&format!("by {by}: {reason}")),
    }
}
