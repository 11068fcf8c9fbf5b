//! `hearth chat`: a conversation, line by line. Ctrl-C stops the turn; at the prompt, Ctrl-D leaves.

use crate::access::Reach;
use crate::args::Chat;
use crate::talk;
use crate::terminal::{Failure, print, warn, watched};
use hearth_protocol::api::chat::Submit;
use hearth_protocol::{MessageId, Origin};
use tokio::io::{AsyncBufReadExt, BufReader};

const HELP: &str = "Type a message and press Enter. /help lists commands, /quit (or Ctrl-D) leaves, \
                    Ctrl-C stops a reply.\n";

pub(crate) async fn run(reach: &Reach, chat: Chat) -> Result<(), Failure> {
    let person = watched();
    if person {
        print(HELP)?;
    }
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        if person {
            print("> ")?;
        }
        let Some(line) = lines.next_line().await? else {
            return if person { print("\n") } else { Ok(()) };
        };
        let text = line.trim();
        match text {
            "" => continue,
            "/quit" | "/exit" => return Ok(()),
            _ => {}
        }
        let request = Submit {
            session: chat.session.clone(),
            text: text.to_owned(),
            origin: Origin::Cli,
            message_id: MessageId::new().0,
            attachments: Vec::new(),
            model: chat.model.clone(),
            yes_to: Vec::new(),
        };
        match talk::turn(reach, request, false).await {
            // One turn that failed does not end the conversation.
            Ok(_) | Err(Failure::Told) => {}
            Err(Failure::Said(why)) => warn(&why),
            Err(Failure::PipeClosed) => return Err(Failure::PipeClosed),
        }
    }
}
