//! What lets work ship: approvals, and gates that are run.

mod approval;
mod noted;
mod proof;
mod run;
mod slow_git;
