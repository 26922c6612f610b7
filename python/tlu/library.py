"""Training on files, tuning, proofs and pictures: the library as functions."""

import bisect
import os

from . import _input, _tlu
from ._progress import Progress, finish
from ._source import exact_source, is_path, source, source_for
from .models import Model, unwrap
from .records import MistakeBound, Realisation, Record, Separability, Tuning, Validation

__all__ = ["METRICS", "PLOTS", "Picture", "bound", "check_proof", "compare", "cross_validate", "generate",
           "logic", "metric", "mix", "plot", "separable", "trace", "train", "tune"]

METRICS = _tlu.metrics()
PLOTS = dict(_tlu.PLOTS)


def train(data, y=None, *, sample_weight=None, progress=None, resume=None, checkpoint=None, checkpoint_seconds=60.0,
          start=None, **options):
    """Train a model on a file, or on rows and their labels, and return it.

    The options are those of `tlu train`, with _ between words: `learner="arow", epochs=20`.
    `sample_weight` is a weight for each row, 0 or more.
    `progress` is True (a bar by tqdm where it is installed) or a function of a dict, which ends the
    training by a true result. Ctrl-C ends it, too: the KeyboardInterrupt has the model so far as
    `result`. `resume` is such a model, to continue with the same data; `checkpoint` is a file that
    the model is saved to every `checkpoint_seconds`. `start` is a model to go on from with other
    data, for one pass unless `epochs` says more.
    """
    given, own = source(data, y, sample_weight)
    weights = None
    if sample_weight is not None and not isinstance(given, _tlu.Rows):
        weights = _input.as_weights(sample_weight, len(sample_weight) if is_path(data) else len(data))
    own = {} if resume is not None or start is not None else own
    with Progress(progress, "tlu") as function:
        model, exception = _tlu.train_file(
            given, {**own, **options}, function, weights=weights, resume=None if resume is None else unwrap(resume),
            checkpoint=checkpoint, checkpoint_seconds=checkpoint_seconds, start=None if start is None else unwrap(start))
    return finish((Model(model), exception))


def mix(models, weights="rows"):
    """The mean of models that learned from different rows with the same options.

    A model counts by its rows, by its updates or as every other: `weights` is "rows", "updates" or "equal".
    """
    return Model(_tlu.mix([unwrap(model) for model in models], weights))


def cross_validate(data, y=None, *, folds=5, repeats=1, progress=None, **options):
    """Stratified cross-validation with the options of `tlu train`: `mean`, `deviation`, `folds`.

    Ctrl-C ends it, also during the training of a fold: if there were folds before, the
    KeyboardInterrupt has a Validation of these as `result`.
    """
    if "sample_weight" in options:
        raise TypeError("cross_validate takes no sample_weight; use class_weight, or scikit-learn's cross_val_score "
                        "with an estimator and fit_params")
    given, own = source(data, y)
    with Progress(progress, "cross-validation") as function:
        result, exception = _tlu.cross_validate(given, {**own, **options}, folds, repeats, function)
    return finish((Validation(result), exception))


def compare(data, y=None, *, learners=("perceptron", "pa2", "arow", "logistic", "svm"),
            folds=5, repeats=1, **options):
    """Cross-validate several learners on the same folds: a dict of Validations, the best first.

    A learner may have options: "perceptron:decide=last:epochs=20".
    """
    results = {}
    given, own = source(data, y)
    for spec in learners:
        result = _tlu.cross_validate(given, {**own, **options, **_spec_options(spec)}, folds, repeats)
        results[spec] = Validation(finish(result))
    better = next((info["higher_is_better"] for info in METRICS
                   if info["name"] == next(iter(results.values()))["metric"]), True) if results else True
    return dict(sorted(results.items(), key=lambda item: item[1]["mean"], reverse=better))


def _spec_options(spec):
    name, *options = spec.split(":")
    chosen = {"learner": name}
    for option in options:
        key, equals, value = option.partition("=")
        chosen[key] = value if equals else True
    return chosen


def tune(data, y=None, *, learners=None, seconds=0.0, budget=0, folds=0, repeats=0, exhaustive=False,
         progress=None, **options):
    """Find the learner and options with the best cross-validation score, and train on all rows.

    `learners` is a list of names, with options ("arow:r=0.1") or without (then several are tried).
    With a `budget`, the maximum number of passes, and no limit of `seconds`, the result does not
    depend on the machine. Returns a Tuning with `model`, `best` and `candidates`. Ctrl-C ends the
    search: the KeyboardInterrupt has the Tuning so far as `result`, whose `model` is None, because
    nothing is trained any more. A `progress` function that returns True ends the search and has the
    best so far trained.
    """
    if learners is not None and not isinstance(learners, str):
        learners = ",".join(learners)
    given, own = source(data, y)
    with Progress(progress, "tune") as function:
        (result, model), exception = _tlu.tune(
            given, {**own, **options}, learners, budget, seconds, folds, exhaustive, repeats, function)
    return finish((Tuning({**result, "model": None if model is None else Model(model)}), exception))


def separable(data, y=None, *, only=None, seconds=0.0, approximate=False, progress=None, **options):
    """Decide whether a hyperplane separates the classes, with a proof.

    Values count as the decimal numbers that Python prints. `only` is a list of labels: other rows
    are ignored. `seconds` limits the time; then the answer may be "not decided". `approximate`: if
    the classes are not separable, also find a hyperplane with few mistakes, and a lower bound.
    """
    given, own, lines = exact_source(data, y)
    with Progress(progress, "separable") as function:
        result, exception = _tlu.separable(given, {**own, **options}, _labels(only), seconds, approximate, function)
    for row in result["rows"]:
        row["index"] = _index(lines, row["line"])
    return finish((Separability(result), exception))


def _index(lines, line):
    """The row of data in memory that is at a line of its text, from 0; None: the line is that of a file."""
    return None if lines is None or line == 0 else bisect.bisect_right(lines, line) - 1


def _labels(only):
    return only if only is None or isinstance(only, str) else ",".join(str(label) for label in only)


def check_proof(proof, data, y=None):
    """Check a proof of `separable`, a text, against data in LIBSVM or CSV, or in memory.

    Returns a Record with `accepted`, `claim` and, if it is rejected, `reason`.
    """
    given, _, lines = exact_source(data, y)
    if lines is None:
        with open(given, "rb") as file:
            given = file.read()
    proof = proof.encode("utf-8", "surrogateescape") if isinstance(proof, str) else proof
    return Record(_tlu.check_proof(proof, given))


def bound(data, y=None, *, only=None, runs=0, epochs=0, seconds=0.0, progress=None, **options):
    """The bound (R / margin)^2 on the mistakes of a perceptron, and the mistakes of some `runs`."""
    given, own, lines = exact_source(data, y)
    with Progress(progress, "bound") as function:
        result, exception = _tlu.mistake_bound(
            given, {**own, **options}, _labels(only), runs, epochs, seconds, function)
    for name in ("radius", "dropped"):
        result[f"{name}_index"] = _index(lines, result[f"{name}_line"])
    return finish((MistakeBound(result), exception))


def trace(data, y=None, *, function=None, limit=0, **options):
    """Train step by step. Returns the list of steps or, with a `function`, calls it with each step.

    A step is a Record: `step`, `epoch`, `row`, `label`, `predicted`, `example`, `mistake`,
    `updated`, and `columns`, the weights and the bias of each hyperplane after the step. A true
    result of the function ends the training, and so does the step number `limit`. With a function
    the result is the model so far.
    """
    steps = []

    def keep(step):
        steps.append(Record(step))

    given, own = source(data, y)
    called = keep if function is None else (lambda step: function(Record(step)))
    model = _tlu.trace(given, called, {**own, **options}, limit)
    return steps if function is None else model and Model(model)


def logic(expression=None, *, table=None, inputs=None, smallest=False, network=False, seconds=0.0):
    """A Boolean function as threshold units.

    The function is an expression ("a & (b | !c)", "maj(a, b, c)") or a table of values ("0110").
    Each of the `units` has `is_threshold`, `weights` and `threshold`, or the rows of a
    `contradiction`. `smallest`: with the smallest weights. `network`: also a network of units, as
    text, for functions that are not threshold functions.
    """
    if inputs is not None and not isinstance(inputs, str):
        inputs = ",".join(inputs)
    return Realisation(_tlu.logic(expression, table, inputs, smallest, network, seconds))


def metric(name, y, predictions=None, *, scores=None, probabilities=None, sample_weight=None, classes=None,
           positive=None):
    """A metric of the table METRICS, such as "accuracy", "f1-macro", "roc-auc" or "top-3".

    `scores` are those of the positive class, or an array with a column for each class; so are
    `probabilities`, with a column for each class in any case. `classes` are the labels in the order
    of the columns (default: sorted); `positive` is one of two (default: the last).
    """
    import numpy as np

    if classes is None:
        known = list(y) if predictions is None else [*y, *predictions]
        classes = sorted({label.item() if hasattr(label, "item") else label for label in known})
        if len(classes) == 1:
            classes = [*classes, object()]
    places = {label: place for place, label in enumerate(classes)}

    def numbers(labels):
        return np.fromiter((places[label] for label in labels), np.uint32, count=len(labels))

    def reals(values):
        return None if values is None else np.ascontiguousarray(values, dtype=np.float64)

    y = list(y.tolist() if hasattr(y, "tolist") else y)
    if predictions is None and scores is not None:
        predictions = _winners(np.asarray(scores), len(classes) - 1 if positive is None else places[positive], classes)
    elif predictions is None and probabilities is not None:
        predictions = [classes[place] for place in np.asarray(probabilities).argmax(axis=1).tolist()]
    if predictions is not None:
        predictions = list(predictions.tolist() if hasattr(predictions, "tolist") else predictions)
    return _tlu.metric(
        name, len(y), len(classes), len(classes) - 1 if positive is None else places[positive], numbers(y),
        None if predictions is None else numbers(predictions), reals(scores), reals(probabilities),
        reals(sample_weight))


def _winners(scores, positive, classes):
    """The labels that scores predict."""
    if scores.ndim == 1:
        return [classes[positive if score >= 0 else 1 - positive] for score in scores.tolist()]
    return [classes[place] for place in scores.argmax(axis=1).tolist()]


def generate(kind, path=None, *, format=None, rows=None, features=None, nonzeros=None, classes=None, noise=None,
             margin=None, radius=None, seed=None):
    """Synthetic data, as `tlu generate`: "line", "sparse", "margin", "blobs", "xor", "circle",
    "moons" or "semicircles". Returns the text or, with a `path`, writes it there."""
    text = _tlu.generate(kind, format, rows, features, nonzeros, classes, noise, margin, radius, seed)
    if path is None:
        return text.decode()
    with open(path, "wb") as file:
        file.write(text)
    return path


class Picture:
    """A picture, which displays itself in a notebook. `save` writes .svg, .png, .pdf or .gif."""

    def __init__(self, picture):
        self._picture = picture

    def save(self, path):
        """Save to a file, whose ending selects the format."""
        self._picture.save(path)

    def to_bytes(self, format):
        """The bytes of a file: "svg", "png", "pdf" or "gif"."""
        return self._picture.to_bytes(format)

    @property
    def title(self):
        return self._picture.title

    @property
    def caption(self):
        """Describes the picture in sentences."""
        return self._picture.caption

    @property
    def figures(self):
        """The numbers that the picture shows, by name."""
        return self._picture.figures

    @property
    def notices(self):
        """Notices of the trainings for the picture."""
        return self._picture.notices

    @property
    def frames(self):
        """Number of frames; 1 unless it is an animation."""
        return self._picture.frames

    def _repr_svg_(self):
        return None if self.frames > 1 else self.to_bytes("svg").decode()

    def _repr_png_(self):
        return None if self.frames > 1 else self.to_bytes("png")

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.frames > 1:
            return {"image/gif": self.to_bytes("gif"), "text/plain": repr(self)}
        return {"image/svg+xml": self._repr_svg_(), "text/plain": repr(self)}

    def __repr__(self):
        return f"<tlu.Picture {self.title!r}: {self.caption}>"


_SETTINGS = ("width", "height", "scale", "theme", "title", "x", "y", "points_only", "lines", "frames", "fps",
             "animation", "strip", "gamma", "squared_radius", "data", "rows", "noise", "seeds", "learners", "top",
             "columns", "formula", "activation")


# Pictures of something that is given as text.
_TEXTS = {"truth": "the name of a kind of data, such as 'circle'", "approximation": "a formula, such as 'sin(x)'",
          "progress": "the path of a file that tlu stream --log wrote"}


def plot(kind, data=None, y=None, *, model=None, **settings):
    """Draw a picture of data, a model or a training run; PLOTS has the kinds and what each needs.

    `plot("data", X, y)`, `plot("run", "spam.csv")`, `plot("weights", model=model)`,
    `plot("confusion", "test.csv", model=model)`. Style: `width`, `height`, `scale`, `theme` ("light"
    or "dark"), `title`. Kinds have settings of their own, such as `top` (weights), `frames` and
    `animation` (run); anything else is an option of `tlu train`.
    """
    kind = str(kind).replace("_", "-")
    if kind not in PLOTS:
        raise ValueError(f"there is no picture '{kind}': there are {', '.join(PLOTS)}")
    if isinstance(data, (_tlu.Model, Model)) or hasattr(type(data), "model_"):
        if model is not None or "model" not in PLOTS[kind]:
            raise TypeError(f"the picture '{kind}' is of data, which a model does not have: give the path of a file, or rows and "
                            "labels")
        data, y, model = y, None, data
    model = None if model is None else unwrap(model)
    if isinstance(settings.get("learners"), (list, tuple)):
        settings["learners"] = ",".join(settings["learners"])
    own = {name: settings.pop(name) for name in list(settings) if name in _SETTINGS}
    if kind == "image":
        own["columns"], own["rows"] = own.pop("columns", 0), own.pop("rows", 0)
    if data is None:
        return Picture(_tlu.plot(kind, None, model, settings, own))
    if kind in _TEXTS and not isinstance(data, (str, os.PathLike)):
        raise TypeError(f"the picture '{kind}' needs {_TEXTS[kind]}, not {type(data).__name__}")
    if kind == "truth":
        return Picture(_tlu.plot(kind, None, model, settings, {**own, "data": data}))
    if kind == "approximation":
        return Picture(_tlu.plot(kind, None, model, settings, {**own, "formula": data}))
    given, options = source(data, y) if model is None else source_for(model, data, y)
    return Picture(_tlu.plot(kind, given, model, {**options, **settings}, own))
