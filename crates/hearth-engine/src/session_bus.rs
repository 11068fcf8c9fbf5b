//! Whether a D-Bus session bus answers, without a D-Bus library: the socket either takes a connection or
//! does not.

/// Whether the bus named in the environment, or the usual one of this user, answers.
#[cfg(unix)]
pub(crate) fn is_there() -> bool {
    let named = std::env::var("DBUS_SESSION_BUS_ADDRESS").unwrap_or_default();
    let mut paths: Vec<String> = named
        .split([';', ','])
        .filter_map(|part| part.strip_prefix("unix:path=").map(str::to_owned))
        .collect();
    if let Ok(folder) = std::env::var("XDG_RUNTIME_DIR") {
        paths.push(format!("{folder}/bus"));
    }
    let abstract_bus = named.contains("unix:abstract=");
    abstract_bus || paths.iter().any(|path| std::os::unix::net::UnixStream::connect(path).is_ok())
}

/// Other systems have no such bus.
#[cfg(not(unix))]
pub(crate) fn is_there() -> bool {
    false
}
