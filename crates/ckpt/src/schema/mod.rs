//! The file formats as types, from which the schemas are generated.
//!
//! Documents are read and changed as trees, so that unknown members survive; no code reads them through these types.
//! A test checks every fixture against both the schemas and the rules, so that they agree.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

mod agent;
mod command;
mod gate;
mod handoff;
mod history;
mod pipeline;
mod plan;

pub use agent::{RecordedHandoff, SubAgent};
pub use command::{CommandName, CommandPhase, CommandState, KnownCommand, UnifiedCheckpoint};
pub use gate::{Gate, GateOverride, Receipt, ReceiptKind, ReceiptResult};
pub use handoff::{
    Aggregation, Checks, CreatedFile, ExistingImplementation, FoundConflict, FoundPattern,
    HandoffContext, HandoffFindings, HandoffRequest, HandoffResponse, ModifiedFile, WrittenTest,
};
pub use history::{FileRecord, HistoryLine};
pub use pipeline::{
    AdversarialReview, Bucket, ExecutionSpec, Fix, KnownSpec, ListEntry, NamedEntry,
    PipelineCheckpoint, PipelineError, PipelineFailure, PipelineStatus, ReviewVerdict,
};
pub use plan::{
    AcceptanceCriterion, PlanDecision, PlanPhase, PlanPhaseStatus, PlanProgress, PlanState,
    PlanTask, Recovery,
};

/// An ISO 8601 time, such as `2026-01-29T10:30:00.000Z`.
pub type Time = String;

/// Any value.
pub type Any = serde_json::Value;

macro_rules! constant {
    ($(#[$about:meta])* $name:ident = $value:literal) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $name;

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "const": $value })
            }
        }
    };
}

constant! {
    /// The number 1.
    One = 1
}
constant! {
    /// The number 2.
    Two = 2
}

/// Types that are written as text.
macro_rules! written_as_text {
    ($($name:ty,)+) => {
        $(impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                String::json_schema(generator)
            }
        })+
    };
}

written_as_text! {
    crate::document::Pointer,
    crate::history::Revision,
    crate::key::Key,
    crate::time::Timestamp,
}
