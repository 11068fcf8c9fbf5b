//! Hearth's desktop shell: one process with a tray, a main window and a quick prompt over the engine.
//!
//! Owns what only a desktop has. Everything it knows it asks of `hearth-engine`; the engine never
//! knows it runs in a window. Start-up order: TLS provider, arguments, single instance, engine, tray,
//! windows.
#![cfg_attr(all(windows, not(debug_assertions)), windows_subsystem = "windows")]

mod commands;
mod heartbeat;
mod links;
mod notify;
mod platform;
mod shortcut;
mod signals;
mod start;
mod text;
mod tray;
mod updates;
mod windows;

fn main() {
    start::run();
}
