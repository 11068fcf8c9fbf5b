//! One request in all five formats, compared whole.

use hearth_llm::encode::{Target, encode};
use hearth_llm::wire::Format;
use hearth_protocol::{
    Arguments, Message, ModelRequest, Part, Role, SystemBlock, Thinking, ToolCall, ToolResult,
    ToolSpec,
};
use serde_json::{Value, json};

/// Two steps of a turn: thinking signed by `signature`, two calls, one of them malformed.
fn request(model: &str, signature: &str) -> ModelRequest {
    let object = json!({"path": "a.md"}).as_object().unwrap().clone();
    let call = |id: &str, name: &str, arguments| {
        Part::ToolCall(ToolCall { id: id.into(), name: name.into(), arguments })
    };
    let result = |id: &str, ok, text: &str| {
        Part::ToolResult(ToolResult { call: id.into(), ok, text: text.into() })
    };
    let mut asked = Message::text(Role::User, "What is in a.md?", 1);
    asked.parts.push(Part::Image { media_type: "image/png".into(), data: "iVBO".into() });
    let mut called = Message::text(Role::Assistant, "", 2);
    called.parts = vec![
        Part::Reasoning { text: "look".into(), signature: Some(signature.into()) },
        Part::Text { text: "Looking.".into() },
        call("c:1", "read", Arguments::Object(object)),
        call("c:2", "clock", Arguments::Malformed("{oops".into())),
    ];
    let mut came = Message::text(Role::Tool, "", 3);
    came.parts = vec![result("c:1", true, "hello"), result("c:2", false, "not JSON")];
    ModelRequest {
        model: model.into(),
        system: vec![
            SystemBlock { text: "You are Hearth.".into(), stable: true },
            SystemBlock { text: "Files.".into(), stable: true },
            SystemBlock { text: "Today.".into(), stable: false },
        ],
        messages: vec![Message::text(Role::Assistant, "Hi.", 0), asked, called, came],
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "Reads.".into(),
            schema: json!({"type": "object"}),
        }],
        max_output: Some(1000),
        temperature: Some(0.7),
        thinking: Thinking::Default,
    }
}

fn encoded(format: Format, base_url: &str, request: &ModelRequest) -> Value {
    encode(format, &Target { base_url, window: Some(8192) }, request)
}

#[test]
fn chat_completions() {
    let request = request("gpt-4o", "");
    let function =
        json!({"name": "read", "description": "Reads.", "parameters": {"type": "object"}});
    let want = json!({
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "You are Hearth.\n\nFiles.\n\nToday."},
            {"role": "assistant", "content": "Hi."},
            {"role": "user", "content": [
                {"type": "text", "text": "What is in a.md?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
            ]},
            {"role": "assistant", "content": "Looking.", "tool_calls": [
                {"id": "c:1", "type": "function",
                 "function": {"name": "read", "arguments": "{\"path\":\"a.md\"}"}},
                {"id": "c:2", "type": "function",
                 "function": {"name": "clock", "arguments": "{\"malformed_arguments\":\"{oops\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "c:1", "content": "hello"},
            {"role": "tool", "tool_call_id": "c:2", "content": "not JSON"},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": [{"type": "function", "function": function}],
        "max_completion_tokens": 1000,
        "temperature": 0.7,
    });
    assert_eq!(encoded(Format::OpenaiChat, "https://api.openai.com/v1", &request), want);
}

#[test]
fn chat_servers_that_differ() {
    let deepseek = request("deepseek-chat", "");
    let body = encoded(Format::OpenaiChat, "https://api.deepseek.com", &deepseek);
    assert_eq!(
        (&body["max_tokens"], &body["messages"][3]["reasoning_content"]),
        (&json!(1000), &json!("look"))
    );
    let body =
        encoded(Format::OpenaiChat, "https://api.mistral.ai/v1", &request("mistral-large", ""));
    assert_eq!(
        (body.get("stream_options"), body["messages"][4]["tool_call_id"].as_str().unwrap().len()),
        (None, 9)
    );
    let call_id = &body["messages"][3]["tool_calls"][0]["id"];
    assert_eq!(call_id, &body["messages"][4]["tool_call_id"]);
    let mut thinker = request("gpt-5", "");
    thinker.thinking = Thinking::Low;
    let body = encoded(Format::OpenaiChat, "https://api.openai.com/v1", &thinker);
    assert_eq!((body.get("temperature"), &body["reasoning_effort"]), (None, &json!("low")));
    let details = r#"{"details":[{"type":"reasoning.encrypted","data":"x"}]}"#;
    let body = encoded(
        Format::OpenaiChat,
        "https://openrouter.ai/api/v1",
        &request("google/gemini-3", details),
    );
    assert_eq!(body["messages"][3]["reasoning_details"][0]["data"], "x");
}

#[test]
fn responses() {
    let item =
        json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc"});
    let signature = json!({"responses": [item]}).to_string();
    let mut request = request("gpt-5", &signature);
    request.thinking = Thinking::High;
    let want = json!({
        "model": "gpt-5",
        "instructions": "You are Hearth.\n\nFiles.\n\nToday.",
        "input": [
            {"role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
            {"role": "user", "content": [
                {"type": "input_text", "text": "What is in a.md?"},
                {"type": "input_image", "image_url": "data:image/png;base64,iVBO"},
            ]},
            item,
            {"role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]},
            {"type": "function_call", "call_id": "c:1", "name": "read", "arguments": "{\"path\":\"a.md\"}"},
            {"type": "function_call", "call_id": "c:2", "name": "clock",
             "arguments": "{\"malformed_arguments\":\"{oops\"}"},
            {"type": "function_call_output", "call_id": "c:1", "output": "hello"},
            {"type": "function_call_output", "call_id": "c:2", "output": "not JSON"},
        ],
        "stream": true,
        "store": false,
        "tools": [{"type": "function", "name": "read", "description": "Reads.",
                   "parameters": {"type": "object"}, "strict": false}],
        "max_output_tokens": 1000,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"effort": "high", "summary": "auto"},
    });
    assert_eq!(encoded(Format::OpenaiResponses, "https://api.openai.com/v1", &request), want);
}

#[test]
fn anthropic() {
    let block = json!({"type": "thinking", "thinking": "look", "signature": "sig"});
    let mut request = request("claude-haiku-4-5", &json!({"anthropic": [block]}).to_string());
    let want = json!({
        "model": "claude-haiku-4-5",
        "max_tokens": 1000,
        "stream": true,
        "system": [
            {"type": "text", "text": "You are Hearth."},
            {"type": "text", "text": "Files.", "cache_control": {"type": "ephemeral"}},
            {"type": "text", "text": "Today."},
        ],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "…"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Hi."}]},
            {"role": "user", "content": [
                {"type": "text", "text": "What is in a.md?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}},
            ]},
            {"role": "assistant", "content": [
                block,
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "c_1", "name": "read", "input": {"path": "a.md"}},
                {"type": "tool_use", "id": "c_2", "name": "clock", "input": {"malformed_arguments": "{oops"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c_1", "content": "hello"},
                {"type": "tool_result", "tool_use_id": "c_2", "content": "not JSON", "is_error": true,
                 "cache_control": {"type": "ephemeral"}},
            ]},
        ],
        "tools": [{"name": "read", "description": "Reads.", "input_schema": {"type": "object"}}],
        "temperature": 0.7,
    });
    assert_eq!(encoded(Format::Anthropic, "", &request), want);

    request.thinking = Thinking::Low;
    let body = encoded(Format::Anthropic, "", &request);
    assert_eq!(body["thinking"], json!({"type": "enabled", "budget_tokens": 2048}));
    assert_eq!((body.get("temperature"), &body["max_tokens"]), (None, &json!(3048)));
    request.messages.push(Message::text(Role::Assistant, "So far ", 4));
    let body = encoded(Format::Anthropic, "", &request);
    assert_eq!(body["messages"][5]["content"][0]["text"], "So far");
}

#[test]
fn gemini() {
    let signature = json!({"gemini": {"calls": ["sig"], "text": null}}).to_string();
    let mut request = request("gemini-3-flash", &signature);
    request.thinking = Thinking::Medium;
    let want = json!({
        "systemInstruction": {"parts": [{"text": "You are Hearth.\n\nFiles.\n\nToday."}]},
        "contents": [
            {"role": "user", "parts": [{"text": "…"}]},
            {"role": "model", "parts": [{"text": "Hi."}]},
            {"role": "user", "parts": [
                {"text": "What is in a.md?"},
                {"inlineData": {"mimeType": "image/png", "data": "iVBO"}},
            ]},
            {"role": "model", "parts": [
                {"text": "Looking."},
                {"functionCall": {"id": "c:1", "name": "read", "args": {"path": "a.md"}},
                 "thoughtSignature": "sig"},
                {"functionCall": {"id": "c:2", "name": "clock", "args": {"malformed_arguments": "{oops"}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c:1", "name": "read", "response": {"result": "hello"}}},
                {"functionResponse": {"id": "c:2", "name": "clock", "response": {"error": "not JSON"}}},
            ]},
        ],
        "tools": [{"functionDeclarations": [
            {"name": "read", "description": "Reads.", "parametersJsonSchema": {"type": "object"}},
        ]}],
        "generationConfig": {
            "maxOutputTokens": 1000,
            "temperature": 0.7,
            "thinkingConfig": {"includeThoughts": true, "thinkingLevel": "medium"},
        },
    });
    assert_eq!(encoded(Format::Gemini, "", &request), want);
    // Thinking that another provider signed never goes out.
    request.messages[2].parts[0] = Part::Reasoning {
        text: "x".into(),
        signature: Some(json!({"anthropic": [{}]}).to_string()),
    };
    let body = encoded(Format::Gemini, "", &request);
    assert_eq!(
        body["contents"][3]["parts"][1]["thoughtSignature"],
        "skip_thought_signature_validator"
    );
}

#[test]
fn ollama() {
    let mut request = request("qwen3", "");
    request.thinking = Thinking::Off;
    let function =
        json!({"name": "read", "description": "Reads.", "parameters": {"type": "object"}});
    let want = json!({
        "model": "qwen3",
        "messages": [
            {"role": "system", "content": "You are Hearth.\n\nFiles.\n\nToday."},
            {"role": "assistant", "content": "Hi."},
            {"role": "user", "content": "What is in a.md?", "images": ["iVBO"]},
            {"role": "assistant", "content": "Looking.", "tool_calls": [
                {"function": {"name": "read", "arguments": {"path": "a.md"}}},
                {"function": {"name": "clock", "arguments": {"malformed_arguments": "{oops"}}},
            ]},
            {"role": "tool", "tool_name": "read", "content": "hello"},
            {"role": "tool", "tool_name": "clock", "content": "not JSON"},
        ],
        "stream": true,
        "tools": [{"type": "function", "function": function}],
        "options": {"num_predict": 1000, "temperature": 0.7, "num_ctx": 8192},
        "think": false,
    });
    assert_eq!(encoded(Format::Ollama, "http://127.0.0.1:11434", &request), want);
}
