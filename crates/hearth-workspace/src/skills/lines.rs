//! Frontmatter that is no YAML, read key by key: what is whole counts, a broken value is the rest of its line.

use super::front::key_of;
use super::warning::{Warning, Warnings};
use super::yaml::{self, Node};

/// Reads the frontmatter: as YAML, else key by key.
pub(super) fn read(front: &str, warnings: &mut Warnings) -> Vec<(String, Node)> {
    if let Ok(read) = yaml::parse(front) {
        match read.root {
            Some(Node::Map(pairs)) => {
                warnings.add_if(read.has_tag, Warning::YamlTag);
                warnings.add_if(read.is_too_big, Warning::YamlTooBig);
                warnings.add_if(read.has_duplicate, Warning::DuplicateKey);
                return pairs;
            }
            None | Some(Node::Null) => return Vec::new(),
            _ => {}
        }
    }
    warnings.add(Warning::YamlInvalid);
    by_key(front, warnings)
}

fn by_key(front: &str, warnings: &mut Warnings) -> Vec<(String, Node)> {
    let mut pairs: Vec<(String, Node)> = Vec::new();
    for piece in pieces(front) {
        let Some((key, rest)) = key_of(piece) else { continue };
        let node = whole(piece, key).unwrap_or_else(|| {
            warnings.add_if(key.eq_ignore_ascii_case("metadata"), Warning::MetadataInvalid);
            rest_of_line(rest)
        });
        if let Some(pair) = pairs.iter_mut().find(|(known, _)| known == key) {
            warnings.add(Warning::DuplicateKey);
            pair.1 = node;
        } else {
            pairs.push((key.to_owned(), node));
        }
    }
    pairs
}

/// A key with its lines, each.
fn pieces(front: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = Vec::new();
    let mut at = 0;
    for line in front.split_inclusive('\n') {
        if key_of(line).is_some() {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([front.len()]).collect::<Vec<_>>();
    starts.into_iter().zip(ends).map(|(start, end)| &front[start..end]).collect()
}

/// A key's value where it is whole by itself, or becomes so with spaces for tabs or without comments.
fn whole(piece: &str, key: &str) -> Option<Node> {
    let value = |text: &str| match yaml::parse(text).ok()?.root? {
        Node::Map(mut pairs) if pairs.len() == 1 && pairs[0].0 == key => Some(pairs.remove(0).1),
        _ => None,
    };
    value(piece).or_else(|| {
        let mut lines = piece.lines();
        let first = lines.next()?;
        let indented: Vec<String> =
            lines.map(|line| format!("  {}", line.replace('\t', "  "))).collect();
        let text = format!("{first}\n{}", yaml::without_comments(&indented.join("\n")));
        if indented.is_empty() { value(&yaml::without_comments(piece)) } else { value(&text) }
    })
}

fn rest_of_line(rest: &str) -> Node {
    let joined =
        rest.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    let unquoted = match joined.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let inner = &joined[1..];
            inner.strip_suffix(quote).unwrap_or(inner)
        }
        _ => &joined,
    };
    if unquoted.is_empty() { Node::Null } else { Node::Text(unquoted.to_owned()) }
}
