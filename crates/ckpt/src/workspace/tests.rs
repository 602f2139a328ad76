//! What must hold for workspaces.
