//! Shipping for real: previews, what shipping needs, and the text of a pull request.

mod issue;
mod preview;
