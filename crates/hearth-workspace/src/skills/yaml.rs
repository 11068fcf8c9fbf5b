//! YAML as a tree in which scalars keep their spelling: `1.10` is not 1.1, `yes` is a word.
//!
//! Invariants: aliases expand within a budget; nesting is bounded; tags do nothing.

use granit_parser::{Event, Parser, ScalarStyle};
use std::collections::HashMap;

/// Values in all, aliases expanded.
const MAX_VALUES: usize = 20_000;
const MAX_DEPTH: usize = 48;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

/// What was read, and what was odd about it.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) root: Option<Node>,
    pub(super) has_tag: bool,
    pub(super) is_too_big: bool,
    pub(super) has_duplicate: bool,
}

/// It is not YAML.
#[derive(Debug)]
pub(super) struct Invalid;

impl Node {
    /// A value of a map.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Self::Map(pairs) => pairs.iter().find(|(k, _)| k == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// A scalar's text, trimmed and not empty.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    /// Scalars of a list, or one alone.
    pub(super) fn texts(&self) -> Vec<String> {
        match self {
            Self::Text(_) => self.text().map(str::to_owned).into_iter().collect(),
            Self::List(items) => items.iter().filter_map(Self::named).collect(),
            _ => Vec::new(),
        }
    }

    /// A scalar, or the name of a map that has one.
    fn named(&self) -> Option<String> {
        let node = match self {
            Self::Map(_) => {
                let is_optional = self.get("required").and_then(Self::text) == Some("false");
                if is_optional { None } else { self.get("name").or_else(|| self.get("id")) }
            }
            node => Some(node),
        };
        node.and_then(Self::text).map(str::to_owned)
    }

    /// A yes or no, where it is one.
    pub(super) fn flag(&self) -> Option<bool> {
        match self.text()?.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        }
    }
}

/// Reads one document.
pub(super) fn parse(text: &str) -> Result<Read, Invalid> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    for event in parser.by_ref() {
        let (event, _) = event.map_err(|_| Invalid)?;
        builder.take(event)?;
    }
    if builder.open.is_empty() { Ok(builder.read) } else { Err(Invalid) }
}

/// A collection that is still open.
enum Open {
    List(Vec<Node>, usize),
    Map(Vec<(String, Node)>, Option<String>, usize),
}

#[derive(Default)]
struct Builder {
    read: Read,
    open: Vec<Open>,
    /// Anchored values with their size.
    anchors: HashMap<usize, (Node, usize)>,
    values: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>) -> Result<(), Invalid> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.read.has_tag |= tag.is_some();
                let is_null = style == ScalarStyle::Plain
                    && matches!(text.as_ref(), "" | "~" | "null" | "Null" | "NULL");
                let node = if is_null { Node::Null } else { Node::Text(text.into_owned()) };
                self.put(node, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.read.has_tag |= tag.is_some();
                self.start(Open::List(Vec::new(), anchor))
            }
            Event::MappingStart(_, anchor, tag) => {
                self.read.has_tag |= tag.is_some();
                self.start(Open::Map(Vec::new(), None, anchor))
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(items, anchor)) => self.put(Node::List(items), anchor),
                Some(Open::Map(pairs, None, anchor)) => self.put(Node::Map(pairs), anchor),
                _ => Err(Invalid),
            },
            Event::Alias(anchor) => self.alias(anchor),
            _ => Ok(()),
        }
    }

    fn start(&mut self, open: Open) -> Result<(), Invalid> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Invalid);
        }
        self.open.push(open);
        Ok(())
    }

    fn alias(&mut self, anchor: usize) -> Result<(), Invalid> {
        let (node, size) = self.anchors.get(&anchor).ok_or(Invalid)?;
        let node = if self.values + size > MAX_VALUES {
            self.read.is_too_big = true;
            Node::Null
        } else {
            self.values += size;
            node.clone()
        };
        self.put(node, 0)
    }

    fn put(&mut self, node: Node, anchor: usize) -> Result<(), Invalid> {
        self.values += 1;
        if self.values > MAX_VALUES {
            self.read.is_too_big = true;
        }
        if anchor != 0 {
            let size = size(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut() {
            None => {
                if self.read.root.is_some() {
                    return Err(Invalid);
                }
                self.read.root = Some(node);
            }
            Some(Open::List(items, _)) => items.push(node),
            Some(Open::Map(pairs, key, _)) => match (key.take(), node) {
                (None, Node::Text(text)) => *key = Some(text),
                (None, Node::Null) => *key = Some(String::new()),
                (None, _) => return Err(Invalid),
                (Some(name), value) => {
                    if let Some(pair) = pairs.iter_mut().find(|(known, _)| *known == name) {
                        self.read.has_duplicate = true;
                        pair.1 = value;
                    } else {
                        pairs.push((name, value));
                    }
                }
            },
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    match node {
        Node::Null | Node::Text(_) => 1,
        Node::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Node::Map(pairs) => 1 + pairs.iter().map(|(_, value)| size(value)).sum::<usize>(),
    }
}

/// JSON as people write it, as YAML: comments go.
pub(super) fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut quote = None;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (at, next) = rest.split_at(c.len_utf8());
        if let Some(open) = quote {
            plain.push(c);
            if c == '\\'
                && let Some(escaped) = next.chars().next()
            {
                plain.push(escaped);
                rest = &next[escaped.len_utf8()..];
                continue;
            }
            if c == open {
                quote = None;
            }
        } else if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            continue;
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
            continue;
        } else {
            if matches!(c, '"' | '\'') {
                quote = Some(c);
            }
            plain.push_str(at);
        }
        rest = next;
    }
    plain
}
