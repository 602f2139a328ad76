//! Any settings of an agent, with hooks added and removed.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ckpt_fuzz::settings::run(bytes));
