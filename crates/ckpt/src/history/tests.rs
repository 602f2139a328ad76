//! What must hold for histories.
