//! What goes on beside the turns: edits from outside, settings that change, memory that can be freed.

mod jumps;
mod touches;

use crate::engine::{Inner, of_workspace};
use crate::{flushing, remembering};
use hearth_protocol::WireError;
use hearth_protocol::api::system::Signal;
use jumps::Jumps;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// An idle process sleeps: what the system tells of is looked at so often besides, and memory is freed then.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// The same where the system tells of no changed settings, or of no clock that was set.
const LOOK_EVERY_UNTOLD: Duration = Duration::from_secs(2);
/// A save is several changes: it is read when it is quiet so long, or after [`PATIENCE`].
const QUIET: Duration = Duration::from_millis(150);
const PATIENCE: Duration = Duration::from_millis(800);

/// Starts all of it; it ends with the engine.
pub(crate) fn start(engine: &Arc<Inner>) {
    follow(engine);
    remembering::keep_up(engine);
    flushing::start(engine);
    watch_workspace(engine);
}

/// Settings that change, a clock that is set, memory that nobody needs.
fn follow(engine: &Arc<Inner>) {
    let (weak, closing) = (Arc::downgrade(engine), engine.closing.clone());
    let saved = Arc::new(Notify::new());
    let touches = touches::of_file(&engine.home.settings(), Arc::clone(&saved));
    let jumps = Jumps::told();
    let is_told = touches.is_some() && jumps.is_some();
    tokio::spawn(async move {
        let _touches = touches;
        let mut tick = tokio::time::interval(if is_told { LOOK_EVERY } else { LOOK_EVERY_UNTOLD });
        loop {
            let mut jumped = false;
            tokio::select! {
                () = closing.cancelled() => return,
                _ = tick.tick() => {}
                () = saved.notified() => settle(&saved).await,
                () = next(jumps.as_ref()) => jumped = true,
            }
            let Some(engine) = weak.upgrade() else { return };
            look(&engine, jumped).await;
        }
    });
}

async fn look(engine: &Arc<Inner>, jumped: bool) {
    if engine.settings.refresh() {
        engine.bus.send(Signal::Settings);
        engine.hands.follow(engine).await;
        engine.heart.look_again();
    }
    if jumped {
        engine.heart.look_again();
    }
    engine.heart.mind_the_clock();
    let idle_minutes = engine.settings.current().idle_minutes;
    engine.catalogue.rest(idle_minutes);
    engine.rest_memory(idle_minutes);
}

/// A file that is just being written is half a file.
async fn settle(saved: &Notify) {
    let since = Instant::now();
    while since.elapsed() < PATIENCE && tokio::time::timeout(QUIET, saved.notified()).await.is_ok()
    {
    }
}

async fn next(jumps: Option<&Jumps>) {
    match jumps {
        Some(jumps) => jumps.next().await,
        None => std::future::pending().await,
    }
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
