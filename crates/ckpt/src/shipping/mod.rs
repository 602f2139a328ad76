//! Shipping: what it needs, and the text of a pull request.
//!
//! Both are functions of what is known elsewhere: the work of checkpoints, the verdict of a gate, what git says.

mod pull_request;
mod readiness;

pub use pull_request::{IssueLink, PullRequest, pull_request};
pub use readiness::{Need, NeedStanding, Shipping, readiness};
