//! What each model call was given, texts included.
//!
//! Texts are kept once: a section is cut from its beginning into pieces of about 4 KiB, and a piece
//! that is stored already is only named again. Persona files cost their size once, and a history that
//! grows at its end costs its new end.

use crate::{Result, Store, StoreError, rim};
use hearth_protocol::{ContextManifest, SessionKey, TurnId};
use sqlx::SqliteConnection;
use std::collections::HashMap;

const PIECE_BYTES: usize = 4096;

/// A manifest and the call it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredManifest {
    /// Number of the call within its session, from 1.
    pub call: u64,
    /// The turn.
    pub turn: TurnId,
    /// The model call within its turn, from 1.
    pub step: u32,
    /// Sections with their texts.
    pub manifest: ContextManifest,
}

impl Store {
    /// Stores what a model call is given. The same step again (after a compaction) replaces it.
    ///
    /// # Errors
    /// The database's.
    pub async fn save_manifest(
        &self,
        turn: &TurnId,
        step: u32,
        manifest: &ContextManifest,
    ) -> Result<()> {
        let texts = manifest.sections.iter().map(|section| section.text.as_deref().unwrap_or(""));
        let cut: Vec<Vec<(String, &str)>> = texts.map(pieces).collect();
        let names: Vec<Vec<&String>> =
            cut.iter().map(|section| section.iter().map(|(hash, _)| hash).collect()).collect();
        let names = rim::json(&names)?;
        let bare = rim::json(&without_texts(manifest))?;
        let texts: HashMap<&str, &str> =
            cut.iter().flatten().map(|(hash, text)| (hash.as_str(), *text)).collect();
        let mut tx = self.write().await?;
        for hash in missing(&mut tx, &names).await? {
            let Some(text) = texts.get(hash.as_str()) else { continue };
            sqlx::query("INSERT INTO texts (hash, text) VALUES (?, ?)")
                .bind(&hash)
                .bind(*text)
                .execute(&mut *tx)
                .await?;
        }
        sqlx::query(
            "INSERT INTO manifests (turn, step, manifest, pieces) VALUES (?, ?, ?, ?)
             ON CONFLICT (turn, step) DO UPDATE SET manifest = excluded.manifest, pieces = excluded.pieces",
        )
        .bind(turn.as_str())
        .bind(step)
        .bind(bare)
        .bind(&names)
        .execute(&mut *tx)
        .await?;
        Ok(tx.commit().await?)
    }

    /// The manifest of a step of a turn; of its last one if not said.
    ///
    /// # Errors
    /// The database's.
    pub async fn manifest_of(
        &self,
        turn: &TurnId,
        step: Option<u32>,
    ) -> Result<Option<StoredManifest>> {
        self.one_manifest(Which { turn: Some(turn), step, ..Which::default() }).await
    }

    /// The manifest of a session's n-th model call, counted from 1; of its last one if not said.
    ///
    /// # Errors
    /// The database's.
    pub async fn manifest(
        &self,
        session: &SessionKey,
        call: Option<u64>,
    ) -> Result<Option<StoredManifest>> {
        self.one_manifest(Which { session: Some(session), call, ..Which::default() }).await
    }

    /// The last one of those that are meant.
    async fn one_manifest(&self, which: Which<'_>) -> Result<Option<StoredManifest>> {
        let mut db = self.snapshot().await?;
        let row: Option<ManifestRow> = sqlx::query_as(
            "SELECT * FROM (
                 SELECT row_number() OVER (ORDER BY t.position, m.step) AS call,
                     m.turn, m.step, m.manifest, m.pieces
                 FROM turns t JOIN manifests m ON m.turn = t.id
                 WHERE t.session = coalesce(?1, (SELECT session FROM turns WHERE id = ?2)))
             WHERE (?2 IS NULL OR turn = ?2) AND (?3 IS NULL OR step = ?3)
                 AND (?4 IS NULL OR call = ?4)
             ORDER BY call DESC LIMIT 1",
        )
        .bind(which.session.map(SessionKey::as_str))
        .bind(which.turn.map(TurnId::as_str))
        .bind(which.step)
        .bind(which.call.map(rim::signed))
        .fetch_optional(&mut *db)
        .await?;
        match row {
            Some(row) => Ok(Some(row.parse(&mut db).await?)),
            None => Ok(None),
        }
    }
}

/// Which manifests are meant: those of a session, or of a turn.
#[derive(Default)]
struct Which<'a> {
    session: Option<&'a SessionKey>,
    turn: Option<&'a TurnId>,
    step: Option<u32>,
    call: Option<u64>,
}

fn without_texts(manifest: &ContextManifest) -> ContextManifest {
    let mut bare = manifest.clone();
    for section in &mut bare.sections {
        section.text = None;
    }
    bare
}

/// Cuts a text at characters, each piece with its hash. 128 bits tell all texts of a home apart.
pub(crate) fn pieces(text: &str) -> Vec<(String, &str)> {
    let mut rest = text;
    let mut out = Vec::with_capacity(text.len() / PIECE_BYTES + 1);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE_BYTES));
        let hash = blake3::hash(piece.as_bytes()).to_hex();
        out.push((hash[..32].to_owned(), piece));
        rest = after;
    }
    out
}

/// The hashes among these (JSON lists) that no text is stored for.
async fn missing(db: &mut SqliteConnection, names: &str) -> Result<Vec<String>> {
    let rows = sqlx::query_scalar(
        "SELECT DISTINCT value FROM json_tree(?) WHERE type = 'text'
             AND NOT EXISTS (SELECT 1 FROM texts WHERE hash = value)",
    );
    Ok(rows.bind(names).fetch_all(db).await?)
}

/// The pieces that a session's manifests name, as JSON lists.
pub(crate) async fn pieces_of(
    db: &mut SqliteConnection,
    session: &SessionKey,
) -> Result<Vec<String>> {
    let rows = sqlx::query_scalar(
        "SELECT m.pieces FROM turns t JOIN manifests m ON m.turn = t.id WHERE t.session = ?",
    );
    Ok(rows.bind(session.as_str()).fetch_all(db).await?)
}

/// Drops those pieces which no manifest names any more.
pub(crate) async fn drop_unused(db: &mut SqliteConnection, pieces: &[String]) -> Result<()> {
    if pieces.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "DELETE FROM texts
         WHERE hash IN (SELECT value FROM json_tree(?) WHERE type = 'text')
             AND hash NOT IN (SELECT j.value FROM manifests m, json_tree(m.pieces) j WHERE j.type = 'text')",
    )
    .bind(format!("[{}]", pieces.join(",")))
    .execute(db)
    .await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct ManifestRow {
    call: i64,
    turn: String,
    step: u32,
    manifest: String,
    pieces: String,
}

impl ManifestRow {
    async fn parse(self, db: &mut SqliteConnection) -> Result<StoredManifest> {
        let mut manifest: ContextManifest = rim::parse_json("manifests", &self.manifest)?;
        let pieces: Vec<Vec<String>> = rim::parse_json("manifests", &self.pieces)?;
        let rows: Vec<(String, String)> = sqlx::query_as(
            "SELECT hash, text FROM texts
             WHERE hash IN (SELECT value FROM json_tree(?) WHERE type = 'text')",
        )
        .bind(&self.pieces)
        .fetch_all(db)
        .await?;
        let texts: HashMap<String, String> = rows.into_iter().collect();
        for (section, hashes) in manifest.sections.iter_mut().zip(&pieces) {
            section.text = Some(assemble(&texts, hashes)?);
        }
        let call = rim::unsigned(self.call);
        Ok(StoredManifest { call, turn: TurnId(self.turn), step: self.step, manifest })
    }
}

fn assemble(texts: &HashMap<String, String>, hashes: &[String]) -> Result<String> {
    let lost = || StoreError::Row { table: "texts", why: "a piece is missing".to_owned() };
    hashes.iter().map(|hash| texts.get(hash).map(String::as_str).ok_or_else(lost)).collect()
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn a_growing_text_shares_its_beginning() {
        let short = "好天气 ".repeat(1000);
        let long = format!("{short}and more");
        let (short, long) = (pieces(&short), pieces(&long));
        assert_eq!(short.len(), 3);
        assert_eq!(short[..2], long[..2]);
        assert_ne!(short[2].0, long[2].0);
        assert!(pieces("").is_empty());
    }
}
