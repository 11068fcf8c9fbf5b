"""Dovecot with two mails, for a test in another language: prints what reaches it as one line of JSON, or why there
is none, and ends when its standard input does.
"""

import json
import sys

from imap_server import Dovecot, why_not

SIGNING = """From: Lin Wei <wei@example.org>
To: lin@example.org
Subject: Date of signing
Date: Mon, 24 Nov 2025 09:00:00 +0800
Message-ID: <signing@example.org>

Can you sign at 15:00 instead of 10:00? I need to know until noon.
"""
LETTER = """From: News <news@example.org>
To: lin@example.org
Subject: Ten offers for you
List-Unsubscribe: <https://example.org/off>
Message-ID: <offers@example.org>

Buy now.
"""


def main():
    why = why_not()
    if why:
        print(json.dumps({"skipped": why}))
        return
    with Dovecot() as server:
        for raw in (SIGNING, LETTER):
            server.deliver(raw.replace("\n", "\r\n").encode())
        print(json.dumps(server.environ()), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
