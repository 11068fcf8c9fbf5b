//! What differs between operating systems, behind a few typed questions.
//!
//! Windows and macOS always have a tray and a notification service; on Linux the session bus is asked.

use std::pin::Pin;

/// Why a notification is not seen.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only the Desktop Notifications Specification answers")
)]
pub(crate) enum Unshown {
    /// The service refuses it.
    Refused,
    /// The service does not answer.
    Silent,
    /// It could not be sent.
    Failed(String),
}

/// What became of a notification, once that is known.
pub(crate) type Answer = Pin<Box<dyn Future<Output = Result<(), Unshown>> + Send>>;

#[cfg(target_os = "linux")]
mod answer;
#[cfg(target_os = "linux")]
pub(crate) use answer::show;

#[cfg(target_os = "linux")]
mod graphics;
#[cfg(target_os = "linux")]
pub(crate) use graphics::draw_quickly;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::{dark_panel, notifications_available, say_fatal, tray_available};

#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(crate) use other::dark_panel;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{draw_quickly, notifications_available, say_fatal, show, tray_available};

#[cfg(target_os = "linux")]
mod x11;
#[cfg(target_os = "linux")]
pub(crate) use x11::{Shortcuts, with_shortcuts};

#[cfg(not(target_os = "linux"))]
mod shortcuts;
#[cfg(not(target_os = "linux"))]
pub(crate) use shortcuts::{Shortcuts, with_shortcuts};
