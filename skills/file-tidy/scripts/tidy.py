#!/usr/bin/env python3
"""Tidies a folder by a plan: made, looked at, confirmed, applied, undone. Python 3.9, standard library only.

Holds: nothing is deleted and nothing overwritten; nothing moves without the plan's own mark, which changes
with the plan; links, hidden files and folders stay where they are; every move is written down before it is
made, so that it can be undone, after a crash too. Left out: what is inside subfolders, unless --deep.

  tidy.py plan FOLDER [--by kind|month|ending] [--deep]   writes FOLDER/.tidy-plan-MARK.json
  tidy.py show PLAN.json                    the moves and the mark
  tidy.py apply PLAN.json --confirm MARK
  tidy.py undo FOLDER MARK
"""

import argparse
import datetime as dt
import hashlib
import json
import os
import re
import stat
import sys

MAX_FILES = 20_000
MAX_HASHED = 256 * 1024 * 1024
KINDS = {
    "Documents": "doc docx odt rtf txt md pdf pages tex epub",
    "Sheets": "xls xlsx ods csv tsv numbers",
    "Slides": "ppt pptx odp key",
    "Pictures": "jpg jpeg png gif webp heic heif bmp tif tiff svg raw cr2 nef dng psd",
    "Videos": "mp4 mov mkv avi webm m4v wmv",
    "Music": "mp3 m4a flac wav ogg opus aac",
    "Archives": "zip 7z rar tar gz bz2 xz zst tgz",
    "Programs": "exe msi dmg pkg deb rpm appimage apk iso",
    "Code": "py rs js ts tsx jsx c h cpp hpp java go rb sh ps1 html css json yaml yml toml sql ipynb",
}
ENDINGS = {ending: kind for kind, endings in KINDS.items() for ending in endings.split()}
PARTIAL = {"part", "crdownload", "download", "tmp", "partial"}
# A folder with one of these is somebody's work: its files belong together.
TOGETHER = {".git", ".hg", ".svn", "package.json", "Cargo.toml", "pyproject.toml", "go.mod", "Makefile", "pom.xml", "index.html"}
RESERVED = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\.|$)", re.I)


class Refused(Exception):
    """Ends the script with one line meant for a person."""


# ---- making a plan --------------------------------------------------------------------------------


def files_of(folder, deep):
    """Plain files by their path from the folder, in a steady order."""
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if deep and enters(os.path.join(place, name)))
        for name in sorted(names):
            path = os.path.join(place, name)
            if name.startswith(".") or not stat.S_ISREG(os.lstat(path).st_mode):
                continue
            found.append(os.path.relpath(path, folder).replace(os.sep, "/"))
            if len(found) > MAX_FILES:
                raise Refused(f"More than {MAX_FILES} files: take a smaller folder.")
    return found


def enters(folder):
    """Whether --deep goes into a folder: not a hidden one, a link, a bundle or a project."""
    name = os.path.basename(folder)
    if name.startswith(".") or os.path.islink(folder) or os.path.splitext(name)[1]:
        return False
    try:
        return TOGETHER.isdisjoint(os.listdir(folder))
    except OSError:
        return False


def ending(path):
    return os.path.splitext(path)[1].lstrip(".").lower()


def target(folder, path, by):
    """The subfolder for a file; None where it should stay."""
    if ending(path) in PARTIAL:
        return None
    if by == "month":
        return dt.date.fromtimestamp(os.lstat(os.path.join(folder, path)).st_mtime).strftime("%Y-%m")
    if by == "ending":
        # Lower-case only: a folder "Con" or one with odd signs helps nobody.
        return ending(path) if re.fullmatch(r"[a-z0-9]{1,10}", ending(path)) and not RESERVED.match(ending(path)) else None
    return ENDINGS.get(ending(path))


def free(name, taken):
    """`name`, or `name (2)` where that is taken; upper and lower case are one."""
    stem, end = os.path.splitext(name)
    number, wanted = 1, name
    while wanted.casefold() in taken:
        number += 1
        wanted = f"{stem} ({number}){end}"
    taken.add(wanted.casefold())
    return wanted


def make_plan(folder, by, deep):
    folder = os.path.realpath(folder)
    if not os.path.isdir(folder):
        raise Refused(f"{folder} is no folder.")
    moves, taken = [], {}
    paths = files_of(folder, deep)
    for path in paths:
        into = target(folder, path, by)
        if into is None or path.split("/")[0] == into:
            continue
        place = os.path.join(folder, into)
        if into not in taken:
            taken[into] = {name.casefold() for name in os.listdir(place)} if os.path.isdir(place) else set()
        moves.append({"from": path, "to": f"{into}/{free(path.split('/')[-1], taken[into])}", **state(folder, path)})
    return {"folder": folder, "by": by, "moves": moves, "duplicates": duplicates(folder, paths)}


def state(folder, path):
    now = os.lstat(os.path.join(folder, path))
    return {"size": now.st_size, "changed": now.st_mtime_ns}


def duplicates(folder, paths):
    """Groups of files with the same content; told, never moved."""
    sizes = {}
    for path in paths:
        sizes.setdefault(os.lstat(os.path.join(folder, path)).st_size, []).append(path)
    groups, left = {}, MAX_HASHED
    for size, same in sorted(sizes.items()):
        if size == 0 or len(same) < 2 or size * len(same) > left:
            continue
        left -= size * len(same)
        for path in same:
            groups.setdefault((size, digest(os.path.join(folder, path))), []).append(path)
    return [{"size": size, "files": same} for (size, _), same in sorted(groups.items()) if len(same) > 1]


def digest(path):
    sum_ = hashlib.sha256()
    with open(path, "rb") as file:
        for piece in iter(lambda: file.read(1 << 20), b""):
            sum_.update(piece)
    return sum_.hexdigest()


# ---- reading a plan -------------------------------------------------------------------------------


def mark(plan):
    """What the person confirms: another plan has another mark."""
    told = {"folder": plan["folder"], "moves": plan["moves"]}
    return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:12]


def read_plan(path):
    try:
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
        plan = {"folder": str(plan["folder"]), "moves": [checked(move) for move in plan["moves"]]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path} is no plan: {error}.") from None
    ends = [move["to"].casefold() for move in plan["moves"]]
    if len(set(ends)) < len(ends) or len({move["from"] for move in plan["moves"]}) < len(ends):
        raise Refused("The plan moves a file twice, or two files to one place.")
    if os.path.realpath(plan["folder"]) != plan["folder"] or not os.path.isdir(plan["folder"]):
        raise Refused(f"{plan['folder']} is no folder, or a link to one.")
    return plan


def checked(move):
    """A move with both ends inside the folder."""
    for end in ("from", "to"):
        parts = str(move[end]).split("/")
        bad = [part for part in parts if part in ("", ".", "..") or "\\" in part or ":" in part
               or re.search(r"[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]", part)
               or part.endswith((".", " ")) and end == "to" or RESERVED.match(part) and end == "to"]
        if bad:
            raise Refused(f"{move[end]!r} is no plain path inside the folder.")
    return {"from": str(move["from"]), "to": str(move["to"]), "size": int(move["size"]), "changed": int(move["changed"])}


# ---- moving ---------------------------------------------------------------------------------------


def undo_file(folder, which):
    return os.path.join(folder, f".tidy-{which}.jsonl")


def plain_parents(folder, path):
    """Refuses a way through a link."""
    place = folder
    for part in path.split("/")[:-1]:
        place = os.path.join(place, part)
        if os.path.islink(place) or (os.path.lexists(place) and not os.path.isdir(place)):
            raise Refused(f"{place} is not a plain folder.")


def move_file(folder, source, goal):
    """Moves without overwriting: the goal's name is taken first, by a file of our own."""
    plain_parents(folder, source)
    plain_parents(folder, goal)
    start, end = os.path.join(folder, source), os.path.join(folder, goal)
    if not stat.S_ISREG(os.lstat(start).st_mode):
        raise Refused(f"{source} is not a plain file.")
    os.makedirs(os.path.dirname(end), exist_ok=True)
    os.close(os.open(end, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    try:
        os.replace(start, end)
    except OSError:
        if os.path.getsize(end) == 0:
            os.unlink(end)
        raise


def apply(plan, confirmed):
    which = mark(plan)
    if confirmed != which:
        raise Refused(f"Nothing moved: this plan's mark is {which}. Show the plan to the person and confirm with that.")
    record = undo_file(plan["folder"], which)
    if os.path.lexists(record):
        raise Refused("This plan was applied before. Undo it, or make a new one.")
    moved, skipped = 0, []
    with open(record, "x", encoding="utf-8") as log:
        for move in plan["moves"]:
            try:
                if state(plan["folder"], move["from"]) != {"size": move["size"], "changed": move["changed"]}:
                    skipped.append(f"{move['from']}: changed since the plan")
                    continue
                if os.path.lexists(os.path.join(plan["folder"], move["to"])):
                    skipped.append(f"{move['from']}: {move['to']} is taken")
                    continue
                log.write(json.dumps({"from": move["from"], "to": move["to"], "size": move["size"]}, ensure_ascii=False) + "\n")
                log.flush()
                os.fsync(log.fileno())
                move_file(plan["folder"], move["from"], move["to"])
                moved += 1
            except (OSError, Refused) as error:
                skipped.append(f"{move['from']}: {error}")
    return {"moved": moved, "skipped": skipped, "undo": f"undo {plan['folder']} {which}"}


def undo(folder, which):
    folder = os.path.realpath(folder)
    record = undo_file(folder, which)
    if not re.fullmatch(r"[0-9a-f]{12}", which) or os.path.islink(record) or not os.path.isfile(record):
        raise Refused(f"There is no record of {which} in {folder}.")
    with open(record, encoding="utf-8") as log:
        moves = [json.loads(line) for line in log if line.strip()]
    back, skipped = 0, []
    for move in reversed(moves):
        try:
            checked({**move, "changed": 0})
            if never_moved(folder, move):
                continue
            if not os.path.lexists(os.path.join(folder, move["to"])):
                skipped.append(f"{move['to']}: not there any more")
            elif os.path.lexists(os.path.join(folder, move["from"])):
                skipped.append(f"{move['to']}: {move['from']} is taken")
            else:
                move_file(folder, move["to"], move["from"])
                back += 1
        except (OSError, Refused) as error:
            skipped.append(f"{move['to']}: {error}")
    os.replace(record, record.replace(".jsonl", ".undone.jsonl"))
    return {"moved_back": back, "skipped": skipped}


def never_moved(folder, move):
    """A move that broke off after its goal's name was taken: the file is still where it was."""
    start, end = os.path.join(folder, move["from"]), os.path.join(folder, move["to"])
    taken = os.path.lexists(start) and os.path.isfile(end) and not os.path.islink(end)
    if taken and move["size"] > 0 and os.path.getsize(end) == 0:
        os.unlink(end)
        return True
    return False


# ---- the command ----------------------------------------------------------------------------------


def shown(plan, path):
    groups = {}
    for move in plan["moves"]:
        groups.setdefault(move["to"].split("/")[0], []).append(move)
    return {"plan": path, "folder": plan["folder"], "moves": len(plan["moves"]), "mark": mark(plan),
            "into": {into: len(moves) for into, moves in sorted(groups.items())},
            "first": [f"{move['from']} → {move['to']}" for move in plan["moves"][:30]]}


def arguments(argv):
    parser = argparse.ArgumentParser(description="Tidies a folder by a confirmed plan. Never deletes, never overwrites.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    plan = verbs.add_parser("plan")
    plan.add_argument("folder")
    plan.add_argument("--by", choices=["kind", "month", "ending"], default="kind")
    plan.add_argument("--deep", action="store_true", help="files of subfolders too")
    verbs.add_parser("show").add_argument("plan")
    use = verbs.add_parser("apply")
    use.add_argument("plan")
    use.add_argument("--confirm", required=True, metavar="MARK")
    back = verbs.add_parser("undo")
    back.add_argument("folder")
    back.add_argument("mark")
    return parser.parse_args(argv)


def planned(args):
    plan = make_plan(args.folder, args.by, args.deep)
    path = os.path.join(plan["folder"], f".tidy-plan-{mark(plan)}.json")
    if not os.path.lexists(path):
        with open(path, "x", encoding="utf-8") as file:
            json.dump(plan, file, ensure_ascii=False, indent=1)
    return {**shown(plan, path), "duplicates": plan["duplicates"][:20]}


def main(argv, out, err):
    args = arguments(argv)
    try:
        if args.verb == "plan":
            answer = planned(args)
        elif args.verb == "show":
            answer = shown(read_plan(args.plan), args.plan)
        elif args.verb == "apply":
            answer = apply(read_plan(args.plan), args.confirm)
        else:
            answer = undo(args.folder, args.mark)
        out.write(json.dumps(answer, ensure_ascii=False) + "\n")
        return 0
    except (Refused, OSError, ValueError) as refusal:
        err.write(f"{refusal}\n")
        return 1


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main(sys.argv[1:], sys.stdout, sys.stderr))
