//! Build pipelines: workstreams that depend on each other, and gates between them.
//!
//! An EXECUTION-SPEC ([`Spec`]) says what to do. A checkpoint records the progress; it is read leniently
//! ([`Pipeline`]) and changed by functions from the current tree to the next.

mod change;
mod following;
mod gates;
mod going_back;
mod graph;
mod lists;
mod model;
mod operations;
mod proof;
mod refusal;
mod replies;
mod reviews;
mod rules;
mod spec;
mod yaml;

#[cfg(test)]
mod tests;

pub use change::{check_ownership, named};
pub use following::{bind, init, sync};
pub use gates::{Requirement, fail_gate, pass_gate, record_receipt, requirements};
pub use going_back::{Dependence, Repair, STAYING, brought_back, check_account, fitted, stranded};
pub use graph::{Buckets, Readiness, check, schedule};
pub use model::{Bucket, Objection, Pipeline, Review, Status, WorkstreamRecord};
pub use operations::{
    Failure, Order, Requires, StartTerms, abort, approve, complete, defer, done, fail, fixed,
    reopen, restart, start,
};
pub use proof::{GateStanding, commands, standings};
pub use refusal::{Action, Refusal};
pub use replies::record_reply;
pub use reviews::{MAX_REVIEWS, NoteEntry, ReviewRequest, Verdict, note, review};
pub use rules::{is_canonical, judge};
pub use spec::{GateDefinition, Position, Reference, Spec, SpecError, SpecPhase, Workstream};
