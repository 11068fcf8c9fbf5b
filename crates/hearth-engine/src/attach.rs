//! A message's text and files as parts: images as images, text files as text, anything else refused.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hearth_protocol::api::chat::Submit;
use hearth_protocol::{Attachment, ErrorCode, Part, WireError};

const MAX_TEXT_BYTES: u64 = 512 * 1024;
const MAX_IMAGE_BYTES: u64 = 10 * 1024 * 1024;

/// The parts of a message.
pub(crate) async fn parts(request: &Submit) -> Result<Vec<Part>, WireError> {
    let mut parts = vec![Part::Text { text: request.text.clone() }];
    for attachment in &request.attachments {
        parts.push(part(attachment).await?);
    }
    Ok(parts)
}

/// The same message with another text: what was given along stays.
pub(crate) fn reworded(mut parts: Vec<Part>, text: String) -> Vec<Part> {
    let text = Part::Text { text };
    match parts.first_mut() {
        Some(first @ Part::Text { .. }) => *first = text,
        _ => parts.insert(0, text),
    }
    parts
}

async fn part(attachment: &Attachment) -> Result<Part, WireError> {
    let image = attachment.media_type.starts_with("image/");
    let most = if image { MAX_IMAGE_BYTES } else { MAX_TEXT_BYTES };
    let meta = tokio::fs::metadata(&attachment.path).await;
    let meta = meta.map_err(|error| refused(attachment, &error.to_string()))?;
    if !meta.is_file() {
        return Err(refused(attachment, "it is no file"));
    }
    if meta.len() > most {
        return Err(refused(
            attachment,
            &format!("it has {} bytes, at most {most} are taken", meta.len()),
        ));
    }
    let bytes = tokio::fs::read(&attachment.path).await;
    let bytes = bytes.map_err(|error| refused(attachment, &error.to_string()))?;
    if image {
        return Ok(Part::Image {
            media_type: attachment.media_type.clone(),
            data: STANDARD.encode(bytes),
        });
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => {
            let fence = "`".repeat(longest_fence(&text).max(2) + 1);
            Ok(Part::Text {
                text: format!("\n\n{}:\n{fence}\n{}\n{fence}\n", attachment.name, text.trim_end()),
            })
        }
        _ => Err(refused(attachment, "it is neither text nor an image")),
    }
}

/// The longest run of backticks, so that the fence around the text is longer.
fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn refused(attachment: &Attachment, why: &str) -> WireError {
    let message = format!("{} cannot be given along: {why}", attachment.name);
    WireError::new(ErrorCode::InvalidRequest, message, "Give a text file or an image.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Part {
        Part::Text { text: text.to_owned() }
    }

    #[test]
    fn another_text_keeps_what_was_given_along() {
        let image = Part::Image { media_type: "image/png".to_owned(), data: String::new() };
        let old = vec![text("old"), text("notes.txt:…"), image.clone()];
        let new = vec![text("new"), text("notes.txt:…"), image.clone()];
        assert_eq!(reworded(old, "new".to_owned()), new);
        assert_eq!(reworded(vec![image.clone()], "new".to_owned()), [text("new"), image]);
    }
}
