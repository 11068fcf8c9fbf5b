//! Workspaces on a real disk, driven through the public interface.

mod interleaving;
mod opening;
mod refusals;
mod saving;
mod support;
mod watching;
