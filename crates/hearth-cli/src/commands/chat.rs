//! `hearth chat`: a conversation, line by line. Ctrl-C or `/stop` stops the turn; at the prompt, Ctrl-C or
//! Ctrl-D leaves.
//!
//! What a person types while a reply is written waits for its end, except what stops it.

use crate::access::Reach;
use crate::args::Chat;
use crate::talk;
use crate::terminal::{Failure, print, warn};
use hearth_engine::api;
use hearth_engine::api::chat::{Command, asked};
use hearth_engine::api::sessions::new_key;
use hearth_protocol::api::chat::Submit;
use hearth_protocol::{MessageId, Origin, SessionKey};
use std::collections::VecDeque;
use std::io::IsTerminal;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::sync::mpsc;

const HELP: &str = "Type a message and press Enter. /help lists commands, /quit (or Ctrl-D) leaves, \
                    Ctrl-C stops a reply.\n";

pub(crate) async fn run(reach: &Reach, chat: Chat) -> Result<(), Failure> {
    let person = std::io::stdin().is_terminal();
    if person {
        print(HELP)?;
        read_ahead(reach, &chat).await;
    }
    let mut typed = Typed { lines: lines(), early: VecDeque::new() };
    let mut interrupts = talk::interrupts();
    let mut session = chat.session;
    loop {
        if person {
            print("> ")?;
        }
        // One that stopped a reply is no wish to leave.
        while interrupts.try_recv().is_ok() {}
        let line = tokio::select! {
            line = typed.next() => line,
            _ = interrupts.recv() => None,
        };
        let Some(line) = line else {
            return if person { print("\n") } else { Ok(()) };
        };
        let text = line.trim();
        match text {
            "" => continue,
            "/quit" | "/exit" => return Ok(()),
            _ => {}
        }
        if asked(text) == Some(Command::New) {
            session = new_key();
            print(&format!("A new conversation: {session}\n"))?;
            continue;
        }
        let request = submit(&session, text, chat.model.clone());
        let turn = talk::turn(reach, request, false);
        let ended = match person {
            true => typed.beside(turn, reach, &session).await,
            false => turn.await,
        };
        match ended {
            // One turn that failed does not end the conversation.
            Ok(_) => {}
            Err(Failure::PipeClosed) => return Err(Failure::PipeClosed),
            Err(failure) => failure.line().iter().for_each(|why| warn(why)),
        }
    }
}

/// The built-in model reads the beginning of the prompt while the person types. What keeps it from doing so
/// is said when it is asked.
async fn read_ahead(reach: &Reach, chat: &Chat) {
    if chat.model.is_some() {
        return;
    }
    if let Ok(engine) = reach.read().await {
        let session = chat.session.clone();
        tokio::spawn(async move { api::context::read_ahead(&engine, session).await });
    }
}

fn submit(session: &SessionKey, text: &str, model: Option<String>) -> Submit {
    Submit {
        session: session.clone(),
        text: text.to_owned(),
        origin: Origin::Cli,
        message_id: MessageId::new().0,
        attachments: Vec::new(),
        model,
        yes_to: Vec::new(),
    }
}

/// Lines of standard input; bytes that are no UTF-8 spoil their own characters only.
fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut input = BufReader::new(tokio::io::stdin());
        let mut line = Vec::new();
        while matches!(input.read_until(b'\n', &mut line).await, Ok(1..)) {
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
    receiver
}

/// What comes from standard input.
struct Typed {
    lines: mpsc::UnboundedReceiver<String>,
    /// Typed while a reply was written.
    early: VecDeque<String>,
}

impl Typed {
    async fn next(&mut self) -> Option<String> {
        match self.early.pop_front() {
            Some(line) => Some(line),
            None => self.lines.recv().await,
        }
    }

    /// Listens while a turn runs.
    async fn beside<T>(
        &mut self,
        turn: impl Future<Output = T>,
        reach: &Reach,
        session: &SessionKey,
    ) -> T {
        tokio::pin!(turn);
        loop {
            tokio::select! {
                ended = &mut turn => return ended,
                Some(line) = self.lines.recv() => match asked(&line) {
                    Some(Command::Stop) => {
                        let (reach, session) = (reach.clone(), session.clone());
                        tokio::spawn(async move { reach.stop(&session).await });
                    }
                    _ => self.early.push_back(line),
                },
            }
        }
    }
}
