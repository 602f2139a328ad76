//! Histories: reading from either end, and restoring every revision.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ckpt_fuzz::history::run(bytes));
