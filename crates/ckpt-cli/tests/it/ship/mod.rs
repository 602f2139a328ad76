//! Shipping for real: previews, what shipping needs, and the text of a pull request.

mod check;
mod issue;
mod preview;
mod text;
