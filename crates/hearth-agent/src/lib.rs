//! hearth-agent
