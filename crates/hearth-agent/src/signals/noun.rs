//! Proper noun: one certain person, animal, place, firm, product, project or work is named.
//!
//! Latin script: capitals where no sentence begins, shapes like `iPhone`, quoted names, and a capital at
//! the beginning where what follows treats it as a name. Chinese: a segmenter's dictionary tags, titles
//! in 《》, names after words that introduce them, surnames with a title, suffixes of firms and places.

use super::phrases::Phrases;
use super::sentence::{Sentence, is_han};
use super::{chinese_names, phrases};
use std::sync::LazyLock;

/// Capitalised words that name no certain thing.
const COMMON: &str = " i i'm i'd i'll i've ok okay a an the mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays \
january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec \
christmas xmas easter halloween thanksgiving ramadan eid diwali hanukkah passover pentecost advent lent midsummer new year's valentine's eve day \
english chinese mandarin cantonese german french spanish italian portuguese norwegian swedish danish finnish dutch russian japanese korean arabic hindi turkish polish greek latin hebrew vietnamese thai czech hungarian ukrainian icelandic american british european asian african indian mexican irish scottish welsh australian canadian swiss austrian belgian \
python java javascript typescript rust go golang ruby php kotlin swift perl haskell scala sql html css bash lua julia matlab json yaml xml toml csv markdown latex cobol fortran elixir erlang clojure \
tv pc cv hr ceo cto cfo coo pdf ppt pptx doc docx xls xlsx url urls uri api apis sdk ui ux faq faqs asap eta rsvp diy vat id ids pin pins gps usb wifi wi-fi lan vpn dns http https ssh ftp ip cpu gpu ram ssd hdd led lcd atm am pm gmt utc cet est pst usd eur gbp cny rmb nok sek chf jpy kg km cm mm ml ai ml llm llms gpt it qa pr prs kpi kpis okr okrs roi b2b b2c mvp nda llc ltd inc plc gmbh as phd md mr mrs ms dr prof sir madam mom mum mummy mommy dad daddy grandma grandpa granny mama papa god lord ps nb fyi tbd tba btw imo lol omg adhd bbq dna rna co2 iq eq dj ngo suv ev ac dc dvd cd mp3 mp4 png jpg jpeg gif svg zip sms mms pto ooo eod eow q1 q2 q3 q4 h1 h2 iban swift bic sim imei isbn no yes not please thanks thank hi hello hey dear regards sincerely best cheers bye oh ah hm hmm well so and but or if then also just now today tomorrow yesterday ";

/// Words that begin sentences and are no names.
const BEGINNERS: &str = " actually add after all also although always and another any anyone anything are as ask at avoid be because before begin besides between book both but buy by call can cancel change check choose come compare convert correct correction could create cut dear decided delete describe did do does don't done draft drop each edit either email end even every everyone everything explain final finally find finish first fix for forget from generate get give go good got great guess had half has have having he hello help her here hers hey hi his hold how however i if ignore in include insert instead into is isn't it its just keep kind last lately later leave less let let's like list look lots lower make many maybe me meanwhile mention merge met might mine more most mostly move much my name need neither never new next nice no nobody none nope nor not note nothing now number of off often oh ok okay on once one only open opt or order other our out over pick plan please plus polish possibly prefer print probably proofread put quick quite rather read ready really rearrange regarding remember remind remove rename replace reply respond revert rewrite right round same save say scratch search second see send set settled several she shorten should show shrink since skip small so some someone something sometimes soon sorry speak spell split start still stop such sum summarise summarize suppose sure swap switch take tell thank thanks that that's the their them then there there's these they they're things think third this those though three through till time to today tomorrow tonight too translate trim try turn two under unless until up update us use used usually very wait was we we'd we'll we're we've were what what's when whenever where wherever whether which while who who's whose why will with without won't work would write wrong yeah yes yesterday yet you you're your yours order gate client server wifi flight booking reservation password meeting dinner lunch breakfast rent total price budget birthday appointment deadline invoice address phone contract ticket seat room bring cook clean close drive eat enjoy feel fill follow highlight hope imagine install invite join kids know learn listen love lunch mail mind miss mix mum mom dad morning evening night people photo play post prepare press pull push quit raise reduce report reserve restore return run schedule sell share sign sleep slide soften sort stay study talk teach team test text title tone touch track train travel type underline undo visit walk wash watch water wear weather week weekend whatever wine wish wonder words worry shouldn't can't couldn't didn't doesn't hasn't haven't wasn't weren't wouldn't aren't ain't i'm i've i'd i'll he's she's it's agreed fine deal absolutely exactly perfect awesome cool true false correct understood alright right anyway honestly frankly basically generally personally apparently obviously unfortunately fortunately hopefully luckily strange interesting funny weird bad better best worse worst big long short easy hard early late daily weekly monthly yearly annual recently eventually occasionally rarely seldom hardly nearly almost already again together apart away back down forward inside outside nearby oops ouch wow hmm huh ugh ah aha um er well scrap strike disregard apologies pardon excuse congrats congratulations welcome cheers goodbye bye goodnight decision decisions salary age height news birds dogs cats coffee tea breakfast food money traffic nobody everyone school work life business sales stock prices summer winter spring autumn fall photosynthesis gravity  weight size color colour version port code pin extension total sum amount cost fee ";

/// What follows a name and not an ordinary first word.
static AFTER_NAME: LazyLock<Phrases> = LazyLock::new(|| {
    phrases::Phrases::new(
        &[
            r"^(?:'s|s') ",
            r"^ (?:is|was|has|had|will|would|can|can't|could|does|did|didn't|doesn't|isn't|wasn't|won't|should|might|may|and i|just|never|always|still|also|really|lives|works|loves|hates|likes|prefers|wants|needs|says|said|called|calls|told|asked|asks|sent|sends|wrote|writes|moved|moves|got|gets|went|goes|came|comes|left|leaves|makes|made|gave|gives|took|takes|thinks|thought|knows|knew|found|bought|sold|starts|started|studies|plays|runs|owns|turned|turns|married|passed|died|agreed|wins|won|lost|offers|offered|opens|opened|closes|closed|charges|arrives|arrived|visits|visited|eats|hired|prefers|recommended|suggested|recommends|suggests|texted|emailed|mentioned|promised|forgot|replied|confirmed|picked|picks|cancelled|canceled)\b",
            r"^ and (?:i|my|me|[a-z]+) (?:are|were|have|will|went|got|met|had)\b",
            r"^, (?:my|our|the|who|a|an) ",
            r"^ (?:airport|street|avenue|university|hospital|hotel|station|beach|road|square|bank|airlines)\b",
        ],
        &[],
    )
});

/// Words after which even a lower-case or quoted word is a name.
static INTRODUCED: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(
        &[
            r#"\b(?:called|named|nicknamed|titled|entitled|codenamed|code-named|dubbed|name is|name's|goes by|codename is|code name is|known as) ["']?[a-z][\w'-]+"#,
        ],
        &[
            r"\b(?:called|named|titled) (?:me|him|her|them|us|it|you|off|back|for|in|on|out|about|yesterday|today|again|to|the|a|an|after|this|that|my|earlier|twice|by|and|from|because|when|at|last)\b",
            r"\b(?:name is|name's|known as) (?:not|wrong|the|a|an|on|in|missing|spelled|misspelled|too|very|taken|ok|fine|correct|hard)\b",
        ],
    )
});

/// Whether a sentence names something certain.
pub(super) fn stands_in(sentence: &Sentence<'_>) -> bool {
    latin(sentence) || sentence.chinese && chinese_names::stand_in(sentence.raw)
}

fn latin(sentence: &Sentence<'_>) -> bool {
    INTRODUCED.found(&sentence.plain) && !sentence.chinese || capitals(sentence)
}

fn capitals(sentence: &Sentence<'_>) -> bool {
    let raw = sentence.raw;
    let mut begins = true;
    for word in words(raw) {
        let shape = Shape::of(word.text);
        let common = listed(COMMON, word.text);
        let named = match shape {
            Shape::Mixed => !common,
            Shape::Capital if word.after_stop || begins && !sentence.chinese => {
                !common && leads_as_name(&raw[word.end..], word.text)
            }
            Shape::Capital | Shape::Upper => !common,
            Shape::Other => false,
        };
        if named {
            return true;
        }
        begins = false;
    }
    false
}

/// A capitalised first word is a name if what follows says so, or a second name follows.
fn leads_as_name(rest: &str, word: &str) -> bool {
    if listed(BEGINNERS, word) {
        return false;
    }
    let plain: String = rest.chars().take(40).flat_map(char::to_lowercase).collect();
    let plain = plain.replace('’', "'");
    AFTER_NAME.found(&plain)
        || quoted_name(rest)
        || words(rest).next().is_some_and(|next| {
            next.text.len() > 1
                && rest.starts_with(' ')
                && rest[1..].starts_with(next.text)
                && matches!(Shape::of(next.text), Shape::Capital)
                && !listed(COMMON, next.text)
        })
        || rest.chars().next().is_some_and(is_han)
}

/// The quotation that a word begins holds no word in lower case.
fn quoted_name(rest: &str) -> bool {
    rest.find(['"', '”']).is_some_and(|end| {
        end < 40 && rest[..end].split_whitespace().all(|word| !word.starts_with(char::is_lowercase))
    })
}

fn listed(table: &str, word: &str) -> bool {
    let word = word.to_lowercase().replace('’', "'");
    let bare = word.split_once('\'').map_or(word.as_str(), |(bare, _)| bare);
    [word.as_str(), bare].iter().any(|one| table.contains(&format!(" {one} ")))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// `Ingrid`
    Capital,
    /// `IKEA`
    Upper,
    /// `ThinkPad`, `iPhone`
    Mixed,
    Other,
}

impl Shape {
    fn of(word: &str) -> Self {
        let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
        let letters: Vec<char> = word.chars().filter(|c| c.is_alphabetic()).collect();
        let Some((first, rest)) = letters.split_first() else { return Self::Other };
        let digits = word.chars().filter(char::is_ascii_digit).count();
        let upper = rest.iter().filter(|c| c.is_uppercase()).count();
        if rest.is_empty() || digits > 1 || digits > 0 && upper == rest.len() {
            return Self::Other;
        }
        match (first.is_uppercase(), upper) {
            (true, 0) => Self::Capital,
            (true, all) if all == rest.len() && digits == 0 => Self::Upper,
            (_, some) if some > 0 && rest.iter().any(|c| c.is_lowercase()) => Self::Mixed,
            _ => Self::Other,
        }
    }
}

struct Word<'a> {
    text: &'a str,
    end: usize,
    /// A quote, colon or full stop stands before it.
    after_stop: bool,
}

/// The Latin words of a text: letters, digits, inner apostrophes and hyphens; URLs and addresses left out.
fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let begin = rest + text[rest..].find(is_letter)?;
            let end = text[begin..]
                .char_indices()
                .find(|(_, c)| {
                    !(is_letter(*c) || c.is_ascii_digit() || matches!(c, '\'' | '’' | '-'))
                })
                .map_or(text.len(), |(at, _)| begin + at);
            rest = end;
            let token = token_around(text, begin, end);
            if token.contains("://") || token.contains('@') || token.contains(".co") {
                continue;
            }
            let before = text[..begin].trim_end_matches([' ', '*', '_']);
            let after_stop = before.ends_with([':', '"', '“', '.', '!', '?', '(', '—', '–', '：'])
                && !before.is_empty();
            let word = text[begin..end].trim_end_matches(['\'', '’', '-']);
            return Some(Word { text: word, end: begin + word.len(), after_stop });
        }
    })
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic()
        && !is_han(c)
        && !matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7a3}')
}

fn token_around(text: &str, begin: usize, end: usize) -> &str {
    let from = text[..begin]
        .rfind([' ', '\n', '：', '，'])
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    let to = text[end..].find([' ', '\n', '，', '。']).map_or(text.len(), |at| end + at);
    &text[from..to]
}

#[cfg(test)]
pub(super) fn compiles() -> bool {
    AFTER_NAME.whole(&["x"], &[]) && INTRODUCED.whole(&["x"], &["x"]) && chinese_names::compiles()
}
