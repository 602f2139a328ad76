//! What lets work ship: approvals, and gates that are run.

mod approval;
mod proof;
mod run;
mod slow_git;
