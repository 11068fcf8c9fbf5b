#!/usr/bin/env python3
"""Turns cards into a deck: Anki's text form (.tsv) or a spreadsheet's CSV. Python 3.9, standard library only.

Input: Markdown with `Q:` and `A:` (and, by choice, `T:` tags), or JSON Lines {"front", "back", "tags"}.
Holds: a deck is written whole or not at all and never over another file; every card has an id made from its
question, so that importing an improved deck again updates cards and doubles none; doubtful cards are named.
"""

import argparse
import csv
import hashlib
import html
import io
import json
import os
import re
import sys

MAX_INPUT = 4 * 1024 * 1024
MAX_CARDS = 2000
LONG_FRONT, LONG_BACK, MANY_LINES = 240, 320, 5
FIELD = re.compile(r"^\s*(?:[-*]\s+)?(?:\*\*)?(Q|A|T|问|答|标签)(?:\*\*)?\s*[:：](?:\*\*)?\s*(.*)$", re.I)
NAMES = {"q": "front", "问": "front", "a": "back", "答": "back", "t": "tags", "标签": "tags"}


class Refused(Exception):
    """Ends the script with one line meant for a person."""


def read_cards(text):
    """Cards as they were written; JSON Lines where the first sign is a brace."""
    cards = from_json(text) if text.lstrip().startswith("{") else from_markdown(text)
    if not cards:
        raise Refused("No card found. Write `Q: …` and below it `A: …`, one card after the other.")
    if len(cards) > MAX_CARDS:
        raise Refused(f"{len(cards)} cards are more than a deck of {MAX_CARDS}: split them by topic.")
    return cards


def from_json(text):
    cards = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            tags = value.get("tags", [])
            tags = tags.split() if isinstance(tags, str) else [str(tag) for tag in tags]
            cards.append({"front": str(value["front"]).strip(), "back": str(value["back"]).strip(), "tags": tags, "line": number})
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Refused(f'Line {number} is no {{"front": …, "back": …}}.') from None
    return cards


def from_markdown(text):
    """A field goes on until the next one; a new question begins the next card; code keeps its lines."""
    cards, field, fenced = [], None, False
    for number, line in enumerate(text.splitlines(), 1):
        found = None if fenced else FIELD.match(line)
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if found:
            field = NAMES[found.group(1).lower()]
            if field == "front":
                cards.append({"front": [], "back": [], "tags": [], "line": number})
            if not cards:
                raise Refused(f"Line {number}: an answer before any question.")
            cards[-1][field].append(found.group(2))
        elif not fenced and re.match(r"^\s*(#{1,6}\s|---+\s*$)", line):
            field = None
        elif field and cards:
            cards[-1][field].append(line)
    for card in cards:
        card["front"] = "\n".join(card["front"]).strip()
        card["back"] = "\n".join(card["back"]).strip()
        card["tags"] = re.split(r"[\s,，]+", " ".join(card["tags"]).strip())
    return [{**card, "tags": [tag for tag in card["tags"] if tag]} for card in cards]


def faults(cards):
    """What must be mended before there is a deck."""
    found, seen = [], {}
    for card in cards:
        for side in ("front", "back"):
            if not card[side]:
                found.append(f"line {card['line']}: no {side}")
        key = sameness(card["front"])
        if key in seen and key:
            found.append(f"line {card['line']}: asks the same as line {seen[key]}")
        seen.setdefault(key, card["line"])
    return found


def doubts(cards):
    """What makes a card hard to learn; said, not refused."""
    found = []
    for card in cards:
        if len(card["front"]) > LONG_FRONT:
            found.append(f"line {card['line']}: the question is long ({len(card['front'])} characters)")
        if len(card["back"]) > LONG_BACK and "```" not in card["back"]:
            found.append(f"line {card['line']}: the answer is long ({len(card['back'])} characters): two cards?")
        if card["back"].count("\n") >= MANY_LINES and "```" not in card["back"]:
            found.append(f"line {card['line']}: a list of {card['back'].count(chr(10)) + 1} lines is hard to recall: one card each?")
        if re.fullmatch(r"(yes|no|true|false|是|否|对|错|不是)[.。!！]?", card["back"], re.I):
            found.append(f"line {card['line']}: a yes or no can be guessed: ask why or what")
    return found


def sameness(text):
    return re.sub(r"[\W_]+", "", text).casefold()


def identity(deck, card):
    """The same question in the same deck keeps its id, whatever its answer becomes."""
    return hashlib.sha256(f"{deck}\n{sameness(card['front'])}".encode()).hexdigest()[:16]


def anki(deck, cards):
    """Anki's own header lines say what the columns are."""
    lines = ["#separator:tab", "#html:true", f"#deck:{one_line(deck)}", "#guid column:1", "#tags column:4",
             "#columns:ID\tFront\tBack\tTags"]
    for card in cards:
        tags = " ".join(re.sub(r"\s+", "_", tag) for tag in card["tags"])
        lines.append("\t".join([identity(deck, card), to_html(card["front"]), to_html(card["back"]), html.escape(tags)]))
    return "\n".join(lines) + "\n"


def to_html(text):
    """Plain text as HTML; fenced and inline code stay code."""
    out, code = [], None
    for line in text.replace("\t", "    ").split("\n"):
        if line.lstrip().startswith("```"):
            if code is None:
                code = []
            else:
                out.append("<pre><code>" + "<br>".join(code) + "</code></pre>")
                code = None
        elif code is not None:
            code.append(html.escape(line).replace(" ", "&nbsp;"))
        else:
            out.append(re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(line)))
    if code:
        out.append("<pre><code>" + "<br>".join(code) + "</code></pre>")
    return "<br>".join(out)


def spreadsheet(cards):
    """CSV with a mark that lets Excel see UTF-8; nothing in it is taken for a formula."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(["front", "back", "tags"])
    for card in cards:
        rows.writerow([inert(card["front"]), inert(card["back"]), inert(" ".join(card["tags"]))])
    return "\ufeff" + out.getvalue()


def inert(cell):
    formula = re.match(r"[=@\t\r]|[+-](?![\d\s.,]*(?:$|[\d\s]))", cell)
    return "'" + cell if formula else cell


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def write_new(path, text):
    """Beside its place first, then there in one step; what is there stays."""
    if os.path.lexists(path):
        raise Refused(f"{path} is there already: choose another name.")
    part = f"{path}.part"
    try:
        with open(part, "x", encoding="utf-8", newline="") as file:
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise Refused(f"{path} cannot be written: {error.strerror}.") from None


def main(argv, stdin, out, err):
    parser = argparse.ArgumentParser(description="Makes an Anki deck (.tsv) or a spreadsheet (.csv) from questions and answers.")
    parser.add_argument("cards", help="a file of cards, or - for standard input")
    parser.add_argument("--deck", default="Hearth", help="the deck's name")
    parser.add_argument("--out", help="the file to write: .tsv for Anki, .csv for a spreadsheet; without it the cards are only checked")
    args = parser.parse_args(argv)
    try:
        cards = read_cards(source(args.cards, stdin))
        wrong = faults(cards)
        if wrong:
            raise Refused("Mend these first:\n  " + "\n  ".join(wrong[:40]))
        if args.out:
            if not args.out.endswith((".tsv", ".csv")):
                raise Refused("--out ends with .tsv (Anki) or .csv (spreadsheet).")
            write_new(args.out, anki(args.deck, cards) if args.out.endswith(".tsv") else spreadsheet(cards))
        said = {"cards": len(cards), "deck": one_line(args.deck), "file": args.out, "doubts": doubts(cards)[:40]}
        out.write(json.dumps(said, ensure_ascii=False) + "\n")
        return 0
    except Refused as refusal:
        err.write(f"{refusal}\n")
        return 1


def source(path, stdin):
    try:
        if path == "-":
            return stdin.read(MAX_INPUT)
        if os.path.getsize(path) > MAX_INPUT:
            raise Refused(f"{path} is larger than {MAX_INPUT // 1024 // 1024} MB.")
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except UnicodeDecodeError:
        raise Refused(f"{path} is not UTF-8 text.") from None
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.") from None


if __name__ == "__main__":
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8")
    sys.exit(main(sys.argv[1:], sys.stdin, sys.stdout, sys.stderr))
