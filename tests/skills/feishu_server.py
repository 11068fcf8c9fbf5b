"""A double of Feishu's open API on loopback: the same paths, bodies, codes and limits on the wire.

It keeps documents in memory as blocks, checks what it is sent as the real one does, and can be told to answer
a call with something else (`before`).
"""

import http.server
import json
import re
import threading
import urllib.parse

APP, SECRET, TOKEN = "cli_a1b2c3d4e5f6", "s3cr3t-of-the-app", "t-g1044qeGEDXTB6NDJOGV4JQCYDGHRBARFTGT1234"
BY_KIND = {1: "page", 2: "text", **{kind: f"heading{kind - 2}" for kind in range(3, 12)}, 12: "bullet", 13: "ordered",
           14: "code", 15: "quote", 17: "todo", 22: "divider", 27: "image", 31: "table"}


class Feishu:
    def __init__(self):
        self.documents, self.wiki, self.calls, self.before, self.tokens = {}, {}, [], [], {}
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, headers, said = server.take(self.command, self.path, dict(self.headers), body)
                data = said if isinstance(said, bytes) else json.dumps(said, ensure_ascii=False).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json; charset=utf-8", **headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = answer

            def log_message(self, *_):
                pass

        self.listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.listening.daemon_threads = True
        threading.Thread(target=self.listening.serve_forever, args=(0.02,), daemon=True).start()

    def close(self):
        self.listening.shutdown()
        self.listening.server_close()

    def environ(self, **changes):
        port = self.listening.server_address[1]
        return {"FEISHU_APP_ID": APP, "FEISHU_APP_SECRET": SECRET, "FEISHU_BASE_URL": f"http://127.0.0.1:{port}", **changes}

    def document(self, identity, title, blocks):
        """A document of given blocks; those without a parent hang on the page."""
        named = [{"block_id": f"b{number}", **block} for number, block in enumerate(blocks)]
        below = {child for block in named for child in block.get("children", [])}
        page = {"block_id": identity, "block_type": 1, "page": {"elements": [text(title)], "style": {}},
                "children": [block["block_id"] for block in named if block["block_id"] not in below]}
        self.documents[identity] = {"title": title, "revision": 1, "blocks": [page, *named]}

    def take(self, method, path, headers, body):
        parts = urllib.parse.urlsplit(path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        sent = json.loads(body) if body else None
        self.calls.append((method, parts.path, query, sent))
        if self.before:
            return self.before.pop(0)
        if parts.path == "/open-apis/auth/v3/tenant_access_token/internal" and method == "POST":
            if sent != {"app_id": APP, "app_secret": SECRET}:
                return 200, {}, {"code": 10014, "msg": "app secret invalid"}
            return 200, {}, {"code": 0, "msg": "ok", "tenant_access_token": TOKEN, "expire": 7200}
        if headers.get("Authorization") != f"Bearer {TOKEN}":
            return 400, {}, {"code": 99991663, "msg": "Invalid access token for authorization."}
        return self.routed(method, parts.path, query, sent)

    def routed(self, method, path, query, sent):
        if (method, path) == ("POST", "/open-apis/docx/v1/documents"):
            identity = f"doxcn{len(self.documents):022d}"
            self.document(identity, sent["title"], [])
            return self.ok({"document": {"document_id": identity, "revision_id": 1, "title": sent["title"]}})
        if (method, path) == ("GET", "/open-apis/wiki/v2/spaces/get_node"):
            node = self.wiki.get(query.get("token"))
            return self.ok({"node": node}) if node else (400, {}, {"code": 131006, "msg": "permission denied"})
        found = re.fullmatch(r"/open-apis/docx/v1/documents/(\w+)(/blocks(?:/(\w+)/children)?)?", path)
        document = self.documents.get(found.group(1)) if found else None
        if document is None:
            return 404, {}, {"code": 1770002, "msg": "not found"}
        if method == "GET" and not found.group(2):
            return self.ok({"document": {"document_id": found.group(1), "revision_id": document["revision"], "title": document["title"]}})
        if method == "GET" and not found.group(3):
            return self.page(document, query)
        if method == "POST" and found.group(3):
            return self.children(document, found.group(3), query, sent)
        return 404, {}, {"code": 1770002, "msg": "not found"}

    def page(self, document, query):
        size, start = min(int(query.get("page_size", 500)), self.page_size), int(query.get("page_token") or 0)
        items, more = document["blocks"][start:start + size], start + size < len(document["blocks"])
        return self.ok({"items": items, "has_more": more, **({"page_token": str(start + size)} if more else {})})

    page_size = 500

    def children(self, document, parent, query, sent):
        children = sent.get("children") or []
        if not 1 <= len(children) <= 50 or sent.get("index", -1) != -1 or query.get("document_revision_id") != "-1":
            return 400, {}, {"code": 1770001, "msg": "invalid param"}
        if query.get("client_token") in self.tokens:
            return self.ok({"children": self.tokens[query["client_token"]]})
        for child in children:
            field = BY_KIND.get(child.get("block_type"))
            inside = child.get(field) if field else None
            runs = (inside or {}).get("elements", [])
            if inside is None or (field != "divider" and not runs) or any(not run["text_run"]["content"] for run in runs):
                return 400, {}, {"code": 1770001, "msg": "invalid param"}
        page = next(block for block in document["blocks"] if block["block_id"] == parent)
        made = [{"block_id": f"n{len(document['blocks']) + number}", **child} for number, child in enumerate(children)]
        page["children"] += [block["block_id"] for block in made]
        document["blocks"] += made
        document["revision"] += 1
        self.tokens[query.get("client_token")] = made
        return self.ok({"children": made, "document_revision_id": document["revision"], "client_token": query.get("client_token")})

    @staticmethod
    def ok(data):
        return 200, {"X-Tt-Logid": "2025"}, {"code": 0, "msg": "success", "data": data}


def text(content, **style):
    return {"text_run": {"content": content, "text_element_style": {"bold": False, "inline_code": False, **style}}}


def block(kind, content, style=None, **more):
    elements = content if isinstance(content, list) else [text(content)]
    return {"block_type": kind, BY_KIND[kind]: {"elements": elements, "style": style or {}}, **more}
