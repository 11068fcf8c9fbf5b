"""The Feishu script against a double of the open API on its wire format."""

import io
import json
import pathlib
import tempfile
import unittest

from feishu_server import SECRET, TOKEN, Feishu, block, text
from scripts_of_skills import script

feishu = script("feishu-documents", "feishu")
ID = "doxcnAbCdEf1234567890"

MARKDOWN = """# Title

First line
second line with **bold**, `code`, *slanted*, ~~gone~~ and [a link](https://example.org/a?b=c&d=1).

- one
- two
1. first
- [x] done
- [ ] open

> quoted

```python
if a < b:
    **not bold**
```

---

中文一行
接着一行"""


class Documents(unittest.TestCase):
    def setUp(self):
        self.server = Feishu()
        self.addCleanup(self.server.close)
        self.slept = []
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ran(self, *argv, stdin="", **changes):
        out, err = io.StringIO(), io.StringIO()
        status = feishu.main(list(argv), self.server.environ(**changes), io.StringIO(stdin), out, err, sleep=self.slept.append)
        self.assertNotIn(SECRET, out.getvalue() + err.getvalue())
        self.assertNotIn(TOKEN, out.getvalue() + err.getvalue())
        return status, json.loads(out.getvalue() or "null"), err.getvalue()

    def test_what_is_written_reads_the_same(self):
        status, made, err = self.ran("create", "Minutes", "--file", "-", stdin=MARKDOWN)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(made["blocks"], 11)
        _, back, _ = self.ran("read", made["document"])
        wanted = (MARKDOWN.replace("First line\nsecond", "First line second").replace("中文一行\n接着", "中文一行接着"))
        self.assertEqual(back["markdown"], wanted)
        self.assertEqual((back["title"], back["revision"]), ("Minutes", 2))

    def test_the_wire(self):
        self.ran("create", "T", "--folder", "fldcn1", "--file", "-", stdin="## H **b**\n[x](https://e.org/?a=1)")
        auth, create, children = self.server.calls
        self.assertEqual(auth[:2], ("POST", "/open-apis/auth/v3/tenant_access_token/internal"))
        self.assertEqual(create[3], {"title": "T", "folder_token": "fldcn1"})
        self.assertRegex(children[1], r"^/open-apis/docx/v1/documents/(\w+)/blocks/\1/children$")
        self.assertEqual(children[3], {"index": -1, "children": [
            {"block_type": 4, "heading2": {"style": {}, "elements": [
                {"text_run": {"content": "H ", "text_element_style": {}}},
                {"text_run": {"content": "b", "text_element_style": {"bold": True}}}]}},
            {"block_type": 2, "text": {"style": {}, "elements": [
                {"text_run": {"content": "x", "text_element_style": {"link": {"url": "https%3A%2F%2Fe.org%2F%3Fa%3D1"}}}}]}}]})

    def test_reading_a_tree(self):
        self.server.document(ID, "Plan", [
            block(3, "Head"), block(12, "a", children=["b2"]), block(12, "a.1"),
            block(17, "t", {"done": True}), {"block_type": 27, "image": {}}, {"block_type": 31, "table": {}, "children": ["b6"]},
            block(2, "in a cell"), block(2, ""), block(2, [text(" both ", bold=True), {"mention_user": {"user_id": "u"}},
                                                          {"equation": {"content": "x^2\n"}}])])
        for named in (ID, f"https://example.feishu.cn/docx/{ID}?from=x"):
            _, said, _ = self.ran("read", named)
            self.assertEqual(said["markdown"], "# Head\n\n- a\n  - a.1\n- [x] t\n\n[an image stands here]\n\n[a table stands here]\n\n **both** @someone$x^2$")

    def test_a_wiki_page_is_the_document_behind_it(self):
        self.server.document(ID, "W", [block(2, "inside")])
        self.server.wiki = {"wikcnAAAABBBB": {"obj_type": "docx", "obj_token": ID}, "wikcnSHEETSSS": {"obj_type": "sheet", "obj_token": "x"}}
        self.assertEqual(self.ran("read", "https://x.feishu.cn/wiki/wikcnAAAABBBB")[1]["markdown"], "inside")
        self.assertIn("no document but sheet", self.ran("read", "https://x.feishu.cn/wiki/wikcnSHEETSSS")[2])
        self.assertIn("may not see this wiki page", self.ran("read", "https://x.feishu.cn/wiki/wikcnNOTMINE1")[2])

    def test_long_documents_come_in_pages_and_go_in_parts(self):
        self.server.page_size = 7
        long_ = "\n\n".join(f"line {number}" for number in range(120))
        _, made, _ = self.ran("create", "Long", "--file", "-", stdin=long_)
        self.assertEqual(made["blocks"], 120)
        self.assertEqual([len(call[3]["children"]) for call in self.server.calls if call[1].endswith("/children")], [50, 50, 20])
        self.assertEqual(len(self.slept), 2)
        self.assertEqual(self.ran("read", made["document"])[1]["markdown"], long_)

    def test_append_leaves_what_is_there(self):
        self.server.document(ID, "D", [block(2, "old")])
        self.assertEqual(self.ran("append", ID, "--file", "-", stdin="new")[1], {"document": ID, "blocks": 1})
        self.assertEqual(self.ran("read", ID)[1]["markdown"], "old\n\nnew")
        self.assertIn("nothing to add", self.ran("append", ID, "--file", "-", stdin=" \n")[2])

    def test_a_limit_is_waited_for(self):
        self.server.document(ID, "D", [block(2, "x")])
        self.server.before = [(429, {"x-ogw-ratelimit-reset": "3"}, {"code": 99991400, "msg": "request trigger frequency limit"}),
                              (400, {}, {"code": 99991400, "msg": "request trigger frequency limit"})]
        self.assertEqual(self.ran("read", ID)[1]["markdown"], "x")
        self.assertEqual(self.slept, [3.0, 2.0])
        self.server.before = [(503, {}, b"<html>busy")] * 4
        status, _, err = self.ran("read", ID)
        self.assertEqual((status, "too busy" in err), (1, True))

    def test_half_done_is_said(self):
        lines = "\n\n".join(f"l{number}" for number in range(60))
        self.server.document(ID, "D", [])
        auth = (200, {}, {"code": 0, "tenant_access_token": TOKEN})
        first = (200, {}, {"code": 0, "data": {}})
        self.server.before = [auth, first, (403, {}, {"code": 1770032, "msg": "forBidden"})]
        status, _, err = self.ran("append", ID, "--file", "-", stdin=lines)
        self.assertEqual(status, 1)
        self.assertIn(f"50 of 60 blocks are in document {ID}; then: Feishu refuses (1770032)", err)

    def test_refusals_say_what_to_do(self):
        self.assertIn("FEISHU_APP_SECRET", self.ran("read", ID, FEISHU_APP_SECRET="")[2])
        self.assertIn("secret is wrong", self.ran("read", ID, FEISHU_APP_ID="cli_other")[2])
        self.assertIn("no document has this id", self.ran("read", ID)[2])
        self.assertIn("on this machine alone", self.ran("read", ID, FEISHU_BASE_URL="https://evil.example.org")[2])
        self.assertEqual((feishu.base("", False), feishu.base(None, True)), ("https://open.feishu.cn", "https://open.larksuite.com"))
        for named in ("https://x.feishu.cn/sheets/abc", "../../etc", "a b"):
            self.assertEqual(self.ran("read", named)[0], 1)
        self.assertIn("cannot be read", self.ran("append", ID, "--file", str(self.folder / "none"))[2])

    def test_a_redirect_is_not_followed_with_the_token(self):
        other = Feishu()
        self.addCleanup(other.close)
        auth = (200, {}, {"code": 0, "tenant_access_token": TOKEN})
        self.server.before = [auth, (302, {"Location": other.environ()["FEISHU_BASE_URL"] + "/x"}, {})]
        self.assertEqual(self.ran("read", ID)[0], 1)
        self.assertEqual(other.calls, [])

    def test_odd_answers_do_not_break_it(self):
        for answer in (b"", b"[1]", b"no json", {"code": 0}, {"code": 0, "data": None}):
            self.server.before = [(200, {}, answer)]
            status, _, err = self.ran("read", ID)
            self.assertEqual((status, len(err.splitlines())), (1, 1), answer)


if __name__ == "__main__":
    unittest.main()
