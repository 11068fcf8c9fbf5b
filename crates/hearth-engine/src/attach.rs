//! A message's text and files as parts: images as images, text files and PDFs as text, recordings as a note,
//! anything else refused.
//!
//! Invariant: the model is told of everything that was given along, also of what it cannot take.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hearth_protocol::api::chat::Submit;
use hearth_protocol::{Attachment, ErrorCode, Message, Part, WireError};

const MAX_TEXT_BYTES: u64 = 512 * 1024;
const MAX_IMAGE_BYTES: u64 = 10 * 1024 * 1024;
const MAX_PDF_BYTES: u64 = 32 * 1024 * 1024;
/// Characters of a PDF that a message carries.
const MAX_PDF_CHARS: usize = 100_000;

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
    let pdf = attachment.media_type == "application/pdf";
    let most = match (image, pdf) {
        (true, _) => MAX_IMAGE_BYTES,
        (_, true) => MAX_PDF_BYTES,
        _ => MAX_TEXT_BYTES,
    };
    let meta = tokio::fs::metadata(&attachment.path).await;
    let meta = meta.map_err(|error| refused(attachment, &error.to_string()))?;
    if !meta.is_file() {
        return Err(refused(attachment, "it is no file"));
    }
    if ["audio/", "video/"].iter().any(|kind| attachment.media_type.starts_with(kind)) {
        return Ok(note(attachment, "a recording; no model here can hear or watch it"));
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
    if pdf {
        return Ok(of_pdf(attachment, bytes).await);
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(fenced(&attachment.name, &text)),
        _ => Err(refused(attachment, "it is neither text, nor a PDF, nor an image")),
    }
}

/// A damaged file may break its reader off; that is a note too.
async fn of_pdf(attachment: &Attachment, bytes: Vec<u8>) -> Part {
    let read = tokio::task::spawn_blocking(move || hearth_tools::pdf::text(&bytes)).await;
    match read {
        Ok(Ok(text)) => match text.char_indices().nth(MAX_PDF_CHARS) {
            None => fenced(&attachment.name, &text),
            Some((at, _)) => {
                let cut = format!("{}\n[only the first {MAX_PDF_CHARS} characters]", &text[..at]);
                fenced(&attachment.name, &cut)
            }
        },
        Ok(Err(why)) => note(attachment, &why),
        Err(_) => note(attachment, "the PDF is damaged and cannot be read"),
    }
}

/// A text as it stands in a file.
fn fenced(name: &str, text: &str) -> Part {
    let fence = "`".repeat(longest_fence(text).max(2) + 1);
    Part::Text { text: format!("\n\n{name}:\n{fence}\n{}\n{fence}\n", text.trim_end()) }
}

/// A word in place of what cannot be given.
fn note(attachment: &Attachment, why: &str) -> Part {
    let Attachment { name, media_type, .. } = attachment;
    Part::Text {
        text: format!("\n\n[{name} ({media_type}) was given along, but not its content: {why}]\n"),
    }
}

/// Messages for a model: pictures stay where it can see, else a word stands in their place.
pub(crate) fn for_eyes(sees: bool, messages: &[Message]) -> Vec<Message> {
    let shown = |part: &Part| match part {
        Part::Image { media_type, .. } if !sees => Part::Text {
            text: format!("[a picture ({media_type}) was given here; this model cannot see]"),
        },
        part => part.clone(),
    };
    let message = |message: &Message| Message {
        parts: message.parts.iter().map(shown).collect(),
        ..message.clone()
    };
    messages.iter().map(message).collect()
}

/// The longest run of backticks, so that the fence around the text is longer.
fn longest_fence(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn refused(attachment: &Attachment, why: &str) -> WireError {
    let message = format!("{} cannot be given along: {why}", attachment.name);
    WireError::new(ErrorCode::InvalidRequest, message, "Give a text file, a PDF or an image.")
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

    fn given(name: &str, media_type: &str, bytes: &[u8]) -> (tempfile::TempDir, Attachment) {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        let path = path.display().to_string();
        (folder, Attachment { name: name.to_owned(), media_type: media_type.to_owned(), path })
    }

    #[tokio::test]
    async fn each_kind_of_file_becomes_what_a_model_can_take() {
        let letter = include_bytes!("../tests/fixtures/letter.pdf");
        for (name, kind, bytes, part) in [
            ("a.txt", "text/plain", &b"one"[..], "a.txt:\n```\none\n```"),
            ("l.pdf", "application/pdf", &letter[..], "Dear harbour master"),
            (
                "b.pdf",
                "application/pdf",
                &b"%PDF-1.7 broken"[..],
                "was given along, but not its content",
            ),
            ("r.mp3", "audio/mpeg", &b"ID3"[..], "can hear"),
        ] {
            let (_folder, attachment) = given(name, kind, bytes);
            let Part::Text { text } = super::part(&attachment).await.expect("taken") else {
                panic!("{name} is text");
            };
            assert!(text.contains(part), "{name}: {text}");
        }
        let (_folder, image) = given("i.png", "image/png", b"\x89PNG");
        assert!(matches!(super::part(&image).await, Ok(Part::Image { .. })));
        let (_folder, binary) = given("x.bin", "application/octet-stream", b"a\0b");
        assert!(super::part(&binary).await.is_err());
    }

    #[test]
    fn a_model_that_cannot_see_is_told_of_the_picture() {
        let image = Part::Image { media_type: "image/png".to_owned(), data: "AA".to_owned() };
        let mut message = Message::text(hearth_protocol::Role::User, "look", 0);
        message.parts.push(image);
        let messages = vec![message];
        assert_eq!(for_eyes(true, &messages), messages);
        let blind = for_eyes(false, &messages);
        assert_eq!(blind[0].parts[0], text("look"));
        assert!(blind[0].joined_text().contains("cannot see"));
    }
}
