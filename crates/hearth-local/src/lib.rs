//! hearth-local
