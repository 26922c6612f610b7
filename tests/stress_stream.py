#!/usr/bin/env python3
"""stress_stream.py TLU SHIM KILLS FULL LIMITS REPLACED [SEED]: accidents of `tlu stream --journal`.

CSV with a category, text and LIBSVM in turn, each start by the model's name or by a symbolic link. A
model has five accidents:

- a SIGKILL at a random moment, also while it opens, replays and saves;
- a disk that is full before the start or while rows come;
- a limit on the size of files (ulimit -f);
- a model that is replaced, changed in its place, renamed or made by somebody else while it learns,
  which its save refuses to overwrite, and which is put back as it was after that.

After each, the learner is started three times, and killed; every other time it gets some rows. At
times a second learner tries to open the model, and is refused, and the model gets a second name by a
hard link. Nothing that was answered may ever be missing, each answer is that of an undisturbed run,
and in the end, so are the bytes of the model.

The disk is a small one in memory (tmpfs), mounted in a name space of its own; if that is not
allowed the shim says that there is no room. Accidents that came too late (the learner had ended) are
not counted.
"""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from streams import NAMES, Failure, Life, Rows, Story, check, folder, make_links, refuse, undisturbed

TLU, SHIM = sys.argv[1:3]
WANTED = dict(zip(("kills", "full", "limits", "replaced"), map(int, sys.argv[3:7])))
SEED = int(sys.argv[7]) if len(sys.argv) > 7 else time.time_ns() % 1000000
LIMITS = (0, 7, 8, 60, 200, 500, 1500, 5000, 20000)
DISK = 2 << 20
KINDS = ("csv", "text", "libsvm")
CHECKPOINTS = ("0", "0.002", "60")


class Storm:
    def __init__(self, mounted):
        self.mounted, self.draw = mounted, random.Random(SEED)
        self.rows = {kind: Rows(kind) for kind in KINDS}
        self.others = {kind: Rows(kind, 8) for kind in KINDS}
        self.counts = {what: dict.fromkeys(KINDS, 0) for what in WANTED}
        self.opening = self.ahead = self.replays = self.models = self.total = self.begun = 0
        self.refused = self.linked = 0

    def life(self, story, env=None, limit=None):
        name = self.draw.choice(NAMES)
        self.linked += name != NAMES[0]
        if self.draw.random() < 0.1 and os.path.exists("m.tlu") and not os.path.exists("hard.tlu"):
            os.link("m.tlu", "hard.tlu")
        return Life(TLU, story.rows, ["--checkpoint", self.draw.choice(CHECKPOINTS)], env, name, limit)

    def begin(self, story, life):
        check(life.begin(), "it did not start:", life.report)
        story.began(life)
        self.ahead += life.start > story.acknowledged
        if self.draw.random() < 0.1:
            refuse(TLU, self.draw.choice(NAMES), b"in use by another process")
            self.refused += 1

    def be_killed(self, kind, story):
        life, draw = self.life(story), self.draw
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
        self.counts["kills"][kind] += 1

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
        life = self.life(story, env)
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
        self.counts["full"][kind] += life.code == 3

    def meet_limit(self, kind, story):
        life = self.life(story, limit=self.draw.choice(LIMITS))
        if life.begin():
            story.began(life)
            end = life.start + self.draw.choice((1, 4, 30, 2000))
            life.feed(end, close=True)
            story.ended(life, life.finish(), end)
        else:
            life.end()
        check(life.code in (0, 3), "exit code", life.code, life.report)
        check(life.code == 0 or b"File too large" in life.report, life.report)
        check(not any(name.startswith(".tlu-%d-" % life.process.pid) for name in os.listdir(".")),
              "a temporary file is left")
        self.counts["limits"][kind] += life.code == 3

    def other_model(self, kind, story):
        """Another model, which may have learned from as many rows."""
        total = self.draw.choice((10, max(story.sent, 10)))
        with open("other.tlu", "wb") as file:
            file.write(undisturbed(TLU, self.others[kind], total)[0])

    def change_model(self, how):
        """While the learner is stopped; aside.tlu becomes what it had."""
        if how == "renamed":
            os.rename("m.tlu", "aside.tlu")
        elif how == "changed":
            shutil.copyfile("m.tlu", "aside.tlu")
            shutil.copyfile("other.tlu", "m.tlu")
        else:
            if os.path.exists("m.tlu"):
                os.rename("m.tlu", "aside.tlu")
            os.rename("other.tlu", "m.tlu")

    def have_it_replaced(self, kind, story):
        draw = self.draw
        self.other_model(kind, story)
        life = self.life(story)
        self.begin(story, life)
        end = life.start + draw.choice((1, 4, 30, 300))
        life.feed(end)
        time.sleep(draw.random() ** 3 * 0.02)
        os.kill(life.process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, life.process.pid, os.WSTOPPED | os.WNOWAIT)
        there = os.path.exists("m.tlu")
        self.change_model(draw.choice(("renamed", "changed", "replaced")) if there else "replaced")
        os.kill(life.process.pid, signal.SIGCONT)
        os.kill(life.process.pid, signal.SIGTERM)
        story.ended(life, life.finish(), end)
        # It ends with 0 if it was stopped between its last look and the renaming, or if there are
        # not two classes to save yet.
        check(life.code in (0, 3), "exit code", life.code, life.report)
        saved = life.code == 0 and b"needs two classes" not in life.report
        if not saved and os.path.getsize("m.tlu.journal") > 8:
            refuse(TLU, draw.choice(NAMES), b"another model")
        if not saved and there:
            os.rename("aside.tlu", "m.tlu")
        elif not saved:
            os.remove("m.tlu")
        for name in ("aside.tlu", "other.tlu"):
            if os.path.exists(name):
                os.remove(name)
        self.counts["replaced"][kind] += life.code == 3

    def replay(self, story):
        for again in range(3):
            life = self.life(story)
            self.begin(story, life)
            end = life.start + (self.draw.choice((1, 20)) if again % 2 else 0)
            life.feed(end)
            time.sleep(self.draw.random() * 0.004)
            life.kill()
            story.ended(life, life.finish(), end)
            self.replays += 1

    def left(self):
        """What there is to happen yet."""
        return {what: wanted - sum(self.counts[what].values()) for what, wanted in WANTED.items()
                if sum(self.counts[what].values()) < wanted}

    def one_model(self, kind):
        for name in os.listdir("."):
            os.remove(name)
        make_links()
        story = Story(self.rows[kind])
        accidents = {"kills": self.be_killed, "full": self.find_it_full, "limits": self.meet_limit,
                     "replaced": self.have_it_replaced}
        for _ in range(5):
            left = self.left()
            if not left:
                break
            first = 2 if story.sent == 0 else 1  # the disk is full before the first row, too
            weights = [n * (first if what == "full" else 1) for what, n in left.items()]
            accidents[self.draw.choices(list(left), weights)[0]](kind, story)
            self.replay(story)
        total = max(story.sent, 10) + 20
        life = Life(TLU, story.rows, [], None, self.draw.choice(NAMES))
        self.begin(story, life)
        story.ended(life, life.end(total), total)
        check(life.code == 0, "exit code", life.code, life.report)
        check(story.acknowledged == total, "answers are missing at the end")
        story.compare(TLU, total)
        self.models += 1
        self.total += total

    def run(self):
        while self.left():
            kind = KINDS[self.models % len(KINDS)]
            try:
                self.one_model(kind)
            except Failure as failure:
                print("seed %d, %s, after %d models:" % (SEED, kind, self.models), failure)
                return 1
        kills, full, limits, replaced = (self.say(what) for what in WANTED)
        print("%s SIGKILLs, %d of them while opening; %s full disks%s, %d of them before the first "
              "row; %s file size limits; %s models replaced; %d starts by a link, %d second learners "
              "refused; %d replays, %d with rows learned from but not answered; %d models, %d rows: no "
              "row lost, same answers, same bytes; seed %d"
              % (kills, self.opening, full, "" if self.mounted else " by the shim", self.begun, limits,
                 replaced, self.linked, self.refused, self.replays, self.ahead, self.models,
                 self.total, SEED))
        return 0

    def say(self, what):
        counts = self.counts[what]
        return "%d (%s)" % (sum(counts.values()), ", ".join("%s %d" % (kind, counts[kind])
                                                            for kind in KINDS))


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
