//! hearth-workspace
