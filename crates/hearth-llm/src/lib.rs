//! hearth-llm
