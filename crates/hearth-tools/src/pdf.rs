//! The text of a PDF.
//!
//! Invariants: bounded in pages, in what a stream may inflate to, and in the text that comes out; a file that
//! cannot be read is an error for people. Absent here: pictures of pages; a scan has no text.

use lopdf::{Document, LoadOptions};

/// Pages that are read.
const PAGES: usize = 300;
/// Bytes that one stream may inflate to.
const INFLATED: usize = 64 * 1024 * 1024;
/// Bytes of text in all.
const TEXT: usize = 2 * 1024 * 1024;

/// The text, page by page. A damaged file may take long or break off: run it on a thread of its own.
///
/// # Errors
/// Why there is no text.
pub fn text(bytes: &[u8]) -> Result<String, String> {
    let options = LoadOptions { max_decompressed_size: Some(INFLATED), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes, options)
        .map_err(|error| format!("The PDF cannot be read: {error}"))?;
    if document.is_encrypted() {
        return Err("The PDF is protected by a password.".to_owned());
    }
    let numbers: Vec<u32> = document.get_pages().keys().copied().collect();
    let mut text = String::new();
    let mut read = 0;
    for number in numbers.iter().take(PAGES) {
        if text.len() > TEXT {
            break;
        }
        read += 1;
        // A page that cannot be read leaves the others.
        let page = document.extract_text_with_limit(&[*number], INFLATED).unwrap_or_default();
        let page = page.trim();
        if !page.is_empty() {
            text.push_str(&format!("[page {number}]\n{page}\n\n"));
        }
    }
    if text.is_empty() {
        return Err(format!("The PDF has {} pages and no text; it may be a scan.", numbers.len()));
    }
    if read < numbers.len() {
        text.push_str(&format!("[{read} of {} pages were read]", numbers.len()));
    }
    Ok(text.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::content::{Content, Operation};
    use lopdf::{Object, Stream, dictionary};

    fn pdf(pages: &[&str]) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let tree = document.new_object_id();
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica",
        });
        let resources = document.add_object(dictionary! { "Font" => dictionary! { "F1" => font } });
        let kids: Vec<Object> = pages
            .iter()
            .map(|text| {
                let operations = vec![
                    Operation::new("BT", vec![]),
                    Operation::new("Tf", vec!["F1".into(), 12.into()]),
                    Operation::new("Td", vec![50.into(), 700.into()]),
                    Operation::new("Tj", vec![Object::string_literal(*text)]),
                    Operation::new("ET", vec![]),
                ];
                let content = Content { operations }.encode().expect("encodes");
                let content = document.add_object(Stream::new(dictionary! {}, content));
                document
                    .add_object(dictionary! {
                        "Type" => "Page", "Parent" => tree, "Contents" => content,
                    })
                    .into()
            })
            .collect();
        let count = i64::try_from(kids.len()).expect("few");
        document.objects.insert(
            tree,
            dictionary! {
                "Type" => "Pages", "Kids" => kids, "Count" => count, "Resources" => resources,
                "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
            }
            .into(),
        );
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).expect("saved");
        bytes
    }

    #[test]
    fn the_text_of_each_page_is_read() {
        let text = text(&pdf(&["Dear harbour master,", "", "yours truly"])).expect("text");
        assert_eq!(text, "[page 1]\nDear harbour master,\n\n[page 3]\nyours truly");
    }

    #[test]
    fn a_scan_or_a_broken_file_is_told() {
        assert!(text(&pdf(&["", ""])).expect_err("no text").contains("2 pages and no text"));
        for bad in [&b""[..], b"%PDF-1.7", &[0; 4096]] {
            assert!(text(bad).is_err());
        }
    }
}
