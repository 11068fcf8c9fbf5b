//! The audit log of this home: what happened, in a chain that shows any change.
//!
//! Invariants: secrets are masked before anything is written; a note that returned is on the disk; a chain
//! that is found broken is reported, and a new one begun.

use crate::clock;
use crate::logging::redactor;
use hearth_guard::chain::{Check, Entry, Head, Record, Verified};
use hearth_protocol::api::guard::{AuditCheck, AuditEntry};
use hearth_protocol::{ErrorCode, SessionKey, TurnId, WireError};
use hearth_store::{AuditHead, AuditRow, Store};
use serde_json::{Value, json};
use std::path::Path;
use tokio::io::AsyncWriteExt;

/// Rows that are read at once.
const PAGE: u32 = 1000;
/// Rows that are looked at when a home is opened.
const LATEST: u32 = 256;
/// Characters of one text in an entry; the whole is in the conversation.
const TEXT_CHARS: usize = 2000;

/// The audit log. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Audit {
    store: Store,
}

/// One thing that happened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Note<'a> {
    pub(crate) kind: &'static str,
    pub(crate) session: Option<&'a SessionKey>,
    pub(crate) turn: Option<&'a TurnId>,
    pub(crate) body: &'a Value,
}

impl Audit {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    /// Adds an entry; on the disk when this returns.
    pub(crate) async fn note(&self, note: Note<'_>) -> Result<(), WireError> {
        let record = Record {
            at: clock::now(),
            kind: note.kind.to_owned(),
            session: note.session.map(ToString::to_string).unwrap_or_default(),
            turn: note.turn.map(|turn| turn.as_str().to_owned()).unwrap_or_default(),
            body: masked(note.body).to_string(),
        };
        self.store.append_audit(|head, _| row(of_head(head).next(record))).await?;
        Ok(())
    }

    /// The last entries, in order.
    pub(crate) async fn tail(&self, count: u32) -> Result<Vec<AuditEntry>, WireError> {
        Ok(self.store.audit_tail(count).await?.into_iter().map(shown).collect())
    }

    /// Checks the whole log. Where this process writes and the chain is broken, a new one begins.
    pub(crate) async fn verify(&self, writes: bool) -> Result<AuditCheck, WireError> {
        let mut check = Check::default();
        let mut last = 0;
        loop {
            let rows = self.store.audit_after(last, PAGE).await?;
            let Some(end) = rows.last() else { break };
            last = end.seq;
            rows.into_iter().for_each(|row| check.entry(&entry(row)));
        }
        self.judged(check, writes).await
    }

    /// Looks at the latest entries: for the start of a process.
    pub(crate) async fn look(&self, writes: bool) -> Result<AuditCheck, WireError> {
        let mut rows = self.store.audit_tail(LATEST).await?.into_iter().map(entry);
        let mut check = match rows.next() {
            Some(first) if first.seq == 1 => {
                let mut check = Check::default();
                check.entry(&first);
                check
            }
            Some(first) => Check::after(&first),
            None => Check::default(),
        };
        rows.for_each(|entry| check.entry(&entry));
        self.judged(check, writes).await
    }

    /// Whether a chain before the one that is being written was broken: for no other reason one begins.
    pub(crate) async fn is_anew(&self) -> Result<bool, WireError> {
        Ok(self.store.audit_head().await?.is_some_and(|head| head.chain > 1))
    }

    /// Every entry as a line of JSON, in order. Returns how many there are.
    pub(crate) async fn write(&self, to: &Path) -> Result<u64, WireError> {
        let unwritten = |error: std::io::Error| {
            let message = format!("{} cannot be written: {error}", to.display());
            WireError::new(ErrorCode::Storage, message, "Choose another place.")
        };
        let mut file = tokio::fs::File::create(to).await.map_err(unwritten)?;
        let (mut last, mut count) = (0, 0);
        loop {
            let rows = self.store.audit_after(last, PAGE).await?;
            let Some(end) = rows.last() else { break };
            last = end.seq;
            count += rows.len() as u64;
            let lines = rows.into_iter().map(|row| json!(shown(row)).to_string() + "\n");
            file.write_all(lines.collect::<String>().as_bytes()).await.map_err(unwritten)?;
        }
        file.sync_all().await.map_err(unwritten)?;
        Ok(count)
    }

    async fn judged(&self, check: Check, writes: bool) -> Result<AuditCheck, WireError> {
        let head = self.store.audit_head().await?.map(|head| of_head(Some(head)));
        let Verified { ok, entries, broken_at, missing_to, current_ok } = check.end(head.as_ref());
        if !current_ok && writes {
            let broken = broken_at.unwrap_or_default();
            tracing::error!(
                broken,
                "the audit log was changed by another hand; a new chain begins"
            );
            let begin = |head: Option<AuditHead>, last: i64| {
                row(Head::begin_anew(last, of_head(head).chain, clock::now(), broken))
            };
            self.store.append_audit(begin).await?;
        }
        Ok(AuditCheck { ok, entries, broken_at, missing_to, current_ok })
    }
}

/// Texts cut and secrets masked, at any depth.
fn masked(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let mut cut: String = text.chars().take(TEXT_CHARS).collect();
            if cut.len() < text.len() {
                cut.push('…');
            }
            Value::String(redactor().redact(&cut).into_owned())
        }
        Value::Array(items) => items.iter().map(masked).collect(),
        Value::Object(object) => {
            object.iter().map(|(key, value)| (key.clone(), masked(value))).collect()
        }
        other => other.clone(),
    }
}

fn of_head(head: Option<AuditHead>) -> Head {
    head.map(|AuditHead { seq, chain, hash }| Head { seq, chain, hash }).unwrap_or_default()
}

fn row(entry: Entry) -> AuditRow {
    let Entry { seq, chain, record, prev, hash } = entry;
    let Record { at, kind, session, turn, body } = record;
    AuditRow { seq, chain, at, kind, session, turn, body, prev, hash }
}

fn entry(row: AuditRow) -> Entry {
    let AuditRow { seq, chain, at, kind, session, turn, body, prev, hash } = row;
    Entry { seq, chain, record: Record { at, kind, session, turn, body }, prev, hash }
}

fn shown(row: AuditRow) -> AuditEntry {
    let AuditRow { seq, chain, at, kind, session, turn, body, prev, hash } = row;
    let body = serde_json::from_str(&body).unwrap_or(Value::String(body));
    AuditEntry { seq, chain, at, kind, session, turn, body, prev, hash }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_changed_log_is_reported_and_goes_on_in_a_new_chain() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&folder.path().join("hearth.db")).await.expect("opens");
        let audit = Audit::new(store.clone());
        let note = async |n: i64| {
            let body = json!({ "n": n, "key": "sk-abcdef123456789" });
            let note = Note { kind: "tool_call", session: None, turn: None, body: &body };
            audit.note(note).await.expect("noted");
        };
        assert!(audit.verify(true).await.expect("reads").ok, "an empty log is whole");
        for n in 1..=3 {
            note(n).await;
        }
        let good = audit.verify(true).await.expect("reads");
        assert_eq!((good.ok, good.entries), (true, 3));
        assert!(audit.look(true).await.expect("reads").ok);
        let rows = audit.tail(9).await.expect("reads");
        assert_eq!(rows[2].body, json!({"n": 3, "key": "sk-***"}));

        store.tamper_with_audit(2).await;
        let bad = audit.verify(true).await.expect("reads");
        assert_eq!((bad.ok, bad.broken_at, bad.current_ok), (false, Some(2), false));
        note(4).await;
        let after = audit.verify(true).await.expect("reads");
        assert_eq!(
            (after.ok, after.broken_at, after.current_ok, after.entries),
            (false, Some(2), true, 5)
        );
        assert!(audit.is_anew().await.expect("reads"), "for good");
        let file = folder.path().join("audit.jsonl");
        assert_eq!(audit.write(&file).await.expect("writes"), 5);
        let text = std::fs::read_to_string(&file).expect("reads");
        let lines: Vec<AuditEntry> =
            text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
        assert_eq!(lines, audit.tail(9).await.expect("reads"));
    }
}
