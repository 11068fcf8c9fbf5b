#!/usr/bin/env python3
"""Reads and writes Feishu (Lark) documents as Markdown through the open API. Python 3.9, standard library only.

Holds: what is there is never changed or removed: a document is created, or text is added at its end; the app's
secret and token are never printed; answers are bounded; a limit of the server is waited for, a few times.
Left out: tables, images and sheets (named where they stand), comments, permissions.

  feishu.py read  DOCUMENT                       a link or an id
  feishu.py create TITLE [--folder TOKEN] [--file NOTES.md]
  feishu.py append DOCUMENT --file NOTES.md      `-` is standard input
  feishu.py --lark …                             larksuite.com instead of feishu.cn
"""

import argparse
import json
import os
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

MAX_ANSWER = 8 * 1024 * 1024
MAX_TEXT = 1024 * 1024
MAX_PAGES = 40
# A call adds at most 50 blocks, and a document takes three calls a second.
BATCH = 50
BETWEEN_S = 0.35
TRIES = 4
TIMEOUT_S = 30
HEADINGS = {number + 2: number for number in range(1, 10)}
FIELDS = {1: "page", 2: "text", 12: "bullet", 13: "ordered", 14: "code", 15: "quote", 17: "todo"}
FIELDS.update({kind: f"heading{level}" for kind, level in HEADINGS.items()})
LANGUAGES = {"": 1, "text": 1, "bash": 7, "c#": 8, "csharp": 8, "c++": 9, "cpp": 9, "c": 10, "css": 12, "dart": 15,
             "dockerfile": 18, "go": 22, "html": 24, "json": 28, "java": 29, "javascript": 30, "js": 30, "kotlin": 32,
             "lua": 36, "makefile": 38, "markdown": 39, "md": 39, "php": 43, "powershell": 46, "python": 49, "py": 49,
             "r": 50, "ruby": 52, "rust": 53, "sql": 56, "scala": 57, "shell": 60, "sh": 60, "swift": 61,
             "typescript": 63, "ts": 63, "xml": 66, "yaml": 67}
NAMES = {number: name for name, number in reversed(LANGUAGES.items()) if name}
OTHERS = {18: "a table base", 19: "a callout", 23: "a file", 27: "an image", 29: "a mind map", 30: "a sheet", 31: "a table"}
LIMITED = {99991400, 1254290, 1254291}
HINTS = {
    99991663: "the token is not valid: is the app's secret right?",
    99991672: "the app lacks a right: it needs docx:document (and wiki:wiki:readonly for wiki links), then publish a version of the app",
    1770002: "no document has this id",
    1770032: "the app may not open this document: in the document's menu, add the app as a collaborator",
    10003: "app id or secret are wrong",
    10014: "the app's secret is wrong",
    131006: "the app may not see this wiki page: add it as a member of the space",
}


class Refused(Exception):
    """Ends the script with one line meant for a person."""


# ---- the wire -------------------------------------------------------------------------------------


class Stay(urllib.request.HTTPRedirectHandler):
    """An answer that sends us elsewhere would take the token along."""

    def redirect_request(self, *_):
        return None


class Feishu:
    """The few calls that are needed, in the name of one app."""

    def __init__(self, environ, sleep=time.sleep, lark=False):
        missing = [name for name in ("FEISHU_APP_ID", "FEISHU_APP_SECRET") if not environ.get(name)]
        if missing:
            raise Refused(f"Not set: {', '.join(missing)}. They are on the app's page in the developer console; "
                          "store each as a secret named skills/NAME.")
        self.base = base(environ.get("FEISHU_BASE_URL"), lark)
        self.app, self.secret, self.sleep, self.token = environ["FEISHU_APP_ID"], environ["FEISHU_APP_SECRET"], sleep, None
        loopback = urllib.parse.urlsplit(self.base).hostname in ("127.0.0.1", "localhost", "::1")
        proxies = [urllib.request.ProxyHandler({})] if loopback else []
        self.opener = urllib.request.build_opener(Stay, *proxies)

    def call(self, method, path, query=None, body=None):
        """One call's `data`, with a token."""
        if self.token is None:
            got = self.send("POST", "/open-apis/auth/v3/tenant_access_token/internal",
                            body={"app_id": self.app, "app_secret": self.secret})
            self.token = got.get("tenant_access_token")
            if not self.token:
                raise Refused("Feishu gave no token.")
        return self.send(method, path, query, body).get("data") or {}

    def send(self, method, path, query=None, body=None):
        """Waits where the server asks for it; any other refusal ends."""
        for attempt in range(1, TRIES + 1):
            status, headers, answer = self.once(method, path, query, body)
            code = answer.get("code")
            if status == 429 or code in LIMITED or status >= 500:
                if attempt < TRIES:
                    self.sleep(wait_of(headers, attempt))
                    continue
                raise Refused("Feishu is too busy for this app just now. Try again in a minute.")
            if code != 0:
                said = str(answer.get("msg") or status).replace(self.secret, "…")[:300]
                raise Refused(f"Feishu refuses ({code if code is not None else status}): {HINTS.get(code, said)}.")
            return answer
        raise Refused("Feishu does not answer.")

    def once(self, method, path, query, body):
        url = self.base + path + ("?" + urllib.parse.urlencode(query) if query else "")
        headers = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "hearth-skill/1"}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        data = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with self.opener.open(request, timeout=TIMEOUT_S) as answer:
                return answer.status, answer.headers, parsed(answer.read(MAX_ANSWER + 1))
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, parsed(error.read(MAX_ANSWER + 1))
        except (urllib.error.URLError, OSError) as error:
            raise Refused(f"Feishu cannot be reached: {getattr(error, 'reason', error)}.") from None


def base(url, lark):
    """One of the two servers, or one on this machine: the secret goes nowhere else."""
    if not url:
        return "https://open.larksuite.com" if lark else "https://open.feishu.cn"
    parts = urllib.parse.urlsplit(url)
    if parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise Refused("FEISHU_BASE_URL is for servers on this machine alone.")
    return f"{parts.scheme}://{parts.netloc}"


def parsed(data):
    if len(data) > MAX_ANSWER:
        raise Refused("Feishu's answer is too large.")
    try:
        value = json.loads(data or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def wait_of(headers, attempt):
    asked = headers.get("x-ogw-ratelimit-reset") or headers.get("Retry-After") or ""
    return min(float(asked), 30.0) if asked.isdigit() else 0.5 * 2 ** attempt


# ---- documents ------------------------------------------------------------------------------------


def document_id(feishu, named):
    """The id behind a link (document or wiki) or the id itself."""
    found = re.search(r"/(docx|wiki)/([A-Za-z0-9]+)", named)
    if found and found.group(1) == "wiki":
        node = feishu.call("GET", "/open-apis/wiki/v2/spaces/get_node", {"token": found.group(2)}).get("node") or {}
        if node.get("obj_type") != "docx":
            raise Refused(f"That wiki page is no document but {node.get('obj_type')}.")
        return plain_id(node.get("obj_token"))
    if found:
        return found.group(2)
    if "/" in named:
        raise Refused("That link is no Feishu document: it needs /docx/ or /wiki/ in it.")
    return plain_id(named)


def plain_id(text):
    if not re.fullmatch(r"[A-Za-z0-9]{8,64}", text or ""):
        raise Refused("That is no document id.")
    return text


def read(feishu, named):
    identity = document_id(feishu, named)
    about = feishu.call("GET", f"/open-apis/docx/v1/documents/{identity}").get("document") or {}
    blocks, token = [], None
    for _ in range(MAX_PAGES):
        query = {"page_size": 500, **({"page_token": token} if token else {})}
        page = feishu.call("GET", f"/open-apis/docx/v1/documents/{identity}/blocks", query)
        blocks += page.get("items") or []
        token = page.get("page_token")
        if not page.get("has_more") or not token:
            break
    else:
        raise Refused("The document is too long.")
    return {"document": identity, "title": about.get("title", ""), "revision": about.get("revision_id"),
            "markdown": to_markdown(blocks)}


def create(feishu, title, folder, markdown):
    body = {"title": title, **({"folder_token": folder} if folder else {})}
    blocks = to_blocks(markdown)
    made = feishu.call("POST", "/open-apis/docx/v1/documents", body=body).get("document") or {}
    identity = plain_id(made.get("document_id"))
    return {"document": identity, "title": title, **added(feishu, identity, blocks)}


def append(feishu, named, markdown):
    blocks = to_blocks(markdown)
    if not blocks:
        raise Refused("There is nothing to add.")
    identity = document_id(feishu, named)
    return {"document": identity, **added(feishu, identity, blocks)}


def added(feishu, identity, blocks):
    """Adds blocks at the end. A repeated call with one `client_token` adds nothing twice."""
    done = 0
    for start in range(0, len(blocks), BATCH):
        if start:
            feishu.sleep(BETWEEN_S)
        part = blocks[start:start + BATCH]
        query = {"document_revision_id": -1, "client_token": str(uuid.uuid4())}
        try:
            feishu.call("POST", f"/open-apis/docx/v1/documents/{identity}/blocks/{identity}/children", query,
                        {"children": part, "index": -1})
        except Refused as refusal:
            raise Refused(f"{done} of {len(blocks)} blocks are in document {identity}; then: {refusal}") from None
        done += len(part)
    return {"blocks": done}


# ---- Markdown to blocks ---------------------------------------------------------------------------


INLINE = re.compile(r"\*\*(?P<bold>.+?)\*\*|`(?P<code>[^`]+)`|\[(?P<said>[^\]]+)\]\((?P<link>https?://[^\s)]+)\)|~~(?P<gone>.+?)~~|(?<![\w*])\*(?P<italic>[^*\s][^*]*?)\*(?!\w)")


def elements(text):
    """Inline marks as styled runs."""
    runs, at = [], 0
    for found in INLINE.finditer(text):
        runs.append(run(text[at:found.start()]))
        kind = found.lastgroup
        if kind == "link":
            runs.append(run(found.group("said"), link={"url": urllib.parse.quote(found.group("link"), safe="")}))
        else:
            style = {"bold": "bold", "code": "inline_code", "gone": "strikethrough", "italic": "italic"}[kind]
            runs.append(run(found.group(kind), **{style: True}))
        at = found.end()
    runs.append(run(text[at:]))
    return [one for one in runs if one] or [run(" ")]


def run(text, **style):
    return {"text_run": {"content": text, "text_element_style": style}} if text else None


def block(kind, text, style=None, raw=False):
    runs = [run(text or " ")] if raw else elements(text)
    return {"block_type": kind, FIELDS[kind]: {"elements": runs, "style": style or {}}}


LINES = [
    (re.compile(r"^(#{1,9})\s+(.+?)\s*#*$"), lambda m: block(len(m.group(1)) + 2, m.group(2))),
    (re.compile(r"^\s*[-*+]\s+\[( |x|X)\]\s+(.+)$"), lambda m: block(17, m.group(2), {"done": m.group(1) != " "})),
    (re.compile(r"^\s*(?:-{3,}|\*{3,}|_{3,})\s*$"), lambda m: {"block_type": 22, "divider": {}}),
    (re.compile(r"^\s*[-*+]\s+(.+)$"), lambda m: block(12, m.group(1))),
    (re.compile(r"^\s*\d+[.)]\s+(.+)$"), lambda m: block(13, m.group(1))),
    (re.compile(r"^>\s?(.*)$"), lambda m: block(15, m.group(1))),
]


def to_blocks(markdown):
    """Headings, lists, boxes, quotes, code, rules and paragraphs; lines of one paragraph are joined."""
    blocks, paragraph, fence, code = [], [], None, []

    def close():
        if paragraph:
            blocks.append(block(2, joined(paragraph)))
            paragraph.clear()

    for line in markdown.replace("\r\n", "\n").split("\n"):
        mark = re.match(r"^\s*(`{3,}|~{3,})\s*(\S*)", line)
        if fence is not None:
            if mark and mark.group(1).startswith(fence[0]) and not mark.group(2):
                blocks.append(block(14, "\n".join(code), {"language": LANGUAGES.get(fence[1], 1), "wrap": True}, raw=True))
                fence, code = None, []
            else:
                code.append(line)
            continue
        if mark:
            close()
            fence = (mark.group(1), mark.group(2).lower())
            continue
        made = next((make(found) for pattern, make in LINES for found in [pattern.match(line)] if found), None)
        if made or not line.strip():
            close()
            blocks += [made] if made else []
        else:
            paragraph.append(line.strip())
    if fence is not None:
        blocks.append(block(14, "\n".join(code), {"language": LANGUAGES.get(fence[1], 1), "wrap": True}, raw=True))
    close()
    return blocks


def joined(lines):
    """Lines of Chinese join without a space."""
    text = lines[0]
    for line in lines[1:]:
        tight = ord(text[-1]) > 0x2E7F and ord(line[0]) > 0x2E7F
        text += ("" if tight else " ") + line
    return text


# ---- blocks to Markdown ---------------------------------------------------------------------------


def to_markdown(blocks):
    """The tree of blocks in reading order; what is no text is named."""
    by_id = {one.get("block_id"): one for one in blocks}
    roots = [one for one in blocks if one.get("block_type") == 1] or blocks[:1]
    lines, seen = [], set()
    stack = [(child, 0) for root in roots for child in reversed(root.get("children") or [])]
    while stack:
        name, depth = stack.pop()
        one = by_id.get(name)
        if one is None or name in seen:
            continue
        seen.add(name)
        said = line_of(one, depth)
        lines += [] if said is None else [said]
        if one.get("block_type") != 31:
            deeper = depth + 1 if one.get("block_type") in (12, 13, 17) else depth
            stack += [(child, deeper) for child in reversed(one.get("children") or [])]
    return spaced(lines)


def line_of(one, depth):
    kind = one.get("block_type")
    inside = one.get(FIELDS.get(kind, "")) or {}
    style, indent = inside.get("style") or {}, "  " * depth
    if kind == 14:
        text = "".join((part.get("text_run") or {}).get("content", "") for part in inside.get("elements") or [])
        return f"```{NAMES.get(style.get('language'), '')}\n{text}\n```"
    text = inline(inside.get("elements") or [])
    if kind in HEADINGS:
        return f"{'#' * HEADINGS[kind]} {text}"
    if kind in (12, 13, 17):
        sign = {12: "- ", 13: "1. ", 17: "- [x] " if style.get("done") else "- [ ] "}[kind]
        return f"{indent}{sign}{text}"
    if kind == 15:
        return "> " + text.replace("\n", "\n> ")
    if kind == 22:
        return "---"
    if kind in FIELDS:
        return text or None
    return f"[{OTHERS[kind]} stands here]" if kind in OTHERS else None


def inline(parts):
    text = ""
    for part in parts:
        if "text_run" in part:
            text += styled(part["text_run"])
        elif "mention_doc" in part:
            about = part["mention_doc"]
            text += f"[{about.get('title', 'document')}]({about.get('url', '')})"
        elif "mention_user" in part:
            text += "@someone"
        elif "equation" in part:
            text += f"${part['equation'].get('content', '').strip()}$"
    return text


def styled(piece):
    said, style = piece.get("content", ""), piece.get("text_element_style") or {}
    core = said.strip()
    if not core:
        return said
    for name, sign in (("inline_code", "`"), ("bold", "**"), ("italic", "*"), ("strikethrough", "~~")):
        core = f"{sign}{core}{sign}" if style.get(name) else core
    if (style.get("link") or {}).get("url"):
        core = f"[{core}]({urllib.parse.unquote(style['link']['url'])})"
    return said[:len(said) - len(said.lstrip())] + core + said[len(said.rstrip()):]


def spaced(lines):
    """A blank line between blocks, none between the items of a list or the lines of a quotation."""
    def run_of(line):
        return "quote" if line.startswith("> ") else "list" if re.match(r"\s*(- |1\. )", line) else None

    out = []
    for before, line in zip([""] + lines, lines):
        together = run_of(line) is not None and run_of(before) == run_of(line)
        out += [line] if together or not out else ["", line]
    return "\n".join(out)


# ---- the command ----------------------------------------------------------------------------------


def arguments(argv):
    parser = argparse.ArgumentParser(description="Reads and writes Feishu documents as Markdown.")
    parser.add_argument("--lark", action="store_true", help="larksuite.com instead of feishu.cn")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("read").add_argument("document")
    new = verbs.add_parser("create")
    new.add_argument("title")
    new.add_argument("--folder", help="token of the folder, from its link")
    new.add_argument("--file", help="Markdown to fill it with")
    more = verbs.add_parser("append")
    more.add_argument("document")
    more.add_argument("--file", required=True, help="Markdown to add, or -")
    return parser.parse_args(argv)


def text_of(path, stdin):
    if not path:
        return ""
    try:
        if path == "-":
            text = stdin.read(MAX_TEXT + 1)
        else:
            with open(path, encoding="utf-8-sig") as file:
                text = file.read(MAX_TEXT + 1)
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path} cannot be read: {error}.") from None
    if len(text) > MAX_TEXT:
        raise Refused("The text is longer than a million characters: split it.")
    return text


def main(argv, environ, stdin, out, err, sleep=time.sleep):
    args = arguments(argv)
    try:
        text = text_of(getattr(args, "file", None), stdin)
        feishu = Feishu(environ, sleep, args.lark or "larksuite.com/" in getattr(args, "document", ""))
        if args.verb == "read":
            answer = read(feishu, args.document)
        elif args.verb == "create":
            answer = create(feishu, args.title, args.folder, text)
        else:
            answer = append(feishu, args.document, text)
        out.write(json.dumps(answer, ensure_ascii=False) + "\n")
        return 0
    except Refused as refusal:
        err.write(f"{refusal}\n")
        return 1


if __name__ == "__main__":
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:], os.environ, sys.stdin, sys.stdout, sys.stderr))
