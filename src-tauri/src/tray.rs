//! The tray icon and its menu. On Linux a click on the icon itself is not reported, so every way in is
//! a menu entry.

use crate::text::Words;
use crate::{heartbeat, platform, windows};
use tauri::{
    AppHandle, Manager, Wry,
    image::Image,
    menu::{Menu, MenuItem, PredefinedMenuItem},
    tray::{MouseButton, MouseButtonState, TrayIconBuilder, TrayIconEvent},
};

const ID: &str = "hearth";

/// The entry that counts the calls that wait for the person's word.
struct Waiting {
    entry: MenuItem<Wry>,
}

/// Builds the tray. False where this desktop has none: then closing the window minimises it.
pub(crate) fn build(app: &AppHandle, words: Words) -> bool {
    if !platform::tray_available() {
        tracing::info!("no tray on this desktop; closing the window minimises it");
        return false;
    }
    match try_build(app, words) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!(%error, "the tray could not be built");
            false
        }
    }
}

fn try_build(app: &AppHandle, words: Words) -> tauri::Result<()> {
    let item = |id: &str, text: &str| MenuItem::with_id(app, id, text, true, None::<&str>);
    let waiting = MenuItem::with_id(app, "waiting", words.none_waits, false, None::<&str>)?;
    let menu = Menu::with_items(
        app,
        &[
            &item("quick", words.quick_prompt)?,
            &item("open", words.open)?,
            &PredefinedMenuItem::separator(app)?,
            &waiting,
            &PredefinedMenuItem::separator(app)?,
            &item("beat", words.beat_now)?,
            &item("pause_hour", words.pause_hour)?,
            &item("pause_day", words.pause_day)?,
            &PredefinedMenuItem::separator(app)?,
            &item("settings", words.settings)?,
            &item("quit", words.quit)?,
        ],
    )?;
    TrayIconBuilder::with_id(ID)
        .icon(icon()?)
        .icon_as_template(cfg!(target_os = "macos"))
        .tooltip("Hearth")
        .menu(&menu)
        .show_menu_on_left_click(false)
        .on_menu_event(|app, event| chosen(app, event.id().as_ref()))
        .on_tray_icon_event(|tray, event| {
            if let TrayIconEvent::Click {
                button: MouseButton::Left,
                button_state: MouseButtonState::Up,
                ..
            } = event
            {
                windows::toggle_quick(tray.app_handle());
            }
        })
        .build(app)?;
    app.manage(Waiting { entry: waiting });
    Ok(())
}

/// Says how many calls wait for the person's word.
pub(crate) fn waits(app: &AppHandle, count: usize) {
    let (Some(waiting), words) = (app.try_state::<Waiting>(), app.state::<Words>()) else { return };
    let text = match count {
        0 => words.none_waits.to_owned(),
        _ => words.waits.replace("{}", &count.to_string()),
    };
    let entry = &waiting.entry;
    let said = entry.set_text(text).and_then(|()| entry.set_enabled(count > 0));
    if let Err(error) = said {
        tracing::warn!(%error, "the tray does not say what waits");
    }
}

/// The light form suits dark panels, which is what most desktops have; macOS tints the template.
fn icon() -> tauri::Result<Image<'static>> {
    #[cfg(target_os = "macos")]
    let bytes: &[u8] = include_bytes!("../../icons/tray-template.png");
    #[cfg(not(target_os = "macos"))]
    let bytes: &[u8] = if platform::dark_panel() {
        include_bytes!("../../icons/tray-light.png")
    } else {
        include_bytes!("../../icons/tray-dark.png")
    };
    Image::from_bytes(bytes)
}

fn chosen(app: &AppHandle, entry: &str) {
    match entry {
        "quick" => windows::show_quick(app),
        "open" => windows::open_main(app, None),
        "beat" => heartbeat::now(app),
        "pause_hour" => heartbeat::pause(app, heartbeat::Pause::Hour),
        "pause_day" => heartbeat::pause(app, heartbeat::Pause::UntilTomorrow),
        "waiting" => windows::open_main(app, Some("/activity/approvals")),
        "settings" => windows::open_main(app, Some("/settings")),
        "quit" => app.exit(0),
        _ => {}
    }
}
