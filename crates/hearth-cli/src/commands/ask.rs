//! `hearth ask`: one turn.

use crate::access::Reach;
use crate::args::Ask;
use crate::talk;
use crate::terminal::{Failure, input, print_json, watched};
use crate::typed::Typed;
use hearth_engine::api::chat::known_tools;
use hearth_protocol::api::chat::Submit;
use hearth_protocol::{Attachment, MessageId, Origin, SessionKey, WireError};
use serde_json::json;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

pub(crate) async fn run(reach: &Reach, ask: Ask, json: bool) -> Result<(), Failure> {
    let text = match ask.text.as_str() {
        "-" => input()?,
        _ => ask.text,
    };
    if !ask.yes_to.is_empty() {
        let engine = reach.read().await?;
        known_tools(&engine, &ask.yes_to).map_err(Failure::Misused)?;
    }
    let request = Submit {
        session: ask.session,
        text,
        origin: Origin::Cli,
        message_id: MessageId::new().0,
        attachments: ask.file.iter().map(|path| attachment(path)).collect::<Result<_, _>>()?,
        model: ask.model,
        yes_to: ask.yes_to,
    };
    let session = request.session.clone();
    // Somebody who sees the question and can type the answer.
    let person = std::io::stdin().is_terminal() && watched();
    let mut typed = person.then(Typed::listen);
    match talk::turn(reach, request, json, typed.as_mut()).await {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::Told),
        Err(Failure::Refused(error)) => {
            if json {
                never_began(&session, &error)?;
            }
            Err(Failure::Refused(error))
        }
        Err(failure) => Err(failure),
    }
}

/// The only event of a turn that never began: it has no id.
fn never_began(session: &SessionKey, error: &WireError) -> Result<(), Failure> {
    let WireError { code, message, hint } = error;
    print_json(&json!({
        "event": "error", "code": code, "message": message, "hint": hint,
        "seq": 1, "turn": null, "session": session, "at": now(),
    }))
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn attachment(path: &Path) -> Result<Attachment, Failure> {
    let cannot =
        |why: String| Failure::said(format!("{} cannot be given along: {why}", path.display()));
    let meta = path.metadata().map_err(|error| cannot(error.to_string()))?;
    if !meta.is_file() {
        return Err(cannot("it is no file".to_owned()));
    }
    let full = std::path::absolute(path).map_err(|error| cannot(error.to_string()))?;
    let extension =
        path.extension().map(|ext| ext.to_string_lossy().to_lowercase()).unwrap_or_default();
    let media_type = match extension.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "md" => "text/markdown",
        "json" => "application/json",
        _ => "text/plain",
    };
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Attachment { name, media_type: media_type.to_owned(), path: full.display().to_string() })
}
