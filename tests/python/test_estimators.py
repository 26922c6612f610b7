"""scikit-learn's own checks of estimators, and the parts of scikit-learn that use them."""

from common import main, need, raises

need("numpy", "sklearn", "tlu")

import pickle
import io

import numpy as np
import sklearn
from scipy.sparse import csr_matrix
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.exceptions import NotFittedError

import tlu
from tlu._tlu import train_file

CLASSES = [getattr(tlu, name) for name in tlu.__all__
           if hasattr(getattr(tlu, name), "get_params") and hasattr(getattr(tlu, name), "_fixed")]
# The checks that scikit-learn's SGDClassifier has as exceptions, too.
SAME_AS_SGD = {"check_sample_weights_invariance", "check_sample_weight_equivalence_on_dense_data",
               "check_sample_weight_equivalence_on_sparse_data"}


def test_there_are_thirteen():
    assert len(CLASSES) == 13, CLASSES


def test_check_estimator():
    from sklearn.utils.estimator_checks import check_estimator

    for cls in CLASSES:
        ran = 0
        for estimator, check in check_estimator(cls(), generate_only=True):
            name = getattr(check, "func", check).__name__
            try:
                check(estimator)
                ran += 1
            except Exception as error:
                if type(error).__name__ != "SkipTest":
                    raise AssertionError(f"{cls.__name__}: {name}: {error}") from error
        assert ran > 35, (cls.__name__, ran)


def test_exceptions_are_those_of_sgd():
    from sklearn.linear_model import SGDClassifier

    theirs = SGDClassifier()._more_tags()["_xfail_checks"]
    for cls in CLASSES:
        ours = cls()._more_tags().get("_xfail_checks", {})
        assert set(ours) <= set(theirs) & SAME_AS_SGD, (cls.__name__, ours)
        assert all(ours.values())


def test_tags_of_version_1_6():
    """Against a stand-in: the dataclasses as the documentation of sklearn.utils.Tags has them. 1.6 itself is not in Debian."""
    from dataclasses import dataclass, field
    from typing import Any

    @dataclass
    class InputTags:
        one_d_array: bool = False
        two_d_array: bool = True
        three_d_array: bool = False
        sparse: bool = False
        categorical: bool = False
        string: bool = False
        dict: bool = False
        positive_only: bool = False
        allow_nan: bool = False
        pairwise: bool = False

    @dataclass
    class TargetTags:
        required: bool
        one_d_labels: bool = False
        two_d_labels: bool = False
        positive_only: bool = False
        multi_output: bool = False
        single_output: bool = True

    @dataclass
    class ClassifierTags:
        poor_score: bool = False
        multi_class: bool = True
        multi_label: bool = False

    @dataclass
    class Tags:
        estimator_type: Any
        target_tags: TargetTags
        transformer_tags: Any = None
        classifier_tags: Any = None
        regressor_tags: Any = None
        array_api_support: bool = False
        no_validation: bool = False
        non_deterministic: bool = False
        requires_fit: bool = True
        _skip_test: bool = False
        input_tags: InputTags = field(default_factory=InputTags)

    from unittest import mock

    stand_ins = {kind.__name__: kind for kind in (InputTags, TargetTags, ClassifierTags, Tags)}
    with mock.patch.multiple("sklearn.utils", create=True, **stand_ins):
        for cls in CLASSES:
            tags, before = cls().__sklearn_tags__(), cls()._more_tags()
            assert type(tags) is Tags and tags.estimator_type == "classifier" and tags.target_tags.required
            assert tags.input_tags == InputTags(sparse=True, positive_only=before["requires_positive_X"])
            assert tags.classifier_tags == ClassifierTags(poor_score=before.get("poor_score", False))
            assert tags.transformer_tags is tags.regressor_tags is None and tags.requires_fit
            assert before["X_types"] == ["2darray", "sparse"]  # what a fit of strings or dicts in an array does: an error
    X, y = load_iris(return_X_y=True)
    words = "Negative values in data"  # that check_positive_only_tag_during_fit looks for
    for wrong in -X, csr_matrix(-X):
        raises(ValueError, lambda: tlu.NaiveBayes().fit(wrong, y), words)
    assert tlu.NaiveBayes(binarize=True).fit(-X, y).n_features_in_ == 4


def test_parameters():
    for cls in CLASSES:
        estimator = cls()
        assert is_classifier(estimator)
        again = clone(estimator)
        assert again.get_params() == estimator.get_params() and again is not estimator
        assert repr(estimator) == f"{cls.__name__}()"
    changed = tlu.Classifier(learner="arow", epochs=3, random_state=7, r=0.5)
    assert repr(changed) == "Classifier(learner='arow', epochs=3, r=0.5, random_state=7)" or "arow" in repr(changed)
    assert clone(changed).get_params()["r"] == 0.5
    raises(ValueError, lambda: tlu.Perceptron().set_params(nothing=1), "nothing")
    raises(TypeError, lambda: tlu.Perceptron(nothing=1), "nothing")


def test_options_reach_the_library():
    X, y = load_iris(return_X_y=True)
    model = tlu.Classifier(learner="arow", epochs=3, r=0.5, random_state=7, shuffle="all", fit_intercept=False).fit(X, y).model_
    options = model.options
    assert options["learner"] == "arow" and options["epochs"] == "3" and options["r"] == "0.5"
    assert options["seed"] == "7" and options["shuffle"] == "all" and options["no-bias"] == "yes"
    assert model.bias(0) == 0 and model.report["epochs"] <= 3
    raises(ValueError, lambda: tlu.Classifier(learner="adaline").fit(X, y), "adaline")
    raises(ValueError, lambda: tlu.Classifier(epochs=0).fit(X, y), "epochs")
    raises(ValueError, lambda: tlu.PassiveAggressive(variant="arow").fit(X, y), "variant")
    # Every parameter that is None leaves an option as it is.
    assert set(tlu.Classifier(learner="perceptron").fit(X, y).model_.options) <= {"learner"}


def test_attributes():
    X, y = load_iris(return_X_y=True)
    three = tlu.AROW(multiclass="wta").fit(X, y)
    assert three.coef_.shape == (3, 4) and three.intercept_.shape == (3,) and three.n_features_in_ == 4
    scores = X.astype(np.float32).astype(float) @ three.coef_.T + three.intercept_
    assert np.allclose(scores, three.decision_function(X), rtol=1e-6, atol=1e-6)
    two = tlu.LinearSVM().fit(X[:100], y[:100])
    assert two.coef_.shape == (1, 4) and two.decision_function(X).shape == (150,)
    assert ((two.decision_function(X[:100]) >= 0) == (two.predict(X[:100]) == 1)).all()
    assert not hasattr(tlu.Perceptron(), "coef_") and not hasattr(tlu.MLP(epochs=1).fit(X, y), "coef_")
    linear = tlu.KernelPerceptron(kernel="linear").fit(X[:100], y[:100])
    assert np.allclose(linear.decision_function(X[:100]), X[:100] @ linear.coef_[0] + linear.intercept_[0], atol=1e-3)


def test_labels_keep_their_type():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    kinds = [y.astype(np.int8), y.astype(float), y.astype(np.uint64), names[y], names[y].astype(object),
             np.array(["10", "9", "x"])[y], np.array(["10", "9", "x"], dtype=object)[y], y - 1, y * 1000000 - 5]
    for labels in kinds:
        estimator = tlu.Classifier().fit(X, labels)
        predicted = estimator.predict(X)
        assert predicted.dtype == labels.dtype and (estimator.classes_ == np.unique(labels)).all()
        assert (predicted == labels).mean() > 0.95
        best = estimator.classes_[estimator.decision_function(X).argmax(axis=1)]
        assert (best == predicted).mean() > 0.98  # one versus one: votes may be equal
    far = np.array([2**64 - 2, 2**64 - 1], dtype=np.uint64)[y[:100]]  # past what int64 can hold
    assert (tlu.AROW().fit(X[:100], far).predict(X[:100]) == far).all()
    for a, b in (("1", "+1"), ("1", "1.0"), ("-1", "-1.00")):
        raises(ValueError, lambda: tlu.AROW().fit(X[:100], np.array([a, b])[y[:100]]), f"'{a}'", f"'{b}'", "the same number")
    # With two classes the score is that of classes_[1], in NumPy's order: "10" < "9".
    for labels in (np.array(["10", "9"])[y[:100]], y[:100] == 1):
        estimator = tlu.AROW().fit(X[:100], labels)
        assert ((estimator.decision_function(X[:100]) > 0) == (estimator.predict(X[:100]) == estimator.classes_[1])).all()
        assert (estimator.predict(X[:100]) == labels).all()


def test_unfitted():
    for cls in CLASSES:
        raises(NotFittedError, lambda: cls().predict([[1.0]]), "not fitted")


def test_wrong_input():
    X, y = load_iris(return_X_y=True)
    fitted = tlu.Perceptron().fit(X, y)
    raises(ValueError, lambda: fitted.predict(X[:, :3]), "3 features", "4 features")
    raises(ValueError, lambda: fitted.predict(X[0]), "Reshape")
    raises(ValueError, lambda: fitted.predict(np.full((2, 4), np.nan)), "NaN")
    raises(ValueError, lambda: fitted.predict(np.full((2, 4), np.inf)), "infinite")
    raises(ValueError, lambda: fitted.predict(X[:0]), "0 sample")
    raises(ValueError, lambda: fitted.predict(X * 1e300), "row 1: the value of feature 1 is infinite as a 32-bit float")
    raises(ValueError, lambda: tlu.Perceptron().fit(csr_matrix(X * 1e300), y), "rows:1: the value of feature 1 is infinite as a 32-bit")
    bad = X.copy()
    bad[7, 2] = np.nan
    raises(ValueError, lambda: tlu.Perceptron().fit(bad, y), "8:", "feature 3", "NaN")
    raises(ValueError, lambda: tlu.Perceptron().fit(X, y[:-1]), "inconsistent")
    raises(ValueError, lambda: tlu.Perceptron().fit(X, y, sample_weight=-np.ones(len(y))), "weight")
    raises(ValueError, lambda: tlu.Perceptron().fit(X, np.zeros(len(y))), "class")
    raises(ValueError, lambda: tlu.Perceptron().fit(X, X[:, 0]), "Unknown label type")
    raises(ValueError, lambda: tlu.Perceptron().fit(X.astype(complex), y), "Complex")
    raises((TypeError, ValueError), lambda: tlu.Perceptron().fit(np.array([[{}], [{}]], dtype=object), [0, 1]))
    assert tlu.Perceptron().fit(X.astype(object), y).score(X, y) > 0.6
    raises(ValueError, lambda: tlu.Perceptron().fit(X, y).model_.from_bytes(b"no model"))
    later = tlu.Perceptron().fit(X, y).model_.to_bytes()
    raises(ValueError, lambda: tlu.Model.from_bytes(later[:8] + b"\xff" + later[9:]))
    raises(FileNotFoundError, lambda: tlu.Model.load("no/such/model.tlu"), "no/such/model.tlu: ")
    raises(IsADirectoryError, lambda: tlu.Model.load("."))
    raises(FileNotFoundError, lambda: train_file("no/such/data.svm"), "no/such/data.svm: cannot open: ")


def test_pickle():
    import joblib

    X, y = load_digits(return_X_y=True)
    for cls in CLASSES:
        estimator = cls().fit(X, y)
        again = pickle.loads(pickle.dumps(estimator))
        assert (again.predict(X) == estimator.predict(X)).all()
        file = io.BytesIO()
        joblib.dump(estimator, file)
        file.seek(0)
        assert (joblib.load(file).predict(X[:50]) == estimator.predict(X[:50])).all()
    model = estimator.model_
    assert pickle.loads(pickle.dumps(model)).to_bytes() == model.to_bytes()


def test_partial_fit():
    X, y = load_digits(return_X_y=True)
    for cls in (tlu.Perceptron, tlu.AROW, tlu.PassiveAggressive, tlu.LogisticRegression, tlu.AveragedPerceptron, tlu.Classifier):
        whole, parts = cls(), cls()
        whole.partial_fit(X, y, classes=np.unique(y))
        for start in range(0, len(X), 300):
            parts.partial_fit(X[start:start + 300], y[start:start + 300], classes=np.unique(y) if start == 0 else None)
            if start == 900:
                parts = pickle.loads(pickle.dumps(parts))
        assert whole.score(X, y) > 0.8, (cls.__name__, whole.score(X, y))
        if cls is not tlu.LogisticRegression:
            assert parts.score(X, y) > 0.8, (cls.__name__, parts.score(X, y))
        raises(ValueError, lambda: parts.partial_fit(X[:5], [77] * 5), "77")
    one = tlu.Perceptron().partial_fit(X[:1], y[:1], classes=[0, 1])
    assert one.predict(X[:2]).tolist() == [0, 0] and one.decision_function(X[:2]).tolist() == [-1, -1]
    for cls in (tlu.LinearSVM, tlu.MaxMargin, tlu.NaiveBayes, tlu.KernelPerceptron, tlu.VotedPerceptron, tlu.MLP):
        assert not hasattr(cls(), "partial_fit"), cls


def test_partial_fit_continues_a_fitted_model():
    X = np.array([[1.0, 2], [2, 1], [-1, -2], [-2, -1]])
    y = np.array([1, 1, 0, 0])
    estimator = tlu.Perceptron(scale="none", decide="last").fit(X, y)
    before, bias = estimator.coef_[0].copy(), estimator.intercept_[0]
    estimator.partial_fit(X[:1], [1], classes=[0, 1])  # no mistake
    assert (estimator.coef_[0] == before).all() and estimator.intercept_[0] == bias
    estimator.partial_fit([[3.0, 5.0]], [0])  # a mistake
    assert (estimator.coef_[0] == before - [3, 5]).all() and estimator.intercept_[0] == bias - 1
    raises(ValueError, lambda: estimator.partial_fit(X, y, classes=[0, 1, 2]), "not the same as on last call")
    again = pickle.loads(pickle.dumps(estimator))
    assert (again.partial_fit(X, y).predict(X) == estimator.partial_fit(X, y).predict(X)).all()


def test_weights():
    X, y = load_iris(return_X_y=True)
    weights = np.random.RandomState(1).randint(1, 4, len(y))
    svm = tlu.LinearSVM(gap=1e-10, multiclass="ovr", scale="none").fit(X, y, sample_weight=weights)
    repeated = tlu.LinearSVM(gap=1e-10, multiclass="ovr", scale="none").fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.allclose(svm.coef_, repeated.coef_, atol=1e-4)
    by_class = tlu.LinearSVM(gap=1e-10, multiclass="ovr", scale="none", class_weight={1: 3}).fit(X, y)
    by_row = tlu.LinearSVM(gap=1e-10, multiclass="ovr", scale="none").fit(X, y, sample_weight=np.where(y == 1, 3.0, 1.0))
    assert np.allclose(by_class.coef_, by_row.coef_)
    for wrong in ({7: 2}, {0: 1, 7: 2}):  # a typing error: class 1 has no weight
        raises(ValueError, lambda: tlu.AROW(class_weight=wrong).fit(X, y), "[7]", "not labels")
    more = {0: 1, 1: 3, 2: 1, 7: 2}  # of all classes, one of which is not in these rows
    assert np.allclose(tlu.LinearSVM(gap=1e-10, multiclass="ovr", scale="none", class_weight=more).fit(X, y).coef_, by_class.coef_)
    parts = iter([(X[y == k], y[y == k]) for k in range(3)])  # a batch need not have the class
    whole = tlu.AROW(class_weight={1: 3}, epochs=2).fit(X, y)
    assert tlu.AROW(class_weight={1: 3}, epochs=2).fit(parts).model_.to_bytes() == whole.model_.to_bytes()
    tlu.AROW(class_weight={1: 3}).partial_fit(X[:50], y[:50], classes=[0, 1, 2])  # rows of class 0
    raises(ValueError, lambda: tlu.AROW(class_weight={7: 3}).partial_fit(X, y), "[7]", "not labels")
    dropped = tlu.AROW().fit(X, y, sample_weight=np.arange(len(y)) % 2)
    assert dropped.model_.to_bytes() == tlu.AROW().fit(X[1::2], y[1::2], sample_weight=np.ones(75)).model_.to_bytes()


def test_probabilities():
    X, y = load_iris(return_X_y=True)
    for estimator in (tlu.LogisticRegression(), tlu.LogisticRegression(solver="dual"), tlu.NaiveBayes(), tlu.MLP(),
                      tlu.Classifier(calibrate="sigmoid"), tlu.AROW(calibrate="isotonic")):
        p = estimator.fit(X, y).predict_proba(X)
        assert p.shape == (150, 3) and np.allclose(p.sum(axis=1), 1) and (p >= 0).all()
        assert (estimator.classes_[p.argmax(axis=1)] == y).mean() > 0.8
        assert np.allclose(np.exp(estimator.predict_log_proba(X)), p)
    assert not hasattr(tlu.Perceptron().fit(X, y), "predict_proba")


def test_with_scikit_learn():
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import VotingClassifier
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    X, y = make_classification(600, 12, n_informative=6, class_sep=2, random_state=0)
    pipeline = make_pipeline(StandardScaler(), tlu.AROW())
    assert pipeline.fit(X, y).score(X, y) > 0.85
    columns = ColumnTransformer([("a", StandardScaler(), [0, 1, 2, 3, 4, 5]), ("b", MinMaxScaler(), slice(6, 12))])
    assert make_pipeline(columns, tlu.Classifier()).fit(X, y).score(X, y) > 0.85
    search = GridSearchCV(tlu.AROW(), {"r": [0.1, 1, 10], "epochs": [1, 5]}, n_jobs=2, cv=3).fit(X, y)
    assert search.best_score_ > 0.85 and search.best_estimator_.r in (0.1, 1, 10)
    assert cross_val_score(tlu.LinearSVM(), X, y, cv=3).mean() > 0.85
    assert cross_val_score(tlu.AROW(), X, y, cv=3, scoring="roc_auc").mean() > 0.9
    calibrated = CalibratedClassifierCV(tlu.Perceptron(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (600, 2) and calibrated.score(X, y) > 0.8
    voting = VotingClassifier([("a", tlu.AROW()), ("b", tlu.LogisticRegression()), ("c", tlu.LinearSVM())])
    assert voting.fit(X, y).score(X, y) > 0.85
    importance = permutation_importance(tlu.AROW().fit(X, y), X, y, n_repeats=3, random_state=0)
    assert importance.importances_mean.shape == (12,) and importance.importances_mean.max() > 0.02
    try:
        import pandas
    except ImportError:
        return
    frame = pandas.DataFrame(X, columns=[f"x{i}" for i in range(12)])
    named = make_pipeline(StandardScaler(), tlu.AROW()).set_output(transform="pandas").fit(frame, y)
    assert named[-1].feature_names_in_.tolist() == list(frame.columns) and named.score(frame, y) > 0.85


def test_without_scikit_learn():
    import os
    import subprocess
    import sys

    code = ("import sys; sys.modules['sklearn'] = None; sys.modules['scipy'] = None; sys.modules['pandas'] = None\n"
            "import tlu\nX = [[0., 0.], [0., 1.], [1., 0.], [1., 1.]]\ne = tlu.Perceptron().fit(X, [0, 0, 0, 1])\n"
            "assert e.predict(X).tolist() == [0, 0, 0, 1]\n"
            "try:\n    tlu.AROW().predict(X)\nexcept ValueError as error:\n    assert 'not fitted' in str(error)\n")
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ)


main(globals())
