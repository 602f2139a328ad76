//! Token counters, compared with other implementations.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ckpt_fuzz::tokens::run(bytes));
