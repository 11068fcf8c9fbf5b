//! One tool of a server, in the form of all tools.

use super::offered_name;
use super::pins::Pin;
use super::server::Server;
use crate::call::{Invocation, Outcome};
use crate::registry::{Access, Descriptor, Group, Schema, Tool};
use async_trait::async_trait;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};
use std::borrow::Cow;
use std::time::Duration;

pub(super) struct McpTool {
    server: Server,
    pin: Pin,
    descriptor: Descriptor,
}

impl McpTool {
    pub(super) fn new(server: Server, pin: Pin) -> Self {
        let id = &server.config().id;
        let descriptor = Descriptor {
            name: Cow::Owned(offered_name(id, &pin.name)),
            description: Cow::Owned(pin.description.clone()),
            // What a server says of itself is no promise: it may do anything.
            access: &[Access::RunsCommands, Access::ReachesNetwork, Access::Sends],
            group: Group::Mcp,
            // Starting it may take a minute besides.
            limit: server.config().timeout + Duration::from_secs(130),
            untrusted: true,
            policy: Cow::Owned(format!(
                "Hands its arguments to the MCP server {id}, which may do anything."
            )),
            schema: Schema::Given(pin.schema.clone()),
        };
        Self { server, pin, descriptor }
    }
}

#[async_trait]
impl Tool for McpTool {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    async fn run(&self, call: Invocation) -> Outcome {
        let source = self.descriptor.name.clone();
        let called = tokio::select! {
            // Dropped, the request is cancelled at the server too.
            () = call.cancel.cancelled() => return Outcome::failed("Stopped."),
            called = self.server.call(&self.pin, call.arguments) => called,
        };
        match called {
            Ok(result) => outcome(result).from_outside(source),
            Err(why) => Outcome::failed(why).from_outside(source),
        }
    }
}

fn outcome(result: CallToolResult) -> Outcome {
    let parts: Vec<String> = result.content.into_iter().map(shown).collect();
    let text = match (parts.is_empty(), result.structured_content) {
        (true, Some(structured)) => structured.to_string(),
        (true, None) => "[no result]".to_owned(),
        (false, _) => parts.join("\n"),
    };
    Outcome { ok: result.is_error != Some(true), ..Outcome::done(text) }
}

fn shown(block: ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text,
        ContentBlock::Image(image) => format!("[a picture, {}, not shown]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[a recording, {}, not played]", audio.mime_type),
        ContentBlock::Resource(embedded) => match embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => format!("{uri}:\n{text}"),
            ResourceContents::BlobResourceContents { uri, .. } => format!("[{uri}, no text]"),
            _ => "[something that cannot be shown]".to_owned(),
        },
        ContentBlock::ResourceLink(link) => format!("[{}: {}]", link.name, link.uri),
        _ => "[something that cannot be shown]".to_owned(),
    }
}
