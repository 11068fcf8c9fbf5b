//! What differs between operating systems, behind a few typed questions.
//!
//! Windows and macOS always have a tray and a notification service; on Linux the session bus is asked.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::{dark_panel, notifications_available, say_fatal, tray_available};

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) use other::dark_panel;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{notifications_available, say_fatal, tray_available};

#[cfg(target_os = "linux")]
mod x11;
#[cfg(target_os = "linux")]
pub(crate) use x11::{Shortcuts, with_shortcuts};

#[cfg(not(target_os = "linux"))]
mod shortcuts;
#[cfg(not(target_os = "linux"))]
pub(crate) use shortcuts::{Shortcuts, with_shortcuts};
