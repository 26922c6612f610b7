"""What the tests of `tlu stream --journal` share: streams in every format, and lives of a learner.

A life is one process. It is told apart what it said it had learned from at its start, what was sent
to it, and what it answered: only the last is acknowledged.
"""

import json
import os
import random
import resource
import signal
import subprocess
import tempfile
import threading


def join(parts):
    return " ".join(parts)


class Rows:
    """The rows of one format, as many as are asked for; each has a label."""

    # Format: header, options. CSV has a category that looks like a number in some rows.
    KINDS = {
        "libsvm": ("", ["--scale", "maxabs"]),
        "csv": ("size,place,colour\n", ["--format", "csv", "--learner", "pa"]),
        "tsv": ("size\tplace\tcolour\n", ["--format", "tsv", "--max-features", "10"]),
        "text": ("", ["--format", "text", "--learner", "arow", "--lowercase"]),
        "vw": ("", ["--format", "vw", "--learner", "logistic", "--l2", "0.001"]),
        "fasttext": ("", ["--hash", "10", "--ngrams", "2"]),
        "jsonl": ("", ["--learner", "alma"]),
    }

    def __init__(self, kind, seed=7):
        self.kind = kind
        header, self.options = self.KINDS[kind]
        self.header = header.encode()
        self.rows, self.draw = [], random.Random(seed)

    def __getitem__(self, i):
        while len(self.rows) <= i:
            self.rows.append((self.make(len(self.rows), self.draw) + "\n").encode())
        return self.rows[i]

    def piece(self, start, end):
        return b"".join(self[i] for i in range(start, end))

    def make(self, i, draw):
        """Labels follow from the features, with some noise; names and classes turn up late."""
        if self.kind in ("csv", "tsv"):
            size, place = draw.random(), draw.choice(("u", "v", "7", "w%d" % (i // 2)))
            if i == 0:
                place = "u"  # what the columns are decided by
            colour = "red" if size > 0.5 else "green" if place == "u" else "blue"
            return ("," if self.kind == "csv" else "\t").join(("%.4f" % size, place, colour))
        if self.kind == "libsvm":
            features = sorted(draw.sample(range(1, 12 + i // 20), 4))
            label = "+1" if sum(f % 3 for f in features) > 4 else "-1"
            return label + "".join(" %d:%.3g" % (f, draw.random() + 0.1) for f in features)
        words = ["W%d" % draw.randrange(8 + i // 10) for _ in range(3)]
        label = "c%d" % (int(words[0][1:]) % min(2 + i // 9, 5))
        if self.kind == "text":
            return label + "\t" + join(words)
        if self.kind == "vw":
            return label + " | " + join(words)
        if self.kind == "fasttext":
            return "__label__" + label + " " + join(words)
        return json.dumps({"label": label, "features": {w: 1 for w in words}})


def folder():
    """A new one, in memory if there is a place for that: thousands of files are synced."""
    memory = "/dev/shm"
    return tempfile.TemporaryDirectory(prefix="tlu-", dir=memory if os.access(memory, os.W_OK)
                                       else None)


class Failure(Exception):
    pass


def check(truth, *what):
    if not truth:
        raise Failure(" ".join(str(part) for part in what))


def make_links():
    """Names that lead to m.tlu."""
    os.symlink("m.tlu", "link.tlu")
    os.symlink(os.path.abspath("link.tlu"), "chain.tlu")


NAMES = ("m.tlu", "link.tlu", "chain.tlu")


class Life:
    """One process. `env` is for the shim; `limit` is that on the size of files, in bytes."""

    def __init__(self, tlu, rows, options, env=None, model="m.tlu", limit=None):
        self.rows, self.start, self.report = rows, None, b""
        self.process = subprocess.Popen(
            [tlu, "stream", model, "--journal", "--json"] + options + rows.options,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(os.environ, **env) if env else None,
            preexec_fn=limit is not None and (
                lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) or None)

    def begin(self):
        """Waits until it has told where it stands. False: it died before."""
        line = self.process.stderr.readline()
        if line.startswith(b"{") and line.endswith(b"\n"):
            self.start = json.loads(line)["learned"]
            return True
        self.report = line
        return False

    def kill(self):
        os.kill(self.process.pid, signal.SIGKILL)

    def end(self, end=None):
        """Sends the rows up to `end`, if it began, and waits for its death. Returns the answers."""
        sent = b""
        if self.start is not None and end is not None:
            sent = self.rows.header + self.rows.piece(self.start, end)
        answers, report = self.process.communicate(sent)
        self.report += report
        self.code = self.process.returncode
        return answers[:answers.rfind(b"\n") + 1]

    def feed(self, end, close=False):
        """Sends the rows up to `end` in the background; finish() waits for its death."""
        self.answers, pipes = [], self.process
        self.threads = [threading.Thread(target=work) for work in (
            lambda: self._send(end, close),
            lambda: self.answers.append(pipes.stdout.read()),
            lambda: self._add(pipes.stderr.read()))]
        for thread in self.threads:
            thread.start()

    def _add(self, report):
        self.report += report

    def _send(self, end, close):
        try:
            self.process.stdin.write(self.rows.header + self.rows.piece(self.start, end))
            self.process.stdin.flush()
            if close:
                self.process.stdin.close()
        except BrokenPipeError:
            pass

    def finish(self):
        """Returns the answers."""
        self.code = self.process.wait()
        for thread in self.threads:
            thread.join()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        answers = b"".join(self.answers)
        return answers[:answers.rfind(b"\n") + 1]


class Story:
    """What has happened to one model: nothing that was acknowledged may ever be missing."""

    def __init__(self, rows):
        self.rows, self.acknowledged, self.sent, self.got = rows, 0, 0, []

    def began(self, life):
        check(self.acknowledged <= life.start, self.acknowledged, "rows were acknowledged,",
              life.start, "learned from")
        check(life.start <= self.sent, self.sent, "rows were sent,", life.start, "learned from")

    def ended(self, life, answers, sent):
        """A life that began."""
        self.got.append((life.start, answers))
        self.acknowledged = max(self.acknowledged, life.start + answers.count(b"\n"))
        self.sent = max(self.sent, sent)

    def compare(self, tlu, total, model="m.tlu"):
        """With an undisturbed run over as many rows."""
        whole, guesses = undisturbed(tlu, self.rows, total)
        for start, answers in self.got:
            lines = answers.splitlines()
            check(lines == guesses[start:start + len(lines)], "other answers from row", start)
        with open(model, "rb") as file:
            check(file.read() == whole, "another model")


_undisturbed = {}


def refuse(tlu, model, part):
    """A stream is refused as it is opened, by a message that has this part."""
    done = subprocess.run([tlu, "stream", model, "--journal"], stdin=subprocess.DEVNULL,
                          capture_output=True)
    check(done.returncode == 2 and part in done.stderr, model, "is not refused:", done.returncode,
          done.stderr)


def undisturbed(tlu, rows, total):
    """Model and answers of one run over the first rows."""
    key = (tlu, rows.kind, total)
    if len(_undisturbed) > 20:
        _undisturbed.clear()
    if key not in _undisturbed:
        done = subprocess.run([tlu, "stream", "whole.tlu", "--quiet"] + rows.options, check=True,
                              input=rows.header + rows.piece(0, total), capture_output=True)
        with open("whole.tlu", "rb") as file:
            _undisturbed[key] = file.read(), done.stdout.splitlines()
        os.remove("whole.tlu")
    return _undisturbed[key]
