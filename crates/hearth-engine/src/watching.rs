//! What goes on beside the turns: edits from outside, settings that change, memory that can be freed.

use crate::engine::{Inner, of_workspace};
use crate::{flushing, remembering};
use hearth_protocol::WireError;
use hearth_protocol::api::system::Signal;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

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
                engine.hands.follow(&engine).await;
                engine.heart.look_again();
            }
            engine.heart.mind_the_clock();
            let idle_minutes = engine.settings.current().idle_minutes;
            engine.catalogue.rest(idle_minutes);
            engine.rest_memory(idle_minutes);
        }
    });
    remembering::keep_up(engine);
    flushing::start(engine);
    watch_workspace(engine);
}

/// The first look reads every file, so it is not waited for, except by those who ask for versions.
fn watch_workspace(engine: &Arc<Inner>) {
    let inner = Arc::clone(engine);
    let bus = engine.bus.clone();
    let runtime = Handle::current();
    engine.turns.spawn_blocking(move || {
        let known = runtime.block_on(inner.store.latest_hashes());
        let stock = known.map_err(WireError::from).and_then(|known| {
            inner.workspace.take_stock(known).map_err(|error| of_workspace(&error))
        });
        if let Err(error) = stock {
            tracing::warn!(error = error.message, "what was removed meanwhile is not noted");
        }
        let watch = inner.workspace.watch(move |changed| bus.send(Signal::File(changed)));
        inner.looked.send_replace(true);
        match watch {
            Ok(watch) if !inner.closing.is_cancelled() => inner.keep_watch(watch),
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "edits from outside are not noticed"),
        }
    });
}
