"""The tidying script: plans, moves only what was confirmed, undoes, and harms nothing."""

import io
import json
import os
import pathlib
import random
import tempfile
import unittest
from unittest import mock

from scripts_of_skills import script

tidy = script("file-tidy", "tidy")


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(os.path.realpath(folder.name))
        self.folder = self.top / "Downloads"
        self.folder.mkdir()

    def put(self, path, text="x"):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def ran(self, *argv):
        out, err = io.StringIO(), io.StringIO()
        status = tidy.main([str(arg) for arg in argv], out, err)
        return status, json.loads(out.getvalue() or "null"), err.getvalue()

    def plan(self, *argv):
        status, said, err = self.ran("plan", self.folder, *argv)
        self.assertEqual((status, err), (0, ""))
        return said

    def files(self):
        """Everything that is not ours: path to content."""
        every = (path for path in self.folder.rglob("*") if path.is_file() and not path.name.startswith(".tidy-"))
        return {str(path.relative_to(self.folder)): path.read_text() for path in every}


class Plans(Folder):
    def test_by_kind(self):
        for name in ("a.PDF", "photo.jpg", "song.mp3", "noending", "movie.mkv.part", ".hidden.pdf", "x.unheard"):
            self.put(name)
        self.put("Pictures/old.jpg")
        said = self.plan()
        self.assertEqual(said["into"], {"Documents": 1, "Music": 1, "Pictures": 1})
        self.assertEqual(sorted(said["first"]), ["a.PDF → Documents/a.PDF", "photo.jpg → Pictures/photo.jpg", "song.mp3 → Music/song.mp3"])

    def test_by_month_and_ending(self):
        os.utime(self.put("scan.pdf"), (1_740_000_000,) * 2)
        self.assertEqual(list(self.plan("--by", "month")["into"]), ["2025-02"])
        self.put("a.con")
        self.assertEqual(self.plan("--by", "ending")["into"], {"pdf": 1})

    def test_names_that_are_taken_get_a_number(self):
        self.put("Pictures/A.jpg", "old")
        self.put("a.jpg", "new")
        self.put("sub/a.jpg", "third")
        said = self.plan("--deep")
        self.assertEqual(sorted(said["first"]), ["a.jpg → Pictures/a (2).jpg", "sub/a.jpg → Pictures/a (3).jpg"])

    def test_projects_bundles_and_hidden_folders_stay_whole(self):
        for path in ("app/package.json", "app/logo.png", "Thing.app/icon.png", ".cache/a.png", "loose/b.png"):
            self.put(path)
        self.assertEqual(self.plan("--deep")["first"], ["loose/b.png → Pictures/b.png"])
        self.assertEqual(self.plan()["moves"], 0)

    @unittest.skipUnless(hasattr(os, "symlink") and os.name == "posix", "needs links")
    def test_links_stay(self):
        secret = self.top / "secret.pdf"
        secret.write_text("s")
        os.symlink(secret, self.folder / "link.pdf")
        os.symlink(self.top, self.folder / "up")
        self.assertEqual(self.plan("--deep")["moves"], 0)

    def test_duplicates_are_told_and_stay(self):
        self.put("a.pdf", "same content")
        self.put("b.pdf", "same content")
        self.put("c.pdf", "other conten")
        self.assertEqual(self.plan()["duplicates"], [{"size": 12, "files": ["a.pdf", "b.pdf"]}])

    def test_the_same_folder_gives_the_same_mark(self):
        self.put("a.pdf")
        first = self.plan()
        self.assertEqual(self.plan(), first)
        self.put("b.pdf")
        self.assertNotEqual(self.plan()["mark"], first["mark"])


class Moves(Folder):
    def test_there_and_back(self):
        for name in ("a.pdf", "b.jpg", "c.txt", "d.jpg"):
            self.put(name, name)
        before = self.files()
        said = self.plan()
        status, done, _ = self.ran("apply", said["plan"], "--confirm", said["mark"])
        self.assertEqual((status, done["moved"], done["skipped"]), (0, 4, []))
        self.assertEqual(self.files(), {"Documents/a.pdf": "a.pdf", "Pictures/b.jpg": "b.jpg", "Documents/c.txt": "c.txt", "Pictures/d.jpg": "d.jpg"})
        status, back, _ = self.ran("undo", self.folder, said["mark"])
        self.assertEqual((status, back), (0, {"moved_back": 4, "skipped": []}))
        self.assertEqual(self.files(), before)
        self.assertEqual(self.ran("undo", self.folder, said["mark"])[0], 1)

    def test_without_the_mark_nothing_moves(self):
        self.put("a.pdf")
        said = self.plan()
        for mark in ("", "yes", "0" * 12):
            status, _, err = self.ran("apply", said["plan"], "--confirm", mark)
            self.assertEqual(status, 1)
            self.assertIn("Nothing moved", err)
        plan = json.loads(pathlib.Path(said["plan"]).read_text())
        plan["moves"][0]["to"] = "Elsewhere/a.pdf"
        pathlib.Path(said["plan"]).write_text(json.dumps(plan))
        self.assertEqual(self.ran("apply", said["plan"], "--confirm", said["mark"])[0], 1)
        self.assertEqual(self.files(), {"a.pdf": "x"})

    def test_a_plan_is_applied_once(self):
        self.put("a.pdf")
        said = self.plan()
        self.ran("apply", said["plan"], "--confirm", said["mark"])
        status, _, err = self.ran("apply", said["plan"], "--confirm", said["mark"])
        self.assertEqual((status, "applied before" in err), (1, True))

    def test_what_changed_since_stays(self):
        self.put("a.pdf")
        self.put("b.pdf")
        self.put("c.pdf")
        said = self.plan()
        self.put("a.pdf", "changed since")
        (self.folder / "b.pdf").unlink()
        self.put("Documents/c.pdf", "was quicker")
        _, done, _ = self.ran("apply", said["plan"], "--confirm", said["mark"])
        self.assertEqual((done["moved"], len(done["skipped"])), (0, 3))
        self.assertEqual(self.files(), {"a.pdf": "changed since", "c.pdf": "x", "Documents/c.pdf": "was quicker"})

    def test_a_plan_leads_nowhere_else(self):
        self.put("a.pdf")
        now = tidy.state(str(self.folder), "a.pdf")
        for end in ("../a.pdf", "/etc/a", "x/../../a", "x//a", "C:/a", "x\\..\\a", "a\x00b", "con/a", "nul.txt", "dots./a", "a\u202efdp.exe", "", "."):
            for move in ({"from": "a.pdf", "to": end}, {"from": end, "to": "b.pdf"}):
                if (end in ("con/a", "nul.txt", "dots./a")) and move["from"] == end:
                    continue
                path = self.top / "plan.json"
                path.write_text(json.dumps({"folder": str(self.folder), "moves": [{**move, **now}]}))
                status, _, err = self.ran("show", path)
                self.assertEqual((status, "no plain path" in err), (1, True), move)

    def test_a_plan_moves_nothing_twice(self):
        now = {"size": 1, "changed": 1}
        for pairs in ([("a", "x"), ("b", "X")], [("a", "x"), ("a", "y")]):
            path = self.top / "plan.json"
            path.write_text(json.dumps({"folder": str(self.folder), "moves": [{"from": a, "to": b, **now} for a, b in pairs]}))
            self.assertIn("twice", self.ran("show", path)[2])

    @unittest.skipUnless(os.name == "posix", "needs links")
    def test_a_way_through_a_link_is_refused(self):
        self.put("a.pdf")
        said = self.plan()
        outside = self.top / "outside"
        outside.mkdir()
        os.symlink(outside, self.folder / "Documents")
        _, done, _ = self.ran("apply", said["plan"], "--confirm", said["mark"])
        self.assertEqual(done["moved"], 0)
        self.assertEqual(list(outside.iterdir()), [])
        self.assertTrue((self.folder / "a.pdf").exists())

    def test_a_crash_at_any_move_can_be_undone(self):
        for broken in range(4):
            with self.subTest(broken=broken):
                for name in ("a.pdf", "b.pdf", "c.pdf", "d.pdf"):
                    self.put(name, name)
                before = self.files()
                said = self.plan()
                calls, replace = [], os.replace

                def stopping(start, end):
                    calls.append(start)
                    if len(calls) == broken + 1:
                        raise KeyboardInterrupt
                    replace(start, end)

                with mock.patch.object(tidy.os, "replace", stopping), self.assertRaises(KeyboardInterrupt):
                    self.ran("apply", said["plan"], "--confirm", said["mark"])
                status, back, _ = self.ran("undo", self.folder, said["mark"])
                self.assertEqual((status, back), (0, {"moved_back": broken, "skipped": []}))
                self.assertEqual(self.files(), before)
                for path in self.folder.glob(".tidy-*"):
                    path.unlink()

    def test_random_folders_lose_nothing(self):
        chance = random.Random(7)
        for round_ in range(25):
            self.folder = self.top / f"round{round_}"
            self.folder.mkdir()
            for number in range(chance.randrange(1, 30)):
                where = chance.choice(["", "", "sub/", "Pictures/", "sub/deep/"])
                name = chance.choice("aAbB文") + chance.choice(["", " (2)"]) + chance.choice([".jpg", ".JPG", ".pdf", ".zip", ""])
                self.put(where + name, f"{number}" * chance.randrange(0, 3))
            before = self.files()
            said = self.plan(*chance.choice([[], ["--deep"]]), "--by", chance.choice(["kind", "month", "ending"]))
            _, done, _ = self.ran("apply", said["plan"], "--confirm", said["mark"])
            self.assertEqual((done["moved"], done["skipped"]), (said["moves"], []))
            self.assertEqual(sorted(self.files().values()), sorted(before.values()))
            self.assertEqual(self.ran("undo", self.folder, said["mark"])[1]["skipped"], [])
            self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main()
