//! Handoffs between agents.

mod protocol;
mod request;
mod response;
