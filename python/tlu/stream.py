"""A model file that learns from a stream of rows."""

import json

from . import _tlu
from ._source import clean
from ._input import label_text
from .online import _labels, dict_rows

__all__ = ["Stream"]


class Stream(_tlu.Stream):
    """A model file that learns from rows as they come, as `tlu stream` does.

    `feed` takes text in any format that tlu reads, `learn_one` and `predict_one` take dicts, which
    become JSON lines; one stream takes either text or dicts. With a journal, rows that were learned
    from are on the disk when the call returns: after a crash, even kill -9, the next Stream at this
    path, or the next `tlu stream --journal`, continues with all of them. A new model takes
    `options`; a model that is there keeps its own. At the end of a `with` block the model is saved.

    >>> with tlu.Stream("live.tlu") as stream:
    ...     stream.feed("spam 3:1\\nham 5:1\\n")
    ['?', 'spam']
    """

    def __new__(cls, path, journal=True, window=0, scores=False, probabilities=False, **options):
        return super().__new__(cls, path, options, journal, window, scores, probabilities)

    def __init__(self, path, journal=True, window=0, scores=False, probabilities=False, **options):
        pass

    def feed(self, text, end=False):
        """Predict each row of the text, then learn from those with a label.

        Returns the answers, a list with a line for each row. The last row waits for the next call
        if its end has not come yet, unless `end` is true. If a row is wrong, the ValueError has the
        answers for the rows before it, which have been learned from, as `answers`; the rest of the
        text is dropped. So it is after Ctrl-C: the KeyboardInterrupt has `answers`.
        """
        try:
            return super().feed(text, end).splitlines()
        except BaseException as error:
            if isinstance(getattr(error, "answers", None), str):
                error.answers = error.answers.splitlines()
            raise

    def _row(self, x, y=None):
        row = {} if y is None else {"label": label_text(y)}
        row["features"] = clean(x)
        return json.dumps(row) + "\n"

    def learn_one(self, x, y):
        """Predict a dict of features, then learn from it. Returns the prediction, as text."""
        return self.feed(self._row(x, y))[0]

    def predict_one(self, x):
        """The prediction for a dict of features, as text; '?' before the first example."""
        return self.feed(self._row(x))[0]

    def learn_many(self, X, y):
        """Predict and learn from rows in order: a DataFrame, an array or a list of dicts."""
        rows, labels = list(dict_rows(X)), list(_labels(y))
        if len(rows) != len(labels):
            raise ValueError(f"there are {len(rows)} rows and {len(labels)} labels")
        return self.feed("".join(self._row(x, label) for x, label in zip(rows, labels)))

    def predict_many(self, X):
        """The predictions for rows: a list of texts."""
        return self.feed("".join(self._row(x) for x in dict_rows(X)))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            if not self.closed and self.stats["learned"]:
                self.save()
        finally:
            self.close()

    def __repr__(self):
        if self.closed:
            return f"<tlu.Stream {str(self.path)!r}: closed>"
        stats = self.stats
        share = f", {stats['correct'] / stats['examples']:.2%} correct" if stats["examples"] else ""
        return f"<tlu.Stream {str(self.path)!r}: {stats['rows']} rows, {stats['examples']} with a label{share}>"
