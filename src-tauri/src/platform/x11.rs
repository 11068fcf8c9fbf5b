//! The global shortcut under X11. A thread waits for the key: to look for it again and again, as the shortcut
//! plugin does here, wakes the processor twenty times a second for as long as the app runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tauri::{AppHandle, Wry};
use tauri_plugin_global_shortcut::{Code, Modifiers, Shortcut};
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::errors::ReplyError;
use x11rb::protocol::xkb::{self, ConnectionExt as _, PerClientFlag};
use x11rb::protocol::xproto::{ConnectionExt as _, GrabMode, KeyButMask, Keycode, ModMask, Window};
use x11rb::protocol::{ErrorKind, Event};
use x11rb::rust_connection::RustConnection;

/// The shortcuts of this app.
pub(crate) struct Shortcuts(Result<Display, String>);

struct Display {
    connection: Arc<RustConnection>,
    root: Window,
    held: Arc<Mutex<Option<Grab>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Grab {
    key: Keycode,
    modifiers: ModMask,
}

/// Adds what shortcuts need to the app: here nothing.
pub(crate) fn with_shortcuts(builder: tauri::Builder<Wry>) -> tauri::Builder<Wry> {
    builder
}

impl Shortcuts {
    /// Calls `pressed` on each press of what is [`taken`](Self::take).
    pub(crate) fn of(app: &AppHandle, pressed: fn(&AppHandle)) -> Self {
        Self(Display::open(app.clone(), pressed).map_err(|error| error.to_string()))
    }

    /// Takes a shortcut for this app in place of the one before.
    ///
    /// # Errors
    /// Where another program holds it, or there is no X display.
    pub(crate) fn take(&self, shortcut: &str) -> Result<(), String> {
        let display = self.0.as_ref().map_err(Clone::clone)?;
        self.give_back();
        let grab = display.grab(shortcut)?;
        *display.held() = Some(grab);
        Ok(())
    }

    /// Gives back what was taken.
    pub(crate) fn give_back(&self) {
        if let Ok(display) = &self.0
            && let Some(grab) = display.held().take()
        {
            display.ungrab(grab);
        }
    }

    /// Whether no program holds a shortcut.
    pub(crate) fn is_free(&self, shortcut: &str) -> bool {
        let Ok(display) = &self.0 else { return false };
        display.grab(shortcut).map(|grab| display.ungrab(grab)).is_ok()
    }
}

impl Display {
    fn open(app: AppHandle, pressed: fn(&AppHandle)) -> Result<Self, Box<dyn std::error::Error>> {
        let (connection, screen) = RustConnection::connect(None)?;
        let root = connection.setup().roots[screen].root;
        hold_counts_once(&connection)?;
        let (connection, held) = (Arc::new(connection), Arc::default());
        let display = Self { connection: Arc::clone(&connection), root, held: Arc::clone(&held) };
        let listening = move || listen(&connection, &held, || pressed(&app));
        std::thread::Builder::new().name("global shortcut".to_owned()).spawn(listening)?;
        Ok(display)
    }

    fn held(&self) -> MutexGuard<'_, Option<Grab>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn grab(&self, shortcut: &str) -> Result<Grab, String> {
        let wanted: Shortcut = shortcut.parse().map_err(|error| format!("{error}"))?;
        let key = keysym(wanted.key).and_then(|keysym| self.key_of(keysym));
        let key = key.ok_or_else(|| format!("this keyboard has no key {}", wanted.key))?;
        let grab = Grab { key, modifiers: modifiers(wanted.mods) };
        for locks in locks() {
            let asked = (grab.modifiers | locks, GrabMode::ASYNC);
            let sent = self.connection.grab_key(false, self.root, asked.0, key, asked.1, asked.1);
            let done = sent.map_err(ReplyError::from).and_then(|cookie| cookie.check());
            if let Err(error) = done {
                self.ungrab(grab);
                return Err(match error {
                    ReplyError::X11Error(error) if error.error_kind == ErrorKind::Access => {
                        "another program holds it".to_owned()
                    }
                    error => error.to_string(),
                });
            }
        }
        Ok(grab)
    }

    fn ungrab(&self, grab: Grab) {
        for locks in locks() {
            // With a connection that is gone the grab is gone too.
            if let Ok(sent) =
                self.connection.ungrab_key(grab.key, self.root, grab.modifiers | locks)
            {
                sent.ignore_error();
            }
        }
        let _ = self.connection.flush();
    }

    /// The key that gives a symbol, best without another key held down.
    fn key_of(&self, keysym: u32) -> Option<Keycode> {
        let setup = self.connection.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let asked = self.connection.get_keyboard_mapping(first, last - first + 1);
        let map = asked.ok()?.reply().ok()?;
        let keys = || map.keysyms.chunks(usize::from(map.keysyms_per_keycode.max(1)));
        let plain = keys().position(|symbols| symbols.first() == Some(&keysym));
        let at = plain.or_else(|| keys().position(|symbols| symbols.contains(&keysym)))?;
        u8::try_from(usize::from(first) + at).ok()
    }
}

/// A key that is held down is told once, and not as often as it would repeat.
fn hold_counts_once(connection: &RustConnection) -> Result<(), Box<dyn std::error::Error>> {
    connection.extension_information(xkb::X11_EXTENSION_NAME)?;
    connection.xkb_use_extension(1, 0)?.reply()?;
    let (keyboard, flag) = (xkb::ID::USE_CORE_KBD.into(), PerClientFlag::DETECTABLE_AUTO_REPEAT);
    let none = Default::default();
    connection.xkb_per_client_flags(keyboard, flag, flag, none, none, none)?.reply()?;
    Ok(())
}

/// Waits for keys until the connection ends.
fn listen(connection: &RustConnection, held: &Mutex<Option<Grab>>, pressed: impl Fn()) {
    let looked_at = KeyButMask::CONTROL | KeyButMask::SHIFT | KeyButMask::MOD1 | KeyButMask::MOD4;
    let mut down = None;
    while let Ok(event) = connection.wait_for_event() {
        match event {
            Event::KeyPress(event) => {
                let modifiers = ModMask::from((event.state & looked_at).bits());
                let grab = Grab { key: event.detail, modifiers };
                let is_held = *held.lock().unwrap_or_else(PoisonError::into_inner) == Some(grab);
                if is_held && down.replace(event.detail) != Some(event.detail) {
                    pressed();
                }
            }
            Event::KeyRelease(event) if down == Some(event.detail) => down = None,
            _ => {}
        }
    }
}

/// A grab holds for one exact state of the keyboard, so it is made for each state of the locks (Num, Caps).
fn locks() -> [ModMask; 4] {
    [ModMask::default(), ModMask::M2, ModMask::LOCK, ModMask::M2 | ModMask::LOCK]
}

fn modifiers(wanted: Modifiers) -> ModMask {
    let masks = [
        (Modifiers::SHIFT, ModMask::SHIFT),
        (Modifiers::CONTROL, ModMask::CONTROL),
        (Modifiers::ALT, ModMask::M1),
        (Modifiers::SUPER | Modifiers::META, ModMask::M4),
    ];
    let asked = masks.into_iter().filter(|(modifier, _)| wanted.intersects(*modifier));
    asked.fold(ModMask::default(), |all, (_, mask)| all | mask)
}

/// The symbol of a key, as `keysymdef.h` numbers it: that of a character is the character.
fn keysym(code: Code) -> Option<u32> {
    let name = code.to_string();
    let digit = |rest: &str| rest.parse::<u32>().ok();
    if let Some(letter) = name.strip_prefix("Key") {
        return Some(u32::from(letter.chars().next()?.to_ascii_lowercase()));
    }
    if let Some(digit) = name.strip_prefix("Digit") {
        return Some(u32::from(digit.chars().next()?));
    }
    if let Some(number) = name.strip_prefix("Numpad").and_then(digit) {
        return Some(0xffb0 + number);
    }
    if let Some(number) = name.strip_prefix('F').and_then(digit) {
        return Some(0xffbd + number);
    }
    Some(match code {
        Code::Space => u32::from(' '),
        Code::Backslash => u32::from('\\'),
        Code::BracketLeft => u32::from('['),
        Code::BracketRight => u32::from(']'),
        Code::Backquote => u32::from('`'),
        Code::Comma => u32::from(','),
        Code::Equal => u32::from('='),
        Code::Minus => u32::from('-'),
        Code::Period => u32::from('.'),
        Code::Quote => u32::from('\''),
        Code::Semicolon => u32::from(';'),
        Code::Slash => u32::from('/'),
        Code::Backspace => 0xff08,
        Code::Tab => 0xff09,
        Code::Enter => 0xff0d,
        Code::Pause => 0xff13,
        Code::Escape => 0xff1b,
        Code::Home => 0xff50,
        Code::ArrowLeft => 0xff51,
        Code::ArrowUp => 0xff52,
        Code::ArrowRight => 0xff53,
        Code::ArrowDown => 0xff54,
        Code::PageUp => 0xff55,
        Code::PageDown => 0xff56,
        Code::End => 0xff57,
        Code::PrintScreen => 0xff61,
        Code::Insert => 0xff63,
        Code::Delete => 0xffff,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_their_symbols() {
        for (code, symbol) in [
            (Code::KeyJ, 0x6a),
            (Code::Digit7, 0x37),
            (Code::F1, 0xffbe),
            (Code::F12, 0xffc9),
            (Code::Numpad0, 0xffb0),
            (Code::Space, 0x20),
            (Code::PageUp, 0xff55),
        ] {
            assert_eq!(keysym(code), Some(symbol), "{code}");
        }
        assert_eq!(keysym(Code::Fn), None);
    }
}
