//! The audit log, and why a call would run or not.

use crate::engine::Access;
use crate::{Engine, driver, guard};
use hearth_guard::command::Allowed;
use hearth_guard::{Class, Judgement, Request, Shell, Source, Taint, Verdict, class, policy};
use hearth_protocol::api::guard::{AuditCheck, AuditEntry, Explain, Explained};
use hearth_protocol::{ErrorCode, WireError};
use serde_json::Value;
use std::path::Path;

/// The last entries of the audit log, in order.
///
/// # Errors
/// The database's.
pub async fn audit_tail(engine: &Engine, count: u32) -> Result<Vec<AuditEntry>, WireError> {
    engine.inner.audit.tail(count).await
}

/// Checks the audit log from its first entry on.
///
/// # Errors
/// The database's.
pub async fn audit_verify(engine: &Engine) -> Result<AuditCheck, WireError> {
    let inner = &engine.inner;
    inner.audit.verify(inner.access == Access::Own).await
}

/// Writes every entry of the audit log into a file, one a line, as JSON. Returns how many there are.
///
/// # Errors
/// `storage` where it cannot be written.
pub async fn audit_export(engine: &Engine, path: String) -> Result<u64, WireError> {
    engine.inner.audit.write(Path::new(&path)).await
}

/// Whether there is a tool of this name now.
#[must_use]
pub fn has_tool(engine: &Engine, name: &str) -> bool {
    engine.inner.tools.get(name).is_some()
        || class::is_built_in(name) && crate::driver::is_own(name)
}

/// What would become of a call of the person's assistant, if they can be asked: after what the turns of a
/// conversation have read, or in the first turn of a new one.
///
/// # Errors
/// `invalid_request` where the arguments are no object, or the shell is none.
pub async fn explain(engine: &Engine, ask: &Explain) -> Result<Explained, WireError> {
    let invalid =
        |message: &str, hint: &str| WireError::new(ErrorCode::InvalidRequest, message, hint);
    let Value::Object(arguments) = &ask.arguments else {
        return Err(invalid("the arguments are no JSON object", "Give them as {\"name\": value}."));
    };
    let shell = match ask.shell.as_deref() {
        None => Shell::here(),
        Some(name) => serde_json::from_value(Value::String(name.to_owned()))
            .map_err(|_| invalid("there is no such shell", "Name sh, cmd or powershell."))?,
    };
    let inner = &engine.inner;
    inner.settings.refresh();
    let tool = inner.tools.get(&ask.tool);
    if tool.is_none() && !class::is_built_in(&ask.tool) {
        let why = format!("there is no tool {}", ask.tool);
        return Ok(Explained { verdict: "deny".to_owned(), rule: "unknown".to_owned(), why });
    }
    let class = tool.map_or(Class::of_tool(&ask.tool), |tool| guard::class(tool.descriptor()));
    let mut policy: policy::Policy = guard::policy(inner);
    if let Some(allow) = &ask.allow {
        policy = policy.with_commands(Allowed::new(allow));
    }
    let mut taint = Taint::new(true);
    if let Some(session) = &ask.session {
        inner.taints.recall(session).await?;
        taint = inner.taints.of(session);
    }
    // As each turn begins.
    for source in guard::remembers(inner).await {
        taint.read(source, "");
    }
    if driver::all_tools(inner, None).iter().any(|tool| tool.outside) {
        taint.read(Source::Described, "");
    }
    if ask.tainted {
        taint.read(Source::Web, "");
    }
    let holds_secret = crate::logging::redactor().finds(&ask.arguments.to_string());
    let judge = |taint: &Taint| {
        policy.judge(&Request {
            tool: &ask.tool,
            class,
            arguments,
            by_person: true,
            taint,
            narrowed_to: None,
            holds_secret,
            shell,
            confined: guard::is_confined(),
        })
    };
    if let Some(said) = &ask.said {
        taint.said(said);
    }
    let Judgement { verdict, rule, mut why } = judge(&taint);
    if ask.said.is_none() && class == Class::Remember && verdict == Verdict::Ask {
        // What will be said in the turn is not known here.
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        taint.said(&format!("{} {}", text("title"), text("text")));
        if judge(&taint).verdict == Verdict::Allow {
            why = format!("{why}; in the words that you just said it would not be asked about");
        }
    }
    let verdict = format!("{verdict:?}").to_lowercase();
    Ok(Explained { verdict, rule, why })
}
