//! A conversation as the text a Qwen2.5 model was trained on (ChatML with its tool format).
//!
//! Markers and contents are kept apart until they are tokens, so no content can forge a marker.

use serde_json::Value;

use crate::{Error, LocalTokenizer};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatRole {
    /// Instructions; only the first message may be.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatMessage {
    /// Who speaks.
    pub role: ChatRole,
    /// What is said.
    pub content: String,
    /// The tools the assistant asked for.
    pub tool_calls: Vec<ChatCall>,
}

/// A request of the model to run a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ChatCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments, a JSON object.
    pub arguments: Value,
}

impl ChatMessage {
    /// A message that is only text.
    pub fn text(role: ChatRole, content: impl Into<String>) -> Self {
        Self { role, content: content.into(), tool_calls: Vec::new() }
    }
}

/// A part of a prompt.
#[derive(Debug, PartialEq)]
enum Part<'a> {
    /// A control token.
    Control(&'static str),
    /// Text the program wrote: the format's own words.
    Fixed(&'static str),
    /// Text from outside.
    Content(&'a str),
    /// Text put together here from outside text.
    Made(String),
}

const START: &str = "<|im_start|>";
const END: &str = "<|im_end|>";

/// What the model was trained to read before and after the list of tools.
const TOOLS_HEAD: &str = "\n\n# Tools\n\nYou may call one or more functions to assist with the \
    user query.\n\nYou are provided with function signatures within <tools></tools> XML tags:\n\
    <tools>";
const TOOLS_TAIL: &str = "\n</tools>\n\nFor each function call, return a json object with \
    function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n{\"name\": \
    <function-name>, \"arguments\": <args-json-object>}\n</tool_call>";

/// The prompt as text, ending where the assistant begins to write. `tools` are definitions in
/// OpenAI's form (`{"type": "function", "function": {...}}`).
///
/// This is for showing: tokenise with [`LocalTokenizer::chat_tokens`], which knows the markers
/// from letters that look like them.
pub fn chat_prompt(messages: &[ChatMessage], tools: &[Value]) -> String {
    let mut text = String::new();
    for part in parts(messages, tools) {
        text.push_str(match &part {
            Part::Control(part) | Part::Fixed(part) => part,
            Part::Content(part) => part,
            Part::Made(part) => part,
        });
    }
    text
}

impl LocalTokenizer {
    /// The prompt as tokens.
    ///
    /// # Errors
    /// If the model has not the control tokens of the format.
    pub fn chat_tokens(
        &self,
        messages: &[ChatMessage],
        tools: &[Value],
    ) -> Result<Vec<u32>, Error> {
        let mut tokens = Vec::new();
        let mut text = String::new();
        for part in parts(messages, tools) {
            match part {
                // Neighbouring text is encoded together, as in training.
                Part::Fixed(part) => text.push_str(part),
                Part::Content(part) => text.push_str(part),
                Part::Made(part) => text.push_str(&part),
                Part::Control(spelling) => {
                    tokens.extend(self.encode(&text));
                    text.clear();
                    let missing = || Error::Tokenizer(format!("it has no {spelling}"));
                    tokens.push(self.control(spelling).ok_or_else(missing)?);
                }
            }
        }
        tokens.extend(self.encode(&text));
        Ok(tokens)
    }
}

fn parts<'a>(messages: &'a [ChatMessage], tools: &[Value]) -> Vec<Part<'a>> {
    let mut parts = Vec::new();
    let (system, rest) = match messages.split_first() {
        Some((first, rest)) if first.role == ChatRole::System => (first.content.as_str(), rest),
        _ => ("You are a helpful assistant.", messages),
    };
    open(&mut parts, "system\n");
    parts.push(Part::Content(system));
    if !tools.is_empty() {
        parts.push(Part::Fixed(TOOLS_HEAD));
        parts.extend(tools.iter().map(|tool| Part::Made(format!("\n{tool}"))));
        parts.push(Part::Fixed(TOOLS_TAIL));
    }
    close(&mut parts);
    for (index, message) in rest.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| rest[before].role);
        let after = rest.get(index + 1).map(|after| after.role);
        push(&mut parts, message, before, after);
    }
    open(&mut parts, "assistant\n");
    parts
}

fn push<'a>(
    parts: &mut Vec<Part<'a>>,
    message: &'a ChatMessage,
    before: Option<ChatRole>,
    after: Option<ChatRole>,
) {
    match message.role {
        ChatRole::System => open(parts, "system\n"),
        ChatRole::User => open(parts, "user\n"),
        // Results that follow one another share a turn of the user.
        ChatRole::Tool if before == Some(ChatRole::Tool) => {
            parts.push(Part::Fixed("\n<tool_response>\n"));
        }
        ChatRole::Tool => open(parts, "user\n<tool_response>\n"),
        ChatRole::Assistant => open(parts, "assistant\n"),
    }
    parts.push(Part::Content(&message.content));
    for (index, call) in message.tool_calls.iter().enumerate() {
        if index > 0 || !message.content.is_empty() {
            parts.push(Part::Fixed("\n"));
        }
        let name = Value::from(call.name.as_str());
        let body = format!("{{\"name\": {name}, \"arguments\": {}}}", call.arguments);
        parts.push(Part::Fixed("<tool_call>\n"));
        parts.push(Part::Made(body));
        parts.push(Part::Fixed("\n</tool_call>"));
    }
    if message.role == ChatRole::Tool {
        parts.push(Part::Fixed("\n</tool_response>"));
        if after == Some(ChatRole::Tool) {
            return;
        }
    }
    close(parts);
}

fn open(parts: &mut Vec<Part<'_>>, role: &'static str) {
    parts.push(Part::Control(START));
    parts.push(Part::Fixed(role));
}

fn close(parts: &mut Vec<Part<'_>>) {
    parts.push(Part::Control(END));
    parts.push(Part::Fixed("\n"));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str, arguments: Value) -> ChatCall {
        ChatCall { name: name.to_owned(), arguments }
    }

    #[test]
    fn plain_messages() {
        let messages = [
            ChatMessage::text(ChatRole::System, "Be brief."),
            ChatMessage::text(ChatRole::User, "你好"),
        ];
        assert_eq!(
            chat_prompt(&messages, &[]),
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n你好<|im_end|>\n\
             <|im_start|>assistant\n"
        );
    }

    #[test]
    fn tools_calls_and_results() {
        let tool = json!({"type": "function", "function": {"name": "look"}});
        let mut asked = ChatMessage::text(ChatRole::Assistant, "I look.");
        asked.tool_calls = vec![call("look", json!({"at": "a"})), call("look", json!({"at": "b"}))];
        let messages = [
            ChatMessage::text(ChatRole::User, "?"),
            asked,
            ChatMessage::text(ChatRole::Tool, "A"),
            ChatMessage::text(ChatRole::Tool, "B"),
        ];
        let prompt = chat_prompt(&messages, std::slice::from_ref(&tool));
        let (head, body) = prompt.split_once("<|im_start|>user\n").unwrap();
        assert!(head.contains(&format!("<tools>\n{tool}\n</tools>")), "{head}");
        assert!(head.ends_with("</tool_call><|im_end|>\n"), "{head}");
        assert_eq!(
            body,
            "?<|im_end|>\n<|im_start|>assistant\nI look.\n\
             <tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\":\"a\"}}\n</tool_call>\n\
             <tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\":\"b\"}}\n</tool_call><|im_end|>\n\
             <|im_start|>user\n<tool_response>\nA\n</tool_response>\n\
             <tool_response>\nB\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
        );
    }
}
