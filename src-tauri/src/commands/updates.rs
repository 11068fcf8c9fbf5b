//! New versions of the app itself. Each answers how it stands, also where it did not succeed.

use super::Answer;
use crate::updates::{self, Updates};
use hearth_protocol::api::updates::UpdateView;
use tauri::{AppHandle, State};

#[tauri::command]
pub(crate) fn updates_view(app: AppHandle, state: State<'_, Updates>) -> UpdateView {
    state.view(&app)
}

#[tauri::command]
pub(crate) async fn updates_check(app: AppHandle, state: State<'_, Updates>) -> Answer<UpdateView> {
    updates::check(&app, &state).await;
    Ok(state.view(&app))
}

#[tauri::command]
pub(crate) async fn updates_download(
    app: AppHandle,
    state: State<'_, Updates>,
) -> Answer<UpdateView> {
    updates::download(&state).await;
    Ok(state.view(&app))
}

/// The app starts again where it succeeds.
#[tauri::command]
pub(crate) async fn updates_install(
    app: AppHandle,
    state: State<'_, Updates>,
) -> Answer<UpdateView> {
    updates::install(&app, &state).await;
    Ok(state.view(&app))
}
