//! hearth-protocol
