//! Plans: Markdown checklists ticked by people and agents, and the state derived from them.
//!
//! `plan.md` is the source of truth. [`scan()`] reads its markers and checkboxes in one pass over the bytes;
//! everything else about a plan is in its state.

mod agents;
mod backup;
mod closing;
mod differences;
mod elsewhere;
mod going_back;
mod legacy;
mod line;
mod links;
mod mark;
mod merge;
mod notes;
mod operations;
mod outline;
mod progress;
mod refusal;
mod report;
mod retell;
mod returned;
mod rules;
mod scan;
mod standing;
mod state;
mod subagents;
mod tasks;

#[cfg(test)]
mod tests;

pub use crate::sub_agents::{Helper, Loss};
pub use agents::{
    CLAIM_MINUTES, Claim, Freed, account_name, claim, claims, give_up, keep_account, release,
    sessions_at_work,
};
pub use backup::Backup;
pub(crate) use closing::CLOSED;
pub use closing::{Closing, abandon, complete, reopen};
pub use differences::{Written, differences};
pub use elsewhere::{Elsewhere, Scope, There, returned};
pub use going_back::{PastChange, Version, restore, take_back};
pub use legacy::Legacy;
pub(crate) use links::linked_phase_files;
pub use mark::{mark, slug};
pub use merge::{ConflictStyle, MOST_LINES, Merged, TooManyLines, Versions, merge};
pub use operations::{
    Change, Claimed, Concern, Decision, NoteChange, Present, Reason, Recording, Tick, block,
    decide, note, set_receipt, tick, titled, unblock,
};
pub use outline::{
    Clash, Conflict, Entry, Outline, Phase, Source, StrayMarker, UNNAMED_PHASE, Untracked,
    first_heading,
};
pub use progress::percentage;
pub use refusal::{Refusal, Unparsable};
pub use report::{claimed_tasks, named_tasks};
pub use retell::{done_tasks, retell};
pub use returned::{Vanished, as_recorded};
pub use rules::{judge_backup, judge_markdown, judge_state};
pub use scan::{
    Checkbox, Heading, Item, ItemKind, Note, NoteKind, PhaseMarker, Repeated, Scan, Span, Stray,
    StrayReason, TooLong, scan,
};
pub use standing::{Standing, lifecycle};
pub(crate) use state::checksum_of;
pub use state::{
    Context, Reconciled, UNKNOWN, VERSION, checksum, has_tasks, is_same_but_for_time, reconcile,
};
pub(crate) use subagents::unproven;
pub use subagents::{
    Ending, LastKnown, Said, at_work, has_died, has_ended, helper_seen, helper_started,
    helper_stopped, session_over,
};
pub use tasks::{NewTask, TaskPlace, add_task, edit_task};
