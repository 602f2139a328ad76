//! Pipelines and their workstreams.

mod dialects;
mod gates;
mod life;
mod review;
mod search;
mod specification;
mod transitions;
