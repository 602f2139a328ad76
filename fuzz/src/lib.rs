//! What the fuzz targets check. Each module is one target: its `run` takes any bytes, and panics if something that must
//! hold does not.
//!
//! The programs in `fuzz_targets/` only call these functions, so that `tests/seeds.rs` can run every seed without a
//! fuzzer.

mod choices;
pub mod document;
pub mod history;
pub mod hook;
pub mod plan;
pub mod seal;
pub mod settings;
pub mod specification;
pub mod tokens;
