//! Cuts a byte stream into the payloads of its events: server-sent events, or one JSON value a line.
//!
//! Invariants: the events do not depend on where the bytes were cut; nothing is decoded as UTF-8
//! before its line is whole; memory is bounded by [`MAX_EVENT`]. Left out: what the payloads mean.

/// No event of a model is this long; a stream that goes on without a line end is not one.
pub(crate) const MAX_EVENT: usize = 32 << 20;

/// How a stream is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// `data:` lines ended by a blank line.
    Sse,
    /// One JSON value a line.
    Lines,
}

/// Turns pieces of bytes into payloads.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Splitter {
    framing: Framing,
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    first_line: bool,
    skip_line_feed: bool,
    overlong: bool,
}

impl Splitter {
    pub(crate) fn new(framing: Framing) -> Self {
        Self {
            framing,
            line: Vec::new(),
            data: None,
            first_line: true,
            skip_line_feed: false,
            overlong: false,
        }
    }

    /// The payloads that these bytes complete.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) -> Vec<String> {
        let mut events = Vec::new();
        while !bytes.is_empty() && !self.overlong {
            if std::mem::take(&mut self.skip_line_feed) && bytes.first() == Some(&b'\n') {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            // In JSON lines a lone CR is white space, never an end.
            let carriage_return_ends = self.framing == Framing::Sse;
            let end =
                bytes.iter().position(|&b| b == b'\n' || (b == b'\r' && carriage_return_ends));
            let (head, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            self.line.extend_from_slice(head);
            self.overlong = self.held() > MAX_EVENT;
            let Some((&terminator, rest)) = rest.split_first() else { break };
            self.skip_line_feed = terminator == b'\r';
            bytes = rest;
            events.extend(self.end_line());
        }
        events
    }

    /// The payload of an event that lacks its end: recorded and real streams lose their last newline.
    pub(crate) fn finish(&mut self) -> Vec<String> {
        let mut events = Vec::new();
        if !self.line.is_empty() {
            events.extend(self.end_line());
        }
        events.extend(self.take_event());
        events
    }

    /// An event grew past all reason; nothing after it was read.
    pub(crate) fn overlong(&self) -> bool {
        self.overlong
    }

    fn held(&self) -> usize {
        self.line.len() + self.data.as_ref().map_or(0, Vec::len)
    }

    fn end_line(&mut self) -> Option<String> {
        let mut line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.first_line) && line.starts_with(b"\xef\xbb\xbf") {
            line.drain(..3);
        }
        match self.framing {
            Framing::Lines if line.iter().all(u8::is_ascii_whitespace) => None,
            Framing::Lines => Some(String::from_utf8_lossy(&line).into_owned()),
            Framing::Sse if line.is_empty() => self.take_event(),
            Framing::Sse => {
                self.keep_data(&line);
                None
            }
        }
    }

    /// Only `data` matters: the event's name repeats the type inside, and comments keep alive.
    fn keep_data(&mut self, line: &[u8]) {
        let Some(rest) = line.strip_prefix(b"data") else { return };
        let value = match rest {
            [] => rest,
            [b':', b' ', value @ ..] | [b':', value @ ..] => value,
            _ => return,
        };
        if let Some(data) = &mut self.data {
            data.push(b'\n');
            data.extend_from_slice(value);
        } else {
            self.data = Some(value.to_vec());
        }
    }

    fn take_event(&mut self) -> Option<String> {
        self.data.take().map(|data| String::from_utf8_lossy(&data).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(framing: Framing, raw: &str, want: &[&str]) {
        for piece in [raw.len().max(1), 1, 2, 3] {
            let mut splitter = Splitter::new(framing);
            let mut got: Vec<String> = Vec::new();
            for bytes in raw.as_bytes().chunks(piece) {
                got.extend(splitter.feed(bytes));
            }
            got.extend(splitter.finish());
            assert_eq!(got, want, "{raw:?} in pieces of {piece}");
        }
    }

    #[test]
    fn server_sent_events_follow_the_standard() {
        let sse = |raw, want: &[&str]| check(Framing::Sse, raw, want);
        sse("data: a\n\ndata:b\n\n", &["a", "b"]);
        sse("data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
        sse("data: a\r\rdata: b\r\r", &["a", "b"]);
        sse("\u{feff}data: a\n\n", &["a"]);
        sse("data: a\ndata:  b\ndata:\n\n", &["a\n b\n"]);
        sse(": ping\n\nevent: x\nid: 1\nretry: 5\ndata: a\n\n\n\n", &["a"]);
        sse("event: x\n\ndatabase: no\ndata\n\n", &[""]);
        sse("data: 你好 😀\n", &["你好 😀"]);
        sse("data: last", &["last"]);
        sse("", &[]);
    }

    #[test]
    fn json_lines_are_cut_at_line_feeds_only() {
        let lines = |raw, want: &[&str]| check(Framing::Lines, raw, want);
        lines("{\"a\":1}\n\n  \r\n{\"b\":\"\u{2028}\"}", &["{\"a\":1}", "{\"b\":\"\u{2028}\"}"]);
        lines("\u{feff}{}\r\n{}\n", &["{}\r", "{}"]);
    }

    /// The codecs see nothing but payloads, so what holds here holds for the merged replies. Feeding the
    /// rest of one line is enough: the state after it must be the one that the uncut bytes leave.
    #[test]
    fn recorded_streams_split_at_every_byte_give_the_same_payloads() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/wire/");
        let mut files = 0;
        for folder in ["openai-chat", "openai-responses", "anthropic", "gemini", "ollama"] {
            let framing = if folder == "ollama" { Framing::Lines } else { Framing::Sse };
            for entry in std::fs::read_dir(format!("{root}{folder}")).unwrap() {
                let path = entry.unwrap().path();
                check_every_byte(framing, &std::fs::read(&path).unwrap());
                files += 1;
            }
        }
        assert_eq!(files, 127);
    }

    fn check_every_byte(framing: Framing, raw: &[u8]) {
        let mut whole = Splitter::new(framing);
        for line in raw.split_inclusive(|&byte| byte == b'\n') {
            let mut after = whole.clone();
            let want = after.feed(line);
            let mut bytewise = whole.clone();
            let mut early = Vec::new();
            for (at, byte) in line.iter().enumerate() {
                let mut split = whole.clone();
                let mut got = split.feed(&line[..at]);
                assert_eq!((&got, &split), (&early, &bytewise));
                got.extend(split.feed(&line[at..]));
                assert_eq!((&got, &split), (&want, &after));
                early.extend(bytewise.feed(std::slice::from_ref(byte)));
            }
            assert_eq!((&early, &bytewise), (&want, &after));
            whole = after;
        }
    }

    #[test]
    fn an_endless_line_stops_being_kept() {
        let mut splitter = Splitter::new(Framing::Sse);
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..40 {
            assert_eq!(splitter.feed(&piece), Vec::<String>::new());
        }
        assert!(splitter.overlong());
        assert!(splitter.held() <= MAX_EVENT + piece.len());
    }
}
