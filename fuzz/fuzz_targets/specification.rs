//! EXECUTION-SPEC: any text, and specifications whose content is known.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ckpt_fuzz::specification::run(bytes));
