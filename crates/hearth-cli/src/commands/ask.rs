//! `hearth ask`: one turn.

use crate::access::Reach;
use crate::args::Ask;
use crate::talk;
use crate::terminal::{Failure, input};
use hearth_protocol::api::chat::Submit;
use hearth_protocol::{Attachment, MessageId, Origin};
use std::path::Path;

pub(crate) async fn run(reach: &Reach, ask: Ask, json: bool) -> Result<(), Failure> {
    let text = match ask.text.as_str() {
        "-" => input()?,
        _ => ask.text,
    };
    let request = Submit {
        session: ask.session,
        text,
        origin: Origin::Cli,
        message_id: MessageId::new().0,
        attachments: ask.file.iter().map(|path| attachment(path)).collect::<Result<_, _>>()?,
        model: ask.model,
        yes_to: ask.yes_to,
    };
    match talk::turn(reach, request, json).await? {
        true => Ok(()),
        false => Err(Failure::Told),
    }
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
