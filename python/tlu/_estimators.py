"""Classifiers in scikit-learn's conventions. They do not need scikit-learn."""

import re
import sys
import tempfile
import warnings

import numpy as np

from . import _input, _progress
from ._base import LEARNER, OPTION, RENAMED, Base, not_fitted, options_for, parameter_of, with_parameters
from ._tlu import Model, Online, Rows, default_of, train_file, train_rows
from ._source import named_rows
from .online import OnlineMixin, dict_rows

# Options of passes over all rows, which partial_fit does not make.
FOR_PASSES = ("class-weight", "epochs", "stop", "shuffle", "holdout", "patience", "memory", "calibrate")
NAMES = {new: old for old, new in RENAMED.items()}


def _seed(random_state):
    """A seed for the library from an int, a RandomState or a Generator."""
    if random_state is None:
        return None
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    return int(random_state)


class _Classifier(OnlineMixin, Base):
    """What all classifiers share. A subclass has `_learner` (None: a parameter) and `_fixed`, options that are set."""

    _estimator_type = "classifier"
    _learner = None
    _fixed = {}
    _variants = ()  # learners that the parameter `variant` can name

    # ---- options ----

    def _options(self):
        """The options of the library that the parameters say."""
        options = dict(self._fixed)
        learner = self._learner_name()
        if learner is not None:
            options["learner"] = learner
        for name in self._defaults:
            value = getattr(self, name)
            if value is None or name in ("learner", "variant"):
                continue
            option = NAMES.get(name, name.replace("_", "-"))
            if name == "random_state":
                value = _seed(value)
            elif name == "max_iter":
                option = "epochs"
            elif name == "fit_intercept":
                if value:
                    continue
                value = True
            elif name == "n_jobs":
                if value < 0:
                    continue  # all cores, as scikit-learn counts them
            elif name == "class_weight" and isinstance(value, dict):
                continue  # in the weights of the rows
            options[option] = value
        if self._learner == "logistic" and "multiclass" not in options:
            # The softmax; but not for the dual solver. One versus one, the default for small tables, has no probabilities.
            options["multiclass"] = "ovr" if options.get("solver") == "dual" else "wta"
        return options

    def _learner_name(self):
        """The option "learner"; None leaves the choice to the library, as "auto" does."""
        name = self._learner if self._learner is not None else getattr(self, "variant", getattr(self, "learner", None))
        if self._variants and name not in self._variants:
            raise ValueError(f"variant is one of {', '.join(self._variants)}, not {name!r}")
        return None if name == "auto" else name

    def _threads(self):
        jobs = getattr(self, "n_jobs", None)
        return jobs if jobs is not None and jobs > 0 else 0

    # ---- training ----

    def fit(self, X, y=None, sample_weight=None, *, progress=None):
        """Train on X, whose rows have the labels y.

        X is an array, a sparse matrix, a table of pandas, a list of dicts or of strings; or, with y=None, an iterator of
        batches (X, y) or (X, y, sample_weight), which together may be larger than memory. `progress` is a function that
        gets a dict a few times per second and may return True to stop, or True for a bar. KeyboardInterrupt ends the
        training and leaves the model so far.
        """
        self.__dict__.pop("_online", None)
        options = self._options()
        if y is None and hasattr(X, "__next__"):
            return self._fit_batches(X, options, progress)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        X, y = _input.labels_apart(X, y)
        if _input.is_records(X):
            return self._fit_records(X, y, sample_weight, options, progress)
        matrix = _input.as_matrix(X)
        _check_shape(matrix)
        self._check_counts(matrix)
        labels = _input.as_labels(y)
        _check_lengths(matrix.shape[0], len(labels))
        weights = _input.as_weights(sample_weight, len(labels))
        classes, codes = _input.encode_labels(labels)
        if len(classes) < 2:
            raise ValueError(f"the labels have {len(classes)} class: training needs rows of two classes or more; "
                             f"n_samples = {len(labels)}")
        weights = self._weigh(classes, codes, weights, classes)
        matrix, codes, weights = _without_zero_weights(matrix, codes, weights, len(classes))
        names = _input.feature_names(X)
        texts = _input.label_texts(classes)
        rows = _input.rows_of(matrix, codes, texts, weights, None if names is None else names.tolist())
        function, finish = _progress.as_function(progress)
        try:
            model, stopped = train_rows(rows, options, function)
        finally:
            finish()
        self._set_shape(matrix.shape[1], names)
        self._set_model(model, classes, "matrix")
        if stopped is not None:
            raise stopped
        return self

    def _weigh(self, classes, codes, weights, known=None):
        """The weights times those of class_weight, if it is a dict. `known` are all classes; None: more may follow."""
        per_class = getattr(self, "class_weight", None)
        if not isinstance(per_class, dict):
            return weights
        if known is not None:
            known = known.tolist()
            unknown = [c for c in per_class if c not in known]
            if unknown and not set(known) <= set(per_class):
                raise ValueError(f"class_weight has weights of {unknown}, which are not labels")
        factors = np.array([per_class.get(c, 1) for c in classes.tolist()], dtype=np.float32)
        return factors[codes] if weights is None else weights * factors[codes]

    def _fit_records(self, X, y, sample_weight, options, progress):
        labels = _input.as_labels(y)
        classes, codes = _input.encode_labels(labels)
        _check_lengths(len(X), len(labels))
        if len(classes) < 2:
            raise ValueError(f"the labels have {len(classes)} class: training needs rows of two classes or more")
        weights = self._weigh(classes, codes, _input.as_weights(sample_weight, len(labels)), classes)
        texts = _input.label_texts(classes)
        data, more = _input.record_bytes(X, [texts[code] for code in codes], getattr(y, "name", None))
        self._train_file(data, weights, {**more, **options}, progress, classes, X)
        return self

    def _train_file(self, data, weights, options, progress, classes, X):
        function, finish = _progress.as_function(progress)
        try:
            model, stopped = train_file(data, options, function, weights)
        finally:
            finish()
        self._texts = _input.is_text(X)
        frame = _input.is_frame(X)
        self._set_shape(X.shape[1] if frame else None, _input.feature_names(X) if frame else None)
        self._set_model(model, classes, "records")
        if stopped is not None:
            raise stopped

    def _fit_batches(self, batches, options, progress):
        """Batches of numbers are read when the training needs them; others are written to a temporary file first."""
        try:
            first = next(batches)
        except StopIteration:
            raise ValueError("there are no batches; n_samples = 0") from None
        labels = []
        if _input.is_records(first[0]):
            with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
                weights, more = self._spool(file, first, batches, labels)
                file.flush()
                classes = np.unique(np.concatenate(labels))
                try:
                    self._train_file(file.name, weights, {**more, **options}, progress, classes, first[0])
                except ValueError as error:  # a line of the file is a row of the batches
                    place = re.escape(file.name) + r":?([0-9]*)(:[0-9]+)?"
                    raise ValueError(re.sub(place, lambda found: ":".join(filter(None, ("rows", found[1]))), str(error))) from None
            return self
        shape = {}

        def rows():
            batch = first
            while batch is not None:
                yield self._batch_rows(batch, labels, shape)
                batch = next(batches, None)

        function, finish = _progress.as_function(progress)
        try:
            model, stopped = train_rows(rows(), options, function)
        finally:
            finish()
        self._set_shape(shape["columns"], shape["names"])
        self._set_model(model, np.unique(np.concatenate(labels)), "matrix")
        if stopped is not None:
            raise stopped
        return self

    def _batch_rows(self, batch, labels, shape):
        X, y, *rest = batch
        matrix = _input.as_matrix(X)
        if shape.setdefault("columns", matrix.shape[1]) != matrix.shape[1]:
            raise ValueError(f"a batch has {matrix.shape[1]} features, and the first has {shape['columns']}")
        names = shape.setdefault("names", _input.feature_names(X))
        own = _input.feature_names(X)
        if names is not None and own is not None and own.tolist() != names.tolist():
            raise ValueError(_names_message(names, own))
        classes, codes = _input.encode_labels(_input.as_labels(y))
        _check_lengths(matrix.shape[0], len(codes))
        labels.append(classes)
        weights = self._weigh(classes, codes, _input.as_weights(rest[0] if rest else None, len(codes)))
        return _input.rows_of(matrix, codes, _input.label_texts(classes), weights,
                              None if names is None else names.tolist())

    def _spool(self, file, batch, batches, labels):
        weights, more, is_weighted = [], {}, False
        name = getattr(batch[1], "name", None)
        columns = _input.feature_names(batch[0]) if _input.is_frame(batch[0]) else None
        while batch is not None:
            X, y, *rest = batch
            classes, codes = _input.encode_labels(_input.as_labels(y))
            _check_lengths(len(X), len(codes))
            own = _input.feature_names(X) if _input.is_frame(X) else None
            if columns is not None and own is not None and set(own) != set(columns):
                raise ValueError(_names_message(columns, own))
            labels.append(classes)
            texts = _input.label_texts(classes)
            data, options = _input.record_bytes(X, [texts[code] for code in codes], name)
            more = {**options, **more}
            file.write(data)
            given = self._weigh(classes, codes, _input.as_weights(rest[0] if rest else None, len(codes)))
            is_weighted = is_weighted or given is not None
            weights.append(np.ones(len(codes), np.float32) if given is None else given)
            batch = next(batches, None)
        return np.concatenate(weights) if is_weighted else None, more

    @property
    def partial_fit(self):
        try:
            self._new_online()
        except ValueError as error:
            raise AttributeError(f"{type(self).__name__} has no partial_fit: {error}") from None
        return self._partial_fit

    def _partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from more rows, one after the other, as a stream does; a fitted model is continued. `classes` are all
        labels that will occur; the first call needs them unless y has all of them. A table with categories, texts or
        missing values, and lists of dicts or of texts: one pass over these rows; the first have to be of two classes."""
        if classes is not None and self.__sklearn_is_fitted__() and not np.array_equal(
                self.classes_, np.unique(_input.as_labels(classes))):
            raise ValueError(f"classes={classes!r} is not the same as on last call to partial_fit, was: {self.classes_!r}")
        X, y = _input.labels_apart(X, y)
        if _input.is_records(X) or (_input.is_frame(X) and self.__dict__.get("_kind") == "records"):
            return self._partial_fit_records(X, y, classes, sample_weight)
        model = self._online_model()
        if getattr(self, "_online", None) is None and model is not None:
            if self._kind == "records":
                self._check_kind(X)
            self._online, self._streams, self._seen_texts = Online(model=model), True, sorted(model.labels)
        elif getattr(self, "_online", None) is None and getattr(self, "_streams", False):
            self._online = self._new_online()  # a pickle of a stream that had seen one class
        elif getattr(self, "_online", None) is None:
            self._begin_stream(classes, y)
        matrix = _input.as_matrix(X)
        _check_shape(matrix)
        names = _input.feature_names(X)
        if hasattr(self, "n_features_in_"):
            self._check_features(X, matrix.shape[1])
        else:
            self._set_shape(matrix.shape[1], names)
        labels = _input.as_labels(y)
        _check_lengths(matrix.shape[0], len(labels))
        weights = _input.as_weights(sample_weight, len(labels))
        own, codes = _input.encode_labels(labels)
        unknown = np.setdiff1d(own, self.classes_)
        if len(unknown):
            raise ValueError(f"the labels {unknown.tolist()} are not among the classes {self.classes_.tolist()}: the "
                             "first call of partial_fit needs all classes")
        weights = self._weigh(own, codes, weights, self.classes_)
        if getattr(self, "class_weight", None) == "balanced":
            raise ValueError("class_weight='balanced' is not supported for partial_fit: the classes of rows to come are "
                             "not known; give a dict of weights")
        names = getattr(self, "feature_names_in_", None)
        texts = _input.label_texts(own)
        self._online.learn(_input.rows_of(matrix, codes, texts, weights, None if names is None else names.tolist()))
        self.__dict__.pop("_model", None)
        self._seen_texts = sorted(set(getattr(self, "_seen_texts", ())) | set(texts))
        self.n_iter_ = 1
        return self

    def _partial_fit_records(self, X, y, classes, sample_weight):
        """One pass over the rows, which goes on with the model so far. The first rows decide what the columns are."""
        begun = self._fitted() if self.__dict__.get("_kind") == "records" and self.__sklearn_is_fitted__() else None
        if begun is None and self.__sklearn_is_fitted__():
            raise TypeError("the model was fitted to numbers: give it an array, or a table of numbers without missing values")
        labels = _input.as_labels(y)
        _check_lengths(len(X), len(labels))
        if begun is None:
            self.classes_ = np.unique(labels if classes is None else _input.as_labels(classes))
        else:
            self._check_kind(X)
        own, codes = _input.encode_labels(labels)
        unknown = np.setdiff1d(own, self.classes_)
        if len(unknown):
            raise ValueError(f"the labels {unknown.tolist()} are not among the classes {self.classes_.tolist()}: the "
                             "first call of partial_fit needs all classes")
        if getattr(self, "class_weight", None) == "balanced":
            raise ValueError("class_weight='balanced' is not supported for partial_fit; give a dict of weights")
        weights = self._weigh(own, codes, _input.as_weights(sample_weight, len(labels)), self.classes_)
        texts = _input.label_texts(own)
        data, more = _input.record_bytes(X, [texts[code] for code in codes], getattr(y, "name", None),
                                         begun and begun.label_column)
        options = {name: value for name, value in {**more, **self._options()}.items() if name not in FOR_PASSES}
        model, stopped = train_file(data, {} if begun is not None else {**options, "epochs": 1}, None, weights, start=begun)
        if begun is None:
            self._texts = _input.is_text(X)
            self._set_shape(X.shape[1] if _input.is_frame(X) else None, _input.feature_names(X) if _input.is_frame(X) else None)
        self._online, self._streams, self._kind, self.n_iter_ = None, True, "records", 1
        self._take(model)
        if stopped is not None:
            raise stopped
        return self

    def _check_kind(self, X):
        """Rows of a model of records are those of a table or dicts, or texts."""
        if (not _input.is_records(X) and not _input.is_frame(X)) or _input.is_text(X) != self._texts:
            raise TypeError("the model was fitted to dicts, texts or a table: give it rows of the same kind")
        if _input.is_frame(X) and hasattr(self, "n_features_in_"):
            self._check_features(X, X.shape[1])

    def _online_model(self):
        return self.__dict__.get("_model")

    def _new_online(self):
        return Online({name: value for name, value in self._options().items() if name not in FOR_PASSES})

    def _begin_stream(self, classes, y):
        for name in ("n_features_in_", "feature_names_in_", "_model", "_seen_texts"):
            self.__dict__.pop(name, None)
        self._online = self._new_online()
        self.classes_ = np.unique(_input.as_labels(y if classes is None else classes))
        self._streams = True
        self._kind = "matrix"

    def __getstate__(self):
        if getattr(self, "_online", None) is not None and len(self._seen_texts) > 1:
            self._fitted()  # makes the model that the stream can be continued from
        return super().__getstate__()

    # ---- the model ----

    def _set_shape(self, columns, names):
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
        if columns is not None:
            self.n_features_in_ = int(columns)
        if names is not None:
            self.feature_names_in_ = names

    def _set_model(self, model, classes, kind):
        self._streams = False
        self._kind = kind
        self.classes_ = classes
        self.n_iter_ = max(1, int(model.report["epochs"]))
        self._take(model)

    def _take(self, model):
        """Sets the model, and which of classes_ each of its classes is."""
        place = {_input.label_text(c): i for i, c in enumerate(self.classes_.tolist())}
        if len(place) < len(self.classes_):
            raise ValueError("two labels have the same text")
        labels = model.labels
        order = np.array([place.get(label, -1) for label in labels], dtype=np.intp)
        if (order < 0).any() or (not self._streams and len(order) < len(self.classes_)):
            if len(order) > len(self.classes_) or (order < 0).any():
                raise ValueError(f"the model has the labels {labels}, which are not {list(place)}")
        self._order = order
        self._in_order = bool(len(order) == len(self.classes_) and (order == np.arange(len(order))).all())
        self._model = model

    def _fitted(self):
        model = self.__dict__.get("_model")
        if model is None and getattr(self, "_online", None) is not None:
            model = self._online.make_model()
            self._take(model)
        if model is None:
            raise not_fitted(self)
        return model

    @property
    def model_(self):
        """The tlu.Model: save it, inspect it, use it with the command."""
        from .models import Model

        return Model(self._fitted())

    def save(self, path):
        """Save the model to a file, which the command reads, too."""
        self._fitted().save(path)

    def __sklearn_is_fitted__(self):
        return "_model" in self.__dict__ or getattr(self, "_online", None) is not None

    @property
    def coef_(self):
        """Weights of the features, as they are in the data: [1 or classes][features]."""
        return self._weights()[0]

    @property
    def intercept_(self):
        """Biases: [1 or classes]."""
        return self._weights()[1]

    def _weights(self):
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        model = self._fitted()
        if not model.has_weights and model.options.get("kernel") != "linear":
            raise AttributeError(f"a model of {model.learner} with {model.options.get('kernel') or 'layers'} has no "
                                 "weights of features")
        if model.scheme == "ovo":
            raise AttributeError("a model of one versus one has weights for pairs of classes, not for classes")
        two = model.score_count == 1
        places, width = self._columns(model)
        coef = np.zeros((1 if two else len(self.classes_), width))
        bias = np.zeros(len(coef))
        weights = np.empty(model.feature_count)
        chosen = [(0, int(np.flatnonzero(self._order == 1)[0]))] if two else list(enumerate_order(self._order))
        for row, index in chosen:
            if model.has_weights:
                model.weights(index, weights)
                bias[row] = model.bias(index)
            else:
                bias[row] = model.kernel_weights(index, weights)
            coef[row, places] = weights
        return coef, bias

    def _columns(self, model):
        """The column of each feature of the model, and their number."""
        if self._kind == "records":
            return np.arange(model.feature_count), model.feature_count
        names = model.feature_names
        if hasattr(self, "feature_names_in_"):
            place = {name: i for i, name in enumerate(self.feature_names_in_)}
            return np.array([place[name] for name in names], dtype=np.intp), self.n_features_in_
        return np.array([int(name) - 1 for name in names], dtype=np.intp), self.n_features_in_

    # ---- prediction ----

    def _check_features(self, X, columns):
        own, given = getattr(self, "feature_names_in_", None), _input.feature_names(X)
        name = type(self).__name__
        if own is not None and given is None:
            warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names", UserWarning,
                          stacklevel=4)
        elif own is None and given is not None:
            warnings.warn(f"X has feature names, but {name} was fitted without feature names", UserWarning, stacklevel=4)
        elif own is not None and (len(own) != len(given) or (own != given).any()):
            raise ValueError(_names_message(own, given))
        if columns != self.n_features_in_:
            raise ValueError(f"X has {columns} features, but {name} is expecting {self.n_features_in_} features as input.")

    def _rows(self, X):
        """What Model.predict takes: an array, or Rows."""
        own = self.__dict__
        if type(X) is np.ndarray and X.ndim == 2 and X.shape[1] == own.get("n_features_in_") and X.dtype in _input.FLOATS:
            if not hasattr(self, "feature_names_in_") and X.flags.aligned and X.strides[0] >= 0 <= X.strides[1]:
                if not len(X):
                    _check_shape(X)
                return X, len(X)
        if not hasattr(self, "n_features_in_"):  # it learned from dicts
            return self._rows_by_name(X)
        matrix = _input.as_matrix(X)
        _check_shape(matrix)
        self._check_features(X, matrix.shape[1])
        names = getattr(self, "feature_names_in_", None)
        return _input.rows_of(matrix, names=None if names is None else names.tolist()), matrix.shape[0]

    def _rows_by_name(self, X):
        if not _input.is_frame(X) and not _input.is_records(X):
            matrix = _input.as_matrix(X)
            return _input.rows_of(matrix), matrix.shape[0]
        rows = list(dict_rows(X))
        return named_rows(rows), len(rows)

    def _predict(self, X, want):
        """Classes of the model, scores or probabilities."""
        model = self._fitted()
        if want == "probabilities":
            model.check_probabilities()
        if self._kind == "records":
            self._check_kind(X)
            if len(X) == 0:
                raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
            data, options = _input.record_bytes(X)
            classes, scores = model.predict_bytes(data, {"format": "jsonl", "threads": self._threads()})
            classes = np.frombuffer(classes, dtype=np.uint32)
            scores = np.frombuffer(scores, dtype=np.float64).reshape(len(classes), model.score_count)
            if want == "classes":
                return classes
            if want == "scores":
                return scores.copy()
            out = np.empty((len(classes), model.class_count))
            model.probabilities(scores, out)
            return out
        rows, count = self._rows(X)
        if want == "classes":
            out = np.empty(count, dtype=np.uint32)
            model.predict(rows, out, None, None, self._threads())
        elif want == "scores":
            out = np.empty((count, model.score_count))
            model.predict(rows, None, out, None, self._threads())
        else:
            out = np.empty((count, model.class_count))
            model.predict(rows, None, None, out, self._threads())
        return out

    def _only_class(self):
        """The class of a stream that has seen only one; else None."""
        if getattr(self, "_online", None) is None or self.__dict__.get("_model") is not None:
            return None
        if len(self._seen_texts) > 1:
            return None
        return [_input.label_text(c) for c in self.classes_.tolist()].index(self._seen_texts[0])

    def predict(self, X):
        """The labels of rows."""
        own = self.__dict__
        model = own.get("_model")
        # The usual arrays go straight to the library: a prediction of one row is mostly calls.
        is_plain = (model is not None and own["_kind"] == "matrix" and "n_features_in_" in own
                    and "feature_names_in_" not in own)
        if is_plain:
            index = model.predict_one_row(X, own["n_features_in_"])
            if index is not None:
                index = index if own["_in_order"] else int(own["_order"][index])
                return own["classes_"][index:index + 1].copy()
        if is_plain and type(X) is np.ndarray and X.dtype in _input.FLOATS and X.ndim == 2 and X.flags.carray:
            rows, columns = X.shape
            if rows and columns == own["n_features_in_"]:
                jobs = own.get("n_jobs")
                classes = np.empty(rows, np.uint32)
                model.predict(X, classes, None, None, jobs if jobs is not None and jobs > 0 else 0)
                return own["classes_"][classes if own["_in_order"] else own["_order"][classes]]
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        only = self._only_class()
        if only is not None:
            return np.full(self._rows(X)[1], self.classes_[only], dtype=self.classes_.dtype)
        classes = self._predict(X, "classes")
        return self.classes_[classes if self._in_order else self._order[classes]]

    def _decision_function(self, X):
        """Scores: of classes_[1] if there are two, else of each class."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        only = self._only_class()
        if only is not None:
            scores = np.full((self._rows(X)[1], len(self.classes_)), -1.0)
            scores[:, only] = 1.0
            return scores[:, 1].copy() if len(self.classes_) == 2 else scores
        scores = self._predict(X, "scores")
        if scores.shape[1] == 1 and len(self.classes_) == 2:
            scores = scores.ravel()
            return scores if self._model.positive_class == int(np.flatnonzero(self._order == 1)[0]) else -scores
        if scores.shape[1] == 1:  # a stream that has seen two classes of more
            positive = self._model.positive_class
            scores = np.column_stack([scores if i == positive else -scores for i in range(2)])
        return self._in_columns(scores, -np.inf)

    def _in_columns(self, values, missing):
        if self._in_order:
            return values
        out = np.full((len(values), len(self.classes_)), missing)
        out[:, self._order] = values
        return out

    def _check_proba(self):
        """Whether predict_proba is there: before fit by the parameters, then by the model."""
        model = self.__dict__.get("_model")
        if model is not None:
            return model.has_probabilities
        learner = self._learner_name()
        calibrate = getattr(self, "calibrate", None)
        return calibrate not in (None, "none") or (learner or "").startswith(("logistic", "bernoulli", "multinomial", "mlp"))

    def _predict_proba(self, X):
        """Probabilities of the classes: [rows][classes]."""
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)
        only = self._only_class()
        if only is not None:
            out = np.zeros((self._rows(X)[1], len(self.classes_)))
            out[:, only] = 1
            return out
        return self._in_columns(self._predict(X, "probabilities"), 0.0)

    def _predict_log_proba(self, X):
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self._predict_proba(X))

    @property
    def predict_proba(self):
        if not self._check_proba():
            raise AttributeError(f"{type(self).__name__} has no probabilities: set calibrate='sigmoid', or use a learner "
                                 "that has them (logistic, naive Bayes, mlp)")
        return self._predict_proba

    @property
    def predict_log_proba(self):
        self.predict_proba
        return self._predict_log_proba

    def score(self, X, y, sample_weight=None):
        """The accuracy on rows with labels."""
        right = np.asarray(self.predict(X)) == np.asarray(y).ravel()
        return float(np.average(right, weights=sample_weight))

    # ---- scikit-learn's tags ----

    def _more_tags(self):
        tags = {"X_types": ["2darray", "sparse"], "requires_y": True, "requires_positive_X": self._needs_counts()}
        if self._needs_counts():
            tags["poor_score"] = True  # as of scikit-learn's MultinomialNB
        reason = self._why_order_matters()
        if reason:
            tags["_xfail_checks"] = {"check_sample_weights_invariance": reason}
        return tags

    def _check_counts(self, matrix):
        values = matrix.data if _input.is_sparse(matrix) else matrix
        if self._needs_counts() and values.size and values.min() < 0:
            raise ValueError(f"Negative values in data passed to {type(self).__name__} (input X): multinomial naive Bayes needs "
                             "counts; binarize=True takes every value that is not 0 as 1")

    def _needs_counts(self):
        return self._learner_name() == "multinomial-bayes" and not getattr(self, "binarize", None)

    def _why_order_matters(self):
        """Why rows of weight 0 among others change the model, as they do for SGDClassifier; None: they do not."""
        learner = self._learner_name()
        if learner in ("max-margin", "svm"):
            return "zero sample_weight is equivalent to removing samples but for the gap of the solution, 1e-6"
        if learner is None or LEARNER[learner]["complexity"] in (2, 3, 4) or learner == "mlp":
            return "zero sample_weight is not equivalent to removing samples: the check orders the rows in another way"
        return None

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(estimator_type="classifier", target_tags=TargetTags(required=True), transformer_tags=None,
                    regressor_tags=None, classifier_tags=ClassifierTags(poor_score=self._needs_counts()),
                    input_tags=InputTags(sparse=True, positive_only=self._needs_counts()))


def enumerate_order(order):
    """(row of coef_, class of the model)."""
    return ((int(place), index) for index, place in enumerate(order))


def _check_shape(matrix):
    rows, columns = matrix.shape
    if rows == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={matrix.shape}) while a minimum of 1 is required.")
    if columns == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={matrix.shape}) while a minimum of 1 is required.")


def _check_lengths(rows, labels):
    if rows != labels:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: {[rows, labels]}")


def _without_zero_weights(matrix, codes, weights, classes):
    """Rows of weight 0 are as if they were not there, as long as each class has another row."""
    if weights is None or (weights > 0).all() or not (weights >= 0).all():
        return matrix, codes, weights
    kept = weights > 0
    if len(np.unique(codes[kept])) < classes:
        return matrix, codes, weights
    return matrix[kept], codes[kept], weights[kept]


def _names_message(own, given):
    message = "The feature names should match those that were passed during fit.\n"
    own_set, given_set = set(own), set(given)
    unexpected, missing = sorted(given_set - own_set), sorted(own_set - given_set)

    def listed(names):
        return "".join(f"- {name}\n" for name in names[:5]) + ("- ...\n" if len(names) > 5 else "")

    if unexpected:
        message += f"Feature names unseen at fit time:\n{listed(unexpected)}"
    if missing:
        message += f"Feature names seen at fit time, yet now missing:\n{listed(missing)}"
    if not missing and not unexpected:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


# ---- the classes ----

EXTRA = {
    "learner": ("str, default=\"auto\"", "the learner; auto leaves the choice to the library"),
    "variant": ("str", "the learner of this family"),
    "random_state": ("int, RandomState or None", OPTION["seed"]["help"]),
    "max_iter": ("int or None", "scikit-learn's name of epochs, which it overrides"),
    "fit_intercept": ("bool, default=True", "learn a bias; False: planes through the origin only"),
    "n_jobs": ("int or None", "threads for prediction and reading; None is one per core"),
}
TYPES = {"flag": "bool", "count": "int", "number": "float", "range": "float or (float, float)", "choice": "str",
         "text": "str", "list": "list of str or dict", "size": "str or int"}


def _parameter_doc(name, learner):
    if name in EXTRA:
        kind, text = EXTRA[name]
        if name == "learner":
            text += ": " + ", ".join(LEARNER)
        return f"    {name} : {kind}\n        {text}.\n"
    option = OPTION[NAMES.get(name, name.replace("_", "-"))]
    kind = TYPES[option["type"]]
    if option["choices"] and option["name"] != "learner":
        kind = "{" + option["choices"].replace("|", ", ") + "}"
    value = default_of({"learner": learner} if learner else {}, option["name"])
    if (name, learner) == ("multiclass", "logistic"):
        value = "wta, but ovr with solver='dual'"
    default = f", default {value}" if value else ""
    return f"    {name} : {kind} or None{default}\n        {option['help'][0].upper()}{option['help'][1:]}.\n"


def _classifier(name, summary, learner=None, variants=(), fixed=None, without=(), **defaults):
    """Makes a class: with the parameter `learner`, or of one learner, or of several with the parameter `variant`."""
    fixed = fixed or {}
    chosen = learner or (variants[0] if variants else None)
    parameters = {} if chosen else {"learner": "auto"}
    if variants:
        parameters["variant"] = variants[0]
    for variant in variants or (chosen,):
        for option in options_for(variant, fixed):
            if option not in without:
                parameters.setdefault(parameter_of(option), None)
    parameters["fit_intercept"] = True
    if "epochs" in parameters:
        parameters["max_iter"] = None
    parameters.update(defaults)
    reference = f" ({LEARNER[chosen]['reference']})" if chosen and LEARNER[chosen]["reference"] else ""
    doc = f"{summary}{reference}.\n\nParameters\n----------\nA parameter that is None has the library's default.\n\n"
    doc += "".join(_parameter_doc(p, chosen) for p in parameters)
    namespace = {"__doc__": doc, "__module__": "tlu", "__qualname__": name, "_learner": learner, "_variants": tuple(variants),
                 "_fixed": fixed}
    if name != "NaiveBayes":  # whose scores are logarithms of probabilities: predict_log_proba
        namespace["decision_function"] = _Classifier._decision_function
    return with_parameters(parameters)(type(name, (_Classifier,), namespace))


Classifier = _classifier("Classifier", "Any learner of the library")
Perceptron = _classifier("Perceptron", "The perceptron; it decides by the average of its weights unless decide says otherwise",
                         "perceptron")
AveragedPerceptron = _classifier("AveragedPerceptron", "The perceptron with the average of its weights", "perceptron",
                                 fixed={"decide": "average"})
VotedPerceptron = _classifier("VotedPerceptron", "The voted perceptron", "perceptron", fixed={"decide": "vote"})
KernelPerceptron = _classifier("KernelPerceptron", "The perceptron with a kernel", "perceptron", kernel="poly:2")
PassiveAggressive = _classifier("PassiveAggressive", "Passive-aggressive learning", variants=("pa1", "pa2", "pa"))
AROW = _classifier("AROW", "Adaptive regularisation of weights", "arow")
SCW = _classifier("SCW", "Soft confidence-weighted learning", variants=("scw1", "scw2"))
LogisticRegression = _classifier("LogisticRegression", "Logistic regression, by the softmax (wta) of several classes", "logistic")
LinearSVM = _classifier("LinearSVM", "A linear support vector machine, solved exactly", "svm")
MaxMargin = _classifier("MaxMargin", "The hyperplane of the largest margin; with C=None without errors, else soft",
                        "max-margin", C=1.0)
NaiveBayes = _classifier("NaiveBayes", "Naive Bayes", variants=("multinomial-bayes", "bernoulli-bayes"),
                         without=("class-weight",))
MLP = _classifier("MLP", "A multi-layer perceptron", "mlp")

CLASSES = [Classifier, Perceptron, AveragedPerceptron, VotedPerceptron, KernelPerceptron, PassiveAggressive, AROW, SCW,
           LogisticRegression, LinearSVM, MaxMargin, NaiveBayes, MLP]
