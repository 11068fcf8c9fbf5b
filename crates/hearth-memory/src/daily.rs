//! Daily logs: timed bullets, one a turn or an event.
//!
//! `- 09:30 **Name**: text <!-- id: 17; session: s1 -->`, further lines indented by two spaces. Every part
//! but the text may be missing. Invariant: what [`Bullet::write`] writes, [`Bullet::read`] reads back.

/// One bullet of a daily log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bullet {
    /// `HH:MM`.
    pub(crate) time: Option<String>,
    pub(crate) speaker: Option<String>,
    pub(crate) text: String,
    /// The id it was imported under.
    pub(crate) id: Option<String>,
    pub(crate) session: Option<String>,
    /// It holds no more: another entry took its place, or its time is over.
    pub(crate) over: bool,
}

impl Bullet {
    /// As it stands in a log, with its line end.
    pub(crate) fn write(&self) -> String {
        let mut out = String::from("- ");
        if let Some(time) = &self.time {
            out.push_str(time);
            out.push(' ');
        }
        if let Some(speaker) = self.speaker.as_deref().map(plain).filter(|name| !name.is_empty()) {
            out.push_str(&format!("**{speaker}**: "));
        }
        let text = self.text.replace("\r\n", "\n").replace(['\r', '\0'], "\n");
        out.push_str(&text.trim().replace('\n', "\n  "));
        let marks = [("id", &self.id), ("session", &self.session)];
        let marks: Vec<String> = marks
            .into_iter()
            .filter_map(|(key, value)| Some(format!("{key}: {}", escape(value.as_deref()?))))
            .collect();
        if !marks.is_empty() {
            out.push_str(&format!(" <!-- {} -->", marks.join("; ")));
        }
        out.push('\n');
        out
    }

    /// What a list item says, given without its sign and indentation.
    pub(crate) fn read(item: &str) -> Self {
        let mut bullet = Self::default();
        let mut rest = item.trim();
        if let Some((text, marks)) = trailing_comment(rest) {
            rest = text.trim_end();
            for mark in marks.split(';') {
                match mark.split_once(':').map(|(key, value)| (key.trim(), value.trim())) {
                    Some(("id", value)) => bullet.id = Some(unescape(value)),
                    Some(("session", value)) => bullet.session = Some(unescape(value)),
                    Some(("status", value)) => {
                        bullet.over = value.starts_with("superseded") || value == "expired";
                    }
                    _ => {}
                }
            }
        }
        if let Some((time, after)) = leading_time(rest) {
            bullet.time = Some(time);
            rest = after;
        }
        if let Some((name, after)) = rest.strip_prefix("**").and_then(|rest| rest.split_once("**"))
            && let Some(after) = after.strip_prefix([':', '：'])
            && !name.contains('\n')
        {
            bullet.speaker = Some(name.trim().to_owned());
            rest = after;
        }
        bullet.text = rest.trim().to_owned();
        bullet
    }
}

/// A name on one line, without what would end it.
fn plain(name: &str) -> String {
    name.replace(['*', '\n', '\r', '\0'], " ").trim().to_owned()
}

fn leading_time(text: &str) -> Option<(String, &str)> {
    let (word, rest) = text.split_once(' ')?;
    let (hours, minutes) = word.trim_end_matches([':', '：']).split_once(':')?;
    let (hours, minutes) = (number(hours)?, number(minutes.get(..2)?)?);
    (hours < 24 && minutes < 60).then(|| (format!("{hours:02}:{minutes:02}"), rest.trim_start()))
}

fn number(digits: &str) -> Option<u32> {
    (digits.len() <= 2 && digits.bytes().all(|b| b.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

/// The text before a comment of ours that ends it, and what the comment says.
fn trailing_comment(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_suffix("-->")?;
    let at = inner.rfind("<!--")?;
    let marks = inner[at + 4..].trim();
    (marks.starts_with("id:") || marks.starts_with("session:")).then(|| (&text[..at], marks))
}

/// An id may be any text; what would end its place is written as `%XX`.
fn escape(value: &str) -> String {
    value.chars().fold(String::new(), |mut out, c| {
        match c {
            '%' | ';' | '<' | '>' | '\0'..=' ' => out.push_str(&format!("%{:02X}", u32::from(c))),
            c => out.push(c),
        }
        out
    })
}

fn unescape(value: &str) -> String {
    let mut parts = value.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code.filter(u8::is_ascii) {
            Some(code) => {
                out.push(char::from(code));
                out.push_str(&part[2..]);
            }
            None => {
                out.push('%');
                out.push_str(part);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for (speaker, text, id, session) in [
            (Some("Emily"), "Hello.", Some("c-1/04-27.0q"), Some("s 1")),
            (None, "two\nlines\n\nand a third", Some("a; b --> %41 <!-- x -->"), None),
            (Some("王峰"), "**粗体**: 不是名字 <!-- id: not mine -->", None, Some("s")),
            (Some("AI"), "10:30 is when it starts", Some("7"), None),
            (None, "just text", None, None),
        ] {
            let bullet = Bullet {
                time: Some("09:05".to_owned()),
                speaker: speaker.map(str::to_owned),
                text: text.to_owned(),
                id: id.map(str::to_owned),
                session: session.map(str::to_owned),
                over: false,
            };
            let written = bullet.write();
            let item = written.strip_prefix("- ").unwrap().replace("\n  ", "\n");
            assert_eq!(Bullet::read(&item), bullet, "{written}");
        }
    }

    #[test]
    fn what_people_write_is_read_too() {
        let read = |item| {
            let Bullet { time, speaker, text, .. } = Bullet::read(item);
            (time.unwrap_or_default(), speaker.unwrap_or_default(), text)
        };
        let owned = |a: &str, b: &str, c: &str| (a.to_owned(), b.to_owned(), c.to_owned());
        assert_eq!(read("9:30 dentist"), owned("09:30", "", "dentist"));
        assert_eq!(read("14:00: call Bo"), owned("14:00", "", "call Bo"));
        assert_eq!(read("**Bo**： 你好"), owned("", "Bo", "你好"));
        assert_eq!(read("25:00 o'clock <!-- why -->"), owned("", "", "25:00 o'clock <!-- why -->"));
        assert_eq!(read("**bold** start"), owned("", "", "**bold** start"));
        assert_eq!(read(""), owned("", "", ""));
    }
}
