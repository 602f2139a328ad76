//! Seals: what is sealed verifies, and nothing else does.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ckpt_fuzz::seal::run(bytes));
