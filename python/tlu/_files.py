"""Data in memory as files, for what the library does with files alone: tuning, proofs, plots."""

import contextlib
import csv
import json
import os
import tempfile

from ._input import label_text


def is_path(data):
    return isinstance(data, (str, bytes, os.PathLike))


def is_frame(data):
    return hasattr(data, "columns") and hasattr(data, "dtypes") and hasattr(data, "iloc")


def _labels(y, rows):
    if y is None:
        return [None] * rows
    labels = [label_text(value) for value in (y.tolist() if hasattr(y, "tolist") else y)]
    if len(labels) != rows:
        raise ValueError(f"there are {rows} rows and {len(labels)} labels")
    return labels


def _is_libsvm_label(label):
    return label is None or (label and not any(c.isspace() or c in ":#,|" for c in label))


def _sparse_rows(x):
    """Pairs of column and value, row by row, as text that reads back as the same number."""
    import numpy as np

    if hasattr(x, "tocsr"):
        x = x.tocsr()
        x.sort_indices()
        values = x.data
        if values.dtype.kind not in "fiub":
            raise ValueError(f"expected numbers, not {values.dtype}")
        for i in range(x.shape[0]):
            part = slice(x.indptr[i], x.indptr[i + 1])
            yield zip(x.indices[part].tolist(), _texts(values[part]))
        return
    x = np.asarray(x)
    if x.ndim != 2:
        raise ValueError(f"expected an array of rows and columns, not one of {x.ndim} dimensions")
    if x.dtype == object:
        x = x.astype(np.float64)
    if x.dtype.kind not in "fiub":
        raise ValueError(f"expected numbers, not {x.dtype}")
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        raise ValueError("the array has values that are NaN or infinite; a DataFrame may have missing values")
    for row in x:
        columns = np.flatnonzero(row)
        yield zip(columns.tolist(), _texts(row[columns]))


def _texts(values):
    if values.dtype.kind == "b":
        return ["1" if value else "0" for value in values]
    if values.dtype.itemsize < 8 and values.dtype.kind == "f":
        return [str(value) for value in values]  # as short as the type allows
    return [repr(value) for value in values.tolist()]


def _write_libsvm(file, rows, labels):
    for row, label in zip(rows, labels):
        entries = " ".join(f"{column + 1}:{value}" for column, value in row)
        file.write(f"{label} {entries}\n" if label is not None else f"{entries}\n")


def _write_json(file, rows, labels, member):
    for row, label in zip(rows, labels):
        line = {} if label is None else {"label": label}
        line[member] = row
        file.write(json.dumps(line) + "\n")


def _is_missing(value):
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def clean(row):
    """A dict without missing values, whose values are numbers, texts or booleans."""
    return {str(name): value.item() if hasattr(value, "item") else value
            for name, value in row.items() if not _is_missing(value)}


def _write_frame(file, frame, labels, name):
    columns = [str(column) for column in frame.columns]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns + ([name] if name else []))
    data = [_cells(frame.iloc[:, i]) for i in range(len(columns))]
    if name:
        data.append(labels)
    writer.writerows(zip(*data))


def _write_dicts(rows, labels, folder):
    """CSV with a column of numbers for each feature; text is a feature NAME=VALUE that is 0 or 1."""
    rows = [{(f"{name}={value}" if isinstance(value, str) else name): 1 if isinstance(value, str) else value + 0
             for name, value in clean(row).items()} for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    label = "label"
    while label in names:
        label += "_"
    path = os.path.join(folder, "rows.csv")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*names, label])
        writer.writerows([*(row.get(name, 0) for name in names), text or ""] for row, text in zip(rows, labels))
    options = {"format": "csv", "header": "yes", "label": label}
    numeric = [name for name in names if "," not in name]
    return path, {**options, "numeric": numeric} if numeric else options


def _is_numeric(series):
    return series.dtype.kind in "fiub" if hasattr(series.dtype, "kind") else False


def _cells(series):
    if str(series.dtype) == "bool":
        return [int(value) for value in series]
    return ["" if _is_missing(value) else value for value in series.astype(object)]


def _frame_options(frame, name):
    """What the columns are is known: nothing is left to guess."""
    options = {"format": "csv", "header": "yes"}
    kinds = {"numeric": [], "categorical": []}
    for i, column in enumerate(frame.columns):
        series = frame.iloc[:, i]
        if _is_numeric(series):
            kinds["numeric"].append(str(column))
        elif str(series.dtype) == "category" or str(series.dtype) == "bool":
            kinds["categorical"].append(str(column))
    for kind, columns in kinds.items():
        columns = [column for column in columns if "," not in column]
        if columns:
            options[kind] = columns
    if name:
        options["label"] = name
    return options


@contextlib.contextmanager
def as_file(data, y=None, plain=False):
    """Yields the path of a file with the data, and options for reading it.

    A path is passed through. Arrays and sparse matrices become LIBSVM, in which column j has index
    j + 1; DataFrames become CSV; lists of dicts and lists of texts become JSON lines or, if `plain`, dicts become CSV,
    for proofs, which are about numbers in columns.
    """
    if is_path(data):
        if y is not None:
            raise ValueError("a file has its labels already: y must be None")
        yield data, {}
        return
    with tempfile.TemporaryDirectory(prefix="tlu-") as folder:
        yield _write(data, y, folder, plain)


def _write(data, y, folder, plain):
    if is_frame(data):
        labels = _labels(y, len(data))
        name = getattr(y, "name", None) if y is not None else None
        taken = {str(column) for column in data.columns}
        name = str(name) if name is not None else "label"
        while name in taken:
            name += "_"
        name = name if y is not None else None
        path = os.path.join(folder, "rows.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            _write_frame(file, data, labels, name)
        return path, _frame_options(data, name)
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], (str, dict)):
        path = os.path.join(folder, "rows.jsonl")
        texts = isinstance(data[0], str)
        if plain and not texts:
            return _write_dicts(data, _labels(y, len(data)), folder)
        rows = data if texts else [clean(row) for row in data]
        with open(path, "w", encoding="utf-8") as file:
            _write_json(file, rows, _labels(y, len(data)), "text" if texts else "features")
        return path, {"format": "jsonl"}
    rows = data.shape[0] if hasattr(data, "shape") else len(data)
    labels = _labels(y, rows)
    if all(_is_libsvm_label(label) for label in set(labels)):
        path = os.path.join(folder, "rows.svm")
        with open(path, "w", encoding="utf-8") as file:
            _write_libsvm(file, _sparse_rows(data), labels)
        return path, {"format": "libsvm"}
    path = os.path.join(folder, "rows.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        rows = ({str(column + 1): float(value) for column, value in row} for row in _sparse_rows(data))
        _write_json(file, rows, labels, "features")
    return path, {"format": "jsonl"}
