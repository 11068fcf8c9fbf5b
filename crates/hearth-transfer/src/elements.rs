//! The elements of a large JSON file, one at a time.
//!
//! The top is an array, an object that holds the array under `conversations`, or one element alone.
//! Invariant: one element is in memory; one that is larger than the bound ends the reading.

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use std::cell::Cell;
use std::fmt;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::ops::ControlFlow;
use std::rc::Rc;

/// Bytes of one element.
const LARGEST: u64 = 256 * 1024 * 1024;
const LIST: &str = "conversations";
const MARK: &[u8] = b"\xef\xbb\xbf";

/// How a reading ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// All was read.
    Whole,
    /// The caller had enough.
    Stopped,
    /// The text ends before it should.
    Short,
    /// It is no JSON from here on, or cannot be read.
    Broken(String),
}

/// Hands on each element.
pub(crate) fn each(input: impl Read, take: &mut dyn FnMut(Value) -> ControlFlow<()>) -> Ended {
    let since = Rc::new(Cell::new(0));
    let mut input = BufReader::new(Bounded { input, since: Rc::clone(&since) });
    if input.fill_buf().is_ok_and(|start| start.starts_with(MARK)) {
        input.consume(MARK.len());
    }
    let mut stopped = false;
    let mut next = |value: Value| {
        since.set(0);
        let flow = take(value);
        stopped = flow.is_break();
        flow
    };
    let mut json = serde_json::Deserializer::from_reader(input);
    let done = Top(&mut next).deserialize(&mut json);
    match done {
        _ if stopped => Ended::Stopped,
        // What an archive says of its end is only known there.
        Ok(()) => match json.end() {
            Err(error) if error.is_io() => Ended::Broken(error.to_string()),
            _ => Ended::Whole,
        },
        Err(error) if error.is_eof() => Ended::Short,
        Err(error) => Ended::Broken(error.to_string()),
    }
}

/// Counts what was read since the last element.
struct Bounded<R> {
    input: R,
    since: Rc<Cell<u64>>,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.since.set(self.since.get() + read as u64);
        if self.since.get() > LARGEST {
            let why = format!("one conversation is larger than {} MB", LARGEST >> 20);
            return Err(io::Error::new(ErrorKind::InvalidData, why));
        }
        Ok(read)
    }
}

type Take<'a> = &'a mut dyn FnMut(Value) -> ControlFlow<()>;

struct Top<'a>(Take<'a>);

impl<'de> DeserializeSeed<'de> for Top<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element::<Value>()? {
            if (self.0)(value).is_break() {
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut alone = Map::new();
        let mut listed = false;
        while let Some(key) = map.next_key::<String>()? {
            if key == LIST {
                listed = true;
                map.next_value_seed(Top(&mut *self.0))?;
            } else {
                let value = map.next_value::<Value>()?;
                if !listed {
                    alone.insert(key, value);
                }
            }
        }
        if !listed && (self.0)(Value::Object(alone)).is_break() {
            return Err(A::Error::custom("stopped"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> (Vec<Value>, Ended) {
        let mut found = Vec::new();
        let ended = each(text.as_bytes(), &mut |value| {
            found.push(value);
            ControlFlow::Continue(())
        });
        (found, ended)
    }

    #[test]
    fn lists_objects_and_single_elements_are_read() {
        for (text, count) in [
            ("[{\"a\":1},2,null]", 3),
            ("\u{feff}[1]", 1),
            ("{\"account\":{},\"conversations\":[1,2],\"more\":3}", 2),
            ("{\"mapping\":{}}", 1),
            ("[]", 0),
        ] {
            let (found, ended) = read(text);
            assert_eq!(found.len(), count, "{text}");
            assert!(matches!(ended, Ended::Whole), "{text}: {ended:?}");
        }
    }

    #[test]
    fn what_came_before_the_end_stays() {
        let (found, ended) = read("[{\"a\":1},{\"b\":");
        assert_eq!(found, [json!({"a": 1})]);
        assert!(matches!(ended, Ended::Short), "{ended:?}");
        let (found, ended) = read("[1, oops]");
        assert_eq!(found, [json!(1)]);
        assert!(matches!(&ended, Ended::Broken(why) if why.contains("column")), "{ended:?}");
        let deep = format!("[1,{}]", "[".repeat(100_000));
        assert!(matches!(read(&deep).1, Ended::Broken(_)), "no stack is used up");
        assert!(matches!(read("").1, Ended::Short));
        assert!(matches!(read("words").1, Ended::Broken(_)));
    }

    #[test]
    fn an_endless_element_ends() {
        let endless = b"[\"".chain(io::repeat(b'x'));
        let ended = each(endless, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(&ended, Ended::Broken(why) if why.contains("larger")), "{ended:?}");
    }

    #[test]
    fn a_caller_can_stop() {
        let mut seen = 0;
        let endless = b"[1".chain(EndlessOnes(true));
        let ended = each(endless, &mut |_| {
            seen += 1;
            if seen == 1000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(matches!(ended, Ended::Stopped));
        assert_eq!(seen, 1000);
    }

    struct EndlessOnes(bool);

    impl Read for EndlessOnes {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            for byte in buffer.iter_mut() {
                *byte = if self.0 { b',' } else { b'1' };
                self.0 = !self.0;
            }
            Ok(buffer.len())
        }
    }
}
