//! What the tests share: worlds to run `ckpt` in, and ways to look at what it left.

pub(crate) mod agent;
pub(crate) mod doctor;
pub(crate) mod environment;
pub(crate) mod event;
pub(crate) mod fixture;
pub(crate) mod handoff;
pub(crate) mod hostile_clone;
pub(crate) mod mcp;
pub(crate) mod pipeline;
pub(crate) mod planned;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod record;
pub(crate) mod refusal;
pub(crate) mod schema;
pub(crate) mod server;
pub(crate) mod shipping;
pub(crate) mod strace;
pub(crate) mod tool;
pub(crate) mod tree;
pub(crate) mod unprivileged;
pub(crate) mod written;
