//! How long a server asks us to pause.

use super::header;
use chrono::{DateTime, Utc};
use hearth_protocol::Retry;
use reqwest::header::HeaderMap;

/// Longer pauses are shown to the person instead of being taken in silence.
const LONGEST_SILENT_MS: u64 = 60_000;
/// Longer ones are no time to tell anybody.
const LONGEST_SANE_MS: u64 = 31 * 24 * 3600 * 1000;

/// The retry of an answer with these headers. Nonsense, zero and the past are as if absent.
pub(crate) fn retry_of(headers: &HeaderMap, now: DateTime<Utc>) -> Retry {
    let in_ms = header(headers, "retry-after-ms").and_then(|text| milliseconds(text, 1.0));
    let ms = in_ms.or_else(|| {
        let text = header(headers, "retry-after")?;
        milliseconds(text, 1000.0).or_else(|| until(text, headers, now))
    });
    match ms {
        None | Some(0) => Retry::Backoff,
        Some(ms) if ms <= LONGEST_SILENT_MS => Retry::After { ms },
        Some(ms) => Retry::Ask { ms: (ms <= LONGEST_SANE_MS).then_some(ms) },
    }
}

/// A pause that is not taken, in words; it stands behind other sentences.
pub(crate) fn said(ms: Option<u64>) -> String {
    let Some(ms) = ms else { return " It names no sensible time to try again.".to_owned() };
    let seconds = ms.div_ceil(1000);
    let time = match seconds {
        0..600 => format!("{seconds} seconds"),
        600..7_200 => format!("{} minutes", seconds.div_ceil(60)),
        7_200..172_800 => format!("{} hours", seconds.div_ceil(3_600)),
        _ => format!("{} days", seconds.div_ceil(86_400)),
    };
    format!(" It will answer again in {time}.")
}

fn milliseconds(text: &str, unit: f64) -> Option<u64> {
    let number: f64 = text.parse().ok().filter(|number: &f64| number.is_finite())?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let ms = (number * unit).ceil() as u64;
    Some(ms)
}

/// An HTTP date, measured from the server's own clock where it sent that.
fn until(text: &str, headers: &HeaderMap, now: DateTime<Utc>) -> Option<u64> {
    let at = DateTime::parse_from_rfc2822(text).ok()?;
    let server_now =
        header(headers, "date").and_then(|date| DateTime::parse_from_rfc2822(date).ok());
    let from = server_now.map_or(now, |date| date.with_timezone(&Utc));
    u64::try_from((at.with_timezone(&Utc) - from).num_milliseconds()).ok()
}
