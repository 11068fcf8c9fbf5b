//! Models behind a server that does not know how they call: the calls stand in the text, and the server hands
//! them on as words.
//!
//! Invariants: what counts as a call is [`CallParser`](hearth_local::CallParser)'s to say, and policy judges it
//! like any other; where the server found calls itself, or the reply broke off, the text is left as it came.

use super::local::Reader;
use async_trait::async_trait;
use hearth_llm::{CallError, ChatModel, Sink};
use hearth_protocol::{Finish, ModelDelta, ModelReply, ModelRequest};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// A model whose text is read for calls.
pub(crate) struct Written(pub(crate) Arc<dyn ChatModel>);

#[async_trait]
impl ChatModel for Written {
    async fn call(
        &self,
        request: &ModelRequest,
        sink: Sink<'_>,
        cancel: &CancellationToken,
    ) -> Result<ModelReply, CallError> {
        if request.tools.is_empty() {
            return self.0.call(request, sink, cancel).await;
        }
        let mut reader = Reader::new(request);
        let mut listen = |delta: ModelDelta| match delta {
            ModelDelta::Text(text) => {
                let shown = reader.feed(&text);
                if !shown.is_empty() {
                    sink(ModelDelta::Text(shown));
                }
            }
            other => sink(other),
        };
        let answer = self.0.call(request, &mut listen, cancel).await;
        let rest = reader.finish();
        if !rest.is_empty() {
            sink(ModelDelta::Text(rest));
        }
        let reply = answer?;
        let (text, tool_calls) = reader.into_text_and_calls();
        if tool_calls.is_empty() || !reply.tool_calls.is_empty() || !reply.complete {
            return Ok(reply);
        }
        Ok(ModelReply { text, tool_calls, finish: Some(Finish::ToolCalls), ..reply })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hearth_protocol::{Arguments, Thinking, ToolSpec};
    use serde_json::json;

    /// Says this, in two pieces.
    struct Says(&'static str);

    #[async_trait]
    impl ChatModel for Says {
        async fn call(
            &self,
            _request: &ModelRequest,
            sink: Sink<'_>,
            _cancel: &CancellationToken,
        ) -> Result<ModelReply, CallError> {
            let (first, second) = self.0.split_at(self.0.len() / 2);
            sink(ModelDelta::Text(first.to_owned()));
            sink(ModelDelta::Text(second.to_owned()));
            let (text, finish) = (self.0.to_owned(), Some(Finish::Stop));
            Ok(ModelReply { complete: true, text, finish, ..ModelReply::default() })
        }
    }

    async fn check(says: &'static str, shown: &str, called: Option<&str>) {
        let spec = ToolSpec {
            name: "read_file".to_owned(),
            description: String::new(),
            schema: json!({"type": "object"}),
        };
        let request = ModelRequest {
            model: "m".to_owned(),
            system: Vec::new(),
            messages: Vec::new(),
            tools: vec![spec],
            max_output: None,
            temperature: None,
            thinking: Thinking::Default,
        };
        let mut heard = String::new();
        let mut sink = |delta| {
            if let ModelDelta::Text(text) = delta {
                heard.push_str(&text);
            }
        };
        let model = Written(Arc::new(Says(says)));
        let reply = model.call(&request, &mut sink, &CancellationToken::new()).await;
        let reply = reply.expect("answers");
        let path = reply.tool_calls.first().map(|call| match &call.arguments {
            Arguments::Object(object) => object["path"].as_str().unwrap_or_default().to_owned(),
            Arguments::Malformed(text) => text.clone(),
        });
        assert_eq!((heard.trim(), path.as_deref()), (shown, called), "{says}");
    }

    #[tokio::test]
    async fn calls_in_the_text_are_calls_and_words_stay_words() {
        let fenced = "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```";
        check(fenced, "", Some("a")).await;
        let explained =
            "So:\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```";
        check(explained, explained, None).await;
        let tagged =
            "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"b\"}}</tool_call>";
        check(tagged, "", Some("b")).await;
        check("Plain words.", "Plain words.", None).await;
        let other = "{\"name\": \"launch\", \"arguments\": {}}";
        check(other, other, None).await;
    }
}
