//! Gates: running them, checking them, and what they prevent from being shipped.

mod check;
mod content;
mod manifest;
mod noted;
mod preview;
mod readiness;
mod run;
mod shipping;
mod text;

pub use check::GateReport;
pub(super) use check::is_open;
pub(super) use noted::is_over;
pub use readiness::Wanted;
pub use run::{Consent, Gate, GateResult, GateRun};
pub use shipping::{BlockedGate, Shipped};
pub use text::{ShippingText, Tracking};
