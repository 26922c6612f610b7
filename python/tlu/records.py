"""Results with names: dicts whose items are attributes, too."""

import os

from . import _tlu

__all__ = ["Evaluation", "Explanation", "MistakeBound", "Realisation", "Record", "Separability", "Threshold",
           "Tuning", "Validation"]


def _number(value):
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Record(dict):
    """A dict whose items are attributes, too."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name!r}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def _summary(self):
        return ", ".join(f"{name}={_number(value)}" for name, value in self.items()
                         if isinstance(value, (int, float, str)) and len(str(value)) < 40)

    def __repr__(self):
        return f"<{type(self).__name__}: {self._summary()}>"


class Evaluation(Record):
    """A model on labelled rows: `accuracy`, `metrics`, `confusion` and `per_class`.

    `confusion[i][j]` is the number of rows of class i that were predicted as class j; `per_class`
    has (precision, recall, f1, rows) of each class, in the order of `classes`.
    """

    def _summary(self):
        return f"accuracy {self['accuracy']:.4f}, {self['correct']} of {self['examples']} rows"


class Threshold(Record):
    """A decision threshold, and what it gives on the rows that it was found on."""


class Validation(Record):
    """Cross-validation: `mean` and `deviation` of the metric over the `folds`."""

    def _summary(self):
        return f"{self['metric']} {self['mean']:.4f} +- {self['deviation']:.4f} over {len(self['folds'])} folds"


class Tuning(Record):
    """The best learner and options: `model`, trained on all rows, and the `candidates`, the best first."""

    @property
    def best(self):
        return self["candidates"][0]

    def _summary(self):
        best = self["candidates"][0]
        return f"{best['name']}: {self['metric']} {best['score']:.4f}, {len(self['candidates'])} candidates"


class Explanation(Record):
    """What features add to a score: `items`, (name, value, amount), the largest amounts first."""

    @property
    def items(self):  # of the explanation, not of the dict
        return self["items"]

    def __repr__(self):
        lines = [f"<Explanation of {self['label']!r}:"]
        for name, value, amount in self["items"]:
            what = "(bias)" if name is None else f"{name} = {_number(value)}"
            lines.append(f"  {amount:+.6g}  {what}")
        return "\n".join(lines) + ">"


class Realisation(Record):
    """A Boolean function as threshold units: `units`, one for each output."""

    def _summary(self):
        unit = self["units"][0]
        if not unit["is_threshold"]:
            return "no single threshold unit computes it"
        terms = " + ".join(f"{weight} {name}" for weight, name in zip(unit["weights"], self["inputs"]) if weight)
        return f"{terms or '0'} >= {unit['threshold']}".replace("+ -", "- ")

    @property
    def is_threshold(self):
        """Whether one unit computes each output."""
        return all(unit["is_threshold"] for unit in self["units"])


class MistakeBound(Record):
    """The bound on the mistakes of a perceptron, and the mistakes of some runs."""

    def _summary(self):
        if not self["separable"]:
            return "not separable: no bound" if self["separable"] is False else "not decided"
        return f"at most {self['bound']:.6g} mistakes; R = {self['radius']:.6g}, margin = {self['margin_low']:.6g}"


class Separability(Record):
    """Whether a hyperplane separates the classes: `separable` is True, False or None (not decided).

    `proof` is a text that anyone can check; `check` does it with code that shares nothing with the
    search. `weights` are those of the hyperplane, `rows` those that contradict each other or
    determine the margin.
    """

    def __bool__(self):
        return self["separable"] is True

    def save(self, path):
        """Save the proof, for `tlu check`."""
        if self["proof"] is None:
            raise ValueError("there is no proof: it was not decided")
        with open(os.fspath(path), "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(self["proof"])

    def check(self, data, y=None):
        """Check the proof against the data, in exact arithmetic. Returns the report as a Record."""
        from .library import check_proof

        if self["proof"] is None:
            raise ValueError("there is no proof: it was not decided")
        return check_proof(self["proof"], data, y)

    def _summary(self):
        if self["separable"] is None:
            return "not decided"
        if self["separable"]:
            return f"separable, margin {self['margin_low']:.6g}"
        return f"not separable, {len(self['rows'])} rows contradict each other"
