//! Pipelines and their workstreams.

mod dialects;
mod gates;
mod life;
mod names;
mod review;
mod search;
mod specification;
mod transitions;
