"""What holds for every skill that comes with Hearth."""

import ast
import json
import re
import sys
import unittest

from scripts_of_skills import SKILLS

NAMES = ["code-review", "daily-brief", "feishu-documents", "file-tidy", "flash-cards", "mail-triage", "meeting-notes",
         "research", "skill-author", "weekly-review"]
TOOLS = set("read_file write_file edit_file list_files search_files exec web_fetch web_search memory_search memory_get "
            "memory_append memory_supersede memory_forget cron notify skill_load spawn_agent ask_user tool_load".split())
CJK = re.compile("[\u4e00-\u9fff]")


def keys_and_body(name):
    text = (SKILLS / name / "SKILL.md").read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    return dict(line.split(": ", 1) for line in front.splitlines()), body


class Bundled(unittest.TestCase):
    def test_they_are_all_there(self):
        self.assertEqual(sorted(path.name for path in SKILLS.iterdir() if path.is_dir()), NAMES)

    def test_frontmatter(self):
        for name in NAMES:
            with self.subTest(name):
                keys, _ = keys_and_body(name)
                self.assertEqual(keys["name"], name)
                self.assertTrue(60 <= len(keys["description"]) <= 260, len(keys["description"]))
                self.assertNotRegex(keys["description"], r": | #|^[\"'\[{>|*&!%@`]")
                tools = keys.get("allowed-tools")
                self.assertTrue(tools is None or set(tools.split()) <= TOOLS)
                self.assertTrue(json.loads(keys["metadata"])["openclaw"]["emoji"])

    def test_triggers_in_both_languages(self):
        for name in NAMES:
            with self.subTest(name):
                words = keys_and_body(name)[0]["trigger"].split(" | ")
                chinese = [word for word in words if CJK.search(word)]
                self.assertTrue(chinese and len(chinese) < len(words))
                self.assertTrue(all(len(word) >= (2 if CJK.search(word) else 4) for word in words))

    def test_no_two_skills_share_a_trigger(self):
        every = [word for name in NAMES for word in keys_and_body(name)[0]["trigger"].split(" | ")]
        self.assertEqual(len(every), len(set(every)))

    def test_bodies_are_small_and_end_with_a_self_check(self):
        for name in NAMES:
            with self.subTest(name):
                body = keys_and_body(name)[1]
                boxes = body.split("## Self-check\n")[1]
                self.assertRegex(boxes, r"\A(- \[ \] .+\n){3,7}\Z")
                self.assertTrue(1300 <= len(body) <= 3600, len(body))

    def test_what_a_body_names_is_there_and_everything_is_named(self):
        for name in NAMES:
            with self.subTest(name):
                body = keys_and_body(name)[1]
                scripts = set(re.findall(r"\{baseDir\}/(scripts/\w+\.py)", body))
                linked = set(re.findall(r"\]\((references/[\w-]+\.md)\)", body))
                there = {str(path.relative_to(SKILLS / name)) for path in (SKILLS / name).rglob("*") if path.is_file()}
                self.assertEqual(there - {"SKILL.md"}, scripts | linked)

    def test_requirements_are_true(self):
        for name in NAMES:
            with self.subTest(name):
                requires = json.loads(keys_and_body(name)[0]["metadata"])["openclaw"].get("requires", {})
                scripts = list((SKILLS / name).glob("scripts/*.py"))
                self.assertEqual(requires.get("bins", []), ["python3"] if scripts else [])
                used = set()
                for path in scripts:
                    text = path.read_text(encoding="utf-8")
                    used |= set(re.findall(r"\b(?:MAIL|FEISHU)_[A-Z_]+\b", text))
                self.assertLessEqual(set(requires.get("env", [])), used)

    def test_scripts_use_only_the_standard_library(self):
        standard = getattr(sys, "stdlib_module_names", None)  # from Python 3.10 on
        if standard is None:
            self.skipTest("this Python does not list its own modules")
        for path in SKILLS.glob("*/scripts/*.py"):
            with self.subTest(path.name):
                source = path.read_text(encoding="utf-8")
                self.assertTrue(source.startswith("#!/usr/bin/env python3\n\"\"\""))
                tree = ast.parse(source, feature_version=(3, 9))
                names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
                names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
                self.assertLessEqual({name.split(".")[0] for name in names}, standard)

    def test_texts_are_clean(self):
        for path in SKILLS.rglob("*"):
            if path.is_file():
                with self.subTest(str(path)):
                    text = path.read_bytes().decode("utf-8")
                    self.assertNotRegex(text, "[\r\u200b-\u200f\u202a-\u202e\ufeff\u00a0]")
                    self.assertTrue(text.endswith("\n") and not text.endswith("\n\n"))


if __name__ == "__main__":
    unittest.main()
