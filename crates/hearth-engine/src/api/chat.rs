//! Talking: submit, stop, rewind, and what can be typed after a slash.

use crate::driver::{Asker, all_tools};
use crate::{Access, Engine, attach, spoken, turns};
use hearth_agent::commands;
pub use hearth_agent::commands::Command;
use hearth_protocol::api::chat::{CommandRow, Rewind, Rewound, Submit, Submitted};
use hearth_protocol::{ErrorCode, MsgContext, Origin, Role, SessionKey, WireError};
use tokio_util::sync::CancellationToken;

/// Starts a turn, steers the running one, or answers a command; returns at once.
///
/// # Errors
/// `invalid_request` for an empty message, a command or tool that there is not, or a file that cannot be given
/// along; `home_busy`; `storage`.
pub async fn submit(engine: &Engine, request: Submit) -> Result<Submitted, WireError> {
    submit_from(engine, request, None).await
}

/// As [`submit`]; `terminal`: whoever sends it listens to the turn and can be asked back, until that is cancelled.
///
/// # Errors
/// As [`submit`].
pub async fn submit_from(
    engine: &Engine,
    request: Submit,
    terminal: Option<CancellationToken>,
) -> Result<Submitted, WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    inner.settings.refresh();
    if request.text.trim().is_empty() && request.attachments.is_empty() {
        let hint = "Write something, or give a file along.";
        return Err(WireError::new(ErrorCode::InvalidRequest, "the message is empty", hint));
    }
    known_tools(engine, &request.yes_to)?;
    if let Some(word) = commands::unknown(&request.text) {
        return Err(no_command(word));
    }
    if !inner.is_new(&message_context(&request).dedup_key()) {
        return Ok(Submitted::Duplicate);
    }
    if let Some(asked) = commands::parse(&request.text)
        && !inner.names_skill(&request.text).await?
    {
        return spoken::answer(engine, &request.session, request.origin, asked).await;
    }
    let parts = attach::parts(&request).await?;
    let asker = Asker { yes_to: request.yes_to.clone(), terminal };
    turns::take_in(inner, &request, parts, asker).await
}

/// Stops what runs in a session; says whether something did.
///
/// # Errors
/// `home_busy`.
pub async fn stop(engine: &Engine, session: SessionKey) -> Result<bool, WireError> {
    engine.inner.must_own()?;
    Ok(engine.inner.live.stop(&session))
}

/// Takes a conversation up again from one of its messages.
///
/// # Errors
/// `not_found`; `invalid_request` while a turn runs, or where the message is not the person's.
pub async fn rewind(engine: &Engine, request: Rewind) -> Result<Rewound, WireError> {
    let inner = &engine.inner;
    inner.must_own()?;
    let (_, old) = inner.store.message(&request.message).await?;
    if old.role != Role::User {
        let message = "only your own messages can be sent again";
        return Err(WireError::new(ErrorCode::InvalidRequest, message, "Choose one of them."));
    }
    let parts = match request.text {
        Some(text) => attach::reworded(old.parts, text),
        None => old.parts,
    };
    let session = if request.branch { super::sessions::new_key() } else { request.session };
    let new = turns::new_turn(&session, Origin::Window);
    let message = turns::message(parts);
    match request.branch {
        true => inner.store.branch(&request.message, &new, &message).await?,
        false => inner.store.rewind(&request.message, &new, &message).await?,
    }
    let turn = turns::start(inner, turns::begin(&new));
    Ok(Rewound { session, turn })
}

/// What can be typed after a slash.
///
/// # Errors
/// None today.
pub async fn commands(engine: &Engine) -> Result<Vec<CommandRow>, WireError> {
    let known = engine.inner.skills().await?;
    let skills = known.matcher().candidates().iter().filter(|one| one.by_user).take(MOST_SKILLS);
    let skills = skills.map(|one| CommandRow {
        name: format!("skill {}", one.name),
        aliases: Vec::new(),
        argument: String::new(),
    });
    Ok(commands::rows().into_iter().chain(skills).collect())
}

/// Skills that complete after a slash; more are found on their page.
const MOST_SKILLS: usize = 300;

/// What a message asks of Hearth itself, for a shell that acts on it too; none: an ordinary message.
#[must_use]
pub fn asked(message: &str) -> Option<Command> {
    commands::parse(message).map(|asked| asked.command)
}

/// Whether there are tools of these names: one that is allowed by another name would be refused later, to
/// nobody's understanding. Beside the owner of the home, who may have more, that is left to it.
///
/// # Errors
/// `invalid_request` with the first unknown name and those there are.
pub fn known_tools(engine: &Engine, wanted: &[String]) -> Result<(), WireError> {
    if engine.inner.access == Access::Read {
        return Ok(());
    }
    let tools = all_tools(&engine.inner, None);
    let is_known = |name: &&String| tools.iter().any(|tool| tool.spec.name == **name);
    let Some(unknown) = wanted.iter().find(|name| !is_known(name)) else { return Ok(()) };
    let names: Vec<&str> = tools.iter().map(|tool| tool.spec.name.as_str()).collect();
    let hint = format!("There are {}.", names.join(", "));
    Err(WireError::new(ErrorCode::InvalidRequest, format!("there is no tool {unknown}"), hint))
}

fn no_command(word: &str) -> WireError {
    let names: Vec<String> = commands::rows().iter().map(|row| format!("/{}", row.name)).collect();
    let hint =
        format!("There are {}. To say it to the model, begin with another word.", names.join(" "));
    WireError::new(ErrorCode::InvalidRequest, format!("there is no command /{word}"), hint)
}

/// The channel by which messages of an origin come.
pub(crate) fn channel(origin: Origin) -> &'static str {
    match origin {
        Origin::Window => "desktop",
        Origin::Quick => "quick",
        Origin::Cli => "cli",
        Origin::Heartbeat => "heartbeat",
        Origin::Cron => "cron",
        Origin::Channel => "channel",
    }
}

fn message_context(request: &Submit) -> MsgContext {
    let channel = channel(request.origin);
    MsgContext {
        origin: request.origin,
        channel: channel.to_owned(),
        account: String::new(),
        peer: String::new(),
        thread: String::new(),
        message_id: request.message_id.clone(),
        session: request.session.clone(),
        sender: String::new(),
        body: request.text.clone(),
        attachments: request.attachments.clone(),
    }
}
