//! What a question says besides its words: days, who said it, whether it asks for the latest.

use chrono::{Datelike as _, Days, NaiveDate};

/// Who is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    ByUser,
    ByAssistant,
}

/// Days that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    /// A month and day, with the year where it was said.
    Day { year: Option<i32>, month: u32, day: u32 },
    /// A whole month.
    Month { year: Option<i32>, month: u32 },
    /// From one day to another, both included.
    Range(NaiveDate, NaiveDate),
}

impl When {
    /// Whether a day is meant.
    pub(crate) fn meets(self, date: NaiveDate) -> bool {
        match self {
            Self::Day { year, month, day } => {
                (date.month(), date.day()) == (month, day) && year.is_none_or(|y| y == date.year())
            }
            Self::Month { year, month } => {
                date.month() == month && year.is_none_or(|y| y == date.year())
            }
            Self::Range(from, to) => (from..=to).contains(&date),
        }
    }

    /// The days it most likely means, seen from today.
    pub(crate) fn days(self, now: NaiveDate) -> Option<(NaiveDate, NaiveDate)> {
        let latest = |make: &dyn Fn(i32) -> Option<NaiveDate>| {
            make(now.year()).filter(|date| *date <= now).or_else(|| make(now.year() - 1))
        };
        match self {
            Self::Range(from, to) => Some((from, to)),
            Self::Day { year, month, day } => {
                let make = |year| NaiveDate::from_ymd_opt(year, month, day);
                let date = year.map_or_else(|| latest(&make), make)?;
                Some((date, date))
            }
            Self::Month { year, month } => {
                let make = |year| NaiveDate::from_ymd_opt(year, month, 1);
                let first = year.map_or_else(|| latest(&make), make)?;
                Some((first, first.checked_add_days(Days::new(30))?))
            }
        }
    }
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// The days a question names, in the order it names them.
pub(crate) fn days(text: &str, now: NaiveDate) -> Vec<When> {
    let lower = arabic(&text.to_lowercase());
    let pieces = pieces(&lower);
    let mut found = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        match named(&pieces[at..]) {
            Some((when, length)) => {
                found.push(when);
                at += length;
            }
            None => at += 1,
        }
    }
    found.extend(relative(&lower, now));
    found
}

/// Numbers, words and single other characters, without spaces.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| match first {
            f if f.is_ascii_digit() => c.is_ascii_digit(),
            f if f.is_ascii_alphabetic() => c.is_ascii_alphabetic(),
            _ => false,
        };
        let end = rest.find(|c| !same(c)).unwrap_or(rest.len()).max(first.len_utf8());
        if !first.is_whitespace() {
            pieces.push(&rest[..end]);
        }
        rest = &rest[end..];
    }
    pieces
}

/// A date at the start of these pieces, and how many of them it takes.
fn named(pieces: &[&str]) -> Option<(When, usize)> {
    let number = |at: usize| pieces.get(at).and_then(|piece| piece.parse::<u32>().ok());
    let is = |at: usize, any: &[&str]| pieces.get(at).is_some_and(|piece| any.contains(piece));
    let year_at =
        |at| number(at).filter(|n| (1900..2200).contains(n)).and_then(|n| i32::try_from(n).ok());
    let year_len = |at| usize::from(year_at(at).is_some());

    if let Some(year) = year_at(0) {
        let split = is(1, &["-", "/", ".", "年"]);
        if split && let Some(month @ 1..=12) = number(2) {
            let last = is(3, &["-", "/", ".", "月"]);
            return match number(4).filter(|day| last && (1..=31).contains(day)) {
                Some(day) => Some((When::Day { year: Some(year), month, day }, 5)),
                None => Some((When::Month { year: Some(year), month }, 3)),
            };
        }
        return None;
    }
    if let Some(month @ 1..=12) = number(0)
        && is(1, &["月"])
    {
        return match number(2).filter(|day| (1..=31).contains(day)) {
            Some(day) => Some((When::Day { year: None, month, day }, 3)),
            None => Some((When::Month { year: None, month }, 2)),
        };
    }
    let month_at = |at: usize| {
        let word = pieces.get(at)?;
        let full = MONTHS.iter().position(|month| {
            month == word
                || (word.len() == 3 && month.starts_with(word))
                || (*word == "sept" && *month == "september")
        });
        full.and_then(|index| u32::try_from(index + 1).ok())
    };
    let ordinal = |at| usize::from(is(at, &["st", "nd", "rd", "th"]));
    if let Some(month) = month_at(0) {
        let day = number(1).filter(|day| (1..=31).contains(day));
        if let Some(day) = day {
            let after = 2 + ordinal(2);
            let after = after + usize::from(is(after, &[","]) && year_at(after + 1).is_some());
            return Some((When::Day { year: year_at(after), month, day }, after + year_len(after)));
        }
        // "may" and "march" are also other words.
        if year_at(1).is_some() || !["may", "march", "mar"].contains(&pieces[0]) {
            return Some((When::Month { year: year_at(1), month }, 1 + year_len(1)));
        }
        return None;
    }
    let day = number(0).filter(|day| (1..=31).contains(day))?;
    let of = 1 + ordinal(1);
    let of = of + usize::from(is(of, &["of"]));
    let month = month_at(of)?;
    Some((When::Day { year: year_at(of + 1), month, day }, of + 1 + year_len(of + 1)))
}

const CHINESE_DIGITS: &str = "零一二三四五六七八九";

/// Chinese numbers before a unit of time, in digits.
fn arabic(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut number = String::new();
    for c in text.chars() {
        if CHINESE_DIGITS.contains(c) || matches!(c, '十' | '〇' | '两') {
            number.push(c);
            continue;
        }
        match value(&number).filter(|_| "年月日号天个周".contains(c)) {
            Some(value) => out.push_str(&value.to_string()),
            None => out.push_str(&number),
        }
        number.clear();
        out.push(c);
    }
    out + &number
}

/// `二十三` is 23, `二〇二六` is 2026.
fn value(number: &str) -> Option<u32> {
    let digit = |c: char| match c {
        '〇' => Some(0),
        '两' => Some(2),
        c => CHINESE_DIGITS.chars().position(|d| d == c).and_then(|n| u32::try_from(n).ok()),
    };
    let digits = |part: &str| {
        part.chars().try_fold(0_u32, |sum, c| sum.checked_mul(10)?.checked_add(digit(c)?))
    };
    match number.split_once('十') {
        _ if number.is_empty() => None,
        None => digits(number),
        Some((tens, ones)) => {
            let tens = if tens.is_empty() { 1 } else { digits(tens)? };
            tens.checked_mul(10)?.checked_add(digits(ones)?)
        }
    }
}

/// Days counted from now.
fn relative(lower: &str, now: NaiveDate) -> Option<When> {
    let ago = |days| now.checked_sub_days(Days::new(days)).unwrap_or(now);
    let monday = ago(now.weekday().num_days_from_monday().into());
    let before_monday = |days| monday.checked_sub_days(Days::new(days)).unwrap_or(monday);
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let day = |date| Some(When::Range(date, date));
    if let Some(days) = counted(lower, &[" days ago", " day ago", "天前", "日前"]) {
        day(ago(days))
    } else if let Some(weeks) = counted(lower, &[" weeks ago", " week ago", "周前", "个星期前"])
    {
        let middle = ago(weeks.saturating_mul(7));
        Some(When::Range(middle - Days::new(3), (middle + Days::new(3)).min(now)))
    } else if let Some(date) = weekday(lower, now, monday) {
        day(date)
    } else if has(&["day before yesterday", "前天", "一昨日"]) {
        day(ago(2))
    } else if has(&["yesterday", "昨天", "昨日", "昨晚", "어제"]) {
        day(ago(1))
    } else if has(&["today", "今天", "今日", "오늘"]) {
        day(now)
    } else if has(&["last week", "上周", "上星期", "上个星期", "先週", "지난주"]) {
        Some(When::Range(before_monday(7), before_monday(1)))
    } else if has(&["this week", "这周", "本周", "今週", "이번 주"]) {
        Some(When::Range(monday, now))
    } else if has(&["last month", "上个月", "上月", "先月", "지난달"]) {
        let last = ago(now.day().into());
        Some(When::Month { year: Some(last.year()), month: last.month() })
    } else if has(&["this month", "这个月", "本月", "今月"]) {
        Some(When::Month { year: Some(now.year()), month: now.month() })
    } else {
        None
    }
}

/// The number before one of these words.
fn counted(lower: &str, units: &[&str]) -> Option<u64> {
    const WORDS: [&str; 10] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    units.iter().find_map(|unit| {
        let before = lower[..lower.find(unit)?].trim_end();
        let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let word = before.rsplit(' ').next().unwrap_or_default();
        let named = || WORDS.iter().position(|name| *name == word).map(|n| n as u64 + 1);
        digits.parse().ok().or_else(named).filter(|n| *n < 10_000)
    })
}

/// `last friday`, `上周五`, `这周一`.
fn weekday(lower: &str, now: NaiveDate, monday: NaiveDate) -> Option<NaiveDate> {
    const ENGLISH: [&str; 7] =
        ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
    if let Some((_, after)) = lower.split_once("last ") {
        let at = ENGLISH.iter().position(|name| after.starts_with(name));
        if let Some(at) = at.and_then(|at| u64::try_from(at).ok()) {
            let today = u64::from(now.weekday().num_days_from_monday());
            let back = (today + 7 - at) % 7;
            return now.checked_sub_days(Days::new(if back == 0 { 7 } else { back }));
        }
    }
    let weeks =
        [("上周", 7), ("上星期", 7), ("上个星期", 7), ("这周", 0), ("本周", 0), ("这星期", 0)];
    weeks.iter().find_map(|(name, back)| {
        let (_, after) = lower.split_once(name)?;
        let day = match after.chars().next()? {
            '天' | '日' => 6,
            c => u64::try_from("一二三四五六".chars().position(|d| d == c)?).ok()?,
        };
        monday.checked_sub_days(Days::new(*back))?.checked_add_days(Days::new(day))
    })
}

/// Whether the newest of several answers is wanted.
pub(crate) fn wants_latest(text: &str) -> bool {
    let lower = text.to_lowercase();
    [
        "latest",
        "most recent",
        "newest",
        "currently",
        "right now",
        "最新",
        "最近一次",
        "目前",
        "现在",
        "最新の",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Whether the beginning of all conversations is asked for.
pub(crate) fn wants_first(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    has(&["first", "第一次", "最初", "最开始", "初次"])
        && has(&[
            "conversation",
            "chat",
            "talked",
            "talk to",
            "we met",
            "we meet",
            "spoke",
            "对话",
            "聊天",
            "聊了",
            "交谈",
            "认识",
            "见面",
        ])
}

/// Who said what is asked for, where the question tells.
pub(crate) fn said(text: &str) -> Option<Said> {
    let lower = text.to_lowercase().replace('’', "'");
    if lower.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) {
        return said_in_chinese(&lower);
    }
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|w| !w.is_empty())
        .collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    if words.iter().enumerate().any(|(at, word)| *word == "you" && you_say(&words, at)) {
        return Some(Said::ByAssistant);
    }
    if has(&["your"])
        && has(&[
            "advice",
            "recommendation",
            "recommendations",
            "suggestion",
            "suggestions",
            "answer",
        ])
    {
        return Some(Said::ByAssistant);
    }
    has(&["i", "i'm", "i've", "i'd", "my", "me", "mine", "we", "our"]).then_some(Said::ByUser)
}

const SAYING: [&str; 22] = [
    "recommend",
    "suggest",
    "tell",
    "told",
    "say",
    "said",
    "mention",
    "advise",
    "give",
    "gave",
    "given",
    "teach",
    "taught",
    "share",
    "introduce",
    "explain",
    "propose",
    "describe",
    "list",
    "offer",
    "provide",
    "answer",
];

/// "you" as the one who speaks: `did you recommend`, `you once told`, `have you shared`.
fn you_say(words: &[&str], at: usize) -> bool {
    let between =
        ["ever", "once", "have", "had", "also", "previously", "just", "already", "already", "then"];
    let verb = words[at + 1..].iter().find(|word| !between.contains(word));
    let says = verb.is_some_and(|verb| SAYING.iter().any(|saying| verb.starts_with(saying)));
    let object = at > 0
        && ["to", "with", "for", "told", "asked", "tell", "ask", "gave", "from"]
            .contains(&words[at - 1]);
    // "could you tell me" asks now and is about nothing said before.
    let asks = at > 0 && ["can", "could", "would", "will", "please"].contains(&words[at - 1]);
    says && !object && !asks
}

fn said_in_chinese(text: &str) -> Option<Said> {
    let chars: Vec<char> = text.chars().collect();
    let verbs = [
        "推荐",
        "告诉",
        "建议",
        "介绍",
        "说",
        "提到",
        "提过",
        "分享",
        "给我",
        "给过我",
        "给了我",
        "教",
        "提供",
        "讲",
        "回答",
        "列",
    ];
    for (at, _) in chars.iter().enumerate().filter(|(_, c)| **c == '你') {
        let object = at > 0
            && ['给', '跟', '和', '向', '对', '与', '问', '让', '同', '请']
                .contains(&chars[at - 1]);
        let after: String =
            chars[at + 1..].iter().take(8).take_while(|c| !"，。？！,?".contains(**c)).collect();
        let mine = after.find('我').unwrap_or(usize::MAX);
        let verb = verbs.iter().filter_map(|verb| after.find(verb)).min();
        let says = verb.is_some_and(|verb| {
            verb <= mine || after[..mine.min(after.len())].ends_with(['给', '向', '跟', '和', '对'])
        });
        let asks_now = ["能", "可以", "会", "还记得", "记得", "知道"]
            .iter()
            .any(|word| after.starts_with(word));
        if says && !object && !asks_now {
            return Some(Said::ByAssistant);
        }
    }
    text.contains(['我', '咱']).then_some(Said::ByUser)
}

/// Whether a speaker's name is the assistant's.
pub(crate) fn is_assistant(speaker: &str) -> bool {
    let name = speaker.trim().to_lowercase();
    [
        "ai",
        "assistant",
        "hearth",
        "bot",
        "chatbot",
        "助手",
        "助理",
        "アシスタント",
        "ai助手",
        "ai assistant",
    ]
    .contains(&name.as_str())
}

/// Whether a speaker's name is only the place where one stands.
pub(crate) fn is_label(speaker: &str) -> bool {
    let name = speaker.trim().to_lowercase();
    [
        "user",
        "human",
        "me",
        "memory",
        "note",
        "notes",
        "entry",
        "fact",
        "diary",
        "journal",
        "用户",
        "我",
        "记忆",
        "笔记",
        "备忘",
        "日记",
        "メモ",
        "記憶",
        "日記",
        "사용자",
        "메모",
        "일기",
    ]
    .contains(&name.as_str())
}

/// Whether a text is a question itself.
pub(crate) fn is_question(text: &str) -> bool {
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || "\"'”’)）".contains(c));
    end.ends_with(['?', '？', '吗', '呢'])
}

/// How many sentences a text has, about.
pub(crate) fn sentences(text: &str) -> usize {
    let says = |part: &str| part.chars().any(char::is_alphanumeric);
    let mut count = 0;
    let mut rest = text;
    while let Some(at) = rest.find(['.', '!', '?', '。', '！', '？', '\n']) {
        let (part, after) = rest.split_at(at);
        let mark = after.chars().next().map_or(1, char::len_utf8);
        rest = &after[mark..];
        // A sign within a number or a name ends nothing.
        let ends = mark > 1
            || after.starts_with('\n')
            || rest.chars().next().is_none_or(|c| !c.is_alphanumeric());
        count += usize::from(ends && says(part));
    }
    count + usize::from(says(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(text: &str) -> NaiveDate {
        NaiveDate::parse_from_str(text, "%Y-%m-%d").unwrap()
    }

    #[test]
    fn sentences_are_counted_in_both_languages() {
        for (text, expected) in [
            ("", 0),
            ("...", 0),
            ("Where is it", 1),
            ("Is version 1.2.3 out?", 1),
            ("I was late. Why?! The alarm broke", 3),
            ("我今天终于到了！腰好酸。怎么办呢？", 3),
            ("one\ntwo", 2),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn days_are_read_in_both_languages() {
        let day = |month, day| When::Day { year: None, month, day };
        let full = |year, month, day| When::Day { year: Some(year), month, day };
        let month = |month| When::Month { year: None, month };
        for (text, expected) in [
            ("What did I eat on April 30th?", vec![day(4, 30)]),
            ("on the 4th of May 2023", vec![full(2023, 5, 4)]),
            ("May 4, 2023 or June 1", vec![full(2023, 5, 4), day(6, 1)]),
            ("in December", vec![month(12)]),
            ("I may go", vec![]),
            ("on 3 Jan", vec![day(1, 3)]),
            ("2026-12-01", vec![full(2026, 12, 1)]),
            ("在4月27号这天", vec![day(4, 27)]),
            ("2023年5月6日 和 5月", vec![full(2023, 5, 6), month(5)]),
            ("at 10:30 with 2 people in room 2023", vec![]),
            ("昨天说了什么", vec![When::Range(date("2026-11-28"), date("2026-11-28"))]),
            ("last week", vec![When::Range(date("2026-11-16"), date("2026-11-22"))]),
            ("一月二十日有什么事", vec![day(1, 20)]),
            ("二〇二三年十二月三日", vec![full(2023, 12, 3)]),
            ("十一个人", vec![]),
            ("three days ago", vec![When::Range(date("2026-11-26"), date("2026-11-26"))]),
            ("我两天前吃了什么", vec![When::Range(date("2026-11-27"), date("2026-11-27"))]),
            ("last Friday", vec![When::Range(date("2026-11-27"), date("2026-11-27"))]),
            ("上周五", vec![When::Range(date("2026-11-20"), date("2026-11-20"))]),
            ("上个月", vec![When::Month { year: Some(2026), month: 10 }]),
        ] {
            assert_eq!(days(text, date("2026-11-29")), expected, "{text}");
        }
    }

    #[test]
    fn a_day_without_a_year_is_the_last_one() {
        let when = When::Day { year: None, month: 12, day: 3 };
        assert!(when.meets(date("2020-12-03")) && !when.meets(date("2020-12-04")));
        assert_eq!(when.days(date("2026-11-29")), Some((date("2025-12-03"), date("2025-12-03"))));
    }

    #[test]
    fn the_beginning_is_asked_for() {
        assert!(wants_first("What did we talk about in our first conversation?"));
        assert!(wants_first("我们第一次聊天的时候说了什么？"));
        assert!(!wants_first("What was the first film I saw?"));
        assert!(!wants_first("我第一次滑雪是在哪里？"));
    }

    #[test]
    fn who_said_it() {
        for (text, expected) in [
            ("What painters did you recommend to me?", Some(Said::ByAssistant)),
            ("What photography tips have you shared with me?", Some(Said::ByAssistant)),
            ("I recommended a science fiction movie to you, what was it?", Some(Said::ByUser)),
            ("Why did I ask you for methods to relieve stress?", Some(Said::ByUser)),
            ("What's my favorite scene?", Some(Said::ByUser)),
            ("Could you tell me my cat's name?", Some(Said::ByUser)),
            ("Who wrote it?", None),
            ("你给我推荐过哪些徒步的好地方？", Some(Said::ByAssistant)),
            ("你告诉过我哪些方式？", Some(Said::ByAssistant)),
            ("我曾经向你咨询过绘画的技巧，你给了我哪些建议？", Some(Said::ByAssistant)),
            ("我曾经给你推荐过一档美食节目，它的名字是？", Some(Said::ByUser)),
            ("我喜欢听什么类型的音乐？", Some(Said::ByUser)),
            ("谁写的？", None),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }
}
