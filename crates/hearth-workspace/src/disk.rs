//! One file in one open folder: reading it, replacing it, setting it aside.
//!
//! Invariants: names are single parts, so nothing here can leave the folder; a file is replaced as a
//! whole or not at all; bytes that were on disk when it was replaced come back to the caller.
//!
//! Where the system can swap two names in one step (Linux, macOS), the swap itself is the
//! comparison: what comes out is what was there. What remains is a program that holds the file open
//! and writes in place in the instant between the swap and the look at what came out. Elsewhere the
//! file is compared just before the rename, and a change between these two calls is overwritten.

use crate::path::TEMPORARY;
use cap_std::fs::{Dir, File, OpenOptions};
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// What became of a replacement.
#[derive(Debug)]
pub(crate) enum Replaced {
    /// The new bytes are there and what they replaced was what was expected.
    Done,
    /// Something else was there; nothing was written.
    Changed,
    /// The new bytes are there, and these unexpected ones are not any more.
    Displaced(Vec<u8>),
}

/// What was found under a name.
#[derive(Debug)]
pub(crate) enum Found {
    /// A regular file within the limit.
    Bytes(Vec<u8>),
    /// A regular file over the limit, with its size.
    TooLarge(u64),
    /// A folder, pipe, socket or device.
    Other,
}

/// Reads a file of at most `limit` bytes. A pipe does not make it wait.
pub(crate) fn read(dir: &Dir, name: &str, limit: u64) -> io::Result<Found> {
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    let file = match dir.open_with(name, &options) {
        Err(e) if is_socket(&e) => return Ok(Found::Other),
        other => other?,
    };
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Ok(Found::Other);
    }
    if meta.len() > limit {
        return Ok(Found::TooLarge(meta.len()));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    Ok(if read > limit { Found::TooLarge(read) } else { Found::Bytes(bytes) })
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use cap_std::fs::OpenOptionsExt;
    options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
}

#[cfg(not(unix))]
fn without_waiting(_: &mut OpenOptions) {}

/// A socket, or a device without a driver, cannot be opened at all.
#[cfg(unix)]
fn is_socket(error: &io::Error) -> bool {
    rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::NXIO)
}

#[cfg(not(unix))]
fn is_socket(_: &io::Error) -> bool {
    false
}

/// Creates `name` with `bytes`; refuses with `AlreadyExists` if it is there.
pub(crate) fn create(dir: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = Temporary::write(dir, bytes, None)?;
    match dir.hard_link(&temporary.name, dir, name) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(e),
        // A file system without hard links.
        Err(_) => {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let mut file = dir.open_with(name, &options)?;
            if let Err(e) = file.write_all(bytes).and_then(|()| file.sync_all()) {
                let _ = dir.remove_file(name);
                return Err(e);
            }
        }
        Ok(()) => {}
    }
    #[cfg(test)]
    crash::step();
    drop(temporary);
    #[cfg(test)]
    crash::step();
    sync_folder(dir);
    Ok(())
}

/// Replaces the file `name`, expected to hold `expected`, by `bytes`. It keeps its permissions.
pub(crate) fn replace(
    dir: &Dir,
    name: &str,
    expected: &[u8],
    bytes: &[u8],
) -> io::Result<Replaced> {
    let meta = match dir.metadata(name) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Replaced::Changed),
        other => other?,
    };
    if meta.permissions().readonly() {
        return Err(io::ErrorKind::ReadOnlyFilesystem.into());
    }
    let temporary = Temporary::write(dir, bytes, Some(meta.permissions()))?;
    if !holds(dir, name, expected)? {
        return Ok(Replaced::Changed);
    }
    #[cfg(test)]
    race::run();
    #[cfg(test)]
    crash::step();
    match swap(dir, &temporary.name, name) {
        Swapped::Yes => {}
        Swapped::Gone => return Ok(Replaced::Changed),
        Swapped::Unsupported => {
            dir.rename(&temporary.name, dir, name)?;
            sync_folder(dir);
            return Ok(Replaced::Done);
        }
        Swapped::Failed(e) => return Err(e),
    }
    #[cfg(test)]
    crash::step();
    sync_folder(dir);
    #[cfg(test)]
    crash::step();
    match read(dir, &temporary.name, u64::MAX) {
        Ok(Found::Bytes(out)) if out == expected => Ok(Replaced::Done),
        Ok(Found::Bytes(out)) => Ok(Replaced::Displaced(out)),
        // A folder or pipe was put under the name in that instant, or cannot be read: put it back.
        other => {
            let _ = swap(dir, &temporary.name, name);
            other.map(|_| Replaced::Changed)
        }
    }
}

/// Removes the file `name` if it holds `expected`; false if it holds something else.
pub(crate) fn remove(dir: &Dir, name: &str, expected: &[u8]) -> io::Result<bool> {
    if dir.metadata(name)?.permissions().readonly() {
        return Err(io::ErrorKind::ReadOnlyFilesystem.into());
    }
    // Set aside first: what is looked at is then what is removed.
    let aside = Temporary::name();
    dir.rename(name, dir, &aside)?;
    if holds(dir, &aside, expected)? {
        dir.remove_file(&aside)?;
        sync_folder(dir);
        return Ok(true);
    }
    if dir.hard_link(&aside, dir, name).is_ok() {
        dir.remove_file(&aside)?;
    } else if !dir.exists(name) {
        dir.rename(&aside, dir, name)?;
    }
    Ok(false)
}

fn holds(dir: &Dir, name: &str, expected: &[u8]) -> io::Result<bool> {
    match read(dir, name, expected.len() as u64) {
        Ok(Found::Bytes(bytes)) => Ok(bytes == expected),
        Ok(_) => Ok(false),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

#[cfg_attr(
    not(any(target_os = "linux", target_os = "android", target_vendor = "apple")),
    expect(dead_code, reason = "other systems cannot swap")
)]
enum Swapped {
    Yes,
    Gone,
    Unsupported,
    Failed(io::Error),
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn swap(dir: &Dir, a: &str, b: &str) -> Swapped {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(dir, a, dir, b, RenameFlags::EXCHANGE) {
        Ok(()) => Swapped::Yes,
        Err(Errno::NOENT) => Swapped::Gone,
        Err(Errno::NOSYS | Errno::INVAL | Errno::NOTSUP) => Swapped::Unsupported,
        Err(e) => Swapped::Failed(e.into()),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn swap(_: &Dir, _: &str, _: &str) -> Swapped {
    Swapped::Unsupported
}

/// A file being written; removed when dropped, under whatever content it then has.
struct Temporary<'a> {
    dir: &'a Dir,
    name: String,
}

impl<'a> Temporary<'a> {
    fn name() -> String {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        format!("{TEMPORARY}{}-{next}.tmp", std::process::id())
    }

    fn write(
        dir: &'a Dir,
        bytes: &[u8],
        permissions: Option<cap_std::fs::Permissions>,
    ) -> io::Result<Self> {
        let (mut file, temporary) = Self::open(dir)?;
        #[cfg(test)]
        crash::step();
        file.write_all(bytes)?;
        #[cfg(test)]
        crash::step();
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        #[cfg(test)]
        crash::step();
        Ok(temporary)
    }

    /// A name may be taken by what a killed process with the same id left behind.
    fn open(dir: &'a Dir) -> io::Result<(File, Self)> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        loop {
            let name = Self::name();
            match dir.open_with(&name, &options) {
                Ok(file) => return Ok((file, Self { dir, name })),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // Gone already where it was renamed into place.
        let _ = self.dir.remove_file(&self.name);
    }
}

/// Makes a rename last through a power cut. Not every file system can; the rename stands anyway.
#[cfg(unix)]
fn sync_folder(dir: &Dir) {
    use rustix::fs::{Mode, OFlags, fsync, openat};
    // The open folder itself may be a mere path handle, which cannot be synced.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let _ = openat(dir, ".", flags, Mode::empty()).and_then(fsync);
}

#[cfg(not(unix))]
fn sync_folder(_: &Dir) {}

/// Where a test has this process killed.
#[cfg(test)]
pub(crate) mod crash {
    use std::io::Write as _;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Names the step, counted from 1, at which a process waits to be killed.
    pub(crate) const STEP: &str = "HEARTH_TEST_STOP_AT";

    static PASSED: AtomicUsize = AtomicUsize::new(0);

    pub(crate) fn step() {
        let Some(wanted) = std::env::var(STEP).ok().and_then(|step| step.parse::<usize>().ok())
        else {
            return;
        };
        if PASSED.fetch_add(1, Ordering::SeqCst) + 1 == wanted {
            let mut out = std::io::stdout();
            let _ = out.write_all(b"\nstopped\n").and_then(|()| out.flush());
            loop {
                std::thread::park();
            }
        }
    }
}

/// What another program does in the instant between the comparison and the swap.
#[cfg(test)]
pub(crate) mod race {
    use std::cell::RefCell;

    thread_local! {
        static OTHER: RefCell<Vec<Box<dyn FnOnce()>>> = const { RefCell::new(Vec::new()) };
    }

    /// `other` runs in the next such instant on this thread that has none yet.
    pub(crate) fn with(other: impl FnOnce() + 'static) {
        OTHER.with_borrow_mut(|all| all.insert(0, Box::new(other)));
    }

    pub(super) fn run() {
        if let Some(other) = OTHER.with_borrow_mut(Vec::pop) {
            other();
        }
    }
}
