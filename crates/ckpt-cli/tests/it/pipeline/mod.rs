//! Pipelines and their workstreams.

mod dialects;
mod gates;
mod life;
mod review;
mod specification;
mod transitions;
