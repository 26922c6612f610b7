"""Models: what they contain, how they predict and why."""

import array
import html

from . import _input, _tlu
from ._source import is_path, one_row, pairs, source_for
from .records import Evaluation, Explanation, Threshold

__all__ = ["Model", "load", "unwrap"]

_AS_RECORD = {"format": "jsonl", "threads": 1}
_AS_TEXT = {"format": "text", "threads": 1}


def unwrap(model):
    """The extension's model of a Model, an estimator or itself."""
    if isinstance(model, _tlu.Model):
        return model
    if isinstance(model, Model):
        return model._model
    if hasattr(type(model), "model_"):  # a fitted estimator
        return unwrap(model.model_)
    raise TypeError(f"expected a model or a fitted estimator, not {type(model).__name__}")


class Model:
    """A trained classifier: the same file for Python and the command.

    A model is immutable, and threads can share it. `Model(classifier)` is that of a fitted
    estimator.
    """

    def __init__(self, model):
        self._model = unwrap(model)
        self._about = _tlu.model_describe(self._model)
        self._names = None

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._model, name)  # decision, scheme, version, ...

    def __reduce__(self):
        return type(self).from_bytes, (self.to_bytes(),)

    def save(self, path):
        """Save the model. The file is replaced as a whole or, after an error, not at all."""
        self._model.save(path)

    def to_bytes(self):
        """The bytes of the model's file."""
        return self._model.to_bytes()

    @classmethod
    def load(cls, path):
        """Load a model of any released version of tlu, from Python or the command."""
        return cls(_tlu.Model.load(path))

    @classmethod
    def from_bytes(cls, data):
        """A model from the bytes of its file."""
        return cls(_tlu.Model.from_bytes(data))

    def inspect(self):
        """What the model is: learner, classes, options, the report of its training, ..., as a dict."""
        model = self._model
        names = ("version", "learner", "decision", "decided_by", "scheme", "calibration", "can_resume", "options", "report")
        return {**{name: getattr(model, name) for name in names}, **self._about}

    @property
    def learner(self):
        """The name of the learner."""
        return self._model.learner

    @property
    def classes(self):
        """The labels, in the order of the model."""
        return list(self._model.labels)

    @property
    def positive(self):
        """The positive label of two; None with more classes."""
        return self._about["positive"]

    @property
    def options(self):
        """The options that differ from their defaults."""
        return self._model.options

    @property
    def report(self):
        """The report of the training, as a dict."""
        return self._model.report

    @property
    def threshold(self):
        """The decision threshold, or None: the sign of the score decides."""
        return self._about["threshold"]

    @property
    def feature_names(self):
        """The names of the features, in the order of the model."""
        if self._names is None:
            self._names = self._model.feature_names
        return list(self._names)

    def weights(self, label=None, scaled=False):
        """The weights of a class as a dict by name of the feature, without those that are 0.

        With two classes `label` may be None: the positive one. `scaled`: the weights of scaled
        values, which can be compared with each other.
        """
        weights, _ = _tlu.model_class_weights(self._model, self._class(label), scaled)
        values = memoryview(weights).cast("d")
        return {name: weight for name, weight in zip(self.feature_names, values) if weight}

    def bias(self, label=None):
        """The bias of a class."""
        return _tlu.model_class_weights(self._model, self._class(label))[1]

    def _class(self, label):
        label = self.positive if label is None else str(label)
        if label is None:
            raise ValueError(f"the model has {len(self.classes)} classes: say of which one")
        try:
            return self.classes.index(label)
        except ValueError:
            raise ValueError(f"the model has no class {label!r}") from None

    # Rows by name.

    def predict_one(self, x):
        """The label of one row: a dict of features, a line as in the training file, a Series or a table of one row,
        or numbers, the columns of the training's array. For a model of texts, or of a table whose only column is one of texts,
        a str is the text itself."""
        return self._answer(x)[0]

    def decision_one(self, x):
        """The scores of one row: that of the positive class, or one for each class."""
        return self._answer(x)[1]

    def predict_proba_one(self, x):
        """The probability of each label for one row, as a dict."""
        return dict(zip(self.classes, _tlu.model_probability_list(self._model, self._answer(x)[1])))

    def _answer(self, x):
        x = one_row(self._model, x)
        record, options = self._record(x)
        if record is not None:
            classes, scores = self._model.predict_bytes(record, options)
            return self.classes[array.array("I", bytes(classes))[0]], array.array("d", bytes(scores)).tolist()
        if isinstance(x, str):
            return _tlu.model_predict_line(self._model, x)
        return _tlu.model_predict_pairs(self._model, pairs(x))

    def _record(self, x):
        """(bytes, options): the JSON record of a dict if the model is one of a table, or of a text if it was trained on such;
        the text for the only column of a table. Only the library's reader knows the words of texts, and what stands for
        missing values. Else None and None."""
        if isinstance(x, str) and self._model.text_column is not None:
            line = x.replace("\r", " ").replace("\n", " ").replace("\t", " ")
            return f"\t{line}\n".encode("utf-8", "surrogateescape"), _AS_TEXT
        is_text = isinstance(x, str) and self.report["format"] == "jsonl" and not x.lstrip().startswith("{")
        has_columns = self._model.label_column is not None and (x or self._model.text_column is None)
        if is_text or isinstance(x, dict) and has_columns:
            return _input.record_bytes([x])[0], _AS_RECORD
        return None, None

    def explain(self, x, label=None, top=10):
        """What each feature of a row adds to the score of a class (default: the predicted one).

        Returns an Explanation, whose `items` are (name, value, amount), the largest amounts first;
        the bias has the name None.
        """
        x = one_row(self._model, x)
        predicted = self.predict_one(x)
        label = predicted if label is None else str(label)
        record, options = self._record(x)
        if record is None and isinstance(x, str):
            record, options = f"{x}\n".encode(), {"format": self.report["format"]}
        if record is not None:
            items = _tlu.model_explain_bytes(self._model, record, options, label, top)
        else:
            items = _tlu.model_explain_pairs(self._model, pairs(x), label, top)
        return Explanation({"label": label, "predicted": predicted, "items": items})

    # Files and arrays.

    def _scores(self, data):
        """(labels, scores) of rows; the scores are an array [rows][score_count]."""
        import numpy as np

        if not is_path(data) and hasattr(data, "__len__") and not hasattr(data, "indptr") and len(data) == 0:
            return [], np.empty((0, self._about["score_count"]))
        given, options = source_for(self._model, data)
        if isinstance(given, _tlu.Rows):
            count = data.shape[0] if hasattr(data, "shape") else len(data)
            places = np.empty(count, np.uint32)
            scores = np.empty((count, self._about["score_count"]))
            self._model.predict(given, places, scores, None, 0)
            classes = self.classes
            return [classes[place] for place in places.tolist()], scores
        labels, scores = _tlu.predict_file(self._model, given, options)
        return labels, np.array(scores, dtype=np.float64).reshape(len(labels), -1)

    def predict(self, data):
        """The labels of rows: a path, an array, a DataFrame, a list of dicts or of texts."""
        return self._scores(data)[0]

    def decision_function(self, data):
        """The scores of rows: an array with a number for each, or with a column for each class."""
        scores = self._scores(data)[1]
        return scores[:, 0] if self._about["score_count"] == 1 else scores

    def predict_proba(self, data):
        """The probabilities of the classes for rows: an array with a column for each class."""
        import numpy as np

        self._model.check_probabilities()
        scores = np.ascontiguousarray(self._scores(data)[1])
        probabilities = np.empty((len(scores), len(self.classes)))
        self._model.probabilities(scores, probabilities)
        return probabilities

    def evaluate(self, data, y=None, **options):
        """Accuracy, other metrics and the confusion matrix on labelled rows."""
        given, own = source_for(self._model, data, y)
        result = _tlu.evaluate(self._model, given, {**own, **options})
        return Evaluation({**result, "classes": self.classes})

    def find_threshold(self, data, y=None, objective="f1", value=0.0, costs=(0.0, 0.0), **options):
        """The best decision threshold on labelled rows.

        `objective`: "f1"; "precision" or "recall" of at least `value`; or "cost", with the costs of
        a false positive and a false negative.
        """
        given, own = source_for(self._model, data, y)
        return Threshold(_tlu.find_threshold(
            self._model, given, objective=objective, value=value, costs=tuple(costs), options={**own, **options}))

    def with_threshold(self, threshold):
        """A model with another decision threshold; None: without one."""
        return Model(_tlu.model_threshold(self._model, float("nan") if threshold is None else threshold))

    def online(self, labels=None):
        """A Learner that continues this model."""
        from .online import Learner

        return Learner.from_model(self, labels)

    def __repr__(self):
        classes = self.classes
        names = ", ".join(map(repr, classes[:4])) + (", ..." if len(classes) > 4 else "")
        return (f"<tlu.Model: {self.learner}, {self._model.decision}, {self._about['features']} features, "
                f"{len(classes)} classes ({names})>")

    def _repr_html_(self):
        about = self.inspect()
        report = about["report"]
        rows = [
            ("learner", f"{about['learner']}, decision {about['decision']}, scheme {about['scheme']}"),
            ("classes", ", ".join(f"{label} ({count})" for label, count in about["classes"][:12])),
            ("features", about["features"]),
            ("examples", report["examples"]),
            ("passes", f"{report['epochs']} ({report['stopped']})"),
        ]
        if report["training_error"] >= 0:
            rows.append(("training error", f"{report['training_error']:.2%}"))
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(str(value))}</td></tr>" for name, value in rows)
        return f"<table>{cells}</table>"


def load(path):
    """Load a model of any released version of tlu, from Python or the command."""
    return Model.load(path)
