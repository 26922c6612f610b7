"""What scikit-learn's base classes do, without scikit-learn: parameters, clone, tags, repr.

An estimator is a class with a table of parameters, which come from the library's table of options. Its __init__ has their
names and defaults in its signature, as scikit-learn expects.
"""

import difflib
import inspect

from ._tlu import LEARNERS, OPTIONS, no_effect

OPTION = {option["name"]: option for option in OPTIONS}
LEARNER = {learner["name"]: learner for learner in LEARNERS}

# Options with another name or sense here, where scikit-learn has one; and those that are for files and the command.
RENAMED = {"seed": "random_state", "no-bias": "fit_intercept", "threads": "n_jobs"}
FOR_FILES = {"format", "delimiter", "header", "decimal", "skip-bad", "max-row", "label", "label-separator", "multilabel", "id", "costs",
             "weighted", "positive"}
RECORDS = {"missing", "text", "categorical", "numeric", "ignore", "ngrams", "chars", "stop-words", "lowercase"}


def parameter_of(option):
    return RENAMED.get(option, option.replace("-", "_"))


def options_for(learner, fixed):
    """The options of the library that have an effect with a learner (None: with some learner), in the table's order."""
    for option in OPTIONS:
        name = option["name"]
        if name in FOR_FILES or name == "learner" or name in fixed:
            continue
        cases = [{"learner": learner, **fixed}]
        if learner == "logistic":  # which has two solvers
            cases.append({**cases[0], "solver": "dual"})
        if learner == "mlp":
            cases.append({**cases[0], "optimizer": "momentum"})
        if learner is None or option["group"] != "learning" or not all(no_effect(case, name) for case in cases):
            yield name


def not_fitted(estimator):
    """The exception for an estimator that was not fitted: scikit-learn's, if it is there."""
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        NotFittedError = _NotFittedError
    name = type(estimator).__name__
    return NotFittedError(f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using "
                          "this estimator.")


class _NotFittedError(ValueError, AttributeError):
    pass


def _init(defaults):
    def __init__(self, **parameters):
        for name, value in defaults.items():
            setattr(self, name, parameters.pop(name, value))
        if parameters:
            name = next(iter(parameters))
            near = difflib.get_close_matches(name, defaults, n=1)
            known = f"did you mean {near[0]}?" if near else f"its parameters are {', '.join(defaults)}"
            raise TypeError(f"{type(self).__name__} has no parameter '{name}'; {known}")

    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
                   for name, value in defaults.items()]
    __init__.__signature__ = inspect.Signature(parameters)
    return __init__


def with_parameters(defaults):
    """A decorator: gives a class its parameters and an __init__."""

    def decorate(cls):
        cls._defaults = dict(defaults)
        cls.__init__ = _init(cls._defaults)
        cls.__init__.__qualname__ = f"{cls.__qualname__}.__init__"
        return cls

    return decorate


class Base:
    _defaults = {}

    @classmethod
    def _get_param_names(cls):
        return sorted(cls._defaults)

    def get_params(self, deep=True):
        """The parameters and their values."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self, **params):
        """Set parameters; returns self."""
        for name, value in params.items():
            if name not in self._defaults:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: "
                                 f"{self._get_param_names()!r}.")
            setattr(self, name, value)
        return self

    def __repr__(self, N_CHAR_MAX=700):
        changed = [f"{name}={getattr(self, name, None)!r}" for name, value in self._defaults.items()
                   if not _same(getattr(self, name, None), value)]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_clone__(self):
        import copy

        parameters = self.get_params()
        return type(self)(**{name: value if callable(value) else copy.deepcopy(value)
                             for name, value in parameters.items()})

    def __getstate__(self):
        state = {name: value for name, value in self.__dict__.items() if name != "_online"}
        state["_tlu_version"] = _version()
        return state

    def __setstate__(self, state):
        self.__dict__.update({name: value for name, value in state.items() if name != "_tlu_version"})


def _version():
    from ._tlu import __version__

    return __version__


def _same(a, b):
    return a is b or (type(a) is type(b) and not hasattr(a, "shape") and a == b)
