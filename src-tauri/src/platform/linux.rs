//! Linux: is there a tray, is there a notification service?

use std::path::Path;
use zbus::blocking::{Connection, fdo::DBusProxy};

/// Loaded at run time by the tray; without it building the tray would end the process.
const TRAY_LIBRARIES: [&str; 2] = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];

/// Whether a tray icon would be seen: the library is there and the desktop hosts icons.
pub(crate) fn tray_available() -> bool {
    has_tray_library() && bus_name_taken("org.kde.StatusNotifierWatcher")
}

/// Whether a notification would be seen: the service runs, or the bus can start it.
pub(crate) fn notifications_available() -> bool {
    let name = "org.freedesktop.Notifications";
    bus_name_taken(name) || bus_name_startable(name)
}

/// Whether the panel that holds the tray icon is dark. Linux has no way to ask; nearly all are.
pub(crate) fn dark_panel() -> bool {
    true
}

/// Says why the app cannot start, where no window can.
pub(crate) fn say_fatal(message: &str) {
    use std::io::Write as _;
    // Nothing else is left to try when stderr is closed too.
    let _ = writeln!(std::io::stderr(), "{message}");
}

fn has_tray_library() -> bool {
    let listed = std::process::Command::new("/sbin/ldconfig").arg("-p").output();
    let cache = listed.map(|out| String::from_utf8_lossy(&out.stdout).into_owned());
    let cache = cache.unwrap_or_default();
    let folders = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/app/lib"];
    TRAY_LIBRARIES.iter().any(|library| {
        cache.contains(library) || folders.iter().any(|dir| Path::new(dir).join(library).exists())
    })
}

fn bus_name_taken(name: &str) -> bool {
    ask_bus(|bus| bus.name_has_owner(name.try_into().ok()?).ok()).unwrap_or(false)
}

fn bus_name_startable(name: &str) -> bool {
    ask_bus(|bus| Some(bus.list_activatable_names().ok()?.iter().any(|n| n.as_str() == name)))
        .unwrap_or(false)
}

/// Asks the session bus from a thread of its own, since blocking calls may not run inside the async
/// runtime. No bus: no answer.
fn ask_bus<T: Send>(question: impl FnOnce(&DBusProxy<'_>) -> Option<T> + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let asked = scope.spawn(|| {
            let connection = Connection::session().ok()?;
            question(&DBusProxy::new(&connection).ok()?)
        });
        asked.join().ok().flatten()
    })
}
