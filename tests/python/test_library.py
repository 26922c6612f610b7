"""Files, models, tuning, proofs, traces, logic and pictures from Python, against the command."""

import csv
import glob
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.dom.minidom

import numpy as np

import tlu
from common import SOURCE, TLU

COMMAND = TLU if os.path.exists(TLU) else None
DATA = os.path.join(SOURCE, "examples", "data")

DIGITS = os.path.join(DATA, "digits-train.svm")
WEATHER = os.path.join(DATA, "weather.csv")
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]


def command(*words):
    return json.loads(subprocess.run([COMMAND, *words, "--json"], check=False, capture_output=True, text=True).stdout)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


class TrainTest(Folder):
    @unittest.skipUnless(COMMAND, "without the command")
    def test_dicts_are_read_as_the_rows_of_a_table(self):
        """Words of a text column and missing numbers count, also for values that are texts."""
        path = self.path("mail.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("label,subject,size\n")
            for i in range(40):
                words = f"win a prize number {i}" if i % 2 else f"lunch at noon on day {i}"
                file.write(f"{'spam' if i % 2 else 'ham'},{words},{'' if i % 5 == 0 else i % 7}\n")
        model = tlu.train(path)
        rows = [{"subject": "win lunch", "size": 3}, {"subject": "a prize, now", "size": None}]
        with open(self.path("rows.csv"), "w", encoding="utf-8") as file:
            file.write('subject,size\nwin lunch,3\n"a prize, now",\n')
        expected = model.decision_function(self.path("rows.csv"))
        for row, score in zip(rows, expected):
            self.assertEqual(model.decision_one(row), [score])
            self.assertAlmostEqual(sum(amount for _, _, amount in model.explain(row, "spam", 99).items), score)
        self.assertEqual(model.decision_one({"subject": "win lunch", "size": "3"}), [expected[0]])
        self.assertNotEqual(expected[0], expected[1])
        # What a dict lacks counts as 0; None is missing, and has the mean of the training rows.
        self.assertEqual(model.decision_one({"subject": "win"}), model.decision_one({"subject": "win", "size": 0}))
        self.assertNotEqual(model.decision_one({"subject": "win"}), model.decision_one({"subject": "win", "size": None}))

    @unittest.skipUnless(COMMAND, "without the command")
    def test_parts_are_mixed_as_by_the_command(self):
        data, options = DIGITS, {"learner": "perceptron", "epochs": 1}
        mixture = None
        for turn in range(2):
            parts = [tlu.train(data, part=f"{k}/2", seed=turn, start=mixture, **options) for k in (1, 2)]
            for k, part in enumerate(parts, 1):
                words = ["--start", self.path("m.tlu")] if turn else []
                subprocess.run([COMMAND, "train", data, "--part", f"{k}/2", "--seed", str(turn), "--learner", "perceptron",
                                "--epochs", "1", *words, "-q", "-o", self.path(f"p{k}.tlu")], check=True)
            mixture = tlu.mix(parts)
            subprocess.run([COMMAND, "mix", self.path("p1.tlu"), self.path("p2.tlu"), "-q", "-o", self.path("m.tlu")], check=True)
            mixture.save(self.path("own.tlu"))
            self.assertEqual(self.read("own.tlu"), self.read("m.tlu"))
        self.assertNotEqual(tlu.mix(parts, "equal").to_bytes(), b"")
        with self.assertRaisesRegex(ValueError, "rows, updates or equal|weights"):
            tlu.mix(parts, "most")
        with self.assertRaisesRegex(ValueError, "no model"):
            tlu.mix([])
        with self.assertRaises(TypeError):
            tlu.mix([1])

    def test_models_are_those_of_the_command(self):
        for data, options in (DIGITS, {"learner": "arow", "epochs": 3}), (WEATHER, {"learner": "perceptron", "no_bias": True}):
            words = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in options.items()]
            subprocess.run([COMMAND, "train", data, "-o", self.path("c.tlu"), *words], check=True, capture_output=True)
            tlu.train(data, **options).save(self.path("p.tlu"))
            self.assertEqual(self.read("c.tlu"), self.read("p.tlu"))
            self.assertEqual(tlu.load(self.path("c.tlu")).to_bytes(), self.read("c.tlu"))

    def test_what_a_model_tells(self):
        model = tlu.train(DIGITS, learner="logistic", multiclass="wta", epochs=2)
        self.assertEqual(model.learner, "logistic")
        self.assertEqual(model.classes, [str(k) for k in range(10)])
        self.assertEqual(model.options["epochs"], "2")
        self.assertEqual(model.report["epochs"], 2)
        self.assertEqual(model.report["examples"], 1438)
        self.assertIn("logistic", repr(model))
        self.assertIn("<table>", model._repr_html_())
        self.assertIsNone(model.positive)
        about = model.inspect()
        self.assertEqual(sum(count for _, count in about["classes"]), 1438)
        self.assertTrue(about["has_probabilities"])
        self.assertEqual(about["features"], len(model.feature_names))
        self.assertRaises(ValueError, model.weights)
        self.assertRaises(ValueError, model.weights, "ten")
        self.assertEqual(pickle.loads(pickle.dumps(model)).to_bytes(), model.to_bytes())
        self.assertEqual(pickle.loads(pickle.dumps([model]))[0].classes, model.classes)

    def test_scores_are_weights_times_values(self):
        model = tlu.train(DIGITS, learner="perceptron", epochs=3)
        x = {"3": 5.0, "20": 12.0, "61": 1.0, "none": 7.0}
        scores = model.decision_one(x)
        for label, score in zip(model.classes, scores):
            weights = model.weights(label)
            expected = model.bias(label) + sum(weights.get(name, 0) * value for name, value in x.items())
            self.assertAlmostEqual(score, expected, delta=1e-9 * abs(expected))
        self.assertEqual(model.predict_one(x), model.classes[int(np.argmax(scores))])
        explanation = model.explain(x, top=100)
        self.assertEqual(explanation.predicted, model.predict_one(x))
        self.assertAlmostEqual(sum(amount for _, _, amount in explanation.items), max(scores), places=6)
        self.assertEqual(model.explain(x, label=3, top=2).label, "3")
        self.assertEqual(len(model.explain(x, label=3, top=2).items), 2)
        self.assertRaises(ValueError, model.explain, x, label="ten")
        self.assertRaises(ValueError, model.explain, x, top=0)

    def test_predictions_of_files_arrays_lines_and_dicts_agree(self):
        model = tlu.train(DIGITS, learner="logistic", multiclass="wta", epochs=2)
        path = os.path.join(DATA, "digits-test.svm")
        with open(path) as file:
            lines = file.read().splitlines()
        labels = model.predict(path)
        self.assertEqual([model.predict_one(line) for line in lines], labels)
        rows = [{name: float(value) for name, value in (entry.split(":") for entry in line.split()[1:])} for line in lines]
        self.assertEqual([model.predict_one(row) for row in rows], labels)
        array = np.zeros((len(rows), 64), np.float32)
        for i, row in enumerate(rows):
            for name, value in row.items():
                array[i, int(name) - 1] = value
        self.assertEqual(model.predict(array), labels)
        scores = model.decision_function(array)
        self.assertEqual(scores[5].tolist(), model.decision_one(lines[5]))
        p = model.predict_proba(array[:5])
        self.assertEqual(p[3].tolist(), list(model.predict_proba_one(lines[3]).values()))
        correct = sum(label == line.split()[0] for label, line in zip(labels, lines))
        evaluation = model.evaluate(path, metric="all")
        self.assertEqual(evaluation.correct, correct)
        self.assertEqual(np.trace(evaluation.confusion), correct)
        self.assertAlmostEqual(evaluation.metrics["accuracy"], correct / len(lines))
        self.assertEqual(model.evaluate(array, [line.split()[0] for line in lines]).correct, correct)
        self.assertEqual(len(evaluation.per_class), 10)

    def test_data_of_every_kind(self):
        self.assertEqual(tlu.train(["good film", "bad film", "good", "bad"], ["p", "n", "p", "n"]).predict(["good", "bad"]),
                         ["p", "n"])
        dicts = [{"a": 1, "t": "x"}, {"a": 2.0, "t": "y"}] * 3
        model = tlu.train(dicts, [True, False] * 3)
        self.assertEqual(model.predict(dicts), ["True", "False"] * 3)
        blanks = tlu.train(np.eye(2).repeat(3, axis=0), ["a b"] * 3 + ["c d"] * 3)
        self.assertEqual(blanks.predict(np.eye(2)), ["a b", "c d"])
        self.assertRaises(ValueError, tlu.train, np.zeros((2, 2)), [1])
        self.assertRaises(ValueError, tlu.train, np.zeros(3), [1, 2, 3])
        self.assertRaises(ValueError, tlu.train, np.full((2, 2), math.nan), [1, 2])
        self.assertRaises(ValueError, tlu.train, DIGITS, [1])
        self.assertRaises(FileNotFoundError, tlu.load, self.path("none.tlu"))

    def test_sparse_and_tables(self):
        try:
            import pandas
            import scipy.sparse
        except ImportError:
            self.skipTest("pandas or SciPy is not there")
        array = np.array([[0, 1.5], [2, 0], [0, 3.0], [1, 0]])
        y = [1, 2, 1, 2]
        self.assertEqual(tlu.train(array, y, learner="pa").to_bytes(),
                         tlu.train(scipy.sparse.csr_matrix(array), y, learner="pa").to_bytes())
        table = pandas.DataFrame({"n": [1.0, math.nan, 3, 4], "c": pandas.Categorical(["1", "2", "1", "2"]),
                                  "t": ["x", "y", None, "y"]})
        model = tlu.train(table, pandas.Series(["p", "q", "p", "q"], name="kind"))
        self.assertIn("c=1", model.feature_names)
        self.assertIn("n", model.feature_names)
        self.assertEqual(model.predict(table), ["p", "q", "p", "q"])
        self.assertEqual(model.inspect()["label_column"], "kind")

    def test_errors_have_our_sentence(self):
        with open(self.path("bad.svm"), "w") as file:
            file.write("1 1:1\n2 x\n")
        with self.assertRaisesRegex(ValueError, r"bad\.svm:2:"):
            tlu.train(self.path("bad.svm"))
        with self.assertRaisesRegex(ValueError, "epochs"):
            tlu.train(DIGITS, epochs=0)
        with self.assertRaisesRegex(ValueError, "^there is no option 'nonsense'$"):
            tlu.train(DIGITS, nonsense=1)
        with self.assertRaisesRegex(ValueError, "^--classes is now --multiclass$"):
            tlu.train(DIGITS, classes="wta")
        for call in tlu.train, tlu.cross_validate, lambda path, **options: tlu.plot("data", path, **options):
            with self.assertRaisesRegex(ValueError, "^there is no option 'no_bais'; did you mean 'no_bias'\\?$"):
                call(DIGITS, no_bais=True)
        self.assertRaises(TypeError, tlu.Model, 5)
        with open(self.path("no.tlu"), "wb") as file:
            file.write(b"\x89TLU nothing")
        self.assertRaises(ValueError, tlu.load, self.path("no.tlu"))

    def test_thresholds(self):
        text = tlu.generate("line", rows=300, noise=0.1, seed=5)
        with open(self.path("d.svm"), "w") as file:
            file.write(text)
        model = tlu.train(self.path("d.svm"), learner="logistic")
        found = model.find_threshold(self.path("d.svm"), objective="recall", value=0.95)
        self.assertGreaterEqual(found.recall, 0.95)
        changed = model.with_threshold(found.threshold)
        self.assertEqual(changed.threshold, found.threshold)
        quality = dict(zip(changed.classes, changed.evaluate(self.path("d.svm")).per_class))[changed.positive]
        self.assertAlmostEqual(quality[0], found.precision)
        self.assertAlmostEqual(quality[1], found.recall)
        self.assertIsNone(changed.with_threshold(None).threshold)
        costly = model.find_threshold(self.path("d.svm"), objective="cost", costs=(1, 10))
        cheap = model.find_threshold(self.path("d.svm"), objective="cost", costs=(10, 1))
        self.assertGreaterEqual(costly.recall, cheap.recall)


class InterruptionTest(Folder):
    def setUp(self):
        super().setUp()
        self.data = self.path("big.svm")
        tlu.generate("sparse", self.data, rows=40000, features=2000, nonzeros=40, noise=0.2)

    def test_progress(self):
        seen = []
        tlu.train(self.data, epochs=60, learner="perceptron", progress=lambda now: seen.append(now))
        self.assertTrue(seen)
        self.assertLessEqual(seen[-1]["pass"], 60)
        model = tlu.train(self.data, epochs=100000, stop="epochs", learner="perceptron", progress=lambda now: True)
        self.assertEqual(model.report["stopped"], "interrupted")
        self.assertTrue(model.inspect()["can_resume"])

        def fail(now):
            raise LookupError("no more")

        with self.assertRaisesRegex(LookupError, "no more"):
            tlu.train(self.data, epochs=100000, stop="epochs", learner="perceptron", progress=fail)

    def test_ctrl_c_ends_training_and_leaves_the_model(self):
        sent = []

        def interrupt():
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.1, interrupt)

        def begin(now):  # there is a model after the first pass
            if now["pass"] > 1 and timer.ident is None:
                timer.start()

        with self.assertRaises(KeyboardInterrupt) as caught:
            tlu.train(self.data, epochs=10000000, stop="epochs", learner="perceptron", progress=begin)
        late = time.monotonic() - sent[0]
        timer.join()
        model = caught.exception.result
        self.assertEqual(model.report["stopped"], "interrupted")
        self.assertGreater(model.evaluate(self.data).accuracy, 0.5)
        self.assertLess(late, 1.0)  # 0.1 on a machine that does nothing else: see docs/python.md
        resumed = tlu.train(self.data, resume=model, epochs=model.report["epochs"] + 1)
        self.assertEqual(resumed.report["epochs"], model.report["epochs"] + 1)


def seconds_to_stop(call, after):
    """(the KeyboardInterrupt of a call, the seconds that it took to end)."""
    def stop(number, frame):
        stopped.append(time.monotonic())
        raise KeyboardInterrupt

    stopped = []
    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, after)
    try:
        call()
    except KeyboardInterrupt as interrupt:
        return interrupt, time.monotonic() - stopped[0]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    raise AssertionError("the call ended by itself")


class InterruptTest(Folder):
    LIMIT = 1  # another test may use the cores

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(0)  # labels at random: no learner converges
        self.noise = self.path("noise.svm")
        with open(self.noise, "w") as file:
            for row in rng.normal(size=(2000, 5)):
                file.write(f"{rng.integers(2)} " + " ".join(f"{j + 1}:{x:.4f}" for j, x in enumerate(row)) + "\n")

    def test_cross_validation_stops_within_a_fold(self):
        endless = {"learner": "perceptron", "epochs": 10000000, "stop": "epochs"}
        interrupt, seconds = seconds_to_stop(lambda: tlu.cross_validate(self.noise, **endless), 0.2)
        self.assertLess(seconds, self.LIMIT)
        self.assertFalse(hasattr(interrupt, "result"))

    def test_training_leaves_the_model_so_far(self):
        interrupt, seconds = seconds_to_stop(
            lambda: tlu.train(self.noise, learner="perceptron", epochs=10000000, stop="epochs"), 0.2)
        self.assertLess(seconds, self.LIMIT)
        self.assertEqual(interrupt.result.report["stopped"], "interrupted")

    def test_tuning_leaves_the_search_so_far(self):
        interrupt, seconds = seconds_to_stop(lambda: tlu.tune(self.noise, budget=10000000, exhaustive=True), 0.5)
        self.assertLess(seconds, self.LIMIT)
        if hasattr(interrupt, "result"):
            self.assertIsNone(interrupt.result.model)

    def test_stream_leaves_the_answers_so_far(self):
        text = "".join(f"{'spam' if i % 3 else 'ham'} {i % 50 + 1}:1 {i % 7 + 60}:2\n" for i in range(200000))
        stream = tlu.Stream(self.path("live.tlu"), journal=False)

        def feed():
            while True:
                stream.feed(text)

        interrupt, seconds = seconds_to_stop(feed, 0.1)
        self.assertLess(seconds, self.LIMIT)
        if hasattr(interrupt, "answers"):  # else the signal came between two calls
            self.assertEqual(stream.stats["rows"] % 200000, len(interrupt.answers) % 200000)
        stream.close()
        whole = tlu.Stream(self.path("whole.tlu"), journal=False)
        lines = tlu.Stream(self.path("lines.tlu"), journal=False)
        self.assertEqual(whole.feed(text[:600000]), [lines.feed(line + "\n")[0] for line in text[:600000].split("\n")[:-1]])
        whole.close()
        lines.close()


class TextTest(Folder):
    def test_texts_are_explained_by_their_words(self):
        texts, y = ["win a prize", "see you at dinner", "a prize for you", "dinner is ready"] * 5, ["spam", "ham"] * 10
        for model in (tlu.train(texts, y), tlu.Classifier().fit(texts, y).model_):
            self.assertEqual(model.predict_one("a prize"), "spam")
            explanation = model.explain("win a prize", label="spam")
            amounts = {name: amount for name, _, amount in explanation["items"] if name}
            self.assertTrue(set(amounts) <= {"win", "a", "prize"} and amounts["prize"] > 0, amounts)
            score = model.decision_one("win a prize")[0]
            total = sum(amount for _, _, amount in explanation["items"])
            self.assertAlmostEqual(total, score if model.positive == "spam" else -score, places=5)


    def test_a_string_is_the_text_of_a_table_with_one_column_of_texts(self):
        texts = ["win a prize, text now", 'a "prize" for you, free', "see you at dinner", "dinner is ready, mum"] * 5
        table = self.path("texts.csv")
        for header in (True, False):
            with open(table, "w", newline="") as file:
                csv.writer(file).writerows([["label", "message"]] * header + [["spam" if "prize" in t else "ham", t] for t in texts])
            model = tlu.train(table, text="message" if header else "2")
            for text in ("win, a prize", 'ham,"prize" for, you', "dinner\nat, home", '"', "", " ", '{"message": "win"}', "spam,dinner"):
                with open(self.path("one.csv"), "w", newline="") as file:
                    csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["message"]] * header + [[text]])
                self.assertEqual(model.decision_one(text), [float(model.decision_function(self.path("one.csv"))[0])], (header, text))
                explanation = model.explain(text, label=model.positive)
                self.assertAlmostEqual(sum(item[2] for item in explanation["items"]), model.decision_one(text)[0], places=5)
            self.assertEqual(model.predict_one("win a prize, text now"), "spam")
        numbers = tlu.train(self.csv_of_numbers())
        self.assertEqual(numbers.predict_one("1,1"), "p")  # a line of CSV

    def csv_of_numbers(self):
        with open(self.path("numbers.csv"), "w") as file:
            file.write("a,b,label\n" + "1,1,p\n-1,-1,n\n" * 4)
        return self.path("numbers.csv")


class ParameterTest(unittest.TestCase):
    def test_a_parameter_with_a_similar_name_is_suggested(self):
        with self.assertRaisesRegex(TypeError, r"no parameter 'epoch'; did you mean epochs\?$"):
            tlu.Classifier(epoch=3)
        with self.assertRaisesRegex(TypeError, "no parameter 'xyzzy'; its parameters are .*, epochs, "):
            tlu.Classifier(xyzzy=3)


class WeightTest(Folder):
    def test_weights_of_arrays_are_those_of_estimators(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 5)).astype(np.float32)
        y = (X[:, 0] + 0.5 * rng.normal(size=300) > 0).astype(int)
        weights = rng.integers(1, 4, 300)
        model = tlu.train(X, y, sample_weight=weights, learner="arow", seed=3)
        estimator = tlu.AROW(random_state=3).fit(X, y, sample_weight=weights)
        self.assertEqual([model.weights(), model.bias()], [estimator.model_.weights(), estimator.model_.bias()])
        self.assertNotEqual(model.weights(), tlu.train(X, y, learner="arow", seed=3).weights())
        rows = [{str(j + 1): float(x) for j, x in enumerate(row)} for row in X]
        named = tlu.train(rows, y, sample_weight=weights, learner="arow", seed=3, scale="none")
        plain = tlu.train(X, y, sample_weight=weights, learner="arow", seed=3, scale="none")
        self.assertEqual(sorted(named.weights()), sorted(plain.weights()))
        for name, weight in plain.weights().items():
            self.assertAlmostEqual(weight, named.weights()[name], places=6)
        self.assertRaises(ValueError, tlu.train, X, y, sample_weight=weights[:-1])
        with self.assertRaisesRegex(TypeError, "sample_weight"):
            tlu.cross_validate(X, y, sample_weight=weights)


class TableTest(Folder):
    """The model of an estimator, which was fitted to a table with text, categories and missing values."""

    def test_model_takes_the_rows_of_the_estimator(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not there")
        rng = np.random.default_rng(3)
        n = 200
        table = pandas.DataFrame({"age": rng.normal(40, 10, n), "port": pandas.Categorical(rng.choice(["C", "Q", "S"], n)),
                                  "name": [f"Mr. {'Old' if i % 2 else 'Young'} {i}" for i in range(n)]})
        table.loc[::7, "age"] = np.nan
        table.loc[::9, "port"] = None
        y = ((table["port"] == "C") | (np.arange(n) % 2 == 1)).astype(int)
        estimator = tlu.AROW(random_state=1).fit(table, y)
        tlu.Model(estimator).save(self.path("table.tlu"))
        model = tlu.load(self.path("table.tlu"))
        self.assertEqual([int(label) for label in model.predict(table)], estimator.predict(table).tolist())
        self.assertTrue((model.decision_function(table) == estimator.decision_function(table)).all())
        self.assertEqual(model.evaluate(table, y).accuracy, estimator.score(table, y))
        for i in (0, 1, 9, 63):  # with and without age and port
            row = table.iloc[i].to_dict()
            self.assertEqual(model.predict_one(row), model.predict(table)[i])
            self.assertEqual(model.decision_one(row), [model.decision_function(table)[i]])
            explanation = model.explain(row, label="1", top=1000)
            self.assertAlmostEqual(sum(amount for _, _, amount in explanation["items"]), model.decision_one(row)[0], places=5)
        self.assertIn("svg", tlu.plot("confusion", table, y, model=estimator)._repr_svg_())


    @unittest.skipUnless(COMMAND, "without the command")
    def test_command_reads_what_pandas_writes(self):
        """A model of a DataFrame predicts the CSV and the JSON lines of it."""
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not there")
        rng = np.random.default_rng(5)
        n = 120
        table = pandas.DataFrame({
            "size": rng.normal(size=n).round(3), "count": pandas.array(rng.integers(0, 9, n), dtype="Int64"),
            "port": pandas.Categorical(rng.choice(["C", "Q, \"x\"", "S"], n)),
            "zone": pandas.Categorical(rng.integers(1, 4, n)), "sweet": rng.random(n) < 0.5,
            "ripe": pandas.array(rng.random(n) < 0.3, dtype="boolean"), "mixed": rng.choice(np.array(["a", "b", 7], dtype=object), n),
            "day": pandas.Timestamp("2024-02-01") + pandas.to_timedelta(rng.integers(0, 3, n), unit="D"),
            "note": [" ".join(rng.choice(["sea", "the", "Hill", "new\nline", "road", "é"], 5)) for _ in range(n)]})
        for name, step in ("size", 7), ("count", 9), ("port", 11), ("ripe", 13), ("mixed", 8), ("note", 10):
            table.loc[::step, name] = None
        y = pandas.Series(np.where((table["size"].fillna(1) > 0) ^ table["sweet"], "yes", "no"), name="kind")
        table.to_csv(self.path("table.csv"))  # with the index
        table.assign(day=table["day"].astype(str)).to_json(self.path("table.jsonl"), orient="records", lines=True)
        table.assign(kind=y).to_csv(self.path("labelled.csv"), index=False)
        estimator = tlu.AROW(text=["note"], ignore=None).fit(table, y)
        for model in (tlu.Model(estimator), tlu.train(table, y, learner="arow", text="note")):
            self.assertEqual(model.inspect()["label_column"], "kind")
            for name in ("size", "count=(missing)", "port=Q, \"x\"", "zone=2", "sweet", "ripe", "mixed=7", "note:sea",
                         "day=2024-02-02"):
                self.assertIn(name, model.feature_names)
            model.save(self.path("table.tlu"))
            scores = model.decision_function(table)
            self.assertGreater(len(set(scores.tolist())), n // 2)
            self.assertTrue((scores == estimator.decision_function(table)).all())
            for name in "table.csv", "table.jsonl", "labelled.csv":
                found = subprocess.run([COMMAND, "predict", self.path("table.tlu"), self.path(name), "--scores"], check=True,
                                       capture_output=True, text=True)
                self.assertEqual([float(line.split("\t")[1]) for line in found.stdout.splitlines()], scores.tolist(), name)
                self.assertEqual(model.decision_function(self.path(name)).tolist(), scores.tolist())
            self.assertEqual(model.evaluate(self.path("labelled.csv")).accuracy, estimator.score(table, y))
        # A model of the file itself predicts the table.
        of_file = tlu.train(self.path("labelled.csv"), learner="arow", text="note", label="kind")
        self.assertEqual(of_file.decision_function(table).tolist(),
                         of_file.decision_function(self.path("labelled.csv")).tolist())

    def test_labels_are_named_beside_the_columns(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not there")
        y = pandas.Series(["a", "b"] * 10, name="kind")
        for columns, name, expected in ((["n", "c"], "kind", "kind"), (["label", "c"], None, "label_"), (["kind", "c"], "kind", "kind_"),
                                        (["text", "weight"], "label", "(label)"), (["n", "c"], 5, "label")):
            table = pandas.DataFrame({columns[0]: ["to be or not", "who is there"] * 10, columns[1]: [1.5, None] * 10})
            model = tlu.train(table, y.rename(name), learner="perceptron", text=columns[0])
            self.assertEqual(model.inspect()["label_column"], expected)
            self.assertEqual(model.predict(table), y.tolist())
            self.assertEqual(tlu.AROW(text=[columns[0]]).fit(table, y.rename(name)).predict(table).tolist(), y.tolist())
        twice = pandas.DataFrame([[1, "x"], [2, "y"]] * 10, columns=["a", "a"])
        for call in (lambda: tlu.train(twice, y), lambda: tlu.AROW().fit(twice, y)):
            with self.assertRaisesRegex(ValueError, "two columns have the name 'a'"):
                call()
        with self.assertRaisesRegex(ValueError, "a column has the name 'features'"):
            tlu.train(twice.set_axis(["features", "a"], axis=1), y)


class OneRowTest(unittest.TestCase):
    """Rows and labels in the forms in which they are at hand."""

    def setUp(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("without pandas")
        self.table = pandas.DataFrame({"size": [1.0, 2, 3, 4] * 5, "color": ["red", "blue"] * 10})
        self.y = pandas.Series(["p", "q"] * 10, name="class")
        self.x = np.array([[1.0, 0, 2], [-1, 3, 0]] * 5)
        self.of_table = tlu.train(self.table, self.y, learner="perceptron")
        self.of_array = tlu.train(self.x, self.y[:10], learner="perceptron")

    def test_rows_of_tables(self):
        row = {"size": 1.0, "color": "red"}
        for given in row, self.table.iloc[0], self.table.iloc[[0]]:
            self.assertEqual(self.of_table.decision_one(given), self.of_table.decision_one(row))
            self.assertEqual(self.of_table.explain(given).items, self.of_table.explain(row).items)
        with self.assertRaisesRegex(ValueError, "expected one row, and the table has 20"):
            self.of_table.explain(self.table)
        for numbers in [1, 2], (1, 2), np.array([1.0, 2]), [[1, 2]]:
            with self.assertRaisesRegex(TypeError, "features have names|found list"):
                self.of_table.predict_one(numbers)

    def test_rows_of_arrays(self):
        import scipy.sparse

        scores = self.of_array.decision_function(self.x)
        self.assertNotEqual(scores[0], scores[1])
        for i, row in enumerate(self.x[:2]):
            for given in (row, row.tolist(), tuple(row), row.astype(int), row[None], scipy.sparse.csr_matrix(row),
                          dict(zip("123", row)), dict(zip((1, 2, 3), row))):
                self.assertEqual(self.of_array.decision_one(given), [scores[i]])
                self.assertEqual(len(self.of_array.explain(given).items), np.count_nonzero(row) + 1)
        with self.assertRaisesRegex(ValueError, "expected one row, and the array has 10"):
            self.of_array.explain(self.x)
        for nothing in None, 5, ["one"], object():
            with self.assertRaises((TypeError, ValueError)):
                self.of_array.predict_one(nothing)
        for model in self.of_array, self.of_table, tlu.Perceptron().fit(self.x, self.y[:10]):
            with self.assertRaisesRegex(TypeError, "a dict is one row|rows of the same kind"):
                model.predict({"1": 2})

    def test_labels_are_apart(self):
        """A column of the table that is the labels is not learned from by mistake."""
        both = self.table.assign(**{"class": self.y})
        expected = self.of_table.to_bytes()
        self.assertEqual(tlu.train(both, "class", learner="perceptron").to_bytes(), expected)
        fitted = tlu.Perceptron().fit(both, "class")
        self.assertEqual(fitted.model_.feature_names, self.of_table.feature_names)
        self.assertEqual(fitted.n_features_in_, 2)
        self.assertEqual(repr(tlu.separable(both[["size", "class"]], "class")),
                         repr(tlu.separable(self.table[["size"]], self.y)))
        for given in lambda: tlu.train(both, both["class"]), lambda: tlu.train(both, both[["class"]]), \
                lambda: tlu.Perceptron().fit(both, both["class"]), lambda: tlu.bound(both, both["class"]):
            with self.assertRaisesRegex(ValueError, "has its labels as the column 'class', too: leave it out"):
                given()
        with self.assertRaisesRegex(ValueError, "y='clas' is not a column of the table, which has size, color, class"):
            tlu.train(both, "clas")
        with self.assertRaisesRegex(TypeError, "X is not a DataFrame"):
            tlu.train(self.x, "class")

    def test_report_has_the_reason(self):
        self.assertIsNone(self.of_array.report["learner_reason"])
        self.assertIn("for", tlu.train(self.x, self.y[:10]).report["learner_reason"])

    def test_pictures_of_models(self):
        by_name = tlu.plot("weights", model=self.of_array).to_bytes("svg")
        for model in self.of_array, tlu.Perceptron().fit(self.x, self.y[:10]):
            self.assertEqual(tlu.plot("weights", model).to_bytes("svg"), by_name)
        for kind in "learning-curve", "learning_curve", 5:
            with self.assertRaisesRegex(ValueError, "there is no picture .*: there are data, .*curve"):
                tlu.plot(kind, self.x, self.y[:10])
        for kind, needs in tlu.PLOTS.items():
            if "model" not in needs:
                with self.assertRaisesRegex(TypeError, f"the picture '{kind}' is of data"):
                    tlu.plot(kind, self.of_array)
        for kind in "truth", "approximation", "progress":
            with self.assertRaisesRegex(TypeError, f"the picture '{kind}' needs"):
                tlu.plot(kind, self.x, self.y[:10])


class MemoryTest(Folder):
    """Functions about data in memory write no files, and their messages are about rows and columns."""

    def setUp(self):
        super().setUp()
        rng = np.random.default_rng(2)
        self.x = rng.normal(size=(60, 4))
        self.y = (self.x[:, 0] > 0).astype(int)
        before = tempfile.tempdir, os.environ.get("TMPDIR")
        tempfile.tempdir = os.environ["TMPDIR"] = self.path("no such folder")

        def restore():
            tempfile.tempdir = before[0]
            os.environ.pop("TMPDIR")
            if before[1] is not None:
                os.environ["TMPDIR"] = before[1]

        self.addCleanup(restore)

    def kinds(self):
        yield self.x, self.y
        yield self.x.tolist(), self.y.tolist()
        yield [{"a": x[0], "b": "pos" if x[1] > 0 else "neg"} for x in self.x], self.y
        try:
            import pandas
            import scipy.sparse
        except ImportError:
            return
        yield scipy.sparse.csr_matrix(self.x), self.y
        yield pandas.DataFrame(self.x, columns=list("abcd")), self.y
        yield pandas.DataFrame({"a": self.x[:, 0], "b": pandas.Categorical(np.where(self.x[:, 1] > 0, "p", "n"))}), self.y

    def test_no_function_writes_a_file(self):
        for x, y in self.kinds():
            with self.subTest(type(x).__name__):
                model = tlu.train(x, y, learner="perceptron", epochs=3)
                self.assertEqual(model.report["data"], "rows")
                logistic = tlu.train(x, y, learner="logistic", epochs=3)
                self.assertGreater(tlu.cross_validate(x, y, learner="perceptron", folds=3).mean, 0.7)
                self.assertEqual(len(tlu.compare(x, y, learners=["pa2", "arow"], folds=2)), 2)
                self.assertEqual(tlu.tune(x, y, learners=["pa2"], budget=60, folds=2).model.learner, "pa2")
                self.assertEqual(model.evaluate(x, y).correct, sum(a == str(b) for a, b in zip(model.predict(x), y)))
                self.assertGreater(model.find_threshold(x, y).f1, 0.7)
                self.assertTrue(tlu.separable(x, y).separable)
                self.assertTrue(tlu.separable(x, y).check(x, y).accepted)
                self.assertGreater(tlu.bound(x, y).bound, 1)
                self.assertGreaterEqual(len(tlu.trace(x, y, learner="perceptron", epochs=1)), 60)
                for kind, options in ("data", {}), ("run", {}), ("curve", {"learners": "pa2"}):
                    self.assertTrue(tlu.plot(kind, x, y, **options)._repr_svg_())
                for kind in "confusion", "roc", "calibration":
                    self.assertTrue(tlu.plot(kind, x, y, model=logistic)._repr_svg_())

    def test_messages_are_about_rows_and_columns(self):
        self.x[6, 2] = np.nan
        model = tlu.train(self.x[:6], self.y[:6], learner="perceptron")
        for call in (tlu.train, tlu.cross_validate, tlu.tune, tlu.separable, tlu.bound, tlu.trace, model.evaluate,
                     model.find_threshold, lambda x, y: tlu.plot("data", x, y), lambda x, y: tlu.plot("confusion", x, y, model=model)):
            with self.assertRaisesRegex(ValueError, "^rows:7: the value of feature 3 is NaN"):
                call(self.x, self.y)
        with self.assertRaisesRegex(ValueError, "there are 60 rows and 59 labels"):
            tlu.cross_validate(self.x, self.y[:-1])
        with self.assertRaisesRegex(ValueError, "there are 2 rows and 1 labels"):
            tlu.separable([{"a": 1}, {"a": 2}], [1])

    def test_proofs_name_the_row(self):
        answer = tlu.separable(*XOR)
        self.assertEqual(sorted(row["index"] for row in answer.rows), [0, 1, 2, 3])
        dicts = [{"a": a, "b": b} for a, b in XOR[0]]
        self.assertEqual(sorted(row["index"] for row in tlu.separable(dicts, XOR[1]).rows), [0, 1, 2, 3])
        spread = [[0, 0], [1, 1], [9, 2], [-3, 1]]
        bound = tlu.bound(spread, [0, 1, 1, 0])
        self.assertEqual(bound.radius_index, 2)
        with open(self.path("xor.csv"), "w", encoding="utf-8") as file:
            file.write("a,b,y\n0,0,p\n0,1,q\n1,0,q\n1,1,p\n")
        self.assertEqual([row["index"] for row in tlu.separable(self.path("xor.csv")).rows], [None] * 4)
        blanks = tlu.separable(XOR[0], ["no way"] + XOR[1][1:3] + ["no way"])
        self.assertFalse(blanks)
        self.assertTrue(blanks.check(XOR[0], ["no way"] + XOR[1][1:3] + ["no way"]).accepted)


class SearchTest(Folder):
    def test_cross_validation(self):
        seen = []
        result = tlu.cross_validate(DIGITS, learner="pa2", folds=3, progress=lambda now: seen.append(now))
        self.assertEqual(len(result.folds), 3)
        self.assertEqual(len(seen), 3)
        values = [fold["value"] for fold in result.folds]
        self.assertAlmostEqual(result.mean, sum(values) / 3)
        self.assertAlmostEqual(result.deviation, np.std(values, ddof=1))
        self.assertEqual(sum(fold["examples"] for fold in result.folds), 1438)
        if COMMAND:
            theirs = command("cv", DIGITS, "--learner", "pa2", "--folds", "3")
            self.assertAlmostEqual(theirs["accuracy"], result.mean, places=9)
        self.assertRaises(ValueError, tlu.cross_validate, DIGITS, folds=1)

    def test_compare(self):
        results = tlu.compare(DIGITS, learners=["rocchio", "perceptron:decide=last:epochs=2"], folds=3)
        means = [result.mean for result in results.values()]
        self.assertEqual(means, sorted(means, reverse=True))
        self.assertEqual(results["rocchio"].mean, tlu.cross_validate(DIGITS, learner="rocchio", folds=3).mean)

    def test_tune(self):
        tuning = tlu.tune(DIGITS, learners=["arow", "rocchio"], budget=200, folds=3)
        scores = [candidate["score"] for candidate in tuning.candidates if candidate["outcome"] == "done"]
        self.assertEqual(scores[0], max(scores))
        self.assertEqual(tuning.best["options"]["learner"], tuning.model.learner)
        again = tlu.train(DIGITS, **tuning.best["options"])
        self.assertEqual(again.to_bytes(), tuning.model.to_bytes())
        self.assertIn(tuning.best["name"], repr(tuning))

        def stop(now):
            return now["stage"] != "table" or now["fold"] > 1

        self.assertEqual(tlu.tune(DIGITS, budget=1000000, exhaustive=True, progress=stop).stopped, "interrupted")
        with self.assertRaises(KeyboardInterrupt):
            tlu.tune(DIGITS, budget=1000000, exhaustive=True, progress=lambda now: True)


class ProofTest(Folder):
    def test_proof_of_dicts(self):
        rows = [{"a": 1, "b": 0.5, "c": "x"}, {"a": -1, "b": 0.25, "c": "y"}, {"a": 2.5, "d": True},
                {"b": -3, "c": 'x, "q"'}]
        answer = tlu.separable(rows, ["p", "n", "p", "n"])
        self.assertTrue(answer)
        self.assertTrue(answer.check(rows, ["p", "n", "p", "n"]).accepted)
        self.assertFalse(answer.check(rows, ["p", "p", "p", "n"]).accepted)
        again = tlu.separable([{"a": 1}, {"a": 1}], ["p", "n"])
        self.assertFalse(again)
        self.assertTrue(again.check([{"a": 1}, {"a": 1}], ["p", "n"]).accepted)

    def test_not_separable(self):
        answer = tlu.separable(*XOR)
        self.assertFalse(answer)
        self.assertIs(answer.separable, False)
        # In every coordinate, the rows of one class add up to what those of the other add up to.
        total = np.zeros(3)
        for row in answer.rows:
            sign = 1 if row["label"] == "yes" else -1
            total += sign * int(row["weight"]) * np.array([*XOR[0][row["line"] - 1], 1])
        self.assertEqual(total.tolist(), [0, 0, 0])
        self.assertTrue(answer.check(*XOR).accepted)
        changed = answer.check(XOR[0], ["no", "yes", "yes", "yes"])
        self.assertFalse(changed.accepted)
        self.assertTrue(changed.reason)
        approximate = tlu.separable(*XOR, approximate=True)
        self.assertEqual((approximate.mistakes_min, approximate.mistakes), (1, 1))

    def test_separable(self):
        x, y = np.array([[0.1, 0], [0.3, 0], [2, 0], [5, 1]]), [0, 0, 1, 1]
        answer = tlu.separable(x, y)
        self.assertTrue(answer)
        self.assertAlmostEqual(answer.margin_low, 0.85)  # half of 2 - 0.3
        w = {weight["feature"]: int(weight["exact"]) for weight in answer.weights}
        for row, label in zip(x, y):
            score = w.get("1", 0) * row[0] + w.get("2", 0) * row[1] + w.get(None, 0)
            self.assertEqual(score > 0, str(label) == answer.positive)
        report = answer.check(x, y)
        self.assertTrue(report.accepted)
        self.assertEqual(report.claim, "separable")
        answer.save(self.path("p.proof"))
        if COMMAND:
            with open(self.path("x.svm"), "w") as file:
                file.writelines(f"{label} 1:{row[0]} 2:{row[1]}\n" for row, label in zip(x, y))
            self.assertEqual(subprocess.run([COMMAND, "check", self.path("p.proof"), self.path("x.svm")],
                                            capture_output=True).returncode, 0)
        self.assertTrue(tlu.separable(os.path.join(DATA, "iris.csv"), positive="setosa"))
        self.assertFalse(tlu.separable(os.path.join(DATA, "iris.csv"), only=["versicolor", "virginica"]))

    def test_bound(self):
        x, y = np.array([[0.1, 0], [0.3, 0], [2, 0], [5, 1]]), [0, 0, 1, 1]
        bound = tlu.bound(x, y, runs=5)
        self.assertAlmostEqual(bound.radius, math.sqrt(27))
        self.assertEqual(len(bound.mistakes), 5)
        self.assertTrue(all(mistakes <= bound.bound for mistakes in bound.mistakes))
        self.assertIn("no bound", repr(tlu.bound(*XOR)))

    def test_trace(self):
        x, y = [[1, 0], [0, 1], [1, 1]], ["a", "b", "b"]
        steps = tlu.trace(np.array(x), y, learner="perceptron", scale="none", shuffle="none", decide="last", epochs=20)
        w = {}
        bias = 0
        for step in steps:
            sign = 1 if step.label == "b" else -1
            score = bias + sum(w.get(name, 0) * value for name, value in step.example.items())
            self.assertEqual(step.columns[0]["score"], score)
            self.assertEqual(step.updated, sign * score <= 0)
            if step.updated:
                bias += sign
                for name, value in step.example.items():
                    w[name] = w.get(name, 0) + sign * value
            self.assertEqual(step.columns[0]["weights"], {name: value for name, value in w.items() if value})
            self.assertEqual(step.columns[0]["bias"], bias)
        self.assertFalse(any(step.mistake for step in steps[-3:]))
        self.assertEqual(len(tlu.trace(np.array(x), y, limit=2, learner="perceptron")), 2)
        model = tlu.trace(np.array(x), y, function=lambda step: step.step == 4, learner="perceptron")
        self.assertIsInstance(model, tlu.Model)
        with self.assertRaises(ZeroDivisionError):
            tlu.trace(np.array(x), y, function=lambda step: 1 / 0, learner="perceptron")


class LogicTest(unittest.TestCase):
    def test_threshold_functions(self):
        answer = tlu.logic("a & (b | !c)", smallest=True)
        self.assertTrue(answer.is_threshold)
        unit = answer.units[0]
        for row in range(8):
            a, b, c = row >> 2 & 1, row >> 1 & 1, row & 1
            fires = sum(w * x for w, x in zip(unit["weights"], (a, b, c))) >= unit["threshold"]
            self.assertEqual(fires, bool(a and (b or not c)))
        self.assertIn(">=", repr(answer))

    def test_others(self):
        answer = tlu.logic(table="0110", inputs=["p", "q"], network=True)
        self.assertFalse(answer.is_threshold)
        self.assertEqual(sorted(row for row, _ in answer.units[0]["contradiction"]), [0, 1, 2, 3])
        self.assertIn("inputs p q", answer.network)
        self.assertEqual(answer.hidden, 2)
        self.assertRaises(ValueError, tlu.logic)
        self.assertRaises(ValueError, tlu.logic, "a &")


class MetricTest(unittest.TestCase):
    def test_metrics(self):
        self.assertEqual(tlu.metric("accuracy", [1, 2, 1, 2], [1, 2, 2, 2]), 0.75)
        self.assertAlmostEqual(tlu.metric("f1", ["n", "p", "p", "n"], ["n", "p", "n", "p"]), 0.5)
        self.assertEqual(tlu.metric("f1", ["n", "p", "n"], ["n", "n", "n"], positive="n"), 0.8)
        self.assertEqual(tlu.metric("roc-auc", [0, 0, 1, 1], scores=[0.1, 0.4, 0.35, 0.8]), 0.75)
        self.assertAlmostEqual(tlu.metric("log-loss", [0, 1], probabilities=[[0.9, 0.1], [0.2, 0.8]]),
                               -(math.log(0.9) + math.log(0.8)) / 2)
        self.assertEqual(tlu.metric("accuracy", [1, 2], [1, 1], sample_weight=[3, 1]), 0.75)
        self.assertTrue({"accuracy", "roc-auc"} <= {info["name"] for info in tlu.METRICS})
        self.assertRaises(ValueError, tlu.metric, "no-metric", [1, 2], [1, 2])


class PlotTest(Folder):
    def test_pictures_display_themselves(self):
        x, y = np.array([[1.0, 2], [2, 1], [-1, -2], [-2, -1]]), [1, 1, 0, 0]
        picture = tlu.plot("data", x, y, learner="perceptron", title="Four points", width=300, height=200)
        svg = xml.dom.minidom.parseString(picture._repr_svg_())
        self.assertEqual(svg.documentElement.tagName, "svg")
        self.assertEqual(picture._repr_png_()[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(picture.title, "Four points")
        self.assertIn("4 of 4", picture.caption)
        self.assertIn("image/svg+xml", picture._repr_mimebundle_())
        for name, start in ("a.svg", b"<?xml"), ("a.pdf", b"%PDF"), ("a.png", b"\x89PNG"):
            picture.save(self.path(name))
            self.assertEqual(self.read(name)[:len(start)], start)
        self.assertRaises(ValueError, picture.save, self.path("a.txt.doc"))
        film = tlu.plot("run", x, y, animation=True)
        self.assertGreater(film.frames, 1)
        self.assertEqual(film._repr_mimebundle_()["image/gif"][:4], b"GIF8")

    def test_every_kind(self):
        blobs = self.path("blobs.svm")
        tlu.generate("line", blobs, rows=40)
        model = tlu.train(blobs, learner="logistic")
        net = tlu.train(blobs, learner="mlp", hidden=(4,), epochs=3)
        settings = {"net": {"model": net}, "image": {"model": model, "columns": 2, "rows": 1}, "game": {},
                    "truth": {"data": "moons"}, "approximation": {"data": "sin(x)"},
                    "bounds": {"data": DATA and blobs}}
        for kind, needs in tlu.PLOTS.items():
            if kind == "progress":  # of a log
                continue
            arguments = settings.get(kind) or {}
            if not arguments and "model" in needs:
                arguments = {"model": model}
            if not arguments.get("data") and "data" in needs:
                arguments = {**arguments, "data": blobs}
            with self.subTest(kind):
                self.assertTrue(tlu.plot(kind, arguments.pop("data", None), **arguments).to_bytes("svg").startswith(b"<?xml"))
        self.assertRaises(ValueError, tlu.plot, "nothing")
        self.assertRaises(ValueError, tlu.plot, "weights")
        self.assertRaises(ValueError, tlu.plot, "data")
        self.assertRaises(TypeError, tlu.plot, "weights", model=model, frames=3)

    def test_estimators_are_models(self):
        clf = tlu.Perceptron().fit(np.array([[1.0, 2], [2, 1], [-1, -2], [-2, -1]]), [1, 1, 0, 0])
        self.assertTrue(tlu.plot("weights", model=clf).caption)
        self.assertEqual(tlu.Model(clf).classes, ["0", "1"])
        self.assertEqual(clf.model_.predict_one({"1": 1, "2": 2}), "1")


if __name__ == "__main__":
    unittest.main()
