//! Budgets: what a call may cost is reserved before it is sent and settled after it.

use crate::catalogue::Model;
use crate::clock;
use crate::engine::Inner;
use crate::settings::{BUILT_IN_MODEL, Settings};
use hearth_protocol::{ModelReply, Purpose, SessionKey, TokenUsage, TurnId, Usage, WireError};
use hearth_store::{Estimate, Limits, Refusal, Reservation, ReservationId, Scope, UsageEntry};

/// What a person can do about a budget that is used up.
pub(crate) const HINT: &str = "Raise it in hearth.toml, wait for the next one, or use the built-in model, \
                               which is free (`hearth models pull local/qwen`).";

/// Share of each budget for calls that no person waits for.
const BACKGROUND_SHARE: f64 = 0.8;

/// Whom a call is booked on.
pub(crate) struct Account<'a> {
    pub(crate) session: &'a SessionKey,
    pub(crate) turn: &'a TurnId,
    pub(crate) purpose: Purpose,
}

/// A call that may be sent.
pub(crate) enum Permit {
    /// It costs something; what it may cost is put aside.
    Reserved(ReservationId),
    /// The built-in model costs nothing.
    Free,
}

/// Puts aside what a call of `tokens` prompt tokens may cost.
///
/// # Errors
/// `Ok(Err(why))`: a budget is used up. `Err`: the database's.
pub(crate) async fn reserve(
    engine: &Inner,
    settings: &Settings,
    model: &Model,
    tokens: u64,
    account: &Account<'_>,
) -> Result<Result<Permit, String>, WireError> {
    if model.built_in {
        return Ok(Ok(Permit::Free));
    }
    let limits = limits(settings, account.purpose);
    let estimate = Estimate {
        session: Some(account.session.clone()),
        turn: Some(account.turn.clone()),
        ..estimate(settings, model, tokens, account.purpose)
    };
    Ok(match engine.store.reserve(&limits, &estimate).await? {
        Reservation::Granted(id) => Ok(Permit::Reserved(id)),
        Reservation::Refused(refusal) => Err(refused(&refusal)),
    })
}

/// Why a call of a turn that nobody waits for would not fit into a budget; none where it would, or where the
/// built-in model takes it on. What the prompt needs is not known: it is taken as empty.
///
/// # Errors
/// The database's.
pub(crate) async fn over(engine: &Inner, purpose: Purpose) -> Result<Option<String>, WireError> {
    let settings = engine.settings.current();
    // A model that cannot be found is said by the call itself.
    let Ok(model) = engine.catalogue.find(&settings, &settings.model_default).await else {
        return Ok(None);
    };
    if model.built_in || engine.catalogue.is_here(BUILT_IN_MODEL) {
        return Ok(None);
    }
    let estimate = estimate(&settings, &model, 0, purpose);
    let refusal = engine.store.would_refuse(&limits(&settings, purpose), &estimate).await?;
    Ok(refusal.map(|refusal| refused(&refusal)))
}

fn limits(settings: &Settings, purpose: Purpose) -> Limits {
    let zone = clock::zone(&settings.time_zone);
    let (day_start, month_start) = clock::day_and_month_start(clock::now(), zone);
    let budget = share_of(settings.budget, purpose);
    Limits {
        day_start,
        month_start,
        daily_usd: (budget.daily_usd > 0.0).then_some(budget.daily_usd),
        daily_tokens: (budget.daily_tokens > 0).then_some(budget.daily_tokens),
        monthly_usd: (budget.monthly_usd > 0.0).then_some(budget.monthly_usd),
        monthly_tokens: (budget.monthly_tokens > 0).then_some(budget.monthly_tokens),
    }
}

/// What a call of nobody's may cost.
fn estimate(settings: &Settings, model: &Model, tokens: u64, purpose: Purpose) -> Estimate {
    let (at, reply) = (clock::now(), model.output_reserve());
    Estimate {
        at,
        day: clock::day(at, clock::zone(&settings.time_zone)),
        session: None,
        turn: None,
        model: model.id.clone(),
        purpose,
        tokens: tokens + reply,
        usd: model.usd(&TokenUsage { input: tokens, cached: 0, output: reply }),
    }
}

/// What nobody waits for stops first: the last fifth of each budget is kept for the person.
fn share_of(budget: crate::settings::Limits, purpose: Purpose) -> crate::settings::Limits {
    let share = match purpose {
        Purpose::Heartbeat | Purpose::Cron | Purpose::Consolidation => BACKGROUND_SHARE,
        Purpose::Turn | Purpose::Flush | Purpose::Compaction | Purpose::Subagent => return budget,
    };
    // A budget of 0 is none, so the share of a small one stays above it.
    let tokens = |limit: u64| if limit == 0 { 0 } else { ((limit as f64 * share) as u64).max(1) };
    crate::settings::Limits {
        daily_usd: budget.daily_usd * share,
        daily_tokens: tokens(budget.daily_tokens),
        monthly_usd: budget.monthly_usd * share,
        monthly_tokens: tokens(budget.monthly_tokens),
    }
}

/// Books what a call used and returns it. Where the provider did not say, it is counted here.
pub(crate) async fn settle(
    engine: &Inner,
    settings: &Settings,
    model: &Model,
    permit: Permit,
    counted: u64,
    reply: &ModelReply,
    account: &Account<'_>,
) -> Usage {
    let used = reply.usage.unwrap_or_else(|| TokenUsage {
        input: counted,
        cached: 0,
        output: model.counter.count(&reply.text) + model.counter.count(&reply.reasoning),
    });
    let usage = Usage {
        model: model.id.clone(),
        input: used.input,
        cached: used.cached,
        output: used.output,
        usd: model.usd(&used),
        purpose: account.purpose,
    };
    let at = clock::now();
    let entry = UsageEntry {
        at,
        day: clock::day(at, clock::zone(&settings.time_zone)),
        session: Some(account.session.clone()),
        turn: Some(account.turn.clone()),
        usage: usage.clone(),
    };
    let booked = match permit {
        Permit::Reserved(id) => engine.store.settle(id, &entry).await,
        Permit::Free => engine.store.add_usage(&entry).await,
    };
    if let Err(error) = booked {
        tracing::error!(%error, "usage could not be booked");
    }
    usage
}

/// Gives back what was put aside for a call that never reached a model.
pub(crate) async fn release(engine: &Inner, permit: Permit) {
    if let Permit::Reserved(id) = permit
        && let Err(error) = engine.store.release(id).await
    {
        tracing::error!(%error, "a reservation could not be given back");
    }
}

fn refused(refusal: &Refusal) -> String {
    let (span, key, unit) = match refusal.scope {
        Scope::DailyUsd => ("day", "daily_usd", "US dollars"),
        Scope::DailyTokens => ("day", "daily_tokens", "tokens"),
        Scope::MonthlyUsd => ("month", "monthly_usd", "US dollars"),
        Scope::MonthlyTokens => ("month", "monthly_tokens", "tokens"),
    };
    let digits = if unit == "tokens" { 0 } else { 2 };
    format!(
        "This call does not fit into the {span}'s {:.digits$} {unit} (budget.{key}): {:.digits$} used, \
         {:.digits$} reserved.",
        refusal.limit, refusal.used, refusal.reserved
    )
}
