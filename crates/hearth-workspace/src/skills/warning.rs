//! What can be odd about a SKILL.md, each with its stable code.

use serde::{Deserialize, Serialize};

/// Something odd. None but a few of them keep a skill from being used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names are the documentation")]
pub enum Warning {
    NoFrontmatter,
    FrontmatterUnterminated,
    TextBeforeFrontmatter,
    FenceOdd,
    YamlInvalid,
    YamlTag,
    YamlTooBig,
    DuplicateKey,
    KeyCase,
    Bom,
    LineEnds,
    Encoding,
    ControlChars,
    InvisibleChars,
    MergeMarkers,
    FileEmpty,
    FileName,
    FileTooBig,
    NameMissing,
    NameMismatch,
    NameCharset,
    NameTooLong,
    NameType,
    DescriptionMissing,
    DescriptionShort,
    DescriptionTooLong,
    DescriptionMarkup,
    DescriptionType,
    MetadataInvalid,
    BodyEmpty,
    BodyLong,
    ReferenceMissing,
    ReferenceOutside,
    DuplicateName,
    UsesCycle,
    UsesTooDeep,
    UsesUnknown,
}

use Warning as W;

/// Codes, in the order of [`Warning`].
const CODES: [&str; 37] = [
    "no-frontmatter",
    "frontmatter-unterminated",
    "text-before-frontmatter",
    "fence-odd",
    "yaml-invalid",
    "yaml-tag",
    "yaml-too-big",
    "duplicate-key",
    "key-case",
    "bom",
    "line-ends",
    "encoding",
    "control-chars",
    "invisible-chars",
    "merge-markers",
    "file-empty",
    "file-name",
    "file-too-big",
    "name-missing",
    "name-mismatch",
    "name-charset",
    "name-too-long",
    "name-type",
    "description-missing",
    "description-short",
    "description-too-long",
    "description-markup",
    "description-type",
    "metadata-invalid",
    "body-empty",
    "body-long",
    "reference-missing",
    "reference-outside",
    "duplicate-name",
    "uses-cycle",
    "uses-too-deep",
    "uses-unknown",
];

impl Warning {
    /// Its code.
    #[must_use]
    pub fn code(self) -> &'static str {
        CODES[self as usize]
    }

    /// Why a skill with it cannot be used, for the few where that is so.
    #[must_use]
    pub fn refusal(self) -> Option<&'static str> {
        Some(match self {
            W::Encoding => "its SKILL.md is not UTF-8 text",
            W::FileEmpty => "its SKILL.md is empty",
            W::FileTooBig => "its SKILL.md is larger than 2 MB",
            _ => return None,
        })
    }
}

/// Warnings, each once, in the order in which they were noticed.
#[derive(Debug, Default)]
pub(super) struct Warnings(Vec<Warning>);

impl Warnings {
    pub(super) fn add(&mut self, warning: Warning) {
        if !self.0.contains(&warning) {
            self.0.push(warning);
        }
    }

    pub(super) fn add_if(&mut self, condition: bool, warning: Warning) {
        if condition {
            self.add(warning);
        }
    }

    pub(super) fn into_list(self) -> Vec<Warning> {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_what_is_stored() {
        for (place, code) in CODES.iter().enumerate() {
            let read: Warning = serde_json::from_str(&format!("{code:?}")).expect(code);
            assert_eq!((read as usize, read.code()), (place, *code));
        }
    }
}
