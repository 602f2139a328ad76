//! Services on the network: how they are reached, and what is said to them.
//!
//! * A request goes only to an [`Endpoint`], and only to addresses that its [`Reach`] admits. The address that is
//!   connected to decides, not the name: a name can point anywhere tomorrow.
//! * Nothing is redirected, TLS is always verified, and every answer is bounded in time and size.
//! * Secrets are passed in as values. They are never printed, and no error repeats them.
//!
//! Nothing here is used on the path of a hook or of a change.

mod address;
mod client;
mod endpoint;
pub mod preview;
mod retry;
mod secret;
pub mod service;
mod webhook;

pub use address::{Reach, is_public};
pub use client::{Answer, Client, Limits, Method, Request, Roots, RootsError, Trouble};
pub use endpoint::{Endpoint, EndpointError};
pub use retry::{Response, pause_after, pause_asked_for, pause_until, response_to};
pub use secret::Secret;
pub use webhook::{SigningKey, SigningKeyError, digest, signature_headers};
