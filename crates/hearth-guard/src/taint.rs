//! Where the text that a model has read came from, carried through a turn, a session, sub-agents and
//! memory.
//!
//! Invariants: taint only grows; what is not known is untrusted; it can be rebuilt from the stored calls
//! of a session, so a restart forgets nothing.

use crate::class::Class;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;

/// Where a text came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The person's own message, and persona files.
    Person,
    /// Files of the workspace: the person's, but they may have got them anywhere.
    Workspace,
    /// A skill that was installed.
    Installed,
    /// The description of a third party's tool, pinned when the person took the server in.
    Described,
    /// The list that a search engine gave.
    SearchResults,
    /// A web page.
    Web,
    /// A mail.
    Mail,
    /// A file outside the workspace, an attachment included.
    OutsideFile,
    /// What a command wrote.
    CommandOutput,
    /// What a third party's tool returned.
    ThirdParty,
    /// Another person's message.
    OtherPeople,
    /// What is remembered: the person may have said it, or a page that was read long ago.
    Memory,
    /// An entry that is marked: it may hold the text of others.
    Marked,
}

/// How far a text is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// The person speaks.
    Person,
    /// It was kept from earlier turns; whatever was kept from text of others had the person's yes, or is
    /// data that a flush wrote.
    Remembered,
    /// It lies on this machine with the person's knowledge, but not every word of it is theirs.
    Local,
    /// Anybody may have written it.
    Untrusted,
}

impl Source {
    /// How far a text from here is believed.
    #[must_use]
    pub const fn trust(self) -> Trust {
        match self {
            Self::Person => Trust::Person,
            Self::Memory | Self::Marked | Self::Described => Trust::Remembered,
            Self::Workspace | Self::Installed | Self::CommandOutput => Trust::Local,
            Self::SearchResults
            | Self::Web
            | Self::Mail
            | Self::OutsideFile
            | Self::ThirdParty
            | Self::OtherPeople => Trust::Untrusted,
        }
    }

    /// What the result of a call is, by what its tool does.
    #[must_use]
    pub fn of_result(tool: &str, class: Class) -> Self {
        match class {
            Class::Read if tool.starts_with("memory_") => Self::Memory,
            Class::Read if tool == "skill_load" => Self::Installed,
            Class::Read => Self::Workspace,
            Class::Run => Self::CommandOutput,
            Class::Search => Self::SearchResults,
            Class::Fetch => Self::Web,
            Class::ThirdParty | Class::Send => Self::ThirdParty,
            // A sub-agent hands its own taint over besides; its words are at least not the person's.
            Class::Delegate => Self::Workspace,
            Class::Write | Class::Remember | Class::Notify | Class::Schedule | Class::Converse => {
                Self::Person
            }
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Person => "your own words",
            Self::Workspace => "files of the workspace",
            Self::Installed => "an installed skill",
            Self::Described => "descriptions of third parties' tools",
            Self::SearchResults => "search results",
            Self::Web => "a web page",
            Self::Mail => "a mail",
            Self::OutsideFile => "a file from outside the workspace",
            Self::CommandOutput => "the output of a command",
            Self::ThirdParty => "a third party's tool",
            Self::OtherPeople => "another person's message",
            Self::Memory => "what was remembered from earlier turns",
            Self::Marked => "a marked note",
        }
    }
}

/// What a turn has read so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Taint {
    sources: BTreeSet<Source>,
    /// Those of them that this turn has read. Not kept: a turn ends with its process.
    #[serde(skip)]
    fresh: BTreeSet<Source>,
    /// Something private is in the model's view: memory, files, the conversation.
    private: bool,
    /// Addresses that the person wrote.
    asked_for: BTreeSet<String>,
    /// Addresses that a search engine listed.
    listed: BTreeSet<String>,
    /// Those of them that were read.
    followed: BTreeSet<String>,
    /// What the person said in this turn. Not kept: it would outlive the conversation.
    #[serde(skip)]
    said: String,
    /// Questions that went to a search engine in this turn.
    #[serde(default)]
    searches: u32,
}

/// Which of the listed addresses are read can tell a little to who wrote them: so a few are enough.
const MAX_FOLLOWED: usize = 6;

/// Bytes of what the person said that are compared with.
const MAX_SAID: usize = 20_000;

/// Addresses that are kept; more are not worth remembering.
const MAX_ADDRESSES: usize = 2000;

impl Taint {
    /// A turn that has read nothing; `private` where its prompt carries what is the person's.
    #[must_use]
    pub fn new(private: bool) -> Self {
        Self { private, ..Self::default() }
    }

    /// A turn begins: what was said and asked before counts no more as this turn's.
    pub fn begin(&mut self) {
        self.said.clear();
        self.searches = 0;
        self.fresh.clear();
    }

    /// The person said this.
    pub fn said(&mut self, text: &str) {
        keep(&mut self.asked_for, text);
        let rest = MAX_SAID.saturating_sub(self.said.len());
        self.said.push('\n');
        self.said.extend(folded(text).chars().take(rest));
    }

    /// The words of a text, in the form in which they are compared.
    pub fn words_of(&self, text: &str) -> impl Iterator<Item = String> + use<> {
        words(&folded(text)).map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    /// Whether the person said this word in this turn: as a word, or where words are not parted, as a part.
    #[must_use]
    pub fn said_word(&self, word: &str) -> bool {
        match word.is_ascii() {
            true => words(&self.said).any(|said| is_same(said, word)),
            false => self.said.contains(word),
        }
    }

    /// What the person said in this turn, in the form in which it is compared.
    #[must_use]
    pub fn said_text(&self) -> &str {
        &self.said
    }

    /// Questions that went to a search engine in this turn.
    #[must_use]
    pub fn searches(&self) -> u32 {
        self.searches
    }

    /// A question goes to a search engine.
    pub fn search(&mut self) {
        self.searches += 1;
    }

    /// The model was given a text.
    pub fn read(&mut self, from: Source, text: &str) {
        self.sources.insert(from);
        self.fresh.insert(from);
        match from {
            Source::SearchResults => keep(&mut self.listed, text),
            Source::Workspace => self.private = true,
            _ => {}
        }
    }

    /// Takes over what another turn has read: a sub-agent's, or the session's so far.
    pub fn join(&mut self, other: &Self) {
        self.sources.extend(&other.sources);
        self.fresh.extend(&other.fresh);
        self.private |= other.private;
        self.listed.extend(other.listed.iter().cloned());
        self.followed.extend(other.followed.iter().cloned());
        self.searches = self.searches.max(other.searches);
    }

    /// The least believed of what was read.
    #[must_use]
    pub fn trust(&self) -> Trust {
        self.sources.iter().map(|source| source.trust()).max().unwrap_or(Trust::Person)
    }

    /// Whether something private is in view.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.private
    }

    /// What was read that is not the person's own, for people.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        let least = self.trust();
        let among = self.sources.iter().filter(|source| source.trust() == least);
        among.map(|source| source.name()).collect()
    }

    /// Whether all that [`Self::names`] names was read in this turn.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        let least = self.trust();
        self.sources.iter().all(|source| source.trust() != least || self.fresh.contains(source))
    }

    /// What to mark a memory with that is written now: the least believed of what anybody may have written.
    #[must_use]
    pub fn mark(&self) -> Option<Source> {
        let marks = |source: &Source| {
            source.trust() == Trust::Untrusted
                || matches!(source, Source::Marked | Source::Described)
        };
        self.sources.iter().copied().filter(marks).max_by_key(|source| source.trust())
    }

    /// Whether text from there was read.
    #[must_use]
    pub fn holds(&self, source: Source) -> bool {
        self.sources.contains(&source)
    }

    /// Whether the person wrote this very address.
    #[must_use]
    pub fn was_asked_for(&self, url: &str) -> bool {
        plain(url).is_some_and(|url| self.asked_for.contains(&url))
    }

    /// Whether the person named this host.
    #[must_use]
    pub fn host_was_named(&self, host: &str) -> bool {
        self.asked_for.iter().any(|known| crate::place::host_of(known).as_deref() == Some(host))
    }

    /// Whether a search engine listed this very address, and few enough of its list were read.
    #[must_use]
    pub fn was_listed(&self, url: &str) -> bool {
        let Some(url) = plain(url) else { return false };
        self.listed.contains(&url)
            && (self.followed.contains(&url) || self.followed.len() < MAX_FOLLOWED)
    }

    /// The model reads this address.
    pub fn follow(&mut self, url: &str) {
        self.followed.extend(plain(url).filter(|url| self.listed.contains(url)));
    }
}

fn folded(text: &str) -> String {
    text.nfkc().collect::<String>().to_lowercase()
}

/// Whether two words are the same but for an ending; Chinese ones may stand inside of others.
pub(crate) fn is_same(said: &str, word: &str) -> bool {
    let stem = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    if word.is_ascii() { stem(said) == stem(word) } else { said.contains(word) }
}

/// Runs of letters and digits; those of one kind of script, so that `柏林berlin` has two.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .flat_map(|run| {
            let mut ends: Vec<usize> = run
                .char_indices()
                .zip(run.chars().skip(1))
                .filter(|((_, a), b)| a.is_ascii() != b.is_ascii())
                .map(|((at, a), _)| at + a.len_utf8())
                .collect();
            ends.push(run.len());
            let mut start = 0;
            ends.into_iter().map(move |end| {
                let word = &run[start..end];
                start = end;
                word
            })
        })
        .filter(|word| !word.is_empty())
}

fn keep(known: &mut BTreeSet<String>, text: &str) {
    for url in urls_in(text) {
        if known.len() >= MAX_ADDRESSES {
            return;
        }
        known.extend(plain(&url));
    }
}

/// The address as the network layer will see it, without the part that stays in the browser.
fn plain(url: &str) -> Option<String> {
    let mut url = url::Url::parse(url.trim()).ok()?;
    url.set_fragment(None);
    Some(url.to_string())
}

/// Addresses in a text: with a scheme, or bare host names such as `example.org/x`. Where other letters
/// follow without a space, as in Chinese text, both readings count.
fn urls_in(text: &str) -> Vec<String> {
    let ends = |c: char| {
        c.is_whitespace() || "<>\"'`()[]{}|".contains(c) || !c.is_ascii() && !c.is_alphanumeric()
    };
    let words = text.split(ends).flat_map(|word| {
        let plain = word.find(|c: char| !c.is_ascii()).map(|at| &word[..at]);
        [Some(word), plain].into_iter().flatten()
    });
    words
        .filter_map(|word| address(word.trim_end_matches(['.', ',', ';', ':', '!', '?'])))
        .collect()
}

fn address(word: &str) -> Option<String> {
    if word.starts_with("http://") || word.starts_with("https://") {
        return Some(word.to_owned());
    }
    let host = word.split(['/', '?', '#']).next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let is_host = labels.len() >= 2
        && labels.iter().all(|label| !label.is_empty())
        && labels.last().is_some_and(|l| l.len() >= 2 && l.chars().all(char::is_alphabetic))
        && host.chars().all(|c| c.is_alphanumeric() || "-.".contains(c));
    is_host.then(|| format!("https://{word}"))
}
