#!/usr/bin/env python3
"""Prints the newest mails of an IMAP folder as JSON Lines. Python 3.9, standard library only.

Holds: the server is only read (EXAMINE and BODY.PEEK: nothing becomes "seen"); TLS always, with the
certificate checked; what is fetched is bounded, however much the server sends; the password is never
printed. One line a mail, newest first, then one line {"summary": ...}. Left out: sending, deleting,
attachments' contents.
"""

import argparse
import base64
import datetime as dt
import email
import email.header
import email.utils
import html.parser
import imaplib
import json
import os
import re
import socket
import ssl
import sys

MAX_MAILS = 200
MAX_TOTAL_BYTES = 16 * 1024 * 1024
MAX_LITERAL = 2 * 1024 * 1024
MAX_ATTACHMENTS = 20
TIMEOUT_S = 30
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
# Labels that mean more than they say: what is called GB2312 is mostly its successor.
WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030", "ascii": "utf-8", "us-ascii": "utf-8",
         "unknown-8bit": "utf-8", "iso-8859-1": "cp1252", "ks_c_5601-1987": "cp949", "shift_jis": "cp932"}
INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Refused(Exception):
    """Ends the script with one line meant for a person."""


class Bounded(imaplib.IMAP4):
    """Reads no literal that is larger than what was asked for could be."""

    def read(self, size):
        if size > MAX_LITERAL:
            raise Refused(f"The server wants to send {size} bytes in one piece: refused.")
        return super().read(size)


class BoundedTls(Bounded, imaplib.IMAP4_SSL):
    """The same with TLS from the first byte."""


# ---- the account ----------------------------------------------------------------------------------


def account(environ):
    """Server, user and password from the environment; how to connect is part of the server's name."""
    missing = [name for name in ("MAIL_HOST", "MAIL_USER", "MAIL_PASSWORD") if not environ.get(name)]
    if missing:
        raise Refused(f"Not set: {', '.join(missing)}. Store each as a secret named skills/NAME.")
    found = re.fullmatch(r"(?:(imaps|starttls)://)?([A-Za-z0-9.-]+|\[[0-9a-f:]+\])(?::(\d{1,5}))?", environ["MAIL_HOST"].strip())
    if not found:
        raise Refused("MAIL_HOST is a name such as imap.example.org, imaps://imap.example.org:993 or "
                      "starttls://imap.example.org:143; there is no unencrypted way.")
    mode, host, port = found.group(1) or "imaps", found.group(2).strip("[]"), found.group(3)
    port = int(port) if port else {"imaps": 993, "starttls": 143}[mode]
    return {"host": host, "port": port, "mode": mode, "user": environ["MAIL_USER"],
            "password": environ["MAIL_PASSWORD"], "authority": environ.get("MAIL_CA_FILE")}


def connect(who):
    """An authenticated connection."""
    context = ssl.create_default_context(cafile=who["authority"] or None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        if who["mode"] == "imaps":
            server = BoundedTls(who["host"], who["port"], ssl_context=context, timeout=TIMEOUT_S)
        else:
            server = encrypted(Bounded(who["host"], who["port"], timeout=TIMEOUT_S), context)
    except ssl.SSLCertVerificationError as error:
        raise Refused(f"{who['host']} shows a certificate that is not valid for it: {error.verify_message}.") from None
    except (OSError, imaplib.IMAP4.error) as error:
        raise Refused(f"{who['host']}:{who['port']} cannot be reached: {error}.") from None
    try:
        login(server, who)
        introduce(server)
    except BaseException:
        server.shutdown()
        raise
    return server


def encrypted(server, context):
    """Turns TLS on, or closes the connection before anything secret is said."""
    try:
        server.starttls(ssl_context=context)
    except Exception:
        server.shutdown()
        raise
    return server


def login(server, who):
    """PLAIN where it is offered (any character passes), else LOGIN."""
    try:
        if "AUTH=PLAIN" in server.capabilities:
            answer = "\0".join(["", who["user"], who["password"]]).encode("utf-8")
            server.authenticate("PLAIN", lambda _: answer)
        else:
            server.login(quoted(who["user"]), who["password"])
    except imaplib.IMAP4.error as error:
        said = str(error).replace(who["password"], "…")
        raise Refused(f"{who['host']} refuses the login of {who['user']}: {said}. Many providers want an app "
                      "password or authorisation code here instead of the usual one.") from None
    except UnicodeEncodeError:
        raise Refused("This server takes only ASCII in user and password.") from None


def introduce(server):
    """Some providers (163, 126, yeah.net) open no folder for a client that has not said what it is."""
    _, words = server.capability()
    if b"ID" in b" ".join(words).upper().split():
        server.xatom("ID", '("name" "hearth" "version" "1")')


# ---- folders --------------------------------------------------------------------------------------


def quoted(text):
    """A quoted string of the protocol; refuses what could end it."""
    if re.search(r"[\r\n\0]", text):
        raise Refused("A name with a line end in it is no name.")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def to_utf7(name):
    """A folder's name in the protocol's own UTF-7."""
    out = []
    for piece in re.findall(r"[\x20-\x7e]+|[^\x20-\x7e]+", name):
        if " " <= piece[0] <= "~":
            out.append(piece.replace("&", "&-"))
        else:
            coded = base64.b64encode(piece.encode("utf-16-be")).decode().rstrip("=").replace("/", ",")
            out.append(f"&{coded}-")
    return "".join(out)


def from_utf7(name):
    """And back."""
    def piece(found):
        coded = found.group(1)
        if not coded:
            return "&"
        padded = coded.replace(",", "/") + "=" * (-len(coded) % 4)
        return base64.b64decode(padded).decode("utf-16-be", "replace")
    return re.sub(r"&([^-]*)-", piece, name)


def folders(server):
    """All folders' names."""
    _, rows = server.list()
    names = []
    for row in rows or []:
        if isinstance(row, tuple):
            names.append(row[1].decode("ascii", "replace"))
        elif row:
            found = re.match(rb'\([^)]*\) (?:"[^"]*"|NIL) (.+)$', row)
            name = found.group(1).decode("ascii", "replace") if found else ""
            names.append(re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name)
    return [from_utf7(name) for name in names if name]


# ---- reading --------------------------------------------------------------------------------------


def criteria(args, today):
    """The search of the protocol, with English months whatever the system's language."""
    since = args.since or today - dt.timedelta(days=args.days)
    words = ["SINCE", f"{since.day:02d}-{MONTHS[since.month - 1]}-{since.year}"]
    if args.unseen:
        words.append("UNSEEN")
    return words


def search(server, args, today):
    """The wanted mails' numbers, newest last."""
    status, _ = server.select(quoted(to_utf7(args.folder)), readonly=True)
    if status != "OK":
        raise Refused(f"There is no folder {args.folder!r}. --folders lists them.")
    if args.uid:
        return [args.uid]
    status, found = server.uid("SEARCH", *criteria(args, today))
    if status != "OK":
        raise Refused("The server does not answer the search.")
    return sorted(int(number) for number in (found[0] or b"").split())


def fetch(server, number, limit):
    """Flags, size, arrival and the first `limit` bytes of one mail; None if it is gone."""
    status, parts = server.uid("FETCH", str(number), f"(UID FLAGS RFC822.SIZE INTERNALDATE BODY.PEEK[]<0.{limit}>)")
    pair = next((part for part in parts or [] if isinstance(part, tuple)), None)
    if status != "OK" or pair is None:
        return None
    # Some servers put the flags behind the literal.
    head = pair[0] + b" " + b" ".join(part for part in parts if isinstance(part, bytes))
    size = re.search(rb"RFC822\.SIZE (\d+)", head)
    return {"flags": [flag.decode("ascii", "replace") for flag in imaplib.ParseFlags(head)],
            "size": int(size.group(1)) if size else len(pair[1]),
            "received": arrival(head), "raw": pair[1][:limit]}


def arrival(head):
    found = re.search(rb'INTERNALDATE "([^"]+)"', head)
    if not found:
        return None
    parts = re.match(r" ?(\d+)-(\w{3})-(\d{4}) (\d+:\d+:\d+) ([+-]\d{4})", found.group(1).decode("ascii", "replace"))
    if not parts or parts.group(2) not in MONTHS:
        return None
    day, month, year, time, zone = parts.groups()
    return f"{year}-{MONTHS.index(month) + 1:02d}-{int(day):02d}T{time}{zone[:3]}:{zone[3:]}"


# ---- what a mail says -----------------------------------------------------------------------------


def decoded(data, charset):
    """Bytes as text, by what the label says, then by what usually hides behind a wrong one."""
    label = (charset or "utf-8").strip().strip('"').lower()
    for name in (WIDER.get(label, label), "utf-8", "gb18030"):
        try:
            return data.decode(name)
        except (LookupError, UnicodeError):
            continue
    return data.decode("latin-1")


def raw(message, name):
    """A header's values as they came; bytes that are no ASCII are guessed."""
    values = [value for key, value in message.raw_items() if key.lower() == name.lower()]
    return [unfolded(decoded(str(value).encode("utf-8", "surrogateescape"), "utf-8")) for value in values[:5]]


def header(message, name):
    """One header as one line of text."""
    return tidy_line(words((raw(message, name) or [""])[0]))


def words(value):
    """RFC 2047. Neighbours in one charset are joined as bytes first: some clients cut inside a character."""
    try:
        pieces = email.header.decode_header(value)
    except (email.header.HeaderParseError, ValueError):
        return value
    joined = []
    for data, charset in pieces:
        data = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
        if joined and joined[-1][1] == charset:
            joined[-1][0] += data
        else:
            joined.append([data, charset])
    return "".join(decoded(data, charset) for data, charset in joined)


def unfolded(text):
    return re.sub(r"\r?\n[ \t]*", " ", text)


def tidy_line(text):
    return re.sub(r"\s+", " ", CONTROL.sub("", INVISIBLE.sub("", text))).strip()[:500]


def people(message, name):
    # Addresses are split before words are decoded: a comma inside a coded name splits nothing.
    found = email.utils.getaddresses(raw(message, name))
    return [{"name": tidy_line(words(who)), "address": tidy_line(address)} for who, address in found if address][:20]


def sent(message):
    try:
        moment = email.utils.parsedate_to_datetime((raw(message, "Date") or [""])[0])
    except (TypeError, ValueError, IndexError):
        return None
    return None if moment is None else moment.isoformat()


def is_bulk(message):
    """Lists, newsletters and machines, by what they say of themselves."""
    if raw(message, "List-Id") or raw(message, "List-Unsubscribe"):
        return True
    automatic = (header(message, "Auto-Submitted") or "no").lower()
    return header(message, "Precedence").lower() in ("bulk", "list", "junk") or not automatic.startswith("no")


class Readable(html.parser.HTMLParser):
    """HTML as text, without what a reader would not see."""

    BREAKS = {"p", "div", "br", "tr", "li", "table", "ul", "ol", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr"}
    UNSEEN = {"script", "style", "head", "title", "template", "noscript"}
    VOID = {"br", "hr", "img", "input", "meta", "link", "col", "area", "base", "embed", "source", "wbr"}
    HIDES = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d])", re.I)

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.text, self.hidden, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        hides = tag in self.UNSEEN or "hidden" in named or bool(self.HIDES.search(named.get("style") or ""))
        if tag not in self.VOID and (self.hidden or hides):
            self.hidden.append(tag)
        if self.hidden:
            return
        if tag in self.BREAKS:
            self.text.append("\n- " if tag == "li" else "\n")
        if tag == "td":
            self.text.append(" ")
        if tag == "a":
            self.links.append((named.get("href") or "", len(self.text)))

    def handle_endtag(self, tag):
        if self.hidden:
            # An element left open ends with the one around it.
            if tag in self.hidden:
                while self.hidden.pop() != tag:
                    pass
            return
        if tag == "a" and self.links:
            target, start = self.links.pop()
            said = "".join(self.text[start:]).strip()
            if target.startswith(("http://", "https://")) and target != said:
                self.text.append(f" ({target[:200]})")
        elif tag in self.BREAKS:
            self.text.append("\n")

    def handle_data(self, data):
        if not self.hidden:
            self.text.append(re.sub(r"\s+", " ", data))


def plain(markup):
    reader = Readable()
    reader.feed(markup)
    reader.close()
    return "".join(reader.text)


def tidy_text(text):
    text = CONTROL.sub("", INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))).replace("\u00a0", " ")
    lines = [re.sub(r"[ \t]+", " ", line).strip() for line in text.split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def payload(part):
    try:
        data = part.get_payload(decode=True)
    except (ValueError, AssertionError):
        data = None
    if data is None:
        data = str(part.get_payload()).encode("utf-8", "surrogateescape")
    return data


def contents(message):
    """The text a reader would see, and the names of what is attached."""
    texts, markups, attachments = [], [], []
    for part in message.walk():
        if part.is_multipart():
            continue
        name, kind = part.get_filename(), part.get_content_type()
        if name or part.get_content_disposition() == "attachment" or not kind.startswith("text/"):
            if len(attachments) < MAX_ATTACHMENTS:
                shown = tidy_line(words(name)) if name else ""
                attachments.append({"name": shown, "type": kind, "bytes": len(payload(part))})
        elif kind == "text/html":
            markups.append(decoded(payload(part), part.get_content_charset()))
        else:
            texts.append(decoded(payload(part), part.get_content_charset()))
    text = tidy_text("\n\n".join(texts)) or tidy_text("\n\n".join(plain(markup) for markup in markups))
    return text, attachments


def row(number, mail, chars):
    """One mail as it is printed."""
    message = email.message_from_bytes(mail["raw"])
    text, attachments = contents(message)
    return {
        "uid": number,
        "from": (people(message, "From") or [{"name": "", "address": ""}])[0],
        "to": people(message, "To"),
        "cc": people(message, "Cc"),
        "reply_to": people(message, "Reply-To"),
        "subject": header(message, "Subject"),
        "sent": sent(message),
        "received": mail["received"],
        "message_id": header(message, "Message-ID"),
        "seen": "\\Seen" in mail["flags"],
        "answered": "\\Answered" in mail["flags"],
        "flagged": "\\Flagged" in mail["flags"],
        "bulk": is_bulk(message),
        "attachments": attachments,
        "text": text[:chars],
        "text_cut": len(text) > chars,
        "mail_cut": mail["size"] > len(mail["raw"]),
        "size": mail["size"],
    }


# ---- the command ----------------------------------------------------------------------------------


def arguments(argv):
    parser = argparse.ArgumentParser(description="Prints the newest mails of an IMAP folder as JSON Lines; changes nothing.")
    parser.add_argument("--folder", default="INBOX")
    parser.add_argument("--folders", action="store_true", help="list the folders instead")
    parser.add_argument("--days", type=int, default=2, help="how far back (2)")
    parser.add_argument("--since", type=dt.date.fromisoformat, help="from this date on: YYYY-MM-DD")
    parser.add_argument("--unseen", action="store_true", help="only unread ones")
    parser.add_argument("--uid", type=int, help="one mail, by the uid printed before")
    parser.add_argument("--limit", type=int, default=40, help=f"at most this many, newest first (40, at most {MAX_MAILS})")
    parser.add_argument("--chars", type=int, default=1500, help="text of each (1500, at most 20000)")
    parser.add_argument("--bytes", type=int, default=256 * 1024, help="read of each mail (262144, at most 1048576)")
    args = parser.parse_args(argv)
    args.limit = max(1, min(args.limit, MAX_MAILS))
    args.chars = max(0, min(args.chars, 20_000))
    args.bytes = max(4096, min(args.bytes, 1024 * 1024))
    args.days = max(0, min(args.days, 3660))
    return args


def show(server, args, today, out):
    numbers = search(server, args, today)
    shown = taken = 0
    for number in reversed(numbers[-args.limit:]):
        if taken >= MAX_TOTAL_BYTES:
            break
        mail = fetch(server, number, args.bytes)
        if mail is None:
            continue
        taken += len(mail["raw"])
        out.write(json.dumps(row(number, mail, args.chars), ensure_ascii=False) + "\n")
        shown += 1
    summary = {"folder": args.folder, "found": len(numbers), "shown": shown, "left_out": len(numbers) - shown}
    out.write(json.dumps({"summary": summary}, ensure_ascii=False) + "\n")


def main(argv, environ, out, err, today=None):
    args = arguments(argv)
    server = None
    try:
        server = connect(account(environ))
        if args.folders:
            out.write(json.dumps({"folders": folders(server)}, ensure_ascii=False) + "\n")
        else:
            show(server, args, today or dt.date.today(), out)
        return 0
    except Refused as refusal:
        err.write(f"{refusal}\n")
    except (imaplib.IMAP4.error, ssl.SSLError, socket.timeout, OSError) as error:
        err.write(f"The connection to the mail server broke: {str(error)[:300]}\n")
    finally:
        if server is not None:
            try:
                server.logout()
            except (imaplib.IMAP4.error, OSError):
                server.shutdown()
    return 1


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1:], os.environ, sys.stdout, sys.stderr))
