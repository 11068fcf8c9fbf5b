//! SHA-256 of files too large to hold.

use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{Read, Result};
use std::path::{Path, PathBuf};

/// Lower-case hexadecimal SHA-256 of a file, computed off the async threads.
pub(crate) async fn sha256(path: &Path) -> Result<String> {
    let path: PathBuf = path.to_path_buf();
    tokio::task::spawn_blocking(move || hash(&path)).await.map_err(std::io::Error::other)?
}

fn hash(path: &Path) -> Result<String> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut block = vec![0; 1 << 20];
    loop {
        match file.read(&mut block)? {
            0 => break,
            read => digest.update(&block[..read]),
        }
    }
    Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}
