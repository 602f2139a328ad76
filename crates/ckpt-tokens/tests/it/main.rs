//! Counts are the same as those of the libraries that the vocabularies come from.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod differential;
mod generator;
mod linear;
