"""From what users have (arrays, sparse matrices, tables, dicts, texts) to what the extension takes.

Numbers become Rows: the arrays themselves, or rows of a sparse matrix. Everything else becomes JSON records, which the
library reads as the command does: categories, words of texts, missing values.
"""

import json
import re
import warnings

import numpy as np

from ._tlu import Rows

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
LABEL = "(label)"  # member of the records that are made here


def is_sparse(X):
    return hasattr(X, "tocsr")


def is_frame(X):
    return hasattr(X, "columns") and hasattr(X, "dtypes") and hasattr(X, "iloc")


def _kind(dtype):
    return getattr(dtype, "kind", "O")  # of an extension type of pandas, too


def _is_table_of_numbers(X):
    return all(_kind(dtype) in "fiub" and not str(dtype).startswith("category") for dtype in X.dtypes)


def is_records(X):
    """Whether X is a list of dicts or of strings, an array or a Series of strings, or a table that is not numbers alone."""
    if is_frame(X):
        return not _is_table_of_numbers(X) or bool(X.isna().to_numpy().any())
    if isinstance(X, (list, tuple)):
        return len(X) > 0 and isinstance(X[0], (dict, str))
    if isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "UO":
        return len(X) > 0 and isinstance(X[0], (dict, str))
    if hasattr(X, "to_list") and hasattr(X, "iloc") and not is_frame(X):  # a Series
        return len(X) > 0 and isinstance(X.iloc[0], (dict, str))
    return False


def labels_apart(X, y):
    """X and y, where y may be the name of a column of the table X. A table that still has the column of its labels y is an
    error: the model would learn the labels from it."""
    if isinstance(y, str) and is_frame(X):
        if y not in X.columns:
            raise ValueError(f"y={y!r} is not a column of the table, which has {_listed(X.columns)}: give the labels, or the name "
                             "of their column")
        X, y = X.drop(columns=y), X[y]
    elif isinstance(y, str):
        raise TypeError(f"y={y!r} names a column, and X is not a DataFrame: give the labels, one per row")
    column = y.iloc[:, 0] if is_frame(y) and y.shape[1] == 1 else y
    name = getattr(column, "name", None)
    if isinstance(name, str) and is_frame(X) and name in X.columns and X[name].equals(column):
        raise ValueError(f"the table has its labels as the column '{name}', too: leave it out with X.drop(columns='{name}')")
    return X, y


def _listed(names):
    return ", ".join(map(str, names[:8])) + (", ..." if len(names) > 8 else "")


def is_text(X):
    """Whether the records are strings."""
    return not is_frame(X) and isinstance(next(iter(X), None), str)


def feature_names(X):
    """The names of the columns of a table if all are strings, else None."""
    if type(X) is np.ndarray or hasattr(X, "indptr") or not is_frame(X):
        return None
    names = np.asarray(X.columns, dtype=object)
    texts = sum(isinstance(name, str) for name in names)
    if texts == 0 or texts < len(names):
        if texts:
            raise TypeError(
                "Feature names are only supported if all input features have string names, but your input has "
                f"{sorted({type(name).__name__ for name in names})} as feature name / column name types. If you want "
                "feature names to be stored and validated, you must convert them all to strings, by using "
                "X.columns = X.columns.astype(str) for example.")
        return None
    return names


# ---- numbers ----


def as_matrix(X, what="estimator"):
    """X as a CSR matrix, or as an array of two dimensions, of float32 or float64. The same object if it is one."""
    if is_sparse(X):
        return _as_csr(X)
    if is_frame(X):
        X = X.to_numpy(dtype=np.float32 if all(str(d) == "float32" for d in X.dtypes) else np.float64)
    elif not isinstance(X, np.ndarray):
        if isinstance(X, dict):
            raise TypeError("a dict is one row: give a list of dicts, or use predict_one")
        if hasattr(X, "__next__"):
            raise TypeError("X is an iterator: fit takes one of batches (X, y), with y=None; other functions take the rows of "
                            "one batch")
        X = np.asarray(X)
    if X.dtype not in FLOATS:
        X = _as_floats(X)
    if X.ndim != 2:
        reason = "a single feature: X.reshape(-1, 1), or a single sample: X.reshape(1, -1)"
        raise ValueError(f"Expected 2D array, got {'scalar' if X.ndim == 0 else f'{X.ndim}D'} array instead. "
                         f"Reshape your data if it has {reason}.")
    if not X.flags.aligned or not X.dtype.isnative or any(s < 0 or s % X.itemsize for s in X.strides):
        X = np.array(X, dtype=X.dtype.newbyteorder("="), order="C")  # a copy, which is aligned
    return X


def _as_floats(X):
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if X.dtype.kind in "US":
        try:
            return X.astype(np.float64)
        except ValueError as error:
            raise ValueError(f"Unable to convert array of bytes/strings into decimal numbers: {error}") from error
    if X.dtype.kind == "O":
        try:
            return X.astype(np.float64)
        except TypeError as error:
            raise TypeError(f"{error}; argument must be a string or a number") from error
    if X.dtype.kind == "f":  # float16 and long doubles
        return X.astype(np.float32 if X.itemsize < 4 else np.float64)
    if X.dtype.kind in "iub":
        return X.astype(np.float32 if X.itemsize <= 2 else np.float64)  # exact, up to 2^53
    raise ValueError(f"an array of {X.dtype} does not have numbers")


def _check_places(X, lines):
    """SciPy's functions read out of bounds if indptr is wrong."""
    places = X.indptr
    if len(places) == lines + 1 and places[0] == 0 and places[-1] <= min(len(X.indices), len(X.data)):
        if not (places[1:] < places[:-1]).any():
            return
    raise ValueError("the sparse matrix is malformed: indptr has to begin with 0, to be sorted and to end within indices")


def _as_csr(X):
    if X.format in ("csr", "csc"):
        _check_places(X, X.shape[0 if X.format == "csr" else 1])
    matrix = X if X.format == "csr" else X.tocsr()
    data, indices = matrix.data, matrix.indices
    if data.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X}\n")
    if not matrix.has_canonical_format:  # entries that occur twice add up
        matrix = matrix.copy()
        matrix.sum_duplicates()
        data, indices = matrix.data, matrix.indices
    if data.dtype not in FLOATS or indices.dtype.itemsize != 4:
        if matrix.shape[1] >= 2**31:
            raise ValueError("a sparse matrix has at most 2^31 - 1 columns")
        data = data if data.dtype in FLOATS else _as_floats(data)
        matrix = type(matrix)((data, indices.astype(np.int32, copy=False), matrix.indptr), shape=matrix.shape,
                              copy=False)
        if matrix.indices.dtype.itemsize != 4:  # SciPy chose the wider type again
            matrix.indices = matrix.indices.astype(np.int32)
    return matrix


def rows_of(matrix, labels=None, label_names=None, weights=None, names=None):
    """Rows of what as_matrix returned."""
    if is_sparse(matrix):
        return Rows(matrix.data, matrix.indices, matrix.indptr, matrix.shape[1], labels, label_names, weights, names)
    return Rows(matrix, labels=labels, label_names=label_names, weights=weights, feature_names=names)


# ---- records ----


def _plain(value):
    """For json: NumPy's numbers, and what is not JSON."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            raise ValueError("Input X contains infinity")
        return value if value == value else None
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    return str(value)


def label_name(names, wanted):
    """The name of the labels' column beside these: that of the labels, if they have one, else "label"."""
    name = wanted if isinstance(wanted, str) and wanted else "label"
    while name in names:
        name += "_"
    # Rows that have nothing but these are no table (docs/formats.md).
    return LABEL if {name, *names} <= {"label", "text", "weight"} else name


def listed(names):
    """The names that an option can list."""
    return [name for name in names if name and "," not in name and name == name.strip(" ")]


def column_values(column):
    """(kind, values) of a column of a table: "numeric", "categorical" or None (the values tell), as JSON has them."""
    dtype = column.dtype
    missing = column.isna().tolist()
    if str(dtype) == "category":
        return "categorical", [None if gone else str(_plain(value)) for value, gone in zip(column.astype(object), missing)]
    if _kind(dtype) == "c":
        raise ValueError(f"Complex data not supported: column '{column.name}'")
    if _kind(dtype) in "mM" or str(dtype).startswith("period"):
        column = column.astype(str)  # as to_csv writes them
    if _kind(dtype) == "f" and np.isinf(column.to_numpy(np.float64, na_value=np.nan)).any():
        raise ValueError(f"Input X contains infinity in column '{column.name}'")
    values = [None if gone else _plain(value) for value, gone in zip(column.astype(object).tolist(), missing)]
    if _kind(dtype) in "fiub":
        return "numeric", values
    kinds = {type(value) for value in values} - {type(None)}
    if kinds and kinds <= {bool}:
        return "numeric", values
    if str in kinds and len(kinds) > 1:  # numbers among texts are texts, as in CSV
        values = [value if value is None or isinstance(value, (dict, list)) else str(value) for value in values]
        if not any(isinstance(value, str) and " " in value for value in values):
            return "categorical", values
    return None, values


def _frame_records(X, label):
    """The records of a table, and options that tell what its columns are, so that CSV is read in the same way."""
    names = [str(name) for name in X.columns]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns have the name '{twice}': rename one of them")
    if "features" in names:
        raise ValueError("a column has the name 'features', which is that of an object in JSON lines: rename it")
    columns = [column_values(X.iloc[:, i]) for i in range(len(names))]
    options = {}
    for kind in ("numeric", "categorical"):
        known = listed(name for name, (own, _) in zip(names, columns) if own == kind)
        if known:
            options[kind] = known
    values = [values for _, values in columns]
    return (dict(zip(names, row)) for row in zip(*values)) if names else ({} for _ in range(len(X))), options


def record_bytes(X, label_texts=None, name=None, label=None):
    """JSON lines: bytes, and options that tell the label and the types of columns. `name` is that of the labels; `label` is
    the member of them, if a model has one."""
    options, label = {}, label or (label_name([str(column) for column in X.columns], name) if is_frame(X) else LABEL)
    if is_frame(X):
        records, options = _frame_records(X, label)
    else:
        records = iter(X)
    lines = []
    dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    is_text = False
    for i, record in enumerate(records):
        if isinstance(record, str):
            is_text = True
            record = {"text": record}
            if label_texts is not None:
                record["label"] = label_texts[i]
        elif isinstance(record, dict):
            record = _plain(record)
            if label_texts is not None:
                record[label] = label_texts[i]
        else:
            raise TypeError(f"row {i + 1}: expected a dict or a str, found {type(record).__name__}")
        lines.append(dumps(record))
    if not is_text and label_texts is not None:
        options["label"] = label
    lines.append("")
    return "\n".join(lines).encode("utf-8", "surrogatepass"), options


# ---- labels and weights ----


def _warn_column(count):
    try:
        from sklearn.exceptions import DataConversionWarning as category
    except ImportError:
        category = UserWarning
    warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                  "(n_samples, ), for example using ravel().", category, stacklevel=count)


def as_labels(y):
    """y as an array of one dimension, which can be labels of classes."""
    if is_sparse(y):
        raise ValueError("Unknown label type: a sparse matrix; y has one label per row")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        _warn_column(5)
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead. Unknown label type: "
                         "several labels per row")
    if y.dtype.kind == "c":
        raise ValueError("Complex data not supported: y")
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity.")
        if (y != np.trunc(y)).any():
            raise ValueError("Unknown label type: 'continuous'. Maybe you are trying to fit a classifier, which expects "
                             "discrete classes, on a regression target with continuous values.")
    if y.dtype.kind == "O" and any(v is None or (isinstance(v, float) and v != v) for v in y):
        raise ValueError("Input y contains NaN: a label is missing.")
    return y


def encode_labels(y):
    """(classes, codes): classes as numpy.unique gives them, codes of uint32."""
    if y.dtype.kind in "iu" and y.size:
        least, most = int(y.min()), int(y.max())
        if most - least < 1 << 16:  # faster than sorting
            shifted = (y - y.dtype.type(least)).astype(np.int64, copy=False)
            present = np.flatnonzero(np.bincount(shifted, minlength=most - least + 1))
            number = np.zeros(most - least + 1, dtype=np.uint32)
            number[present] = np.arange(len(present), dtype=np.uint32)
            return present.astype(y.dtype) + y.dtype.type(least), number[shifted]
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"Unknown label type: the labels cannot be sorted ({error})") from error
    return classes, codes.astype(np.uint32, copy=False)


def label_text(label):
    """The label in a model: that of a LIBSVM file for a number."""
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    if isinstance(label, (int, np.integer)):
        return str(int(label))
    if isinstance(label, (float, np.floating)):
        return str(int(label)) if label == int(label) else repr(float(label))
    if isinstance(label, bytes):
        return label.decode("utf-8", "surrogateescape")
    return str(label)


def label_texts(classes):
    """The labels in a model, each of which is one class: "+1" and "1.0" are the same as "1"."""
    texts, known = [label_text(label) for label in classes], {}
    for text in texts:
        compared = re.sub(r"^\+?(-?[0-9]+)(\.0*)?$", r"\1", text)
        if known.setdefault(compared, text) != text:
            raise ValueError(f"the labels '{known[compared]}' and '{text}' are the same number, which is one class: rename one "
                             "of them")
    return texts


def as_weights(sample_weight, rows):
    """Weights as an array of float32, or None."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, (int, float, np.number)):
        return np.full(rows, sample_weight, dtype=np.float32)
    weights = np.asarray(sample_weight)
    if weights.ndim != 1:
        raise ValueError("Sample weights must be 1D array or scalar")
    if weights.shape[0] != rows:
        raise ValueError(f"sample_weight.shape == {weights.shape}, expected {(rows,)}!")
    return np.ascontiguousarray(weights, dtype=np.float32)
