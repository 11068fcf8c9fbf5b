// A scripted model server on loopback that speaks OpenAI's chat completions: its replies are written
// down, its requests are kept.
import { once } from "node:events";
import { createServer } from "node:http";

/**
 * Starts the server. `reply(text)` sets what comes next; `queue(...steps)` the next replies to requests with tools, in
 * order, each a text, `{ name, arguments }` of a tool call, or a list of such calls; `requests` holds every body
 * received.
 */
export async function modelServer(first = "A scripted answer.") {
  const state = { requests: [], script: { text: first, pieces: 6, pauseMs: 0 }, steps: [] };
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return json(response, { object: "list", data: [{ id: "scripted-1" }] });
    let body = "";
    for await (const piece of request) body += piece;
    const asked = JSON.parse(body);
    state.requests.push(asked);
    const step = asked.tools?.length > 0 ? state.steps.shift() : undefined;
    if (typeof step === "object") return call(response, [step].flat(), state.requests.length);
    await stream(response, step === undefined ? state.script : { text: step, pieces: 1, pauseMs: 0 });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    requests: state.requests,
    reply(text, { pieces = 6, pauseMs = 0 } = {}) {
      state.script = { text, pieces, pauseMs };
    },
    queue(...steps) {
      state.steps.push(...steps);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function json(response, value) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

const chunk = (delta, finish, usage) =>
  `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }], usage })}\n\n`;

function call(response, calls, count) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [index, { name, arguments: given }] of calls.entries()) {
    const called = { index, id: `call_${count}_${index}`, type: "function", function: { name, arguments: JSON.stringify(given) } };
    response.write(chunk({ tool_calls: [called] }, null));
  }
  response.write(chunk({}, "tool_calls", { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }));
  response.end("data: [DONE]\n\n");
}

async function stream(response, { text, pieces, pauseMs }) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta, finish = null, usage = undefined) => response.write(chunk(delta, finish, usage));
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / pieces));
  for (let at = 0; at < characters.length && !response.destroyed; at += size) {
    send({ content: characters.slice(at, at + size).join("") });
    if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (response.destroyed) return;
  send({}, "stop", { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 });
  response.end("data: [DONE]\n\n");
}
