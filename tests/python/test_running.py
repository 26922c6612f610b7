"""Interruption, progress, and memory: 100,000 fits and 1,000,000 predictions (TLU_LONG), fewer otherwise."""

from common import LONG, SANITIZED, Skip, main, need, raises

need("numpy", "tlu")

import os
import resource
import signal
import threading
import time

import numpy as np

import tlu


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def interrupt(function, after):
    """Milliseconds of the processor from the signal to the exception, as other programs may use the cores; None: it ended."""
    sent, ended = [], []

    def send():
        time.sleep(after)
        sent.append(time.process_time())
        if not ended:
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        function()
        ended.append(True)
        thread.join()
    except KeyboardInterrupt:
        end = time.process_time()
        thread.join()
        return 1000 * (end - sent[0])
    return None


# Milliseconds, of the shortest of some times.
LIMIT = 1000 if SANITIZED else 100 if LONG else 300
TIMES = 3 if LONG else 1


def test_interrupt():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(3000 if SANITIZED else 30000, 100)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    solvers = tlu.LinearSVM(C=1000, gap=1e-12), tlu.LogisticRegression(solver="dual", C=1000, gap=1e-12), tlu.MaxMargin(C=1000)
    online = (tlu.Classifier, tlu.Perceptron, tlu.AveragedPerceptron, tlu.VotedPerceptron, tlu.KernelPerceptron,
              tlu.PassiveAggressive, tlu.AROW, tlu.SCW, tlu.LogisticRegression, tlu.MLP)
    for estimator in (*(cls(epochs=100000) for cls in online), *solvers):
        times = []
        after = 0.3
        while len(times) < TIMES:
            passed = interrupt(lambda: estimator.fit(X, y), after)
            if passed is None:  # a fast machine
                after /= 3
            elif estimator.__sklearn_is_fitted__():
                times.append(passed)
            else:  # on a busy machine the first pass had not begun
                after *= 2
            assert 0.001 < after < 30, estimator
        assert min(times) < LIMIT, (estimator, times)
        # The model so far; a solver or kernel that has hardly begun has no good one.
        late = estimator in solvers or isinstance(estimator, tlu.KernelPerceptron)
        assert SANITIZED or late or estimator.score(X, y) > 0.6, estimator
        assert estimator.model_.report["stopped"] in ("interrupted", "solved")


def test_interrupt_of_proofs():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(5000, 40)).astype(np.float32)
    noisy = (X[:, 0] + 0.5 * rng.normal(size=len(X)) > 0).astype(int)
    searches = {
        "separable": lambda: tlu.separable(X, noisy, approximate=True),
        "bound": lambda: tlu.bound(X, X @ np.ones(40) > 0),
    }
    for name, search in searches.items():
        times, after = [], 1
        while len(times) < TIMES:
            passed = interrupt(search, after)
            if passed is None:  # a fast machine
                after /= 3
                assert after > 0.001, name
            else:
                times.append(passed)
        assert min(times) < LIMIT, (name, times)


def test_progress():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20000, 50))
    y = (X[:, 0] > 0).astype(int)
    seen = []
    epochs = 50 if SANITIZED else 2000
    tlu.AveragedPerceptron(epochs=epochs, stop="epochs", shuffle="none").fit(X, y ^ (rng.random(len(y)) < 0.1), progress=seen.append)
    assert seen and seen[-1]["pass"] > 1 and seen[-1]["passes"] == epochs
    stopped = tlu.AveragedPerceptron(epochs=100000).fit(X, y ^ (rng.random(len(y)) < 0.1), progress=lambda state: True)
    assert stopped.model_.report["stopped"] == "interrupted" and stopped.model_.can_resume

    def fail(state):
        raise KeyError("mine")

    broken = tlu.AveragedPerceptron(epochs=100000)
    raises(KeyError, lambda: broken.fit(X, y ^ (rng.random(len(y)) < 0.1), progress=fail), "mine")
    assert broken.score(X, y) > 0.8
    raises(TypeError, lambda: broken.fit(X, y, progress=5))


def test_memory():
    if SANITIZED:
        raise Skip("the sanitizer keeps freed memory")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 6))
    y = np.arange(40) % 3
    texts = ["one two", "three"] * 5
    fits, predictions = (100000, 1000000) if LONG else (2000, 20000)

    def work(count, rows):
        estimator = tlu.AROW(epochs=1)
        for i in range(count):
            estimator.fit(X, y)
            if i % 10 == 0:
                tlu.Classifier(epochs=1).fit(texts, [0, 1] * 5).predict(texts)
                tlu.Perceptron().partial_fit(X, y, classes=[0, 1, 2]).predict(X)
                raises(ValueError, lambda: estimator.fit(X * np.nan, y))
        row = X[:1]
        for _ in range(rows):
            estimator.predict(row)

    work(500, 5000)
    before = resident()
    work(fits, predictions)
    grown = resident() - before
    assert grown < 4 << 20, f"{grown} bytes more"


main(globals())
