//! What goes on beside the turns: edits from outside, settings that change, memory that can be freed.

use crate::engine::Inner;
use crate::{flushing, remembering};
use hearth_protocol::api::system::Signal;
use std::sync::Arc;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Starts all of it; it ends with the engine.
pub(crate) fn start(engine: &Arc<Inner>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    tokio::spawn(async move {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        loop {
            tokio::select! {
                () = closing.cancelled() => return,
                _ = tick.tick() => {}
            }
            let Some(engine) = weak.upgrade() else { return };
            if engine.settings.refresh() {
                engine.bus.send(Signal::Settings);
            }
            let idle_minutes = engine.settings.current().idle_minutes;
            engine.catalogue.rest(idle_minutes);
            engine.rest_memory(idle_minutes);
        }
    });
    remembering::keep_up(engine);
    flushing::start(engine);
    watch_workspace(engine);
}

/// The first look reads every file, so it is not waited for.
fn watch_workspace(engine: &Arc<Inner>) {
    let inner = Arc::clone(engine);
    let bus = engine.bus.clone();
    engine.turns.spawn_blocking(move || {
        let watch = inner.workspace.watch(move |changed| bus.send(Signal::File(changed)));
        match watch {
            Ok(watch) if !inner.closing.is_cancelled() => inner.keep_watch(watch),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "edits from outside are not noticed"),
        }
    });
}
