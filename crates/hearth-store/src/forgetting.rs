//! Forgetting: what a forgotten entry says is masked in everything that is stored, and kept aside for
//! those who change their mind.
//!
//! Invariants: masking and keeping are one transaction; what is kept aside is in no table that anything
//! searches or shows; the caller decides what says it (`mask`), this decides where to look: messages,
//! events, prompts as they were sent, titles, summaries, notices, the histories of entries and versions of
//! files.

use crate::manifests::pieces;
use crate::{Result, Store, StoreError, rim};
use hearth_protocol::{Part, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::SqliteConnection;
use std::collections::HashMap;

/// What a stored text becomes where it says what is forgotten; none where it does not.
pub type Masked<'a> = &'a (dyn Fn(&str) -> Option<String> + Send + Sync);

/// An entry to be forgotten.
pub struct Forgetting<'a> {
    /// Its id.
    pub entry: &'a str,
    /// Unix seconds.
    pub at: i64,
    /// Kept aside until then; none: erased.
    pub until: Option<i64>,
    /// What the caller needs to bring it back, JSON.
    pub files: &'a str,
    /// What texts become.
    pub mask: Masked<'a>,
    /// The turns it came from: where nothing in one says it word for word, the person's whole message goes.
    pub turns: &'a [TurnId],
    /// What stands in the place of such a message.
    pub whole: &'a str,
}

/// What is kept of a forgotten entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forgotten {
    /// Until when, Unix seconds.
    pub until: i64,
    /// The caller's part, JSON.
    pub files: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Kept {
    files: String,
    rows: Vec<Row>,
}

/// A row as it was.
#[derive(Serialize, Deserialize)]
enum Row {
    Message { id: String, parts: String },
    Event { turn: String, seq: i64, body: String },
    Title { session: String, title: String },
    History { id: i64, title: String, text: String },
    Summary { id: i64, text: String },
}

impl Store {
    /// Masks an entry everywhere; returns how many texts were changed.
    ///
    /// # Errors
    /// The database's. Nothing is masked then.
    pub async fn forget_entry(&self, what: &Forgetting<'_>) -> Result<u64> {
        let mut tx = self.write().await?;
        let mut kept = Kept { files: what.files.to_owned(), rows: Vec::new() };
        mask_messages(&mut tx, what, &mut kept.rows).await?;
        mask_events(&mut tx, what, &mut kept.rows).await?;
        mask_titles(&mut tx, what, &mut kept.rows).await?;
        mask_summaries(&mut tx, what.mask, &mut kept.rows).await?;
        mask_history(&mut tx, what, &mut kept.rows).await?;
        let prompts = mask_prompts(&mut tx, what.mask).await?;
        let asked = mask_approvals(&mut tx, what.mask).await?;
        let said = crate::notices::mask_said(&mut tx, what.mask).await?;
        let masked = kept.rows.len() as u64 + prompts + asked + said;
        sqlx::query("DELETE FROM entry_conflicts WHERE entry = ?")
            .bind(what.entry)
            .execute(&mut *tx)
            .await?;
        if let Some(until) = what.until {
            sqlx::query(
                "INSERT INTO entries_forgotten (entry, at, until, kept) VALUES (?, ?, ?, ?)
                 ON CONFLICT (entry) DO UPDATE SET at = excluded.at, until = excluded.until, kept = excluded.kept",
            )
            .bind(what.entry)
            .bind(what.at)
            .bind(until)
            .bind(rim::json(&kept)?)
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(masked)
    }

    /// What is kept of a forgotten entry; none where it was not forgotten, or was erased.
    ///
    /// # Errors
    /// The database's.
    pub async fn forgotten(&self, entry: &str) -> Result<Option<Forgotten>> {
        let row: Option<(i64, String)> =
            sqlx::query_as("SELECT until, kept FROM entries_forgotten WHERE entry = ?")
                .bind(entry)
                .fetch_optional(self.read())
                .await?;
        let Some((until, kept)) = row else { return Ok(None) };
        let kept: Kept = rim::parse_json("entries_forgotten", &kept)?;
        Ok(Some(Forgotten { until, files: kept.files }))
    }

    /// Puts the stored texts of a forgotten entry back.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], or the database's.
    pub async fn bring_back(&self, entry: &str) -> Result<()> {
        let mut tx = self.write().await?;
        let kept: Option<String> =
            sqlx::query_scalar("DELETE FROM entries_forgotten WHERE entry = ? RETURNING kept")
                .bind(entry)
                .fetch_optional(&mut *tx)
                .await?;
        let missing = || StoreError::NotFound { what: "forgotten entry", key: entry.to_owned() };
        let kept: Kept = rim::parse_json("entries_forgotten", &kept.ok_or_else(missing)?)?;
        for row in kept.rows {
            put_back(&mut tx, row).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Forgotten entries whose time to be brought back is over; what the caller kept of each.
    ///
    /// # Errors
    /// The database's.
    pub async fn forgotten_before(&self, now: i64) -> Result<Vec<(String, String)>> {
        let rows: Vec<(String, String)> =
            sqlx::query_as("SELECT entry, kept FROM entries_forgotten WHERE until <= ?")
                .bind(now)
                .fetch_all(self.read())
                .await?;
        let row = |(entry, kept): (String, String)| {
            let kept: Kept = rim::parse_json("entries_forgotten", &kept)?;
            Ok((entry, kept.files))
        };
        rows.into_iter().map(row).collect()
    }

    /// Drops what is kept of a forgotten entry, and masks it in the versions of files: it cannot be brought
    /// back any more.
    ///
    /// # Errors
    /// The database's.
    pub async fn erase_entry(&self, entry: &str, mask: Masked<'_>) -> Result<u64> {
        let mut tx = self.write().await?;
        sqlx::query("DELETE FROM entries_forgotten WHERE entry = ?")
            .bind(entry)
            .execute(&mut *tx)
            .await?;
        let contents: Vec<(String, Vec<u8>)> =
            sqlx::query_as("SELECT hash, bytes FROM contents").fetch_all(&mut *tx).await?;
        let mut masked = 0;
        for (hash, bytes) in contents {
            let Some(new) = std::str::from_utf8(&bytes).ok().and_then(mask) else { continue };
            let new_hash = blake3::hash(new.as_bytes()).to_hex().to_string();
            sqlx::query("INSERT INTO contents (hash, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING")
                .bind(&new_hash)
                .bind(new.as_bytes())
                .execute(&mut *tx)
                .await?;
            sqlx::query("UPDATE revisions SET hash = ?, bytes = ? WHERE hash = ?")
                .bind(&new_hash)
                .bind(rim::signed(new.len() as u64))
                .bind(&hash)
                .execute(&mut *tx)
                .await?;
            sqlx::query("DELETE FROM contents WHERE hash = ?")
                .bind(&hash)
                .execute(&mut *tx)
                .await?;
            masked += 1;
        }
        tx.commit().await?;
        self.scrub().await?;
        Ok(masked)
    }
}

async fn mask_messages(
    db: &mut SqliteConnection,
    what: &Forgetting<'_>,
    kept: &mut Vec<Row>,
) -> Result<()> {
    let rows: Vec<(String, Option<String>, String, String)> =
        sqlx::query_as("SELECT id, turn, role, parts FROM messages").fetch_all(&mut *db).await?;
    let mut said: HashMap<&str, bool> =
        what.turns.iter().map(|turn| (turn.as_str(), false)).collect();
    let mut whole = Vec::new();
    for (id, turn, role, old) in &rows {
        let Ok(mut parts) = rim::parse_json::<Vec<Part>>("messages", old) else { continue };
        let changed = mask_parts(&mut parts, what.mask);
        let told = turn.as_deref().and_then(|turn| said.get_mut(turn));
        if changed {
            if role == "user"
                && let Some(told) = told
            {
                *told = true;
            }
            let mut new = rim::json(&parts)?;
            // Whoever tells by its length whether a message changed must see it.
            if new.len() == old.len() {
                new.push(' ');
            }
            set_parts(db, id, &new).await?;
            kept.push(Row::Message { id: id.clone(), parts: old.clone() });
        } else if role == "user" && told.is_some() {
            whole.push((id, turn.as_deref().unwrap_or_default(), old));
        }
    }
    for (id, turn, old) in whole {
        if said.get(turn) != Some(&false) {
            continue;
        }
        let parts = vec![Part::Text { text: what.whole.to_owned() }];
        set_parts(db, id, &rim::json(&parts)?).await?;
        kept.push(Row::Message { id: id.clone(), parts: old.clone() });
    }
    Ok(())
}

async fn set_parts(db: &mut SqliteConnection, id: &str, parts: &str) -> Result<()> {
    sqlx::query("UPDATE messages SET parts = ? WHERE id = ?")
        .bind(parts)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

fn mask_parts(parts: &mut [Part], mask: Masked<'_>) -> bool {
    let mut changed = false;
    let mut text = |text: &mut String| {
        let new = mask(text);
        changed |= new.is_some();
        let hit = new.is_some();
        if let Some(new) = new {
            *text = new;
        }
        hit
    };
    for part in parts {
        match part {
            Part::Text { text: said } => drop(text(said)),
            // A signature over other words would be refused by the provider.
            Part::Reasoning { text: said, signature } => {
                if text(said) {
                    *signature = None;
                }
            }
            Part::ToolResult(result) => drop(text(&mut result.text)),
            Part::ToolCall(call) => match &mut call.arguments {
                hearth_protocol::Arguments::Malformed(said) => drop(text(said)),
                hearth_protocol::Arguments::Object(arguments) => {
                    for value in arguments.values_mut() {
                        mask_value(value, &mut |said| text(said));
                    }
                }
            },
            Part::Image { .. } => {}
        }
    }
    changed
}

fn mask_value(value: &mut Value, text: &mut dyn FnMut(&mut String) -> bool) {
    match value {
        Value::String(said) => drop(text(said)),
        Value::Array(items) => items.iter_mut().for_each(|item| mask_value(item, text)),
        Value::Object(fields) => fields.values_mut().for_each(|field| mask_value(field, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

async fn mask_events(
    db: &mut SqliteConnection,
    what: &Forgetting<'_>,
    kept: &mut Vec<Row>,
) -> Result<()> {
    let rows: Vec<(String, i64, String)> =
        sqlx::query_as("SELECT turn, seq, body FROM events").fetch_all(&mut *db).await?;
    for (turn, seq, old) in rows {
        let Ok(mut body) = serde_json::from_str::<Value>(&old) else { continue };
        let mut changed = false;
        mask_value(&mut body, &mut |said| {
            let new = (what.mask)(said);
            changed |= new.is_some();
            let hit = new.is_some();
            if let Some(new) = new {
                *said = new;
            }
            hit
        });
        if !changed {
            continue;
        }
        sqlx::query("UPDATE events SET body = ? WHERE turn = ? AND seq = ?")
            .bind(rim::json(&body)?)
            .bind(&turn)
            .bind(seq)
            .execute(&mut *db)
            .await?;
        kept.push(Row::Event { turn, seq, body: old });
    }
    Ok(())
}

async fn mask_titles(
    db: &mut SqliteConnection,
    what: &Forgetting<'_>,
    kept: &mut Vec<Row>,
) -> Result<()> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT key, title FROM sessions").fetch_all(&mut *db).await?;
    for (session, title) in rows {
        let Some(new) = (what.mask)(&title) else { continue };
        sqlx::query("UPDATE sessions SET title = ? WHERE key = ?")
            .bind(new)
            .bind(&session)
            .execute(&mut *db)
            .await?;
        kept.push(Row::Title { session, title });
    }
    Ok(())
}

async fn mask_summaries(
    db: &mut SqliteConnection,
    mask: Masked<'_>,
    kept: &mut Vec<Row>,
) -> Result<()> {
    let rows: Vec<(i64, String)> =
        sqlx::query_as("SELECT id, summary FROM compactions").fetch_all(&mut *db).await?;
    for (id, text) in rows {
        let Some(new) = mask(&text) else { continue };
        set_summary(db, id, &new).await?;
        kept.push(Row::Summary { id, text });
    }
    Ok(())
}

async fn set_summary(db: &mut SqliteConnection, id: i64, text: &str) -> Result<()> {
    sqlx::query("UPDATE compactions SET summary = ? WHERE id = ?")
        .bind(text)
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}

/// The history of the entry itself loses its words, and so does any other that says the same.
async fn mask_history(
    db: &mut SqliteConnection,
    what: &Forgetting<'_>,
    kept: &mut Vec<Row>,
) -> Result<()> {
    let rows: Vec<(i64, String, String, String)> =
        sqlx::query_as("SELECT id, entry, title, text FROM entry_events")
            .fetch_all(&mut *db)
            .await?;
    for (id, entry, title, text) in rows {
        let says = (what.mask)(&text).is_some() || (what.mask)(&title).is_some();
        if entry != what.entry && !says || title.is_empty() && text.is_empty() {
            continue;
        }
        sqlx::query("UPDATE entry_events SET title = '', text = '' WHERE id = ?")
            .bind(id)
            .execute(&mut *db)
            .await?;
        kept.push(Row::History { id, title, text });
    }
    Ok(())
}

/// What the person was asked. It is not put back: nobody reads it again.
async fn mask_approvals(db: &mut SqliteConnection, mask: Masked<'_>) -> Result<u64> {
    let rows: Vec<(String, String)> =
        sqlx::query_as("SELECT id, arguments FROM approvals").fetch_all(&mut *db).await?;
    let mut masked = 0;
    for (id, old) in rows {
        let Ok(mut arguments) = serde_json::from_str::<Value>(&old) else { continue };
        let mut changed = false;
        mask_value(&mut arguments, &mut |said| {
            let new = mask(said);
            let hit = new.is_some();
            changed |= hit;
            if let Some(new) = new {
                *said = new;
            }
            hit
        });
        if !changed {
            continue;
        }
        sqlx::query("UPDATE approvals SET arguments = ? WHERE id = ?")
            .bind(rim::json(&arguments)?)
            .bind(&id)
            .execute(&mut *db)
            .await?;
        masked += 1;
    }
    Ok(masked)
}

/// Prompts as they were sent: each section that says it is stored anew. A section that many calls share is
/// looked at once.
async fn mask_prompts(db: &mut SqliteConnection, mask: Masked<'_>) -> Result<u64> {
    let rows: Vec<(String, u32, String)> =
        sqlx::query_as("SELECT turn, step, pieces FROM manifests").fetch_all(&mut *db).await?;
    let mut seen: HashMap<Vec<String>, Option<Vec<String>>> = HashMap::new();
    let mut masked = 0;
    for (turn, step, names) in rows {
        let mut names: Vec<Vec<String>> = rim::parse_json("manifests", &names)?;
        let mut changed = false;
        for section in &mut names {
            if !seen.contains_key(section) {
                let new = masked_section(db, section, mask).await?;
                masked += u64::from(new.is_some());
                seen.insert(section.clone(), new);
            }
            if let Some(Some(new)) = seen.get(section) {
                section.clone_from(new);
                changed = true;
            }
        }
        if changed {
            sqlx::query("UPDATE manifests SET pieces = ? WHERE turn = ? AND step = ?")
                .bind(rim::json(&names)?)
                .bind(&turn)
                .bind(step)
                .execute(&mut *db)
                .await?;
        }
    }
    if masked > 0 {
        sqlx::query(
            "DELETE FROM texts WHERE hash NOT IN (
                 SELECT piece.value FROM manifests, json_each(manifests.pieces) section, json_each(section.value) piece)",
        )
        .execute(&mut *db)
        .await?;
    }
    Ok(masked)
}

/// The pieces of a section without what is forgotten; none where it does not say it.
async fn masked_section(
    db: &mut SqliteConnection,
    names: &[String],
    mask: Masked<'_>,
) -> Result<Option<Vec<String>>> {
    let mut text = String::new();
    for name in names {
        let piece: Option<String> = sqlx::query_scalar("SELECT text FROM texts WHERE hash = ?")
            .bind(name)
            .fetch_optional(&mut *db)
            .await?;
        text.push_str(&piece.unwrap_or_default());
    }
    let Some(new) = mask(&text) else { return Ok(None) };
    let mut hashes = Vec::new();
    for (hash, piece) in pieces(&new) {
        sqlx::query("INSERT INTO texts (hash, text) VALUES (?, ?) ON CONFLICT DO NOTHING")
            .bind(&hash)
            .bind(piece)
            .execute(&mut *db)
            .await?;
        hashes.push(hash);
    }
    Ok(Some(hashes))
}

async fn put_back(db: &mut SqliteConnection, row: Row) -> Result<()> {
    match row {
        Row::Message { id, parts } => set_parts(db, &id, &parts).await?,
        Row::Event { turn, seq, body } => {
            let query = sqlx::query("UPDATE events SET body = ? WHERE turn = ? AND seq = ?");
            query.bind(body).bind(turn).bind(seq).execute(db).await?;
        }
        Row::Title { session, title } => {
            let query = sqlx::query("UPDATE sessions SET title = ? WHERE key = ?");
            query.bind(title).bind(session).execute(db).await?;
        }
        Row::History { id, title, text } => {
            let query = sqlx::query("UPDATE entry_events SET title = ?, text = ? WHERE id = ?");
            query.bind(title).bind(text).bind(id).execute(db).await?;
        }
        Row::Summary { id, text } => set_summary(db, id, &text).await?,
    }
    Ok(())
}
