//! The counts are those of the libraries that the vocabularies come from.

mod differential;
mod generator;
mod linear;
