//! JSON documents: reading, printing and editing.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| ckpt_fuzz::document::run(bytes));
