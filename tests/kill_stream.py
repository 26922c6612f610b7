#!/usr/bin/env python3
"""kill_stream.py TLU KIND KILLS [OPTION...]: kills `tlu stream --journal` again and again.

Rows are sent as fast as the pipe takes them; a row is acknowledged once its answer is there. The
learner is killed by SIGKILL at random moments, also while it opens, replays and saves, and started
again with the rows after those that it says it has learned from, by the model's name or by a
symbolic link. A second learner beside it is refused. In the end

- nothing acknowledged was ever missing from what the learner said it had learned from,
- each answer is that of an undisturbed run over the same rows,
- the model has the same bytes as that run's.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

TLU, KIND, KILLS, OPTIONS = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
ROWS = 60000  # then they come again
TAIL = 700  # rows after the last kill
CHECKPOINT = "0.02"
NAMES = ("killed.tlu", "link.tlu")
SEED = int(os.environ.get("KILL_SEED", time.time_ns() % 1000000))


def table_row(i, draw):
    """A text, a number and a category, some of them missing; the label is one, or a set of them."""
    note = ["w%d" % draw.randrange(20 + i // 20) for _ in range(draw.randrange(7))]
    row = {"size": None if draw.random() < 0.2 else round(draw.random(), 3),
           "place": None if draw.random() < 0.1 else draw.choice("uvw"), "note": " ".join(note)}
    kinds = min(2 + i // 400, 8)
    labels = sorted({"c%d" % (int(word[1:]) % kinds) for word in note[:2]})
    if KIND == "records":
        return json.dumps(dict(row, **{"class": labels[0] if labels else "none"}))
    label = ";".join(labels) if KIND == "sets" else labels[0] if labels else "none"
    return ",".join("" if value is None else str(value) for value in row.values()) + "," + label


def make_rows(draw):
    """Labels follow from the features, with some noise; names and classes turn up late."""
    rows = []
    for i in range(ROWS):
        if KIND == "libsvm":
            features = sorted(draw.sample(range(1, 40 + i // 50), 8))
            label = "+1" if sum(f % 3 for f in features) > 7 else "-1"
            rows.append(label + "".join(" %d:%.3g" % (f, draw.random()) for f in features))
        elif KIND in ("objects", "array"):
            note = ["w%d" % draw.randrange(20 + i // 20) for _ in range(6)]
            row = {"size": round(draw.random(), 3), "note": " ".join(note), "place": draw.choice("uvw"),
                   "class": "c%d" % (int(note[0][1:]) % min(2 + i // 400, 12))}
            rows.append(json.dumps(row, indent=1 if KIND == "objects" else None) + "," * (KIND == "array"))
        elif KIND in ("table", "records", "sets"):
            rows.append(table_row(i, draw))
        elif KIND == "csv":
            a, b = draw.random(), draw.random()
            kind = "red" if a > b else "green" if a + b > 1 else "blue"
            rows.append("%.4f,%.4f,%s,%s" % (a, b, "uv"[a + b > 1], kind))
        else:
            words = ["w%d" % draw.randrange(20 + i // 20) for _ in range(6)]
            kind = int(words[0][1:]) % min(2 + i // 400, 12)
            rows.append("class%d\t%s" % (kind, " ".join(words)))
    return [row.encode() + b"\n" * (KIND != "array") for row in rows]


TABLE = b"size,place,note,class\n"
HEADER = {"csv": b"a,b,place,label\n", "table": TABLE, "sets": TABLE, "array": b"["}.get(KIND, b"")


def check(truth, *what):
    if not truth:
        print("seed %d:" % SEED, *what)
        sys.exit(1)


class Life:
    """One run of the learner."""

    def __init__(self, rows, draw):
        self.rows, self.draw = rows, draw
        self.sent = self.start = None
        self.answers = b""
        self.process = subprocess.Popen(
            [TLU, "stream", draw.choice(NAMES), "--journal", "--json", "--checkpoint", CHECKPOINT] + OPTIONS,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def begin(self):
        """Waits until it has told where it stands, and feeds it. False: it died before."""
        line = self.process.stderr.readline()
        if not line.endswith(b"\n"):
            return False
        check(line.startswith(b"{"), "not a report:", line)
        self.sent = self.start = json.loads(line)["learned"]
        self.threads = [threading.Thread(target=f) for f in (self.listen, self.drain)]
        for thread in self.threads:
            thread.start()
        return True

    def listen(self):
        while piece := os.read(self.process.stdout.fileno(), 1 << 16):
            self.answers += piece

    def drain(self):
        self.report = self.process.stderr.read()

    def send(self, until_time=None, until_row=None):
        out = self.process.stdin.fileno()
        try:
            os.write(out, HEADER)
            while until_row is None or self.sent < until_row:
                if until_time and time.monotonic() > until_time:
                    return
                count = self.draw.choice((1, 1, 7, 40, 300, 1000))
                if until_row is not None:
                    count = min(count, until_row - self.sent)
                piece = b"".join(self.rows[i % ROWS] for i in range(self.sent, self.sent + count))
                self.sent += count  # as much as it may have
                while piece:
                    piece = piece[os.write(out, piece):]
        except BrokenPipeError:
            pass

    def feed(self, **until):
        self.feeder = threading.Thread(target=self.send, kwargs=until)
        self.feeder.start()

    def end(self):
        """After its death: the acknowledged rows."""
        code = self.process.wait()
        if self.start is not None:
            self.feeder.join()
            for thread in self.threads:
                thread.join()
        else:
            self.report = self.process.stderr.read()
        for file in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                file.close()
            except BrokenPipeError:
                pass
        check(code in (0, -signal.SIGKILL), "exit code", code, self.report)
        return self.answers.count(b"\n")


def refuse_second(name):
    done = subprocess.run([TLU, "stream", name, "--journal"], stdin=subprocess.DEVNULL, capture_output=True)
    check(done.returncode == 2 and b"in use by another process" in done.stderr, "a second learner:",
          done.returncode, done.stderr)
    return 1


def main():
    draw = random.Random(SEED)
    os.symlink("killed.tlu", "link.tlu")
    rows = make_rows(random.Random(7))
    got = []  # (number of the first row, answers)
    acknowledged = sent = early = ahead = refused = 0
    for _ in range(KILLS):
        life = Life(rows, draw)
        began = False
        if draw.random() < 0.8:
            began = life.begin()
            check(began, "it did not start")
            check(acknowledged <= life.start, acknowledged, "rows were acknowledged,", life.start,
                  "learned from")
            check(life.start <= sent, sent, "rows were sent,", life.start, "learned from")
            ahead += life.start > acknowledged
            life.feed()
            if draw.random() < 0.2:
                refused += refuse_second(draw.choice(NAMES))
            time.sleep(draw.random() * 0.1)
        else:
            time.sleep(draw.random() * 0.02)
            early += 1
        os.kill(life.process.pid, signal.SIGKILL)
        count = life.end()
        if began:
            got.append((life.start, life.answers))
            acknowledged, sent = life.start + count, max(sent, life.sent)

    life = Life(rows, draw)
    check(life.begin(), "it did not start")
    check(acknowledged <= life.start, "an acknowledged row is missing at the end")
    total = max(life.start, sent) + TAIL
    life.feed(until_row=total)
    life.feeder.join()
    life.process.stdin.close()
    check(life.end() == total - life.start, "answers are missing at the end")
    got.append((life.start, life.answers))
    check(json.loads(life.report.splitlines()[-1])["learned"] == total, "rows were lost")

    with open("stream", "wb") as file:
        file.write(HEADER)
        for i in range(total):
            file.write(rows[i % ROWS])
    with open("stream", "rb") as file, open("whole.out", "wb") as out:
        subprocess.run([TLU, "stream", "whole.tlu", "--quiet"] + OPTIONS, check=True, stdin=file,
                       stdout=out)
    with open("whole.out", "rb") as file:
        whole = file.read().splitlines()
    for start, answers in got:
        lines = answers[:answers.rfind(b"\n") + 1].splitlines()
        check(lines == whole[start:start + len(lines)], "other answers from row", start)
    with open("whole.tlu", "rb") as one, open("killed.tlu", "rb") as other:
        check(one.read() == other.read(), "another model")
    halves = sum(name.endswith(".tmp") for name in os.listdir("."))
    print("%s %s: %d kills, %d while opening, %d while saving, %d with rows learned from but not "
          "answered; %d second learners refused; %d rows"
          % (KIND, " ".join(OPTIONS), KILLS, early, halves, ahead, refused, total))


main()
