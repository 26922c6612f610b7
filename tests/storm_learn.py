#!/usr/bin/env python3
"""storm_learn.py TLU SHIM KILLS FULL [SEED]: `tlu learn --journal` under SIGKILLs and full disks.

CSV with a category, text and LIBSVM in turn. A model has five accidents: a SIGKILL at a random
moment, also while it opens, replays and saves, or a disk that is full before the start or while rows
come. After each, the learner is started three times, and killed; every other time it gets some rows.
Nothing that was answered may ever be missing, each answer is that of an undisturbed run, and in the
end, so are the bytes of the model.

The disk is a small one in memory (tmpfs), mounted in a name space of its own; if that is not
allowed the shim says that there is no room. Accidents that came too late (the learner had ended) are
not counted.
"""

import errno
import os
import random
import subprocess
import sys
import time

from streams import Failure, Life, Rows, Story, check, folder

TLU, SHIM, KILLS, FULL = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else time.time_ns() % 1000000
DISK = 2 << 20
KINDS = ("csv", "text", "libsvm")
CHECKPOINTS = ("0", "0.002", "60")


class Storm:
    def __init__(self, mounted):
        self.mounted, self.draw = mounted, random.Random(SEED)
        self.rows = {kind: Rows(kind) for kind in KINDS}
        self.kills, self.full = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
        self.opening = self.ahead = self.replays = self.models = self.total = self.begun = 0

    def options(self):
        return ["--checkpoint", self.draw.choice(CHECKPOINTS)]

    def begin(self, story, life):
        check(life.begin(), "it did not start:", life.report)
        story.began(life)
        self.ahead += life.start > story.acknowledged

    def be_killed(self, kind, story):
        life, draw = Life(TLU, story.rows, self.options()), self.draw
        if draw.random() < 0.15:
            time.sleep(draw.random() * 0.006)
            life.kill()
            life.end()
            self.opening += 1
        else:
            self.begin(story, life)
            end = life.start + draw.choice((1, 4, 30, 300, 6000))
            life.feed(end)
            time.sleep(draw.random() ** 3 * 0.02)
            life.kill()
            story.ended(life, life.finish(), end)
        check(life.code == -9, "exit code", life.code, life.report)
        self.kills[kind] += 1

    def fill(self, left):
        """The disk, but for some bytes."""
        with open("filler", "wb") as file:
            size = os.statvfs(".").f_bavail * os.statvfs(".").f_bsize - left
            try:
                os.posix_fallocate(file.fileno(), 0, max(size, 1))
            except OSError as error:
                check(error.errno == errno.ENOSPC, error)

    def find_it_full(self, kind, story):
        draw, env, late = self.draw, None, self.draw.random() < 0.4
        left = draw.choice((0, 0, 4096, 8192, 20000))
        if not self.mounted:
            env = {"LD_PRELOAD": SHIM, "FAIL_CALL": "change", "FAIL_HOW": "full",
                   "FAIL_AT": str(draw.randrange(1, 12)), "READ_MOST": "500"}
        elif not late:
            self.fill(left)
        life = Life(TLU, story.rows, self.options(), env)
        if life.begin():
            story.began(life)
            end = life.start + draw.choice((4, 30, 2000))
            if self.mounted and late:
                self.fill(left)
            life.feed(end, close=True)
            story.ended(life, life.finish(), end)
        else:
            life.end()
        if self.mounted and os.path.exists("filler"):
            os.remove("filler")
        check(life.code in (0, 3), "exit code", life.code, life.report)
        self.begun += life.code == 3 and life.start == 0
        self.full[kind] += life.code == 3

    def replay(self, story):
        for again in range(3):
            life = Life(TLU, story.rows, self.options())
            self.begin(story, life)
            end = life.start + (self.draw.choice((1, 20)) if again % 2 else 0)
            life.feed(end)
            time.sleep(self.draw.random() * 0.004)
            life.kill()
            story.ended(life, life.finish(), end)
            self.replays += 1

    def left(self):
        return sum(self.kills.values()) < KILLS, sum(self.full.values()) < FULL

    def one_model(self, kind):
        for name in os.listdir("."):
            os.remove(name)
        story = Story(self.rows[kind])
        for _ in range(5):
            kills, full = self.left()
            if not kills and not full:
                break
            share = FULL / (KILLS + FULL) * (2 if story.sent == 0 else 0.8)
            if full and (not kills or self.draw.random() < share):
                self.find_it_full(kind, story)
            else:
                self.be_killed(kind, story)
            self.replay(story)
        total = max(story.sent, 10) + 20
        life = Life(TLU, story.rows, [])
        self.begin(story, life)
        story.ended(life, life.end(total), total)
        check(life.code == 0, "exit code", life.code, life.report)
        check(story.acknowledged == total, "answers are missing at the end")
        story.compare(TLU, total)
        self.models += 1
        self.total += total

    def run(self):
        while any(self.left()):
            kind = KINDS[self.models % len(KINDS)]
            try:
                self.one_model(kind)
            except Failure as failure:
                print("seed %d, %s, after %d models:" % (SEED, kind, self.models), failure)
                return 1
        print("%d SIGKILLs (%s), %d of them while opening; %d full disks%s (%s), %d of them before "
              "the first row; %d replays, %d with rows learned from but not answered; %d models, %d "
              "rows: no row lost, same answers, same bytes; seed %d"
              % (sum(self.kills.values()), self.say(self.kills), self.opening,
                 sum(self.full.values()), "" if self.mounted else " by the shim",
                 self.say(self.full), self.begun, self.replays, self.ahead, self.models,
                 self.total, SEED))
        return 0

    @staticmethod
    def say(counts):
        return ", ".join("%s %d" % (kind, counts[kind]) for kind in KINDS)


def inside():
    """In a name space of its own, where the scratch folder becomes a small disk."""
    with folder() as work:
        mounted = False
        if os.environ.get("STORM_INSIDE") == "1":
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % DISK, "tmpfs", work],
                                     stderr=subprocess.DEVNULL).returncode == 0
        os.chdir(work)
        status = Storm(mounted).run()
        os.chdir("/")
        if mounted:
            subprocess.run(["umount", "-l", work], check=True)
        return status


def main():
    if "STORM_INSIDE" in os.environ:
        return inside()
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        try:
            if subprocess.run(words + ["true"], stderr=subprocess.DEVNULL).returncode == 0:
                os.environ["STORM_INSIDE"] = "1"
                return subprocess.run(words + [sys.executable] + sys.argv).returncode
        except FileNotFoundError:
            break
    os.environ["STORM_INSIDE"] = "0"
    return inside()


sys.exit(main())
