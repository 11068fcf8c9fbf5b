//! The fields of a frontmatter, each read as people write it.

use super::body;
use super::metadata::{self, Beside, Metadata};
use super::name::name;
use super::text;
use super::warning::{Warning, Warnings};
use super::yaml::Node;

const MAX_DESCRIPTION: usize = 1_024;
const MIN_DESCRIPTION: usize = 20;

/// What the frontmatter says.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) triggers: Vec<String>,
    pub(super) allowed_tools: Option<Vec<String>>,
    pub(super) user_invocable: bool,
    pub(super) model_invocable: bool,
    pub(super) uses: Vec<String>,
    pub(super) version: Option<String>,
    pub(super) license: Option<String>,
    pub(super) homepage: Option<String>,
    pub(super) emoji: Option<String>,
    pub(super) metadata: Metadata,
}

/// Pairs, found whatever the case of their key.
struct Keys<'a> {
    pairs: &'a [(String, Node)],
    folded: bool,
}

impl<'a> Keys<'a> {
    fn get(&mut self, key: &str) -> Option<&'a Node> {
        let exact = self.pairs.iter().find(|(known, _)| known == key);
        exact
            .or_else(|| {
                let alike = self.pairs.iter().find(|(known, _)| {
                    known.len() == key.len() && known.replace('_', "-").eq_ignore_ascii_case(key)
                });
                self.folded |= alike.is_some();
                alike
            })
            .map(|(_, node)| node)
    }

    fn text(&mut self, key: &str) -> Option<String> {
        self.get(key).and_then(Node::text).map(str::to_owned)
    }
}

/// Reads the pairs of a frontmatter; what is missing comes from the folder's name and the body.
pub(super) fn fields(
    pairs: &[(String, Node)],
    folder: &str,
    body: &str,
    warnings: &mut Warnings,
) -> Fields {
    let mut keys = Keys { pairs, folded: false };
    let mut either = |one: &str, other: &str| keys.get(one).or_else(|| keys.get(other));
    let beside = Beside {
        channels: either("channels", "channel"),
        senders: either("senders", "sender"),
        os: keys.get("os"),
    };
    let metadata = metadata::metadata(keys.get("metadata"), beside, warnings);
    let always = keys.get("always").and_then(Node::flag).unwrap_or(false);
    let not_by_model = keys.get("disable-model-invocation").and_then(Node::flag).unwrap_or(false);
    let mut fields = Fields {
        name: name(keys.get("name"), folder, warnings),
        description: description(keys.get("description"), body, warnings),
        triggers: triggers(&mut keys),
        allowed_tools: keys.get("allowed-tools").and_then(tools),
        user_invocable: keys.get("user-invocable").and_then(Node::flag).unwrap_or(true),
        model_invocable: !not_by_model,
        uses: keys.get("uses").map(words).unwrap_or_default(),
        version: keys.text("version"),
        license: keys.text("license"),
        homepage: keys.text("homepage").or_else(|| metadata.homepage.clone()),
        emoji: keys.text("emoji").or_else(|| metadata.emoji.clone()),
        metadata: Metadata { always: metadata.always || always, ..metadata },
    };
    for list in [Some(&mut fields.triggers), Some(&mut fields.uses), fields.allowed_tools.as_mut()]
    {
        list.into_iter().for_each(|list| text::clean_lines(list, warnings));
    }
    for one in [&mut fields.version, &mut fields.license, &mut fields.homepage, &mut fields.emoji] {
        *one = one.take().map(|one| text::clean_line(&one, warnings));
    }
    warnings.add_if(keys.folded, Warning::KeyCase);
    fields
}

fn description(given: Option<&Node>, body: &str, warnings: &mut Warnings) -> String {
    let text = match given {
        Some(node @ Node::List(_)) => {
            warnings.add(Warning::DescriptionType);
            node.texts().join(" ")
        }
        Some(Node::Map(pairs)) => {
            warnings.add(Warning::DescriptionType);
            pairs.iter().filter_map(|(_, node)| node.text()).collect::<Vec<_>>().join(" ")
        }
        Some(node) => node.text().unwrap_or_default().to_owned(),
        None => String::new(),
    };
    // YAML may have written out what the file itself does not hold.
    let text = super::text::cleaned(&text, warnings);
    if text.is_empty() {
        warnings.add(Warning::DescriptionMissing);
        return body::first_paragraph(body);
    }
    let chars = text.chars().count();
    warnings.add_if(chars < MIN_DESCRIPTION, Warning::DescriptionShort);
    warnings.add_if(chars > MAX_DESCRIPTION, Warning::DescriptionTooLong);
    warnings.add_if(has_markup(&text), Warning::DescriptionMarkup);
    text
}

/// Something like `<b>` or `</script>`.
fn has_markup(text: &str) -> bool {
    text.match_indices('<').any(|(at, _)| {
        let inner = text[at + 1..].trim_start_matches('/');
        inner.starts_with(|c: char| c.is_ascii_alphabetic()) && inner.contains('>')
    })
}

fn triggers(keys: &mut Keys<'_>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for key in ["trigger", "triggers", "keywords"] {
        let texts: Vec<String> = match keys.get(key) {
            Some(Node::Text(text)) => text.split(['|', ',', '，']).map(str::to_owned).collect(),
            Some(node) => node.texts(),
            None => Vec::new(),
        };
        for text in texts {
            let text = text.trim();
            if !text.is_empty() && !found.iter().any(|known| known == text) {
                found.push(text.to_owned());
            }
        }
    }
    found
}

/// A list, or words with spaces or commas between them.
fn words(node: &Node) -> Vec<String> {
    match node {
        Node::Text(text) => {
            let words = text.split([',', ' ', '，', '|']).map(str::trim);
            words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
        }
        node => node.texts(),
    }
}

/// Tools: a list, or a text split at spaces and commas outside brackets. None: not given.
fn tools(node: &Node) -> Option<Vec<String>> {
    match node {
        Node::Null | Node::Map(_) => None,
        Node::List(_) => Some(node.texts()),
        Node::Text(text) => {
            let mut found = vec![String::new()];
            let mut depth = 0_usize;
            for c in text.chars() {
                match c {
                    '(' => depth += 1,
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 && (c == ',' || c.is_whitespace()) {
                    found.push(String::new());
                } else if let Some(last) = found.last_mut() {
                    last.push(c);
                }
            }
            found.retain(|tool| !tool.is_empty());
            (!found.is_empty()).then_some(found)
        }
    }
}
