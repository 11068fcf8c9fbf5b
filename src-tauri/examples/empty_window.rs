//! The least that a window of this kind costs: Tauri, one page, one field. `bench/startup.mjs` sets the app beside it.

fn main() -> tauri::Result<()> {
    tauri::Builder::default()
        .setup(|app| {
            tauri::WebviewWindowBuilder::new(app, "main", tauri::WebviewUrl::default()).build()?;
            Ok(())
        })
        .run(tauri::generate_context!("examples/empty_window/tauri.conf.json"))
}
