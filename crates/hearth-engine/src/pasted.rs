//! Files pasted into the composer as bytes: kept under the home until their message is sent.
//!
//! Invariants: a name never leads out of the folder; nothing in it is older than a day once another file
//! comes. Which kinds of files a message takes is decided where it is sent (`attach`).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hearth_protocol::{Attachment, ErrorCode, WireError};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const MAX_BYTES: usize = 10 * 1024 * 1024;
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Writes the bytes under a name of their own and answers with where they lie.
pub(crate) async fn keep(
    folder: PathBuf,
    name: String,
    media_type: String,
    data: String,
) -> Result<Attachment, WireError> {
    if data.len() > MAX_BYTES.div_ceil(3) * 4 {
        return Err(refused(&name, "it has more than 10 MB", "Save it to a smaller file first."));
    }
    let decoded = STANDARD.decode(data);
    let bytes = decoded.map_err(|error| refused(&name, &error.to_string(), ""))?;
    let name = plain(&name);
    let path = folder.join(format!("{:016x}-{name}", rand::random::<u64>()));
    let target = path.clone();
    let written = tokio::task::spawn_blocking(move || write(&folder, &target, &bytes)).await;
    let written = written.unwrap_or_else(|error| Err(std::io::Error::other(error)));
    written.map_err(|error| {
        let message = format!("The pasted file cannot be kept: {error}");
        WireError::new(ErrorCode::Storage, message, "Check the free space and the home folder.")
    })?;
    Ok(Attachment { name, media_type, path: path.display().to_string() })
}

fn write(folder: &Path, target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    sweep(folder, SystemTime::now());
    std::fs::write(target, bytes)
}

/// Deletes what is older than a day. What cannot be deleted is tried again the next time.
fn sweep(folder: &Path, now: SystemTime) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let changed = entry.metadata().and_then(|meta| meta.modified());
        let old = changed.is_ok_and(|at| now.duration_since(at).is_ok_and(|age| age > KEPT));
        if old && let Err(error) = std::fs::remove_file(entry.path()) {
            tracing::warn!(%error, "an old pasted file stays");
        }
    }
}

/// The last part of a name, without what a file system or a reader could take for more than a name.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String =
        last.chars().filter(|c| !c.is_control() && !r#"<>:"|?*"#.contains(*c)).take(80).collect();
    match kept.trim_matches(['.', ' ']) {
        "" => "file".to_owned(),
        name => name.to_owned(),
    }
}

fn refused(name: &str, why: &str, hint: &str) -> WireError {
    WireError::new(ErrorCode::InvalidRequest, format!("{name} cannot be given along: {why}"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn kept(folder: &Path, name: &str, bytes: &[u8]) -> Result<Attachment, WireError> {
        let data = STANDARD.encode(bytes);
        keep(folder.to_path_buf(), name.to_owned(), "image/png".to_owned(), data).await
    }

    #[tokio::test]
    async fn bytes_are_kept_under_a_harmless_name() {
        let folder = tempfile::tempdir().unwrap();
        let names = [
            ("a.png", "a.png"),
            ("../../x.png", "x.png"),
            ("..", "file"),
            ("c:\\图\u{7}.png", "图.png"),
        ];
        for (given, name) in names {
            let attachment = kept(folder.path(), given, b"bytes").await.unwrap();
            assert_eq!(attachment.name, name);
            assert_eq!(Path::new(&attachment.path).parent(), Some(folder.path()));
            assert_eq!(std::fs::read(&attachment.path).unwrap(), b"bytes");
        }
    }

    #[tokio::test]
    async fn too_much_and_what_is_no_base64_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = kept(folder.path(), "big.png", &vec![0; MAX_BYTES + 3]).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        let path = folder.path().to_path_buf();
        let error = keep(path, "x".to_owned(), String::new(), "*".to_owned()).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn nothing_stays_longer_than_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let old = kept(folder.path(), "old.png", b"1").await.unwrap();
        sweep(folder.path(), SystemTime::now() + KEPT / 2);
        assert!(Path::new(&old.path).exists());
        sweep(folder.path(), SystemTime::now() + KEPT * 2);
        assert!(!Path::new(&old.path).exists());
    }
}
