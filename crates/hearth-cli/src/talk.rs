//! One turn in the terminal: its events shown as they come, stopped by Ctrl-C.

use crate::access::Reach;
use crate::plain::plain;
use crate::prompts::Prompts;
use crate::terminal::{Failure, print, print_json, redraw, sentence, warn, watched};
use crate::typed::Typed;
use hearth_engine::api::chat::{Command, asked};
use hearth_engine::door::Call;
use hearth_protocol::api::chat::{Submit, Submitted};
use hearth_protocol::api::system::{ReadingProgress, Signal};
use hearth_protocol::{ApprovalState, Event, EventBody, ProviderState, SessionKey, StopReason};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Runs a turn and shows it. `Ok(false)`: it did not end well, and that was said.
///
/// What a person types meanwhile answers what the turn asks, stops it, or is kept for later.
pub(crate) async fn turn(
    reach: &Reach,
    request: Submit,
    json: bool,
    mut typed: Option<&mut Typed>,
) -> Result<bool, Failure> {
    let session = request.session.clone();
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let mut forward = move |signal| {
        let _ = sender.send(signal);
    };
    let answers = typed.is_some();
    let prompts = answers.then(Prompts::default);
    let mut screen = Screen { json, line_open: false, failed: false, prompts };
    let mut silence = Silence::new(watched() && !json);
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    let asking = reach.call(Call::Ask { submit: request, answers }, &mut forward);
    tokio::pin!(asking);
    let mut interrupts = interrupts();
    let mut stops = 0;
    let result = loop {
        tokio::select! {
            // Events before the answer: the answer comes last.
            biased;
            Some(signal) = receiver.recv() => match screen.hear(signal, &mut silence) {
                Err(Failure::PipeClosed) => {
                    reach.stop(&session).await;
                    return Err(Failure::PipeClosed);
                }
                shown => shown?,
            },
            _ = tick.tick(), if !screen.line_open && !screen.asks() => silence.grew(),
            Some(()) = interrupts.recv() => {
                stops += 1;
                if stops > 1 {
                    return Err(Failure::Told);
                }
                let (reach, session) = (reach.clone(), session.clone());
                tokio::spawn(async move { reach.stop(&session).await });
            }
            line = typed_now(&mut typed) => match line {
                Some(line) => screen.take(line, reach, &session, &mut typed),
                None => typed = None,
            },
            result = &mut asking => break result,
        }
    };
    silence.broken();
    while let Ok(signal) = receiver.try_recv() {
        screen.hear(signal, &mut silence)?;
    }
    screen.end_line()?;
    match serde_json::from_value(result?)? {
        Submitted::Command { text } if json => print_json(&serde_json::json!({ "command": text }))?,
        Submitted::Command { text } => print(&plain(text.trim_end()))?,
        Submitted::Duplicate => warn("this message came before; nothing was done"),
        Submitted::Turn { .. } | Submitted::Steered { .. } => {}
    }
    Ok(!screen.failed)
}

/// What a person at a terminal sees while nothing comes: a model that is loaded or reads takes its time.
struct Silence {
    watched: bool,
    since: Instant,
    drawn: bool,
    /// How much of the prompt the built-in model has read, in percent.
    read: Option<u64>,
}

impl Silence {
    /// Shorter ones are nobody's concern.
    const SHORT: Duration = Duration::from_secs(2);

    fn new(watched: bool) -> Self {
        Self { watched, since: Instant::now(), drawn: false, read: None }
    }

    fn grew(&mut self) {
        let lasted = self.since.elapsed();
        if self.watched && lasted >= Self::SHORT {
            self.drawn = true;
            let seconds = lasted.as_secs();
            redraw(&match self.read {
                Some(percent) => format!("reading, {percent} % ({seconds} s); Ctrl-C stops"),
                None => format!("waiting for the model, {seconds} s so far; Ctrl-C stops"),
            });
        }
    }

    fn broken(&mut self) {
        self.since = Instant::now();
        self.read = None;
        if std::mem::take(&mut self.drawn) {
            redraw("");
        }
    }
}

/// The next line typed; never, where nobody types.
async fn typed_now(typed: &mut Option<&mut Typed>) -> Option<String> {
    match typed {
        Some(typed) => typed.now().await,
        None => std::future::pending().await,
    }
}

/// Hears Ctrl-C and polite kills, none missed.
pub(crate) fn interrupts() -> mpsc::UnboundedReceiver<()> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        #[cfg(unix)]
        let Ok(mut terminate) =
            tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
        else {
            return;
        };
        loop {
            #[cfg(unix)]
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            #[cfg(not(unix))]
            if tokio::signal::ctrl_c().await.is_err() {
                return;
            }
            if sender.send(()).is_err() {
                return;
            }
        }
    });
    receiver
}

struct Screen {
    json: bool,
    line_open: bool,
    failed: bool,
    /// Where a person can answer.
    prompts: Option<Prompts>,
}

impl Screen {
    fn hear(&mut self, signal: Signal, silence: &mut Silence) -> Result<(), Failure> {
        match signal {
            Signal::Turn(event) => {
                silence.broken();
                self.show(&event)
            }
            Signal::Reading(ReadingProgress { done, total, .. }) => {
                silence.read = (done < total).then(|| done * 100 / total);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn show(&mut self, event: &Event) -> Result<(), Failure> {
        if let EventBody::Done { stop, .. } = &event.body {
            self.failed = !matches!(stop, StopReason::Finished);
        }
        if let Some(prompts) = &mut self.prompts {
            prompts.hear(&event.body);
        }
        if self.json {
            self.also_for_people(&event.body)?;
            return print_json(event);
        }
        match &event.body {
            EventBody::Text { text } => {
                self.line_open = !text.ends_with('\n');
                print(text)
            }
            body => self.also_for_people(body),
        }
    }

    /// Whether the person is asked something now.
    fn asks(&self) -> bool {
        self.prompts.as_ref().is_some_and(Prompts::are_open)
    }

    /// A line that was typed while the turn runs.
    fn take(
        &mut self,
        line: String,
        reach: &Reach,
        session: &SessionKey,
        typed: &mut Option<&mut Typed>,
    ) {
        if asked(&line) == Some(Command::Stop) {
            let (reach, session) = (reach.clone(), session.clone());
            tokio::spawn(async move { reach.stop(&session).await });
        } else if !self.prompts.as_mut().is_some_and(|prompts| prompts.take(&line, reach))
            && let Some(typed) = typed
        {
            typed.keep(line);
        }
    }

    /// What is said on standard error in both forms.
    fn also_for_people(&mut self, body: &EventBody) -> Result<(), Failure> {
        let line = match body {
            EventBody::Notice { title, body } => sentence(title, body),
            EventBody::Error { message, hint, .. } => sentence(message, hint),
            EventBody::Provider { state, model, seconds, why } => match state {
                ProviderState::Waiting => format!("{model}: waiting {seconds:.0} s ({why})"),
                ProviderState::Retrying => format!("{model}: trying again ({why})"),
                ProviderState::Switched => format!("going on with {model} ({why})"),
            },
            EventBody::Approval { id, tool, verdict: ApprovalState::Asked, batch, .. }
                if self.prompts.is_none() =>
            {
                let all = if batch.is_some() { "; --all for all asked together" } else { "" };
                format!(
                    "{tool} waits for your consent: hearth approvals allow {id}, or deny {id}{all}"
                )
            }
            EventBody::ToolStart { tool, .. } if !self.json => format!("[{tool}]"),
            EventBody::Done { stop: StopReason::Cancelled, .. } => "stopped".to_owned(),
            _ => return Ok(()),
        };
        self.end_line()?;
        warn(&line);
        Ok(())
    }

    fn end_line(&mut self) -> Result<(), Failure> {
        if std::mem::take(&mut self.line_open) {
            print("\n")?;
        }
        Ok(())
    }
}
