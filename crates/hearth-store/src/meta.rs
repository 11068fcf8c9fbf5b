//! Single values the engine wants to find again, by name.

use crate::{Result, Store};

impl Store {
    /// The value under a name.
    ///
    /// # Errors
    /// The database's.
    pub async fn meta(&self, key: &str) -> Result<Option<String>> {
        let value = sqlx::query_scalar("SELECT value FROM meta WHERE key = ?").bind(key);
        Ok(value.fetch_optional(self.read()).await?)
    }

    /// Sets the value under a name; none removes it.
    ///
    /// # Errors
    /// The database's.
    pub async fn set_meta(&self, key: &str, value: Option<&str>) -> Result<()> {
        let mut tx = self.write().await?;
        let statement = match value {
            Some(value) => sqlx::query(
                "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            )
            .bind(key)
            .bind(value),
            None => sqlx::query("DELETE FROM meta WHERE key = ?").bind(key),
        };
        statement.execute(&mut *tx).await?;
        Ok(tx.commit().await?)
    }
}
