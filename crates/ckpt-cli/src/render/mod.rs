//! Formatting for the terminal.

pub(crate) mod age;
pub(crate) mod bar;
pub(crate) mod diff;
pub(crate) mod proof;
pub(crate) mod row;
pub(crate) mod story;
pub(crate) mod style;
pub(crate) mod verdict;
