//! The counts are those of the libraries that the vocabularies come from.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod differential;
mod generator;
mod linear;
