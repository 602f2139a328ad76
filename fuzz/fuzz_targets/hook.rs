//! Any input of a hook, from its bytes to the answer.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ckpt_fuzz::hook::run(bytes));
