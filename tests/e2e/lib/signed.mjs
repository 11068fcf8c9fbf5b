// New versions as a server offers them: keys and signatures of Tauri's own command line, a manifest, the files.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { root } from "../../../scripts/places.mjs";

const tauri = join(root, "node_modules", "@tauri-apps", "cli", "tauri.js");

function signer(...args) {
  const done = spawnSync(process.execPath, [tauri, "signer", ...args], { encoding: "utf8", env: { ...process.env, CI: "true" } });
  assert.equal(done.status, 0, done.stderr);
}

/** A new pair of keys under `folder`. */
export function newKey(folder, name = "key") {
  const path = join(folder, name);
  signer("generate", "--ci", "--password", "of the test", "--write-keys", path);
  return { path, public: readFileSync(`${path}.pub`, "utf8").trim() };
}

/** The signature of a file, for a version. */
export function sign(key, file, version) {
  signer("sign", "--private-key-path", key.path, "--password", "of the test", "--app-version", version, file);
  return readFileSync(`${file}.sig`, "utf8");
}

/** A server on loopback: `says` is what it answers at /latest.json, `files` what lies beside it. `asked` grows with each request. */
export async function releases(port = 0) {
  const state = { says: {}, files: {}, asked: [] };
  const server = createServer((request, response) => {
    state.asked.push(request.url);
    if (request.url === "/latest.json") {
      const text = typeof state.says === "string" ? state.says : JSON.stringify(state.says);
      return response.writeHead(200, { "content-type": "application/json" }).end(text);
    }
    const file = state.files[request.url];
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { "content-length": statSync(file).size });
    return createReadStream(file).pipe(response);
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  return Object.assign(state, {
    url,
    endpoint: `${url}/latest.json`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
}
