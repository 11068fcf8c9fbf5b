//! hearth-store
