//! The name of a skill: what may be one, and what counts where it may not.

use super::warning::{Warning, Warnings};
use super::yaml::Node;

const MAX_NAME: usize = 64;

/// The name that counts, by what the frontmatter says and the folder's name.
pub(super) fn name(given: Option<&Node>, folder: &str, warnings: &mut Warnings) -> String {
    let name = match given {
        None | Some(Node::Null) => {
            warnings.add(Warning::NameMissing);
            return folder.to_owned();
        }
        Some(Node::List(_) | Node::Map(_)) => {
            warnings.add(Warning::NameType);
            return folder.to_owned();
        }
        Some(node) => node.text().map(|name| super::text::cleaned(name, warnings)),
    };
    let Some(name) = name else {
        warnings.add(Warning::NameMissing);
        return folder.to_owned();
    };
    warnings.add_if(!name.chars().all(is_usual), Warning::NameCharset);
    warnings.add_if(name.chars().count() > MAX_NAME, Warning::NameTooLong);
    warnings.add_if(name != folder, Warning::NameMismatch);
    // It must never be a path, whatever is made of it later.
    if name.contains(['/', '\\', '.', ':', '\n']) { folder.to_owned() } else { name }
}

fn is_usual(c: char) -> bool {
    c == '-' || c.is_numeric() || (c.is_alphabetic() && !c.is_uppercase())
}

/// Names are the same whatever their case.
pub(super) fn folded(name: &str) -> String {
    name.to_lowercase()
}
