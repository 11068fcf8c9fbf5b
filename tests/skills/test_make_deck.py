"""The deck script: what it reads, refuses, doubts and writes."""

import csv
import io
import json
import os
import pathlib
import tempfile
import unittest

from scripts_of_skills import script

deck = script("flash-cards", "make_deck")

CARDS = """# Chapter 3

Q: (TCP) How does the receiver slow the sender?
A: It announces a window
T: net tcp

**问：** 光合作用的产物是什么？
**答：** 葡萄糖和氧气
标签：生物，基础

---
a line between cards

- Q: What does this print?
  ```python
  Q: not a card
  if a < b:  print("x & y")
  ```
- A: `x & y`
"""


class Deck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ran(self, text, *argv, source="-"):
        out, err = io.StringIO(), io.StringIO()
        status = deck.main([source, *argv], io.StringIO(text), out, err)
        return status, json.loads(out.getvalue() or "null"), err.getvalue()

    def test_markdown(self):
        cards = deck.read_cards(CARDS)
        self.assertEqual([card["front"].split("\n")[0] for card in cards],
                         ["(TCP) How does the receiver slow the sender?", "光合作用的产物是什么？", "What does this print?"])
        self.assertEqual([card["back"] for card in cards], ["It announces a window", "葡萄糖和氧气", "`x & y`"])
        self.assertEqual([card["tags"] for card in cards], [["net", "tcp"], ["生物", "基础"], []])
        self.assertIn("Q: not a card", cards[2]["front"])

    def test_json_lines(self):
        cards = deck.read_cards('{"front": "a", "back": "b", "tags": "x y"}\n\n{"front": "c", "back": "d"}\n')
        self.assertEqual([(card["front"], card["back"], card["tags"]) for card in cards], [("a", "b", ["x", "y"]), ("c", "d", [])])
        for bad in ('{"front": "a"}', '{"front": "a", "back": "b"}\n[1]', '{broken'):
            self.assertEqual(self.ran(bad)[0], 1)

    def test_what_must_be_mended_is_refused_whole(self):
        out = str(self.folder / "d.tsv")
        for text, why in [("Q: a\nA:\n", "line 1: no back"), ("Q: Same?\nA: 1\n\nQ: same\nA: 2\n", "line 4: asks the same as line 1"),
                          ("A: first", "an answer before any question"), ("nothing here", "No card found")]:
            status, _, err = self.ran(text, "--out", out)
            self.assertEqual(status, 1)
            self.assertIn(why, err)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_doubts_are_said(self):
        text = f"Q: Is it?\nA: Yes.\n\nQ: {'long ' * 60}\nA: {'word ' * 80}\n\nQ: List?\nA: 1\n2\n3\n4\n5\n6\n"
        status, said, _ = self.ran(text)
        self.assertEqual((status, said["cards"], said["file"]), (0, 3, None))
        self.assertEqual([doubt.split(":")[0] for doubt in said["doubts"]], ["line 1", "line 4", "line 4", "line 7"])
        self.assertEqual(self.ran(CARDS)[1]["doubts"], [])

    def test_anki(self):
        out = self.folder / "d.tsv"
        status, said, err = self.ran(CARDS, "--deck", "Net\twork", "--out", str(out))
        self.assertEqual((status, err, said["cards"]), (0, "", 3))
        lines = out.read_text(encoding="utf-8").split("\n")
        self.assertEqual(lines[:3], ["#separator:tab", "#html:true", "#deck:Net work"])
        rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
        self.assertEqual([len(row) for row in rows], [4, 4, 4])
        self.assertEqual(rows[1][1:], ["光合作用的产物是什么？", "葡萄糖和氧气", "生物 基础"])
        self.assertIn("<pre><code>", rows[2][1])
        self.assertIn("a&nbsp;&lt;&nbsp;b", rows[2][1])
        self.assertEqual(rows[2][2], "<code>x &amp; y</code>")

    def test_a_better_answer_keeps_the_cards_identity(self):
        before = deck.read_cards("Q: What is X?\nA: one")[0]
        after = deck.read_cards("Q: what is x\nA: another")[0]
        other = deck.read_cards("Q: What is Y?\nA: one")[0]
        self.assertEqual(deck.identity("d", before), deck.identity("d", after))
        self.assertNotEqual(deck.identity("d", before), deck.identity("d", other))
        self.assertNotEqual(deck.identity("d", before), deck.identity("e", before))

    def test_a_spreadsheet_takes_nothing_for_a_formula(self):
        out = self.folder / "d.csv"
        text = "Q: =HYPERLINK(1)\nA: @sum\n\nQ: -5 degrees?\nA: +cmd|calc\n\nQ: comma, \"quote\"\nA: two\nlines\n"
        self.assertEqual(self.ran(text, "--out", str(out))[0], 0)
        rows = list(csv.reader(io.StringIO(out.read_text(encoding="utf-8-sig"), newline="")))
        self.assertEqual(rows[1][:2], ["'=HYPERLINK(1)", "'@sum"])
        self.assertEqual(rows[2][:2], ["-5 degrees?", "'+cmd|calc"])
        self.assertEqual(rows[3][:2], ['comma, "quote"', "two\nlines"])

    def test_nothing_is_overwritten(self):
        out = self.folder / "d.csv"
        out.write_text("mine")
        status, _, err = self.ran(CARDS, "--out", str(out))
        self.assertEqual((status, out.read_text()), (1, "mine"))
        self.assertIn("is there already", err)
        dangling = self.folder / "link.csv"
        os.symlink(self.folder / "gone", dangling)
        self.assertEqual(self.ran(CARDS, "--out", str(dangling))[0], 1)
        self.assertFalse((self.folder / "gone").exists())

    def test_what_cannot_be_read(self):
        bad = self.folder / "bad.md"
        bad.write_bytes(b"Q: \xff\xfe\nA: x")
        for source in (str(bad), str(self.folder / "none.md"), str(self.folder)):
            status, said, err = self.ran("", source=source)
            self.assertEqual((status, said, len(err.splitlines())), (1, None, 1))
        self.assertIn("--out ends with", self.ran(CARDS, "--out", str(self.folder / "d.pdf"))[2])


if __name__ == "__main__":
    unittest.main()
