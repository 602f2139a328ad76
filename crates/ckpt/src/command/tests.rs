//! What must hold for command checkpoints.
