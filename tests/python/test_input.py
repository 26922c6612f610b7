"""Kinds of input: arrays, sparse matrices, tables, dicts, texts, batches; and the same models as the command's."""

import json
import os
import pickle
import sys
import tempfile

from common import SOURCE, Skip, command, main, need, need_data, raises

need("numpy", "scipy", "sklearn", "tlu")

import threading

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_digits, load_iris, load_svmlight_file

sys.path.insert(1, os.path.join(SOURCE, "tests"))
import model_reader
import tlu
from tlu.models import unwrap


def bytes_of(estimator, X, y, **more):
    return estimator.fit(X, y, **more).model_.to_bytes()


def test_arrays_make_one_model():
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.float32)
    kinds = {
        "float32": X, "float64": X.astype(float), "Fortran": np.asfortranarray(X), "Fortran64": np.asfortranarray(X.astype(float)),
        "int": X.astype(int), "uint8": X.astype(np.uint8), "slice": np.repeat(np.repeat(X, 2, 0), 3, 1)[::2, ::3], "list": X.tolist(),
        "reversed": X[::-1][::-1], "big endian": X.astype(">f8"), "csr": sp.csr_matrix(X), "csr64": sp.csr_matrix(X.astype(float)),
        "csc": sp.csc_matrix(X), "coo": sp.coo_matrix(X), "csr array": sp.csr_array(X),
    }
    wide = sp.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    kinds["int64 indices"] = wide
    unsorted = sp.csr_matrix(X)
    for i in range(len(y)):
        a, b = unsorted.indptr[i], unsorted.indptr[i + 1]
        unsorted.indices[a:b], unsorted.data[a:b] = unsorted.indices[a:b][::-1].copy(), unsorted.data[a:b][::-1].copy()
    unsorted.has_sorted_indices = unsorted.has_canonical_format = False
    kinds["unsorted"] = unsorted
    zeros = sp.csr_matrix(X)
    twice = sp.coo_matrix((np.concatenate([zeros.tocoo().data / 2] * 2), (np.tile(zeros.tocoo().row, 2), np.tile(zeros.tocoo().col, 2))))
    kinds["entries twice"] = twice
    for estimator in (tlu.Classifier(), tlu.AROW(epochs=2)):
        expected = bytes_of(estimator, X, y)
        scores = estimator.decision_function(X)
        for name, kind in kinds.items():
            assert bytes_of(estimator, kind, y) == expected, name
            assert (estimator.decision_function(kind) == scores).all(), name
            assert (estimator.predict(kind) == estimator.predict(X)).all(), name
    column = np.asfortranarray(X)[:, 2:3]
    assert tlu.AROW(multiclass="wta").fit(column, y).coef_.shape == (10, 1)


def test_one_row():
    """Rows one at a time, which mostly take a shorter way, have the answers and the errors of all rows together."""
    X, y = load_digits(return_X_y=True)
    X = X[:100].astype(np.float32)
    estimator = tlu.Perceptron().fit(X, np.array(["label %d" % label for label in y[:100]]))
    expected = estimator.predict(X)
    wide = sp.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    kinds = {
        "float32": X, "float64": X.astype(float), "Fortran": np.asfortranarray(X), "int": X.astype(int), "big endian": X.astype(">f4"),
        "slice": np.repeat(X, 2, 1)[:, ::2], "csr": sp.csr_matrix(X), "csr64": sp.csr_matrix(X.astype(float)),
        "csr of int": sp.csr_matrix(X.astype(int)), "csc": sp.csc_matrix(X), "bsr": sp.bsr_matrix(X), "int64 indices": wide,
        "csr array": sp.csr_array(X),
    }
    for name, kind in kinds.items():
        for i in range(20):
            row = kind.tocsr()[i : i + 1].asformat(kind.format) if sp.issparse(kind) else kind[i : i + 1]
            assert row.shape == (1, 64) and estimator.predict(row).tolist() == [expected[i]], (name, i)
    assert estimator.predict(sp.csr_matrix((1, 64))) == estimator.predict(np.zeros((2, 64)))[:1]
    backwards, twice = sp.csr_matrix(X[:1]), sp.csr_matrix(X[:1])
    backwards.data, backwards.indices = backwards.data[::-1].copy(), backwards.indices[::-1].copy()
    twice.data, twice.indices, twice.indptr = np.tile(twice.data / 2, 2), np.tile(twice.indices, 2), twice.indptr * 2
    for row in (sp.csr_matrix(backwards), sp.csr_matrix(twice)):
        row.has_canonical_format = row.has_sorted_indices = False
        assert estimator.predict(row) == expected[0]
    offset = np.frombuffer(b"." + X[0].tobytes(), np.uint8)[1:].view(np.float32).reshape(1, 64)
    assert not offset.flags.aligned and estimator.predict(offset) == expected[0]
    raises(ValueError, lambda: estimator.predict(X[:1] * np.nan), "NaN")
    raises(ValueError, lambda: estimator.predict(sp.csr_matrix(X[:1] * np.inf)), "not a finite number")
    raises(ValueError, lambda: estimator.predict(X[:1, :60]), "60 features", "64")
    raises(ValueError, lambda: estimator.predict(sp.csr_matrix(X[:1, :60])), "60 features", "64")
    # Columns that no training row has: the model knows nothing of the last ones.
    padded = np.zeros((100, 90), np.float32)
    padded[:, 5:69] = X
    wider = tlu.Perceptron().fit(padded, y[:100])
    seen = wider.predict(padded)
    for kind in (padded, padded.astype(float), np.asfortranarray(padded), sp.csr_matrix(padded)):
        assert (wider.predict(kind) == seen).all()
        for i in range(3):
            assert wider.predict(kind[i : i + 1]) == seen[i]
    for column in (0, 4, 69, 88, 89):
        for kind in (np.float32, float):
            bad = padded[:2].astype(kind)
            bad[1, column] = np.nan
            for rows in (bad, bad[1:], np.asfortranarray(bad)):
                raises(ValueError, lambda: wider.predict(rows), f"feature {column + 1} is NaN")
            bad[1, column] = 7
            assert (wider.predict(bad) == seen[:2]).all()
    past = sp.csr_matrix(X[:1])
    past.indices = past.indices + np.int32(60)
    raises(ValueError, lambda: estimator.predict(past), "malformed")
    raises(ValueError, lambda: estimator.predict(X[0]), "Reshape")
    raises(ValueError, lambda: estimator.predict("csr"))


def test_sparse_matrix_is_not_copied():
    from tlu import _input

    X = sp.random(2000, 300, 0.1, format="csr", dtype=np.float32, random_state=1)
    assert _input.as_matrix(X) is X
    assert _input.as_matrix(X.toarray()) is not None
    dense = X.toarray()
    assert _input.as_matrix(dense) is dense
    assert _input.as_matrix(np.asfortranarray(dense)).flags.f_contiguous


def test_malformed_sparse_matrix():
    X = sp.random(20, 30, 0.3, format="csr", dtype=np.float32, random_state=1)
    y = np.arange(20) % 2
    fitted = tlu.Perceptron().fit(X, y)
    for damage in ("indices", "indptr", "end"):
        bad = X.copy()
        bad.has_canonical_format  # known, so that SciPy does not look again
        if damage == "indices":
            bad.indices[3] = 1000
        elif damage == "indptr":
            bad.indptr[4] = 10**6
        else:
            bad.indptr[4] = -5
        from tlu._tlu import Rows

        raises(ValueError, lambda: Rows(bad.data, bad.indices, bad.indptr, 30), "malformed")
    for place, value in ((3, 10**8), (3, -7), (0, 1)):  # SciPy has not looked at these yet
        for kind in (sp.csr_matrix, sp.csc_matrix):
            bad = kind(X.toarray())
            bad.indptr[place] = value
            raises(ValueError, lambda: tlu.Perceptron().fit(bad, y), "malformed")
    assert fitted.score(X, y) >= 0.5


def report_parts(section):
    """The bytes before the report's texts, the texts, and the bytes after them."""
    for _ in range(6):
        section.count()
    section.take(1)
    start = section.at
    texts = [section.text() for _ in range(3)]
    return section.data[:start], texts, section.data[section.at:]


def equal_to_command(X, y, estimator, *options):
    """A model of the command on the same values, read back from text, has the same bytes but for the name of the data."""
    name = "equal.svm"
    with tempfile.TemporaryDirectory() as folder:
        path, saved = os.path.join(folder, name), os.path.join(folder, "equal.tlu")
        dump_svmlight_file(X, y, path, zero_based=False)
        command("train", path, "-o", saved, "--quiet", *options)
        theirs = unwrap(tlu.Model.load(saved))
    ours = unwrap(estimator.fit(X, y))
    a, b = theirs.to_bytes(), ours.to_bytes()
    assert len(a) - len(b) == len(name) - len("rows"), (len(a), len(b))
    mine, other = ours.report, theirs.report
    for key in mine:
        if not key.startswith("seconds") and key not in ("data", "notices", "learner_reason"):  # which no file has
            assert mine[key] == other[key] or key in ("objective", "gap"), key
    assert ours.labels == theirs.labels and ours.feature_names == theirs.feature_names
    assert {k: v for k, v in ours.options.items() if k != "threads"} == theirs.options
    w, v = np.empty(ours.feature_count), np.empty(ours.feature_count)
    for k in range(ours.class_count if ours.scheme != "ovo" else 0):
        ours.weights(k, w)
        theirs.weights(k, v)
        assert (w == v).all() and ours.bias(k) == theirs.bias(k)
    a, b = model_reader.sections(a), model_reader.sections(b)
    assert list(a) == list(b)
    for tag in a:
        if tag not in ("format", "REPT"):
            assert a[tag].data == b[tag].data, f"{type(estimator).__name__}: the sections {tag} differ"
    before, texts, after = report_parts(a["REPT"])
    assert (before, [b"rows" if text == name.encode() else text for text in texts], after) == report_parts(b["REPT"])


def test_digits_as_the_command():
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.float32)
    equal_to_command(X, y, tlu.Classifier())
    equal_to_command(X, y, tlu.AROW(epochs=3, r=0.1, multiclass="wta"), "--learner", "arow", "--epochs", "3", "--r", "0.1",
                     "--multiclass", "wta")
    equal_to_command(X, y, tlu.LinearSVM(), "--learner", "svm")


def test_a9a_as_the_command():
    X, y = load_svmlight_file(need_data("a9a/a9a"), n_features=123)
    equal_to_command(X.astype(np.float32), y.astype(int), tlu.AveragedPerceptron(), "--learner", "perceptron", "--decide", "average")


def test_news20_as_the_command():
    X, y = load_svmlight_file(need_data("news20/news20"), n_features=62061)
    equal_to_command(X.astype(np.float32), y.astype(int), tlu.Classifier(learner="arow", epochs=2), "--learner", "arow", "--epochs", "2")


def test_tables():
    try:
        import pandas
    except ImportError:
        raise Skip("pandas is not there") from None
    X, y = load_iris(return_X_y=True, as_frame=True)
    numbers = tlu.Classifier().fit(X, y)
    assert numbers.feature_names_in_.tolist() == list(X.columns) and numbers.model_.feature_names == list(X.columns)
    assert numbers.score(X, y) > 0.95 and (numbers.predict(X.to_numpy()) == numbers.predict(X)).all()
    raises(ValueError, lambda: numbers.predict(X[X.columns[::-1]]), "same order")
    frame = pandas.DataFrame({
        "size": [1.0, 2.0, np.nan, 8.0, 9.0, 7.5] * 20, "color": pandas.Categorical(["red", "red", "blue", "blue", None, "red"] * 20),
        "shape": ["round", "round", "long", "long", "long", None] * 20, "sweet": [True, False, True, False, True, True] * 20,
    })
    labels = np.array(["apple"] * 2 + ["pear"] + ["plum"] * 3)[np.arange(120) % 6]
    mixed = tlu.Classifier(multiclass="wta").fit(frame, labels)
    assert mixed.score(frame, labels) == 1 and mixed.n_features_in_ == 4
    names = mixed.model_.feature_names
    assert "size" in names and "color=red" in names and "shape=long" in names and "size=(missing)" in names
    assert "color=(missing)" in names and mixed.coef_.shape[1] == len(names)
    assert (mixed.predict(frame.iloc[:6]) == labels[:6]).all()
    assert mixed.predict(frame.iloc[:1]).dtype == labels.dtype
    weighted = tlu.Classifier(multiclass="wta").fit(frame, labels, sample_weight=np.ones(120))
    assert (weighted.decision_function(frame) == mixed.decision_function(frame)).all()
    texts = pandas.DataFrame({"subject": ["win a prize now", "lunch on friday", "cheap pills for you", "minutes of the meeting"] * 15,
                              "length": [3, 40, 5, 80] * 15})
    spam = tlu.Classifier(text=["subject"]).fit(texts, ["spam", "ham"] * 30)
    assert "subject:prize" in spam.model_.feature_names and spam.score(texts, ["spam", "ham"] * 30) == 1


def test_dicts_and_texts():
    rows = [{"word": "win", "n": 3}, {"word": "lunch", "n": 1}, {"word": "win", "n": 4, "tags": ["a", "b"]}, {"n": 1}] * 10
    y = [1, 0, 1, 0] * 10
    dicts = tlu.Classifier().fit(rows, y)
    assert (dicts.predict(rows) == y).all() and "word=win" in dicts.model_.feature_names
    assert dicts.predict([{"word": "win", "n": 3, "unknown": 7}]).tolist() == [1]
    texts = ["win a prize", "lunch at noon", 'a "prize" to win, now', "noon?"] * 10
    words = tlu.Classifier().fit(texts, y)
    assert (words.predict(texts) == y).all() and "prize" in words.model_.feature_names
    assert words.predict(["prize"]).tolist() == [1]
    assert (tlu.NaiveBayes().fit(texts, y).predict(np.array(texts)) == y).all()
    raises(TypeError, lambda: tlu.Classifier().fit([{"a": 1}, 5] * 2, [0, 1] * 2), "expected a dict")
    raises(TypeError, lambda: words.predict([[1.0]]), "same kind")


def test_messages_speak_of_rows():
    try:
        import pandas
    except ImportError:
        raise Skip("pandas is not there") from None
    frame = pandas.DataFrame({"a": np.arange(60.0), "b": ["u", "v"] * 30})
    y = np.arange(60) % 2
    bad = frame.copy()
    bad.loc[7, "b"] = "(missing)"
    raises(ValueError, lambda: tlu.AROW().fit(bad, y), "rows:8: the value '(missing)' of 'b'")
    raises(ValueError, lambda: tlu.AROW().fit(iter([(bad[:5], y[:5]), (bad[5:], y[5:])])), "rows:8: the value '(missing)' of 'b'")
    fitted = tlu.AROW().fit(frame, y)
    raises(ValueError, lambda: fitted.predict(frame.assign(a="x")), "rows:1: expected a number in member 'a'")
    raises(ValueError, lambda: fitted.predict(frame[:0]), "0 sample")
    raises(ValueError, lambda: tlu.AROW().fit(frame.assign(a=np.inf), y), "infinity in column 'a'")
    raises(ValueError, lambda: tlu.AROW().fit([{"a": np.inf}, {"a": 1.0}] * 30, y), "infinity")
    named = [(frame[:30], pandas.Series(y[:30], name="kind")), (frame[30:], pandas.Series(y[30:], name="other"))]
    assert tlu.AROW().fit(iter(named)).model_.inspect()["label_column"] == "kind"


def test_partial_fit_of_tables_dicts_and_texts():
    rng = np.random.default_rng(4)
    n = 90
    dicts = [{"a": float(v), "b": "x" if w else "z"} for v, w in zip(rng.normal(size=n), rng.random(n) < 0.5)]
    y = np.array([int(row["a"] > 0) for row in dicts])
    y[0], y[1] = 0, 1
    texts = ["good film" if v else "bad film" for v in y]
    kinds = [dicts, texts, np.array(texts)]
    try:
        import pandas

        frame = pandas.DataFrame(dicts)
        frame.loc[::8, "a"] = np.nan
        kinds += [frame, frame.assign(b=pandas.Categorical(frame["b"])), pandas.Series(texts), frame[["a"]]]
    except ImportError:
        pass
    for X in kinds:
        estimator = tlu.AROW()
        for start in range(0, n, 30):
            estimator.partial_fit(X[start:start + 30], y[start:start + 30], classes=[0, 1])
        assert estimator.score(X, y) > 0.75 and estimator.n_iter_ == 1, (type(X), estimator.score(X, y))
        assert (pickle.loads(pickle.dumps(estimator)).predict(X) == estimator.predict(X)).all()
        assert (estimator.fit(X, y).partial_fit(X[:30], y[:30]).predict(X) == y).mean() > 0.75
        raises(ValueError, lambda: tlu.AROW().partial_fit(X, y + 1, classes=[0, 1]), "first call")
        other = texts if not isinstance(X[0] if isinstance(X, (list, np.ndarray)) else X.iloc[0], str) else dicts
        raises(TypeError, lambda: estimator.partial_fit(other, y), "same kind")
        raises(TypeError, lambda: estimator.predict(other), "same kind")
        raises(TypeError, lambda: estimator.partial_fit([[1.0]], [1]), "same kind")
    # It is the training of the command that goes on from a model.
    estimator = tlu.AROW().partial_fit(dicts[:30], y[:30], classes=[0, 1]).partial_fit(dicts[30:], y[30:])
    with tempfile.TemporaryDirectory() as folder:
        first, second = os.path.join(folder, "first"), os.path.join(folder, "second")
        for name, part in ((first, slice(0, 30)), (second, slice(30, n))):
            with open(f"{name}.jsonl", "w") as file:
                file.writelines(json.dumps({**row, "y": int(label)}) + "\n" for row, label in zip(dicts[part], y[part]))
        command("train", f"{first}.jsonl", "-o", f"{first}.tlu", "--label", "y", "--learner", "arow", "--epochs", "1", "--quiet")
        command("train", f"{second}.jsonl", "--start", f"{first}.tlu", "-o", f"{second}.tlu", "--quiet")
        assert tlu.load(f"{second}.tlu").weights() == estimator.model_.weights()
    # A model that learned from dicts predicts arrays and tables by the names of their columns.
    named = tlu.AROW()
    named.learn_many(dicts, y)
    assert (named.predict(dicts) == np.array(named.predict_many(dicts))).all()
    raises(TypeError, lambda: named.predict(iter(dicts)), "iterator")


def test_texts_and_missing_values_one_by_one():
    """predict_one and predict_many of an estimator know what the training knew about columns."""
    texts = ["win a prize", "lunch at noon"] * 20
    rows = [{"note": text, "n": None if i % 3 == 0 else i % 7} for i, text in enumerate(texts)]
    y = ["spam", "ham"] * 20
    for X in texts, rows:
        estimator = tlu.LogisticRegression(**({} if X is texts else {"text": ["note"]})).fit(X, y)
        assert [estimator.predict_one(row) for row in X] == estimator.predict(X).tolist() == estimator.predict_many(X) == y
        one = estimator.predict_proba_one(X[0])
        assert list(one) == estimator.classes_.tolist() and list(one.values()) == estimator.predict_proba(X[:1])[0].tolist()
    raises(NotImplementedError, lambda: tlu.AROW().fit(texts, y).predict_proba_one("win"))


def test_wrong_kinds_of_rows():
    X, y = np.eye(4).repeat(5, axis=0), [0, 1, 0, 1] * 5
    numbers, words = tlu.train(X, y, learner="perceptron"), tlu.train(["good", "bad"] * 10, y)
    table = tlu.train([{"a": 1.0, "b": "x"}, {"a": -1.0, "b": "z"}] * 10, y)
    raises(ValueError, lambda: numbers.predict(["good"]), "trained on numbers", "texts")
    raises(ValueError, lambda: table.predict(["good"]), "trained on a table", "texts")
    raises(ValueError, lambda: table.predict(X), "trained on a table", "DataFrame or dicts")
    assert numbers.predict([{"1": 1.0}, {"2": 1.0, "new": 3}]) == numbers.predict(X[[0, 5]])
    assert numbers.evaluate([{"1": 1.0}], [0]).examples == 1 and words.predict(["good"]) == ["0"]
    for model, none in ((numbers, X[:0]), (table, []), (words, [])):
        assert model.predict(none) == [] and len(model.decision_function(none)) == 0


def test_batches_have_the_same_columns():
    try:
        import pandas
    except ImportError:
        raise Skip("pandas is not there") from None
    frame = pandas.DataFrame(np.eye(4).repeat(5, axis=0), columns=list("abcd"))
    y = np.arange(20) % 2
    for other in (frame[["d", "c", "b", "a"]], frame.rename(columns={"d": "e"})):
        raises(ValueError, lambda: tlu.AROW().fit(iter([(frame, y), (other, y)])), "feature names should match")
    mixed = frame.assign(z="w")
    raises(ValueError, lambda: tlu.AROW().fit(iter([(mixed, y), (mixed.rename(columns={"z": "x"}), y)])), "feature names should match")


def test_batches():
    X, y = load_digits(return_X_y=True)

    def parts():
        for start in range(0, len(X), 100):
            yield X[start:start + 100], y[start:start + 100]

    whole = tlu.AROW(epochs=3).fit(X, y)
    assert tlu.AROW(epochs=3).fit(parts()).model_.to_bytes() == whole.model_.to_bytes()
    assert (tlu.AROW(epochs=3).fit(parts()).predict(X) == whole.predict(X)).all()
    texts = iter([(["win a prize", "lunch"], [1, 0])] * 8)
    assert tlu.Classifier().fit(texts).predict(["prize", "lunch"]).tolist() == [1, 0]
    raises(ValueError, lambda: tlu.AROW().fit(iter([])), "no batches")

    def broken():
        yield X[:10], y[:10]
        raise KeyError("mine")

    raises(KeyError, lambda: tlu.AROW(scale="standard").fit(broken()), "mine")


def test_threads_share_a_model():
    X, y = load_digits(return_X_y=True)
    fitted = tlu.KernelPerceptron().fit(X, y)
    expected = fitted.decision_function(X)
    wrong = []

    def work():
        for _ in range(5):
            if not (fitted.decision_function(X) == expected).all():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong
    for jobs in (1, 2, 7):
        assert (tlu.KernelPerceptron(n_jobs=jobs).fit(X, y).decision_function(X) == expected).all()


main(globals())
