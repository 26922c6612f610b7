"""What the library reads: the path of a file, the arrays of the caller, or text in memory. There are no temporary files."""

import csv
import io
import os

from . import _input


def is_path(data):
    return isinstance(data, (str, bytes, os.PathLike))


def source(data, y=None, sample_weight=None):
    """(data for the extension, options): a path, Rows of numbers, or the bytes of JSON lines."""
    if is_path(data):
        if y is not None:
            raise ValueError("a file has its labels already: y must be None")
        return os.fsdecode(data), {}
    data, y = _input.labels_apart(data, y)
    if _input.is_records(data):
        _check_length(len(data), y)
        return _input.record_bytes(data, _texts(y), getattr(y, "name", None))
    return _rows(_input.as_matrix(data), y, sample_weight, _input.feature_names(data)), {}


def source_for(model, data, y=None):
    """The same in the form that a model (of the extension) reads."""
    if is_path(data):
        return source(data, y)
    if isinstance(data, dict):
        raise TypeError("a dict is one row: give a list of dicts, or use predict_one")
    data, y = _input.labels_apart(data, y)
    is_table = model.label_column is not None
    if _input.is_frame(data) and not is_table:
        return _rows(_input.as_matrix(data), y, None, _input.feature_names(data)), {}
    is_text = _input.is_records(data) and _input.is_text(data)
    if not is_table and _input.is_records(data) and not is_text:
        return named_rows(data, y), {}
    if is_table and is_text or not is_table and is_text and model.report["format"] == "libsvm":
        raise ValueError(f"the model was trained on {'a table' if is_table else 'numbers'}, and these rows are texts")
    if not is_text and not _input.is_frame(data) and not _input.is_records(data):
        if is_table and not any(name.isdigit() for name in model.feature_names):
            raise ValueError("the model was trained on a table, whose columns have names: give it a DataFrame or dicts")
        return source(data, y)
    _check_length(len(data), y)
    return _records(data, y)


def _records(data, y):
    return _input.record_bytes(data, _texts(y), getattr(y, "name", None))[0], {"format": "jsonl"}


def _texts(y):
    return None if y is None else [_input.label_text(label) for label in _input.as_labels(y)]


def _check_length(rows, y):
    if y is not None and len(y) != rows:
        raise ValueError(f"there are {rows} rows and {len(y)} labels")


def _rows(matrix, y, sample_weight=None, names=None):
    labels = texts = None
    if y is not None:
        labels = _input.as_labels(y)
        _check_length(matrix.shape[0], labels)
        classes, labels = _input.encode_labels(labels)
        texts = [_input.label_text(label) for label in classes]
    weights = _input.as_weights(sample_weight, matrix.shape[0])
    return _input.rows_of(matrix, labels, texts, weights, None if names is None else names.tolist())


def one_row(model, x):
    """One row for the functions about one: a dict, or a text. Series and tables of one row become dicts, and arrays of numbers
    dicts by the number of the column, as LIBSVM has it."""
    if isinstance(x, str) and model.text_column is not None and not x.strip(" \t\r\n"):
        return {}  # no words
    if isinstance(x, (dict, str)):
        return x
    if _input.is_frame(x):
        if len(x) != 1:
            raise ValueError(f"expected one row, and the table has {len(x)}: give one of them, such as x.iloc[[0]]")
        return {name: x.iloc[0, i] for i, name in enumerate(x.columns)}
    if hasattr(x, "to_dict") and getattr(x, "ndim", 1) == 1:
        return x.to_dict()
    is_array = hasattr(x, "shape") or isinstance(x, (list, tuple)) and all(_is_number(value) for value in x)
    if not is_array:
        raise TypeError("expected one row: a dict of features, a line of text, a Series, or the numbers of an array; found "
                        f"{type(x).__name__}")
    names = model.feature_names
    if model.label_column is not None or names and not any(name.isdigit() for name in names):
        raise TypeError("the model's features have names: give the row as a dict of them, not as numbers in order")
    return _numbered(x)


def _is_number(value):
    return hasattr(value, "__float__") and not isinstance(value, str)


def _numbered(x):
    import numpy as np

    x = x if _input.is_sparse(x) else np.asarray(x)
    x = _input.as_matrix(x.reshape(1, -1) if len(x.shape) == 1 else x)
    if x.shape[0] != 1:
        raise ValueError(f"expected one row, and the array has {x.shape[0]}: give one of them, such as x[0]")
    if _input.is_sparse(x):
        columns, values = x.indices, x.data
    else:
        columns = np.flatnonzero(x[0])
        values = x[0, columns]
    return {str(column + 1): value for column, value in zip(columns.tolist(), values.tolist())}


def pairs(row):
    """(name, number) of each feature of a dict: NAME=VALUE for text."""
    return [(f"{name}={value}", 1.0) if isinstance(value, str) else (name, float(value))
            for name, value in clean(row).items()]


def named_rows(data, y=None):
    """Rows whose features are those of dicts, by name."""
    import numpy as np

    numbers, values, offsets = {}, [], [0]
    features = []
    for row in data:
        for name, value in pairs(row):
            features.append(numbers.setdefault(name, len(numbers)))
            values.append(value)
        offsets.append(len(features))
    from ._tlu import Rows

    labels = texts = None
    if y is not None:
        _check_length(len(data), y)
        classes, labels = _input.encode_labels(_input.as_labels(y))
        texts = [_input.label_text(label) for label in classes]
    return Rows(np.array(values, np.float64), np.array(features, np.int32), np.array(offsets, np.int64), len(numbers),
                labels, texts, None, list(numbers) or ["(none)"])


def _is_missing(value):
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def clean(row):
    """A dict without missing values, whose values are numbers, texts or booleans."""
    return {str(name): value.item() if hasattr(value, "item") else value
            for name, value in row.items() if not _is_missing(value)}


# ---- text whose numbers are those that Python prints, for proofs ----


def exact_source(data, y=None):
    """(data, options, lines) for the functions about exact numbers: a path, or the bytes of LIBSVM or CSV. lines[i] is the
    line of row i; None: it is not known."""
    if is_path(data):
        return *source(data, y), None
    data, y = _input.labels_apart(data, y)
    if _input.is_frame(data):
        return _frame_text(data, y)
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], dict):
        return _dict_text(data, _labels(y, len(data)))
    if _input.is_records(data):
        raise ValueError("proofs are about numbers in columns: give an array, a DataFrame or dicts")
    rows = data.shape[0] if hasattr(data, "shape") else len(data)
    labels = _labels(y, rows)
    if all(_is_libsvm_label(label) for label in set(labels)):
        lines = (" ".join([label or "", *(f"{column + 1}:{value}" for column, value in row)])
                 for label, row in zip(labels, _sparse_rows(data)))
        return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"), {"format": "libsvm"}, range(1, rows + 1)
    rows = ({str(column + 1): value for column, value in row} for row in _sparse_rows(data))
    names = [str(j + 1) for j in range(_input.as_matrix(data).shape[1])]
    return _table_text(names, "label", ([row.get(name, 0) for name in names] for row in rows), labels,
                       {"numeric": names, "label": "label"})


def _labels(y, rows):
    if y is None:
        return [None] * rows
    _check_length(rows, y)
    return _texts(y)


def _is_libsvm_label(label):
    return label is None or (label and not any(c.isspace() or c in ":#,|" for c in label))


def _sparse_rows(x):
    """Pairs of column and value, row by row, as text that reads back as the same number."""
    import numpy as np

    if hasattr(x, "tocsr"):
        x = _input.as_matrix(x)
        for i in range(x.shape[0]):
            part = slice(x.indptr[i], x.indptr[i + 1])
            yield sorted(zip(x.indices[part].tolist(), _numbers(x.data[part])))
        return
    x = np.asarray(x)
    if x.dtype.kind not in "fiub" or x.ndim != 2:
        x = _input.as_matrix(x)
    if x.dtype.kind == "f" and not np.isfinite(x).all():
        row, column = np.argwhere(~np.isfinite(x))[0].tolist()
        raise ValueError(f"rows:{row + 1}: the value of feature {column + 1} is NaN or infinite, not a finite number; a "
                         "DataFrame may have missing values")
    for row in x:
        columns = np.flatnonzero(row)
        yield list(zip(columns.tolist(), _numbers(row[columns])))


def _numbers(values):
    if values.dtype.kind == "b":
        return ["1" if value else "0" for value in values]
    if values.dtype.itemsize < 8 and values.dtype.kind == "f":
        return [str(value) for value in values]  # as short as the type allows
    return [repr(value) for value in values.tolist()]


def _table_text(names, label, rows, labels, options):
    """CSV, and the line of each row: cells may have newlines."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    lines, line = [], 1
    for row, name in [(names, label), *zip(rows, labels)]:
        row = [*row, name or ""] if label else row
        writer.writerow(row)
        lines.append(line)
        line += 1 + sum(cell.count("\n") for cell in row if isinstance(cell, str))
    options = {name: value for name, value in options.items() if value}
    return text.getvalue().encode("utf-8", "surrogateescape"), {"format": "csv", "header": "yes", **options}, lines[1:]


def _dict_text(rows, labels):
    """A column of numbers for each feature; text is a feature NAME=VALUE that is 0 or 1."""
    rows = [{(f"{name}={value}" if isinstance(value, str) else name): 1 if isinstance(value, str) else value + 0
             for name, value in clean(row).items()} for row in rows]
    names = list(dict.fromkeys(name for row in rows for name in row))
    label = _input.label_name(names, None)
    return _table_text(names, label, ([row.get(name, 0) for name in names] for row in rows), labels,
                       {"label": label, "numeric": _input.listed(names)})


def _frame_text(frame, y):
    """What the columns are is known: nothing is left to guess."""
    names = [str(name) for name in frame.columns]
    label = None if y is None else _input.label_name(names, getattr(y, "name", None))
    columns = [_input.column_values(frame.iloc[:, i]) for i in range(len(names))]
    numeric = [name for name, (kind, _) in zip(names, columns) if kind == "numeric"]
    categorical = [name for name, (kind, _) in zip(names, columns) if kind == "categorical"]
    cells = [["" if value is None else int(value) if isinstance(value, bool) else value for value in values]
             for _, values in columns]
    return _table_text(names, label, zip(*cells), _labels(y, len(frame)),
                       {"label": label, "numeric": _input.listed(numeric), "categorical": _input.listed(categorical)})
