#!/usr/bin/env python3
"""crash_stream.py TLU SHIM: `tlu stream --journal` is killed, or meets a full disk, at every place.

In each format, a stream with a checkpoint after each piece is taken by a learner that

- is killed before the 1st, 2nd, ... system call,
- finds the disk full from the 1st, 2nd, ... call on that changes a file: half of what it wants to
  write there is written, then nothing,
- has the 1st, 2nd, ... call that puts something on the disk fail once.

After that it is started three times more, each time with the rows after those that it says it has
learned from, by the name of a symbolic link. The first of these is killed before it saves a model, so that the journal is all there
is, the second somewhere, with checkpoints. No row that was answered is ever missing, each
answer is that of an undisturbed run, and so are the bytes of the model in the end.

With TLU_LONG=1 at every place in every format, and where the journal is begun, with the second kill
at every place, too; else at every place that leaves the files otherwise than the one before in CSV,
and at some of them in the other formats.
"""

import errno
import os
import sys

from streams import NAMES, Failure, Life, Rows, Story, check, folder, make_links

TLU, SHIM = sys.argv[1:3]
LONG = os.environ.get("TLU_LONG", "") not in ("", "0")
FIRST, MORE = 5, 9  # rows for the first life; for each of the others
PIECE = 48  # bytes
BEGUN = 12  # calls that change files before and around the first rows
UNSAVED = 7  # such calls of a life without checkpoints before it saves, at least
OPTIONS = ["--checkpoint", "1e-9"]


def shim(how, call, n, number=errno.ENOSPC):
    return {"LD_PRELOAD": SHIM, "FAIL_HOW": how, "FAIL_CALL": call, "FAIL_AT": str(n),
            "FAIL_ERRNO": str(number), "FAIL_MARK": os.path.abspath("mark"),
            "READ_MOST": str(PIECE),
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


def live(story, fault, end, options=OPTIONS, model="m.tlu"):
    """One life that a fault may cut short."""
    life = Life(TLU, story.rows, options, fault, model)
    if life.begin():
        story.began(life)
        answers = life.end(end)
        story.ended(life, answers, end)
    else:
        life.end()
    hit = os.path.exists("mark")
    if hit:
        os.remove("mark")
    fine = (0, -9) if fault and fault["FAIL_HOW"] == "kill" else (0, 3)
    check(life.code in (fine if hit else (0,)), "exit code", life.code, life.report)
    return hit


def crash(kind, how, call, n, number=errno.ENOSPC, second=None):
    """False: there are fewer such calls."""
    for name in os.listdir("."):
        os.remove(name)
    make_links()
    story = Story(Rows(kind))
    if not live(story, shim(how, call, n, number), FIRST, model=NAMES[n % 3]):
        return False
    second = second or 2 + 5 * n % (UNSAVED - 1)
    live(story, shim("kill", "change", second), max(FIRST, story.sent) + MORE, [], NAMES[1])
    live(story, shim("kill", "change", 1 + 7 * n % 30), max(FIRST, story.sent) + MORE)
    end = max(FIRST, story.sent) + MORE
    live(story, None, end, model=NAMES[2])
    story.compare(TLU, end)
    return True


def walk(kind, how, call, step, number=errno.ENOSPC):
    n = 1
    while crash(kind, how, call, n, number):
        n += step
        check(n < 2000, "it does not end")
    return (n - 1) // step


def main():
    counts = {"kills": 0, "full disks": 0, "failed calls": 0}
    for place, kind in enumerate(Rows.KINDS):
        step = 1 if LONG or kind == "csv" else 5 + place
        try:
            counts["kills"] += walk(kind, "kill", "any" if LONG else "change", step)
            counts["full disks"] += walk(kind, "full", "change", step)
            for n in range(1, BEGUN + 1) if LONG else ():
                for second in range(1, UNSAVED + 1):
                    counts["kills"] += crash(kind, "kill", "change", n, second=second)
                    counts["full disks"] += crash(kind, "full", "change", n, second=second)
            for call in ("write", "fsync", "fdatasync", "ftruncate", "rename") if LONG else ():
                counts["failed calls"] += walk(kind, "error", call, 1)
                counts["failed calls"] += walk(kind, "error", call, 1, errno.EIO)
        except Failure as failure:
            print(kind, "failed:", failure)
            sys.exit(1)
    print(", ".join("%d %s" % (n, what) for what, n in counts.items() if n), "in",
          len(Rows.KINDS), "formats, three starts after each")


with folder() as work:
    os.chdir(work)
    main()
