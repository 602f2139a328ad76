//! What must hold after every crash.
