//! `hearth chat`: a conversation, line by line. Ctrl-C or `/stop` stops the turn; at the prompt, Ctrl-C or
//! Ctrl-D leaves.
//!
//! What a person types while a reply is written waits for its end, except what stops it.

use crate::access::Reach;
use crate::args::Chat;
use crate::talk;
use crate::terminal::{Failure, print, warn};
use crate::typed::Typed;
use hearth_engine::api;
use hearth_engine::api::chat::{Command, asked};
use hearth_engine::api::sessions::new_key;
use hearth_protocol::api::chat::Submit;
use hearth_protocol::{MessageId, Origin, SessionKey};
use std::io::IsTerminal;

const HELP: &str = "Type a message and press Enter. /help lists commands, /quit (or Ctrl-D) leaves, \
                    Ctrl-C stops a reply.\n";

pub(crate) async fn run(reach: &Reach, chat: Chat) -> Result<(), Failure> {
    let person = std::io::stdin().is_terminal();
    if person {
        print(HELP)?;
        read_ahead(reach, &chat).await;
    }
    let mut typed = Typed::listen();
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
        let listening = person.then_some(&mut typed);
        match talk::turn(reach, request, false, listening).await {
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
