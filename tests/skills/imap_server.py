"""A real IMAP server (Dovecot) for one test run: in a temporary folder, on loopback, with a certificate of its own.

Absent: anything where Dovecot or openssl is not installed; `why_not` says so, and the tests are skipped.
"""

import grp
import os
import pathlib
import pwd
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time

USER, PASSWORD = "lin@example.org", "pässwörd \\\" 密"

CONFIG = """
base_dir = {top}/run
state_dir = {top}/run
log_path = {top}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = {internal}
default_login_user = {login}
default_internal_group = {group}
mail_uid = {mail_uid}
mail_gid = {mail_gid}
first_valid_uid = 1
mail_location = maildir:{top}/mail
auth_mechanisms = {mechanisms}
ssl = required
ssl_cert = <{top}/cert.pem
ssl_key = <{top}/key.pem
disable_plaintext_auth = yes
passdb {{
  driver = passwd-file
  args = scheme=PLAIN username_format=%u {top}/users
}}
userdb {{
  driver = static
  args = uid={mail_uid} gid={mail_gid} home={top}/mail
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {plain}
  }}
  inet_listener imaps {{
    port = {tls}
  }}
}}
service anvil {{
  chroot =
}}
service stats {{
  chroot =
}}
"""


def program():
    return shutil.which("dovecot") or next((p for p in ("/usr/sbin/dovecot", "/usr/local/sbin/dovecot") if os.access(p, os.X_OK)), None)


def why_not():
    """Why there is no server here; empty if there is."""
    missing = [name for name, path in (("dovecot", program()), ("openssl", shutil.which("openssl"))) if not path]
    return f"not installed: {', '.join(missing)} (Debian: dovecot-imapd)" if missing else ""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Dovecot:
    """Started by entering, gone with everything it wrote after leaving."""

    def __init__(self, mechanisms="plain login"):
        self.mechanisms = mechanisms
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="hearth-imap-"))
        self.tls, self.plain = free_port(), free_port()

    def __enter__(self):
        try:
            self.write()
            self.child = subprocess.Popen([program(), "-F", "-c", str(self.top / "dovecot.conf")],
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def write(self):
        root = os.geteuid() == 0
        owner = pwd.getpwnam("nobody") if root else pwd.getpwuid(os.geteuid())
        # Started by root, its parts run as the users that its package made; else all as the one who tests.
        internal, login = ("dovecot", "dovenull") if root else (owner.pw_name, owner.pw_name)
        group = "dovecot" if root else grp.getgrgid(os.getegid()).gr_name
        (self.top / "mail").mkdir()
        os.chmod(self.top, 0o755)
        if root:
            os.chown(self.top / "mail", owner.pw_uid, owner.pw_gid)
        self.owner = (owner.pw_uid, owner.pw_gid) if root else None
        (self.top / "users").write_text(f"{USER}:{{PLAIN}}{PASSWORD}::::::\n", encoding="utf-8")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(self.top / "key.pem"),
                        "-out", str(self.top / "cert.pem")], check=True, capture_output=True)
        values = {"top": self.top, "internal": internal, "login": login, "group": group, "mail_uid": owner.pw_uid, "mail_gid": owner.pw_gid,
                  "tls": self.tls, "plain": self.plain, "mechanisms": self.mechanisms}
        (self.top / "dovecot.conf").write_text(CONFIG.format(**values))

    def wait(self):
        until = time.monotonic() + 30
        context = ssl.create_default_context(cafile=str(self.certificate))
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.tls), 5) as raw, context.wrap_socket(raw, server_hostname="localhost") as open_:
                    if open_.recv(4) == b"* OK":
                        return
            except OSError:
                pass
            log = self.top / "log"
            if self.child.poll() is not None or time.monotonic() > until:
                raise RuntimeError("Dovecot did not start: " + (log.read_text()[-2000:] if log.exists() else "no log"))
            time.sleep(0.05)

    def __exit__(self, *_):
        child = getattr(self, "child", None)
        if child is not None and child.poll() is None:
            child.send_signal(signal.SIGTERM)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        shutil.rmtree(self.top, ignore_errors=True)

    @property
    def certificate(self):
        return self.top / "cert.pem"

    def environ(self, **changes):
        return {"MAIL_HOST": f"imaps://localhost:{self.tls}", "MAIL_USER": USER, "MAIL_PASSWORD": PASSWORD,
                "MAIL_CA_FILE": str(self.certificate), **changes}

    def deliver(self, raw, folder=None, flags=""):
        """Lays a mail into the maildir, as a delivery agent would."""
        place = self.top / "mail" / (f".{folder}" if folder else "")
        for part in ("tmp", "new", "cur"):
            (place / part).mkdir(parents=True, exist_ok=True)
        self.count = getattr(self, "count", 0) + 1
        name = f"{1_764_000_000 + self.count}.M{self.count}P1.test"
        path = place / "cur" / f"{name}:2,{flags}"
        path.write_bytes(raw)
        os.utime(path, (1_764_000_000 + self.count,) * 2)
        if self.owner:
            for below in (place, *place.rglob("*")):
                os.chown(below, *self.owner)
