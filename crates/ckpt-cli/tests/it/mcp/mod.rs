//! `ckpt mcp`: what clients of the Model Context Protocol can rely on.

mod crowd;
mod fuzzed;
mod gates;
mod place;
mod protocol;
mod subscriptions;
mod tools;
