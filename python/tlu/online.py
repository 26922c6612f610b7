"""Learning from one example at a time, in River's conventions."""

from . import _tlu
from ._input import is_frame, label_text

__all__ = ["Learner", "OnlineMixin"]


def dict_rows(X):
    """The rows of a DataFrame, an array or a list of dicts, as dicts."""
    if is_frame(X):
        names = [str(name) for name in X.columns]
        columns = [X.iloc[:, i].astype(object).tolist() for i in range(len(names))]
        return (dict(zip(names, row)) for row in zip(*columns)) if names else ({} for _ in range(len(X)))
    if hasattr(X, "tocsr"):
        return _sparse_rows(X.tocsr())
    if hasattr(X, "shape") and len(X.shape) == 2:
        names = [str(j + 1) for j in range(X.shape[1])]
        return (dict(zip(names, row)) for row in X.tolist())
    return X


class _ColumnNames(dict):
    """The names of the columns that have values: of millions most have none."""

    def __missing__(self, column):
        name = self[column] = str(column + 1)
        return name


def _sparse_rows(X):
    names = _ColumnNames()
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        yield {names[j]: value for j, value in zip(X.indices[part].tolist(), X.data[part].tolist())}


def _labels(y):
    return y.tolist() if hasattr(y, "tolist") else y


def _like(X, answers):
    """A Series for a DataFrame, an array for an array, else a list."""
    if is_frame(X):
        import pandas

        return pandas.Series(answers, index=X.index)
    if hasattr(X, "shape"):
        import numpy

        return numpy.asarray(answers)
    return answers


class _Many:
    """learn_many and predict_many by learn_one and predict_one."""

    def learn_many(self, X, y, w=None):
        """Learn from rows: a DataFrame, an array or a list of dicts, and their labels."""
        y = _labels(y)
        if hasattr(X, "__len__") and hasattr(y, "__len__") and not hasattr(X, "tocsr") and len(X) != len(y):
            raise ValueError(f"there are {len(X)} rows and {len(y)} labels")
        if w is not None and len(w) != len(y):
            raise ValueError(f"there are {len(y)} labels and {len(w)} weights")
        if hasattr(X, "tocsr") and X.shape[0] != len(y):
            raise ValueError(f"there are {X.shape[0]} rows and {len(y)} labels")
        learn = self.learn_one
        if w is None:
            for x, label in zip(dict_rows(X), y):
                learn(x, label)
        else:
            for x, label, weight in zip(dict_rows(X), y, _labels(w)):
                learn(x, label, weight)

    def predict_many(self, X):
        """The labels of rows: a Series for a DataFrame, an array for an array, else a list."""
        predict = self.predict_one
        return _like(X, [predict(x) for x in dict_rows(X)])

    def predict_proba_many(self, X):
        """The probabilities of each label for rows: a DataFrame for a DataFrame, else a list of dicts."""
        answers = [self.predict_proba_one(x) for x in dict_rows(X)]
        if is_frame(X):
            import pandas

            return pandas.DataFrame(answers, index=X.index)
        return answers


class Learner(_Many, _tlu.Learner):
    """Learns from one example at a time.

    Examples are dicts. A value is a number, True or False, or text, which is a category: the feature
    NAME=VALUE. None and NaN are missing values, which count as 0. The options are those of
    `tlu stream`; without `learner`, it is pa2 with an adaptive decision, and values that are not
    counts are scaled.

    >>> learner = tlu.Learner("arow")
    >>> learner.learn_one({"words": 3, "sender": "friend"}, "ham")
    >>> learner.predict_one({"words": 2})
    'ham'
    """

    def __new__(cls, learner=None, **options):
        if isinstance(learner, dict):  # pickle
            return super().__new__(cls, learner)
        if learner is not None:
            options["learner"] = learner
        return super().__new__(cls, options)

    def __init__(self, learner=None, **options):
        pass

    @classmethod
    def from_model(cls, model, labels=None):
        """A learner that continues a model. `labels` maps texts of labels to other objects."""
        from .models import unwrap

        return cls.resume(unwrap(model), dict(labels or {}))

    def make_model(self):
        """A Model of the current state."""
        from .models import Model

        return Model(self.model())

    def save(self, path):
        """Save a model of the current state."""
        self.model().save(path)

    def __repr__(self):
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        stats = self.stats
        return (f"<tlu.Learner({options}): {stats['examples']} examples, {stats['features']} features, "
                f"{stats['classes']} classes>")


class _ExampleLearner(_tlu.Learner):
    """The learner of an estimator: what partial_fit expects of one, too."""

    def make_model(self):
        return self.after.make_model() if "after" in self.__dict__ else self.model()

    def learn(self, rows):
        """Learn the Rows of partial_fit; from then on the state is that of `after`."""
        if "after" not in self.__dict__:
            self.after = _tlu.Online(model=self.model())
        self.after.learn(rows)


class OnlineMixin(_Many):
    """Makes an estimator learn from one example at a time, in River's conventions.

    The first learn_one of an estimator that is not fitted begins a stream; that of a fitted one
    continues its model. Features of arrays are called "1", "2", ..., those of tables have the names
    of their columns.
    """

    def _example_learner(self):
        online = self.__dict__.get("_online")
        if isinstance(online, _ExampleLearner) and "after" not in online.__dict__:
            return online
        if isinstance(online, _ExampleLearner):  # partial_fit came after learn_one
            self._online = online.after
            self.__dict__.pop("_model", None)
        model = self._fitted() if self.__sklearn_is_fitted__() else None
        if model is None:
            options = self._options()
            options.pop("class-weight", None)
            learner = _ExampleLearner(options)
            self._labels_seen = {}
            self._kind = "matrix"
        else:
            self._labels_seen = {label_text(label): label for label in self.classes_.tolist()}
            learner = _ExampleLearner.resume(model, self._labels_seen)
        self._online, self._streams = learner, True
        self._seen_texts = sorted(self._labels_seen)
        return learner

    def learn_one(self, x, y, w=1.0):
        """Learn from one example: a dict of features, its label, and its weight."""
        online = self.__dict__.get("_online")
        if type(online) is not _ExampleLearner or online.__dict__:
            online = self._example_learner()
        online.learn_one(x, y, w)
        self.__dict__.pop("_model", None)
        if self._label_last is not y:
            self._note_label(y)

    _label_last = _labels_seen = None

    def _note_label(self, y):
        import numpy as np

        self._label_last = y
        text = label_text(y)
        if text not in self._labels_seen:
            self._labels_seen[text] = y.item() if hasattr(y, "item") else y
            self._seen_texts = sorted(self._labels_seen)
            self.classes_ = np.unique(np.asarray(list(self._labels_seen.values())))
            self.n_iter_ = 1

    def _reads_records(self):
        """Whether the model was trained on tables, dicts or texts, and has not learned from examples since: then it knows
        which columns are texts, and what stands for missing values."""
        return self.__dict__.get("_kind") == "records" and self.__dict__.get("_online") is None

    def predict_one(self, x):
        """The label of a dict of features; None before the first example."""
        if not self._reads_records():
            return self._example_learner().predict_one(x)
        label = self.model_.predict_one(x)
        return next(own for own in self.classes_.tolist() if label_text(own) == label)

    def predict_proba_one(self, x):
        """The probability of each label, as a dict; NotImplementedError if there are none."""
        if not self._reads_records():
            return self._example_learner().predict_proba_one(x)
        if not self.model_.has_probabilities:
            raise NotImplementedError(f"the learner {self.model_.learner} has no probabilities")
        found = self.model_.predict_proba_one(x)
        return {label: found.get(label_text(label), 0.0) for label in self.classes_.tolist()}

    def predict_many(self, X):
        """The labels of rows: a Series for a DataFrame, an array for an array, else a list."""
        return _like(X, self.predict(X).tolist()) if self._reads_records() else super().predict_many(X)
