"""Learning from one example at a time: tlu.Learner, the estimators, tlu.Stream."""

import math
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import tlu
from common import SOURCE, TLU

COMMAND = TLU if os.path.exists(TLU) else None
DATA = os.path.join(SOURCE, "examples", "data")


class Plain:
    """A perceptron over dicts, with the same rule: ties update, the later label is positive."""

    def __init__(self):
        self.weights, self.bias = {}, 0.0

    def score(self, x):
        return sum(self.weights.get(name, 0.0) * value for name, value in x.items()) + self.bias

    def learn_one(self, x, y):
        step = 1 if y else -1
        if step * self.score(x) <= 0:
            for name, value in x.items():
                self.weights[name] = self.weights.get(name, 0.0) + step * value
            self.bias += step


def examples(count, seed=1, integers=True):
    """Rows of some of 30 names, in any order, and a noisy linear label."""
    draw = random.Random(seed)
    truth = [draw.gauss(0, 1) for _ in range(30)]
    for _ in range(count):
        names = draw.sample(range(30), draw.randrange(1, 12))
        x = {f"f{i}": draw.randrange(1, 5) if integers else draw.gauss(0, 1) for i in names}
        yield x, sum(truth[i] * x[f"f{i}"] for i in names) + draw.gauss(0, 1) > 0


class LearnerTest(unittest.TestCase):
    def test_learns_what_a_perceptron_in_plain_python_learns(self):
        plain, learner = Plain(), tlu.Learner("perceptron", decide="last", scale="none", tie="mistake")
        for x, y in examples(2000):
            plain.learn_one(x, y)
            learner.learn_one(x, y)
        model = learner.make_model()
        weights = model.weights("True")
        self.assertEqual({name: weight for name, weight in plain.weights.items() if weight}, weights)
        self.assertEqual(plain.bias, model.bias())
        for x, _ in examples(100, seed=2):
            label, score = learner.score_one(x)
            self.assertIs(label, plain.score(x) >= 0)
            self.assertEqual(abs(score), abs(plain.score(x)))

    def test_labels_come_back_as_they_were_given(self):
        for labels in (False, True), ("ham", "spam"), (3, 7), (2.5, "other"), (np.int64(4), np.int64(5)):
            learner = tlu.Learner("perceptron")
            self.assertIsNone(learner.predict_one({"a": 1}))
            for _ in range(3):
                learner.learn_one({"a": 1}, labels[0])
                learner.learn_one({"b": 1}, labels[1])
            self.assertIs(learner.predict_one({"a": 1}), labels[0])
            self.assertIs(learner.predict_one({"b": 1}), labels[1])

    def test_values_of_every_kind(self):
        a, b = tlu.Learner("perceptron", scale="none"), tlu.Learner("perceptron", scale="none")
        a.learn_one({"x": True, "y": False, "n": None, "q": math.nan, "town": "Rome", 5: np.float32(2), "i": 3}, 1)
        b.learn_one({"x": 1.0, "town=Rome": 1.0, "5": 2.0, "i": 3.0}, 1)
        for learner in a, b:
            learner.learn_one({"x": 1, "town": "Oslo"}, 0)
        self.assertEqual(a.make_model().weights(), b.make_model().weights())
        self.assertEqual(set(a.make_model().feature_names) - {"y"}, set(b.make_model().feature_names))

    def test_names_as_other_objects_are_the_same_features(self):
        learner = tlu.Learner("perceptron", scale="none")
        for i in range(200):
            x = {"".join(["na", "me", str(i % 7)]): 1.0, "".join(["\u00e9", str(i % 3)]): 2.0, "\U0001f600": 1.0}
            learner.learn_one(x, "".join(["l", str(i % 2)]))
        self.assertEqual(learner.stats["features"], 11)
        self.assertEqual(learner.stats["classes"], 2)

    def test_hash_and_max_features_take_the_slower_way_to_the_same_place(self):
        plain = tlu.Learner("perceptron", scale="none", decide="last")
        bounded = tlu.Learner("perceptron", scale="none", decide="last", max_features=1000)
        for x, y in examples(500):
            x = dict(sorted(x.items(), key=lambda item: int(item[0][1:])))
            plain.learn_one(x, y)
            bounded.learn_one(x, y)
        self.assertEqual(plain.make_model().weights(), bounded.make_model().weights())
        hashed = tlu.Learner("perceptron", hash=10)
        for i in range(3000):
            hashed.learn_one({f"name{i}": 1}, i % 2)
        self.assertLessEqual(hashed.stats["features"], 1024)

    def test_errors(self):
        learner = tlu.Learner("perceptron")
        for x, y, error in [({"a": 1e39}, 1, ValueError), ({"a": math.inf}, 1, ValueError), ({"a": [1]}, 1, TypeError),
                            ([1, 2], 1, TypeError), ("text", 1, TypeError), ({"a": 1}, None, ValueError),
                            ({"a": 1}, "", ValueError), ({"a": 1}, [1], TypeError), ({"a\0": 1}, 1, ValueError),
                            ({"a": "x", "a=x": 1}, 1, ValueError), ({1: 1, "1": 1}, 1, ValueError)]:
            with self.assertRaises(error, msg=repr((x, y))):
                learner.learn_one(x, y)
        self.assertEqual(learner.stats["examples"], 0)
        for weight in 0, -1, math.nan:
            self.assertRaises(ValueError, learner.learn_one, {"a": 1}, 1, weight)
        self.assertRaises(TypeError, learner.learn_one, {"a": 1})
        self.assertRaises(TypeError, learner.learn_one, {"a": 1}, 1, z=2)
        self.assertRaises(ValueError, tlu.Learner, "no-such-learner")
        self.assertRaises(ValueError, tlu.Learner, "perceptron", epochs=3)
        learner.learn_one({"a": 1}, 1)
        with self.assertRaises(NotImplementedError) as caught:
            learner.predict_proba_one({"a": 1})
        self.assertIn("probabilities", str(caught.exception))

    def test_probabilities_are_those_of_the_model(self):
        learner = tlu.Learner("logistic")
        self.assertEqual(learner.predict_proba_one({"a": 1}), {})
        draw = random.Random(3)
        for _ in range(300):
            y = draw.choice("abc")
            learner.learn_one({y: 1, "noise": draw.random(), draw.choice("abc"): 1}, y)
        model = learner.make_model()
        for name in "abc":
            x = {name: 1, "noise": 0.5}
            ours, theirs = learner.predict_proba_one(x), model.predict_proba_one(x)
            self.assertAlmostEqual(sum(ours.values()), 1)
            for label, p in ours.items():
                self.assertAlmostEqual(p, theirs[label], places=6)
            self.assertEqual(max(ours, key=ours.get), learner.predict_one(x))

    def test_weights_of_examples(self):
        twice, weighted = (tlu.Learner("perceptron", scale="none", decide="last") for _ in range(2))
        for learner, w in (twice, 1), (weighted, 2.0):
            learner.learn_one({"a": 1}, "n", w)
            learner.learn_one({"b": 1}, "p", w=w)
        for name, weight in weighted.make_model().weights().items():
            self.assertEqual(weight, 2 * twice.make_model().weights()[name])

    def test_pickle_and_resume_continue(self):
        whole, part = tlu.Learner("arow"), tlu.Learner("arow")
        data = [(dict(sorted(x.items())), y) for x, y in examples(400, integers=False)]
        for x, y in data[:200]:
            whole.learn_one(x, y)
            part.learn_one(x, y)
        part = pickle.loads(pickle.dumps(part))
        again = tlu.Learner.from_model(whole.make_model(), {"True": True, "False": False})
        for x, y in data[200:]:
            for learner in whole, part, again:
                learner.learn_one(x, y)
        for x, _ in data:
            self.assertIs(part.predict_one(x), again.predict_one(x))
            self.assertAlmostEqual(part.score_one(x)[1], whole.score_one(x)[1], places=9)
        self.assertIn("400 examples", repr(part))
        empty = pickle.loads(pickle.dumps(tlu.Learner("arow", r=0.5)))
        self.assertEqual(empty.options, {"learner": "arow", "r": 0.5})

    def test_many(self):
        rows = [{"a": 1.0, "b": "x"}, {"a": 2.0, "b": "y"}, {"a": None, "b": "x"}]
        one, many = tlu.Learner("pa2"), tlu.Learner("pa2")
        for x, y in zip(rows, "uvu"):
            one.learn_one(x, y)
        many.learn_many(rows, "uvu")
        self.assertEqual(one.make_model().to_bytes(), many.make_model().to_bytes())
        with self.assertRaisesRegex(ValueError, "3 labels and 1 weights"):
            many.learn_many(rows, "uvu", w=[1])
        with self.assertRaisesRegex(ValueError, "3 rows and 2 labels"):
            many.learn_many(rows, "uv")
        self.assertEqual(many.predict_many(rows), [one.predict_one(x) for x in rows])
        array = np.array([[1.0, 0.0], [0.0, 1.0]])
        learner = tlu.Learner("perceptron")
        learner.learn_many(array, np.array([1, 2]))
        self.assertEqual(learner.predict_many(array).tolist(), [1, 2])
        self.assertRaises(ValueError, learner.learn_many, array, [1])

    def test_tables(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not there")
        table = pandas.DataFrame({"a": [1.0, 2.0, math.nan], "b": pandas.Categorical(["x", "y", "x"]), "c": [True, False, True]},
                                 index=[5, 6, 7])
        rows = [{"a": 1.0, "b": "x", "c": True}, {"a": 2.0, "b": "y", "c": False}, {"b": "x", "c": True}]
        one, many = tlu.Learner("pa2"), tlu.Learner("pa2")
        one.learn_many(rows, ["u", "v", "u"])
        many.learn_many(table, pandas.Series(["u", "v", "u"], index=[5, 6, 7]))
        self.assertEqual(one.make_model().to_bytes(), many.make_model().to_bytes())
        answers = many.predict_many(table)
        self.assertEqual(answers.index.tolist(), [5, 6, 7])
        self.assertEqual(answers.tolist(), one.predict_many(rows))

    def test_memory_does_not_grow(self):
        import gc
        import tracemalloc

        learner = tlu.Learner("perceptron")
        data = list(examples(200))
        for x, y in data:
            learner.learn_one(x, y)
        gc.collect()
        tracemalloc.start()
        before = sum(1 for _ in gc.get_objects())
        for _ in range(50):
            for x, y in data:
                learner.learn_one(x, y)
                learner.predict_one(x)
        self.assertLess(tracemalloc.get_traced_memory()[0], 20000)
        tracemalloc.stop()
        self.assertLess(abs(sum(1 for _ in gc.get_objects()) - before), 100)


class EstimatorTest(unittest.TestCase):
    def test_estimators_learn_one(self):
        clf, learner = tlu.Perceptron(), None
        self.assertIsNone(clf.predict_one({"a": 1}))
        clf.learn_one({"a": 1}, "n")
        clf.learn_one({"b": 1}, "p")
        self.assertEqual([clf.predict_one({name: 1}) for name in "ab"], ["n", "p"])
        self.assertEqual(clf.classes_.tolist(), ["n", "p"])
        self.assertEqual(clf.model_.classes, ["n", "p"])
        again = pickle.loads(pickle.dumps(clf))
        self.assertEqual([again.predict_one({name: 1}) for name in "ab"], ["n", "p"])
        again.learn_one({"c": 1}, "q")
        self.assertEqual(again.classes_.tolist(), ["n", "p", "q"])

    def test_fit_then_learn_one(self):
        draw = np.random.default_rng(1)
        x = draw.normal(size=(200, 4))
        y = (x[:, 0] > 0).astype(int)
        clf = tlu.Classifier(learner="pa2", decide="last").fit(x, y)
        row = {str(j + 1): float(value) for j, value in enumerate(x[0])}
        self.assertEqual(clf.predict_one(row), clf.predict(x[:1])[0])
        for _ in range(20):
            clf.learn_one(row, 1 - y[0])
        self.assertEqual(clf.predict_one(row), 1 - y[0])
        self.assertEqual(clf.predict(x[:1])[0], 1 - y[0])
        clf.partial_fit(x, y)
        clf.learn_one(row, y[0])
        clf.fit(x, y)
        self.assertEqual(clf.predict_one(row), clf.predict(x[:1])[0])


class StreamTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "live.tlu")
        with open(os.path.join(DATA, "digits-train.svm")) as file:
            self.lines = file.read().splitlines(True)[:600]

    def command(self, path, lines, *options):
        """The answers of tlu stream."""
        return subprocess.run([COMMAND, "stream", path, "--quiet", *options], input="".join(lines), text=True,
                              check=True, capture_output=True).stdout.splitlines()

    def read(self, path):
        with open(path, "rb") as file:
            return file.read()

    @unittest.skipUnless(COMMAND, "without the command")
    def test_answers_and_model_are_those_of_the_command(self):
        other = os.path.join(self.folder.name, "other.tlu")
        expected = self.command(other, self.lines)
        answers = []
        text = "".join(self.lines)
        with tlu.Stream(self.path) as stream:
            for at in range(0, len(text), 997):  # pieces that do not end with a row
                answers += stream.feed(text[at:at + 997])
        self.assertEqual(answers, expected)
        self.assertEqual(self.read(self.path), self.read(other))
        self.assertTrue(stream.closed)
        self.assertEqual(tlu.load(self.path).classes, [str(k) for k in range(10)])

    @unittest.skipUnless(COMMAND, "without the command")
    def test_killed_stream_continues(self):
        other = os.path.join(self.folder.name, "other.tlu")
        expected = self.command(other, self.lines)
        program = """
import sys, tlu
stream = tlu.Stream(sys.argv[1], learner=None)
for line in sys.stdin:
    print(stream.feed(line)[0], flush=True)
    if stream.stats["learned"] == 250:
        stream.save()
"""
        process = subprocess.Popen([sys.executable, "-c", program, self.path], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        answers = []
        for line in self.lines[:400]:
            process.stdin.write(line)
            process.stdin.flush()
            answers.append(process.stdout.readline().rstrip("\n"))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdin.close()
        process.stdout.close()
        self.assertTrue(os.path.getsize(self.path + ".journal") > 0)
        answers += self.command(self.path, self.lines[400:500], "--journal")  # the command continues with the journal,
        with tlu.Stream(self.path) as stream:  # and Python with what the command left
            self.assertEqual(stream.stats["learned"], 500)
            answers += stream.feed("".join(self.lines[500:]))
        self.assertEqual(answers, expected)
        self.assertEqual(self.read(self.path), self.read(other))

    def test_journal_without_saving(self):
        stream = tlu.Stream(self.path)
        stream.feed("".join(self.lines[:100]))
        stream.close()
        self.assertRaises(ValueError, stream.feed, "x\n")
        self.assertIn("closed", repr(stream))
        with tlu.Stream(self.path) as stream:
            self.assertEqual(stream.stats["replayed"], 100)
        with tlu.Stream(self.path, journal=False) as stream:
            self.assertEqual(stream.stats["learned"], 100)
            self.assertRaises((ValueError, OSError), tlu.Stream, self.path)  # it is in use

    def test_dicts(self):
        with tlu.Stream(self.path, scores=True) as stream:
            self.assertEqual(stream.learn_one({"a": 1, "town": "Rome", "n": None}, "p"), "?\t0")
            stream.learn_one({"b": np.float32(2), "flag": True}, "n")
            self.assertTrue(stream.predict_one({"a": 1}).startswith("p\t"))
            self.assertEqual(len(stream.learn_many([{"a": 1}, {"b": 1}], ["p", "n"])), 2)
            self.assertEqual([answer[0] for answer in stream.predict_many([{"a": 1}, {"b": 1}])], ["p", "n"])
            self.assertEqual(stream.stats["examples"], 4)
        model = tlu.load(self.path)
        self.assertEqual(set(model.feature_names), {"a", "town=Rome", "b", "flag"})

    def test_error_has_the_answers_before(self):
        with tlu.Stream(self.path) as stream:
            with self.assertRaises(ValueError) as caught:
                stream.feed("1 1:1\n2 2:1\n1 broken\n")
            self.assertEqual(len(caught.exception.answers), 2)
            self.assertIn("3", str(caught.exception))
            self.assertEqual(stream.stats["learned"], 2)
            self.assertEqual(len(stream.feed("1 1:1\n")), 1)

    def test_options_of_a_new_model(self):
        with tlu.Stream(self.path, learner="arow", r=0.5) as stream:
            stream.feed("".join(self.lines[:50]))
        self.assertEqual(tlu.load(self.path).learner, "arow")
        self.assertRaises(ValueError, tlu.Stream, self.path, learner="perceptron")
        self.assertRaises(ValueError, tlu.Stream, self.path + "2", nonsense=1)
        self.assertRaises(ValueError, tlu.Stream, self.path + "2", window=-1)


if __name__ == "__main__":
    unittest.main()
