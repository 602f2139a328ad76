//! How things look on a terminal.

pub(crate) mod age;
pub(crate) mod bar;
pub(crate) mod style;
