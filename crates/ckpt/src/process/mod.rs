//! Processes: telling which are still alive, and running commands that are sure to end.

mod family;
mod mark;
mod run;

pub use family::RUN_VARIABLE;
pub(crate) use family::{end as end_run, fresh_name as fresh_run_name};
pub(crate) use mark::is_stopped;
pub use mark::{ProcessMark, host};
pub use run::{Ending, RunRequest, RunResult, TAIL_BYTES, run};
