//! Plans: scanning, marking and merging.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ckpt_fuzz::plan::run(bytes));
