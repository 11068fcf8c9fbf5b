//! hearth-secrets
