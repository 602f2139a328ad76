//! Build pipelines: workstreams that depend on each other, gates between them, and where they stand.
//!
//! What there is to do is in an EXECUTION-SPEC ([`Spec`]); where it stands is in a checkpoint, which
//! is read tolerantly ([`Pipeline`]) and changed by functions from the present tree to the next.

mod change;
mod following;
mod gates;
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

pub use change::check_ownership;
pub use following::{init, sync};
pub use gates::{Mark, Passing, Requirement, fail_gate, pass_gate, record_receipt, requirements};
pub use graph::{Buckets, Readiness, check, schedule};
pub use model::{Bucket, Pipeline, Review, Status};
pub use operations::{
    Failure, Order, abort, approve, complete, defer, done, fail, fixed, reopen, restart, start,
};
pub use proof::{GateStanding, commands, standings};
pub use refusal::{Action, Refusal};
pub use replies::record_reply;
pub use reviews::{NoteEntry, ReviewRequest, Verdict, note, review};
pub use rules::{is_canonical, judge};
pub use spec::{GateDefinition, Position, Reference, Spec, SpecError, SpecPhase, Workstream};
