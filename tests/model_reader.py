#!/usr/bin/env python3
"""A second reader of model files, written from docs/model-format.md alone.

    model_reader.py MODEL
    model_reader.py MODEL DATA

Prints what `tlu inspect --weights` prints: class TAB feature TAB weight for every weight that is not
zero, with 17 digits, the bias as "(bias)"; for two classes those of the positive class alone. A model
with a kernel or a vote has no weights of its own: there it prints the rows that are kept, class TAB
line TAB alpha, as in `tlu inspect --examples N --json`, but in the order of the file.

With DATA, in LIBSVM format, prints what `tlu predict --scores` prints: one line per row, its label and
scores separated by tabs. Not for --decide random, where the file says what to choose from, but not
how.
"""
import math
import struct
import sys
import zlib


class Bytes:
    """A section's content, taken from the front."""

    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, size):
        if self.at + size > len(self.data):
            raise ValueError("the section ends too early")
        self.at += size
        return self.data[self.at - size:self.at]

    def unpack(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def count(self):
        value = shift = 0
        while True:
            byte = self.unpack("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def moved(self, start):
        step = self.count()
        return start - (step + 1) // 2 if step % 2 else start + step // 2

    def text(self):
        return self.take(self.count())

    def number(self, code):
        return float(self.unpack("hfd"[code - 1])) if code else 0.0

    def numbers(self, n):
        codes = self.take((n + 3) // 4)
        return [self.number(codes[i // 4] >> 2 * (i % 4) & 3) for i in range(n)]

    def done(self):
        if self.at != len(self.data):
            raise ValueError("bytes are left over")


def sections(data):
    if data[:8] != b"\x89TLU\r\n\x1a\n":
        raise ValueError("not a tlu model")
    form, size = struct.unpack_from("<IQ", data, 8)
    if form not in (1, 2) or size != len(data):
        raise ValueError("another format or another size")
    if struct.unpack_from("<I", data, size - 4)[0] != zlib.crc32(data[:size - 4]):
        raise ValueError("the checksum does not match")
    found = {"format": form}
    at = 20
    while at < size - 4:
        tag, length = struct.unpack_from("<4sQ", data, at)
        found[tag.decode("ascii")] = Bytes(data[at + 12:at + 12 + length])
        at += 12 + length
    return found


def read_options(section):
    options = {}
    for _ in range(section.count()):
        name, value, _set = section.text(), section.text(), section.unpack("B")
        options[name.decode()] = value.decode()
    section.done()
    return options


def read_features(section):
    form = b"#%d" if section.unpack("B") >= 128 else b"%d"
    names = []
    index = -1
    for _ in range(section.count()):
        index += 1 + section.count()
        names.append(form % index)
    names += [section.text() for _ in range(section.count())]
    section.done()
    return names


def read_columns(section, names, json, hashed):
    """{name: kind} of the columns of CSV or of JSON records."""
    delimiter, header = section.unpack("B"), section.unpack("B")
    if json != (delimiter == 0) or (json and header):
        raise ValueError("a delimiter or a header is not that of the format")
    columns = {}
    for _ in range(section.count()):
        name, kind = section.text(), section.unpack("B")
        feature = section.count() if kind in (0, 5) else None
        if kind > (6 if json else 4) or name in columns:
            raise ValueError("a column is malformed or there twice")
        if feature is not None and not hashed and names[feature] != name:
            raise ValueError("column %r has the feature %r" % (name, names[feature]))
        columns[name] = kind
    if list(columns.values()).count(2) != 1 and not (json and columns == {b"text": 4}):
        raise ValueError("one column is the label")
    section.done()
    return columns


def read_fills(section, columns):
    """{name: (value, text)} of what replaces missing values."""
    names, fills = list(columns), {}
    for _ in range(section.count()):
        name = names[section.count()]
        value, total, count, text = section.unpack("d"), section.unpack("d"), section.count(), section.text()
        if name in fills or columns[name] not in (0, 1, 5, 6) or not math.isfinite(total) or count < 0:
            raise ValueError("the value for missing ones of %r is malformed" % name)
        fills[name] = value, text
    section.done()
    return fills


def read_words(section, options, scaling, features):
    """The scaling, with the factors of words that follow from their counts."""
    factor, shift = scaling or ([1.0] * features, [0.0] * features)
    rows = section.count()
    for f in range(features):
        count = section.count()
        if count > rows:
            raise ValueError("a word is in %d of %d rows" % (count, rows))
        if count:
            tfidf = options.get("tfidf") == "yes"
            factor[f] = math.log((1 + rows) / (1 + count)) + 1 if tfidf else 1.0
            if count < int(options.get("min-count", 1)):
                factor[f] = 0.0
    section.done()
    return [factor, shift]


def read_classes(section, multilabel):
    count = section.count()
    positive = section.unpack("B") if count == 2 and not multilabel else None
    labels = []
    for _ in range(count):
        section.text()  # the form that is compared
        labels.append(section.text())
        section.count()  # rows
    section.done()
    return labels, positive


def columns_of(scheme, classes):
    if scheme == "two":
        return 1
    return classes * (classes - 1) // 2 if scheme == "ovo" else classes


def read_supports(section):
    """Lists of lines, classes, alphas and rows, a row being a dictionary of values by feature."""
    count = section.count()
    kind = section.unpack("B")
    nonzeros = section.count() if kind else 0
    lines = []
    for _ in range(count):
        lines.append(section.moved(lines[-1] if lines else 0))
    classes = [section.count() for _ in range(count)]
    alphas = section.numbers(count)
    features = []
    for entries in [section.count() for _ in range(count)] if kind else []:
        row = []
        for _ in range(entries):
            row.append(section.moved(row[-1] if row else 0))
        features.append(row)
    values = iter(section.numbers(nonzeros) if kind == 2 else [1.0] * nonzeros)
    section.done()
    return lines, classes, alphas, [{f: next(values) for f in row} for row in features]


class Weights:
    """w, bias and, for the average, (steps w - u) / steps in their place. The last ones stay in `last`."""

    def __init__(self, section, rows, columns):
        sums, states = section.unpack("B"), section.unpack("B")
        self.sums = sums
        self.columns = columns
        self.steps = section.unpack("d")
        if states:
            self.start = section.unpack("d")
        self.bias = section.numbers(columns)
        self.w = section.numbers(rows * columns)
        self.last = self.bias, self.w
        if sums:
            steps = self.steps
            self.bias = [(steps * a - b) / steps for a, b in zip(self.bias, section.numbers(columns))]
            self.w = [(steps * a - b) / steps for a, b in zip(self.w, section.numbers(rows * columns))]
        if states:
            section.numbers(columns)
            self.states = section.numbers(rows * columns)
        section.done()

    def adapt(self, section, unsettled):
        """Takes what ADPT says in the place of the average."""
        by = section.unpack("B")
        right = [section.unpack("d") for _ in range(3)]
        count_decay, decay, growth, share = (section.unpack("d") for _ in range(4))
        if by > 2 or min(right) < 0 or not (0.5 <= count_decay < 1 and 0.5 <= decay < 1):
            raise ValueError("ADPT is out of range")
        # Both come of the decay and the steps alone.
        if abs(share - (1 - decay ** self.steps)) > 1e-9:
            raise ValueError("the share is %r" % share)
        exponent = self.steps * math.log2(1 / decay) % 64
        if abs((math.log2(growth) - exponent + 32) % 64 - 32) > 1e-6:
            raise ValueError("the growth is %r" % growth)
        parts = [[w - r / (growth * share) for w, r in zip(last, section.numbers(len(last)))]
                 for last in self.last]
        if unsettled is not None:
            section.numbers(self.columns)
            section.numbers(len(self.w) // self.columns * unsettled)
        section.done()
        if by == 0:
            self.bias, self.w = self.last
        elif by == 2:
            self.bias, self.w = parts

    def fold(self, factor, shift):
        for f in range(len(factor)):
            for k in range(self.columns):
                self.w[f * self.columns + k] *= factor[f]
                self.bias[k] -= self.w[f * self.columns + k] * shift[f]


def read_replay(section, scheme):
    """A list of (time, row, group, factor, amount, [(column, sign)])."""
    steps = []
    time = support = 0
    amount = 0.0
    for _ in range(section.count()):
        head = section.unpack("B")
        signs = [(0, 1, -1)[head >> 2 * p & 3] for p in range(2)]
        time += section.count()
        support = section.moved(support)
        group = section.count() if scheme in ("ovr", "ovo", "multilabel") else 0
        parts = [(section.count() if scheme == "wta" else group, sign) for sign in signs if sign]
        if head >> 5 != 4:
            amount = section.number(head >> 5)
        factor = section.unpack("d") if head >> 4 & 1 else 1.0
        steps.append((time, support, group, factor, amount, parts))
    section.done()
    return steps


def read_gains(section, steps, rows, bias):
    """For each part of each step a dictionary by feature, None being the bias."""
    numbers = iter(section.numbers(section.count()))
    gains = [[{f: next(numbers) for f in list(rows[step[1]]) + [None] * bias} for _ in step[5]]
             for step in steps]
    section.done()
    if next(numbers, None) is not None:
        raise ValueError("there are more gains than steps")
    return gains


def read_report(section):
    for _ in range(6):
        section.count()
    section.unpack("B")
    for _ in range(3):
        section.text()
    section.count()
    passes = section.count()
    for _ in range(passes):
        section.count()
    if section.unpack("B"):
        section.numbers(passes)
    section.count()
    section.numbers(3)
    section.done()


def read_live(section, weights, classes, groups):
    """What only a learner needs; checks that its weights are those of WGHT."""
    parts = section.unpack("B")
    if parts & 1:
        order = [section.count() for _ in range(classes)]
        if sorted(order) != list(range(classes)):
            raise ValueError("the order of the classes leaves one out")
    if parts & 2 and section.count():
        section.count()
    if parts & 4:
        section.numbers(groups)
        for _ in range(groups):
            section.count()
    if parts & 8:
        scale, total, step = (section.numbers(weights.columns) for _ in range(3))
        columns = [k for k in range(weights.columns) if scale[k] != 1 or total[k] != step[k]]
        rows = len(weights.w) // weights.columns
        v = section.numbers(rows * len(columns))
        u = section.numbers(rows * len(columns)) if weights.sums else [0.0] * len(v)
        largest = max(map(abs, weights.w), default=0.0)
        for i in range(rows * len(columns)):
            k = columns[i % len(columns)]
            decided = scale[k] * v[i]
            if weights.sums:
                scales = total[k] + (weights.steps - step[k]) * scale[k]
                decided = (scales * v[i] - u[i]) / weights.steps
            found = weights.w[i // len(columns) * weights.columns + k]
            if abs(found - decided) > 1e-9 * largest:
                raise ValueError("LIVE has %r, WGHT %r" % (decided, found))
    if parts & 16:
        cell = -1
        for _ in range(section.count()):
            cell += 1 + section.count()
            if weights.states[cell] != weights.start:
                raise ValueError("the state of cell %d is not what it starts with" % cell)
    section.done()
    return len(columns) if parts & 8 else None


def read_units(section, factors):
    """Each unit is next to the root of its mean square, unless it is that of a count: 1."""
    about = [section.count() for _ in factors]
    for count, factor in zip(about, factors):
        if count == 0 and factor == 0:
            continue
        square = section.unpack("d")
        if count == 8193 and square == 1:  # a word, whose factor is 1 or follows from DOCS
            continue
        size = square * factor * factor
        if math.frexp(factor)[0] != 0.5 or not (0.353 <= size <= 2.83 or (factor == 1 and count // 2048 == 1)):
            raise ValueError("the unit is %r, the mean square %r" % (1 / factor, square))
    section.done()


def read_calibration(section, classes, scheme):
    """The kind, and for each curve its slope and offset, or its knots."""
    kind = section.unpack("B")
    count = 1 if scheme == "two" or kind == 3 else classes
    if kind == 2:
        sizes = [section.count() for _ in range(count)]
        x, y = section.numbers(sum(sizes)), section.numbers(sum(sizes))
        ends = [sum(sizes[:k]) for k in range(count + 1)]
        curves = [(x[a:b], y[a:b]) for a, b in zip(ends, ends[1:])]
        for x, y in curves:
            if x != sorted(set(x)) or y != sorted(y) or not (0 <= y[0] and y[-1] <= 1):
                raise ValueError("a curve falls")
    else:
        slopes = section.numbers(count)
        curves = list(zip(slopes, section.numbers(count) if kind == 1 else [0.0] * count))
    section.done()
    return kind, curves


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def curve_at(kind, curve, score):
    if kind != 2:
        return sigmoid(curve[0] * score + curve[1])
    x, y = curve
    if score <= x[0] or score >= x[-1]:
        return y[0] if score <= x[0] else y[-1]
    k = max(i for i in range(len(x)) if x[i] <= score)
    return y[k] + (y[k + 1] - y[k]) * (score - x[k]) / (x[k + 1] - x[k])


def read_run_weights(section, columns):
    parts = section.unpack("B")
    section.unpack("d")
    features = section.count()
    for _ in range(features):
        section.count()

    def both():
        section.numbers(columns)
        section.numbers(features * columns)

    both()
    if parts & 1:
        both()
    if parts & 2:
        for _ in range(3):
            section.numbers(columns)
    if parts & 4:
        section.unpack("d")
        both()


def read_run(section):
    """Where a training was interrupted, and which data it was."""
    passes, examples = section.count(), section.count()
    for _ in range(2 + passes):
        section.count()
    for _ in range(section.count()):
        section.count()
        section.take(32)
    section.unpack("B")
    rows, nonzeros, every, names = [section.count() for _ in range(4)]
    checksum, classes = section.unpack("Q"), section.count()
    section.unpack("B")
    for _ in range(3):
        section.count()
    section.take(32)
    columns = section.count()
    read_run_weights(section, columns)
    section.numbers(columns)
    for _ in range(columns):
        section.count()
    if section.unpack("B"):
        read_run_weights(section, columns)
        for _ in range(3 * columns):
            section.count()
    if section.count():
        read_run_weights(section, columns)
    best = 0
    if section.unpack("B"):
        section.numbers(passes)
        best = section.count()
        if best:
            read_run_weights(section, columns)
    section.done()
    return {"best": best, "pass": passes + 1, "examples": examples, "rows": rows, "nonzeros": nonzeros,
            "every": every, "names": names, "classes": classes, "checksum": checksum}


def read_past(section, states):
    """The updates of an interrupted run: how many."""
    section.count()
    updates = section.count()
    for _ in range(updates):
        section.count()
        section.count()
        section.unpack("dd")
        section.count()
        for _ in range(2):
            section.count()
            if section.unpack("B") > 2:
                raise ValueError("a sign that cannot be")
    if states:
        section.numbers(section.count())
    section.done()
    return updates


def read_dual(section):
    """The dual form of an interrupted run: its rows."""
    rows, columns = section.count(), section.count()
    section.numbers(rows * columns)
    changes = sum(section.count() for _ in range(section.count()))
    if section.count() != changes:
        raise ValueError("changes after the last block")
    for _ in range(changes):
        section.count()
        section.count()
        section.unpack("d")
    section.numbers(section.count() * columns)
    section.done()
    return rows


class Net:
    """The layers of NET, or of NETR: for each its weights [inputs][units] and biases [units]."""

    def __init__(self, section, options, inputs, outputs):
        self.activation = options["activation"]
        arrays = 3 if options["optimizer"] == "adam" else 2
        sizes = [inputs] + [int(units) for units in options["hidden"].split(",")] + [outputs]
        self.steps, self.unsure = section.count(), section.count()
        self.layers = []
        for before, units in zip(sizes, sizes[1:]):
            cells = (before + 1) * units
            w, *others = [struct.unpack("<%df" % cells, section.take(4 * cells)) for _ in range(arrays)]
            if arrays == 3 and min(others[1]) < 0:
                raise ValueError("a square is negative")
            self.layers.append(([w[i * units:(i + 1) * units] for i in range(before)], w[before * units:]))

    def scores(self, x):
        act = {"relu": lambda z: max(z, 0.0), "tanh": math.tanh,
               "sigmoid": lambda z: 1 / (1 + math.exp(-z))}[self.activation]
        for n, (w, bias) in enumerate(self.layers):
            z = list(bias)
            for i, value in x.items():
                for j, weight in enumerate(w[i]):
                    z[j] += value * weight
            x = {j: act(value) for j, value in enumerate(z)}
        return z


class Model:
    def __init__(self, path):
        with open(path, "rb") as file:
            found = sections(file.read())
        self.options = read_options(found["OPTS"])
        format_of_data = found["FEAT"].data[0] % 128
        hashed = found["FEAT"].data[0] >= 128
        self.names = read_features(found["FEAT"])
        self.table = {}
        if "COLS" in found:
            self.table = read_columns(found["COLS"], self.names, format_of_data == 4, hashed)
        elif format_of_data == 1:
            raise ValueError("CSV without columns")
        self.fills = read_fills(found["FILL"], self.table) if "FILL" in found else {}
        multilabel = self.options.get("multilabel", "no") == "yes"
        newer = multilabel or any(self.options.get(name, other) != other for name, other in (
            ("tfidf", "no"), ("normalize", "no"), ("min-count", "1"), ("chars", ""), ("stop-words", "")))
        if found["format"] != 1 + newer:
            raise ValueError("the number of the format")
        self.labels, self.positive = read_classes(found["CLAS"], multilabel)
        self.scheme = "multilabel" if multilabel else "two"
        if len(self.labels) > 2 and not multilabel:
            self.scheme = self.options.get("classes", "wta")
        self.decide = self.options.get("decide", "average")
        self.kernel = self.options.get("kernel", "")
        self.lines, self.classes, self.alphas, self.rows = [], [], [], []
        if "SUPP" in found:
            self.lines, self.classes, self.alphas, self.rows = read_supports(found["SUPP"])
        rows = len(self.lines) if self.kernel else len(self.names)
        self.columns = columns_of(self.scheme, len(self.labels))
        self.weights = Weights(found["WGHT"], rows, self.columns)
        self.net = None
        if self.options.get("learner") == "mlp":
            self.net = Net(found["NET "], self.options, len(self.names), self.columns)
            found["NET "].done()
        elif "NET " in found:
            raise ValueError("NET is there without need")
        self.steps = read_replay(found["REPL"], self.scheme) if "REPL" in found else []
        self.bias = self.options.get("no-bias", "no") == "no"
        states = self.options.get("learner") in ("arow", "scw1", "scw2")
        self.gains = None
        if self.steps and states:
            self.gains = read_gains(found["GAIN"], self.steps, self.rows, self.bias)
        elif "GAIN" in found:
            raise ValueError("GAIN is there without need")
        self.scaling = None
        if "SCAL" in found:
            section = found["SCAL"]
            section.unpack("B")
            self.scaling = [section.numbers(len(self.names)) for _ in range(2)]
            section.done()
        if (self.options.get("tfidf") == "yes" or int(self.options.get("min-count", 1)) > 1) != ("DOCS" in found):
            raise ValueError("DOCS is there without need, or is not there")
        if "DOCS" in found:
            self.scaling = read_words(found["DOCS"], self.options, self.scaling, len(self.names))
        self.normalizes = self.options.get("normalize") == "yes"
        read_report(found["REPT"])
        if "ORIG" in found:
            if found["ORIG"].unpack("B") not in (1, 2, 3):
                raise ValueError("how the model was made is not known")
            found["ORIG"].done()
        unsettled = None
        if "LIVE" in found:
            groups = 1 if self.scheme == "wta" else self.columns
            unsettled = read_live(found["LIVE"], self.weights, len(self.labels), groups)
        if self.decide == "adaptive":
            self.weights.adapt(found["ADPT"], unsettled)
        elif "ADPT" in found:
            raise ValueError("ADPT is there without need")
        if "UNIT" in found:
            read_units(found["UNIT"], self.scaling[0])
        self.curves = self.threshold = None
        if "CALB" in found:
            self.curves = read_calibration(found["CALB"], len(self.labels), self.scheme)
        if "THRS" in found:
            kind, classes = found["THRS"].unpack("B"), len(self.labels)
            self.threshold = kind, found["THRS"].numbers(classes) if multilabel else found["THRS"].unpack("d")
            found["THRS"].done()
        self.paused = read_run(found["RUN "]) if "RUN " in found else None
        if self.paused and self.decide in ("vote", "random"):
            self.paused["updates"] = read_past(found["PAST"], states)
        if self.paused and self.kernel:
            self.paused["scored"] = read_dual(found["DUAL"])
        if self.paused and self.net:
            Net(found["NETR"], self.options, len(self.names), self.columns)
            if self.paused["best"]:
                Net(found["NETR"], self.options, len(self.names), self.columns)
            found["NETR"].done()

    def of_class(self, numbers, k):
        """The number of a class from those of the columns: one versus one has pairs."""
        if self.scheme != "ovo":
            return numbers[0 if self.scheme == "two" else k]
        total = 0.0
        for other in range(len(self.labels)):
            if other < k:
                total += numbers[k * (k - 1) // 2 + other]
            elif other > k:
                total -= numbers[other * (other - 1) // 2 + k]
        return total

    def print_weights(self, out):
        if self.scaling:
            self.weights.fold(*self.scaling)
        w, columns = self.weights.w, self.columns
        for k in [self.positive] if self.scheme == "two" else range(len(self.labels)):
            rows = [(b"(bias)", self.of_class(self.weights.bias, k))]
            rows += [(name, self.of_class(w[f * columns:(f + 1) * columns], k))
                     for f, name in enumerate(self.names)]
            for name, weight in rows:
                if weight != 0:
                    out.write(b"%s\t%s\t%.17g\n" % (self.labels[k], name, weight))

    def print_supports(self, out):
        for line, k, alpha in zip(self.lines, self.classes, self.alphas):
            out.write(b"%s\t%d\t%.17g\n" % (self.labels[k] if k < len(self.labels) else b"", line, alpha))

    # ---- scores ----

    def scale(self, x):
        scaled = {} if self.scaling else x
        for f, (factor, shift) in enumerate(zip(*self.scaling) if self.scaling else []):
            value = (x.get(f, 0.0) - shift) * factor
            if value:
                scaled[f] = struct.unpack("<f", struct.pack("<f", value))[0]
        if self.normalizes:
            length = math.sqrt(sum(value * value for value in scaled.values())) or 1.0
            scaled = {f: value / length for f, value in scaled.items()}
        return scaled

    def kernel_value(self, x, z):
        kind, _, numbers = self.kernel.partition(":")
        dot = sum(value * z[f] for f, value in x.items() if f in z)
        if kind == "rbf":
            squares = sum(v * v for v in x.values()) + sum(v * v for v in z.values())
            return math.exp(-float(numbers) * max(squares - 2 * dot, 0.0))
        if kind == "poly":
            degree, _, coef = numbers.partition(",")
            return (dot + float(coef or 1)) ** int(degree)
        return dot

    def vote(self, x):
        values = [self.kernel_value(row, x) for row in self.rows]
        now, votes = [0.0] * self.columns, [0.0] * self.columns
        groups = 1 if self.scheme == "wta" else self.columns
        since = [1] * groups

        def count_votes(group, time):
            lasted = time - since[group]
            since[group] = time
            if self.scheme == "wta":
                votes[now.index(max(now))] += lasted
            else:
                votes[group] += lasted if now[group] >= 0 else -lasted

        for n, (time, row, group, factor, amount, parts) in enumerate(self.steps):
            count_votes(group, time)
            for k in range(self.columns) if self.scheme == "wta" else [group]:
                now[k] *= factor
            for p, (k, sign) in enumerate(parts):
                if self.gains:
                    gains = self.gains[n][p]
                    now[k] += sign * (sum(gains[f] * x[f] for f in self.rows[row] if f in x) + gains.get(None, 0.0))
                else:
                    now[k] += sign * amount * (values[row] + self.bias)
        for group in range(groups):
            count_votes(group, int(self.weights.steps) + 1)
        return [v / self.weights.steps for v in votes]

    def scores(self, x):
        """Of the columns."""
        if self.options.get("binarize", "no") == "yes":
            x = {feature: 1.0 for feature in x}
        x = self.scale(x)
        if self.decide == "vote":
            return self.vote(x)
        if self.net:
            return self.net.scores(x)
        scores = list(self.weights.bias)
        if self.kernel:
            values = [(s, self.kernel_value(row, x)) for s, row in enumerate(self.rows)]
        else:
            values = x.items()
        for row, value in values:
            for k in range(self.columns):
                scores[k] += self.weights.w[row * self.columns + k] * value
        return scores

    def probabilities(self, scores):
        """From the scores as users see them."""
        several = self.scheme != "two"
        if not several:
            kind, curves = self.curves or (1, [(1.0, 0.0)])
            p = curve_at(kind, curves[0], scores[0])
            return [1 - p, p] if self.positive else [p, 1 - p]
        if self.curves and self.curves[0] != 3:
            shares = [curve_at(self.curves[0], *pair) for pair in zip(self.curves[1], scores)]
        elif not self.curves and self.scheme in ("ovr", "multilabel"):
            shares = [sigmoid(score) for score in scores]
        else:
            slope = self.curves[1][0][0] if self.curves else 1.0
            shares = [math.exp(slope * (score - max(scores))) for score in scores]
        if self.scheme == "multilabel":
            return shares
        return [share / sum(shares) if sum(shares) else 1 / len(shares) for share in shares]

    def predict(self, x):
        """The label, or the labels with commas between, and the scores as users see them."""
        scores = self.scores(x)
        if self.scheme == "multilabel":
            kind, limits = self.threshold or (1, [0.0] * len(self.labels))
            values = scores if kind == 1 else self.probabilities(scores)
            return b",".join(l for l, v, at in zip(self.labels, values, limits) if v >= at), scores
        if self.scheme == "two" and self.threshold:
            value = scores[0] if self.threshold[0] == 1 else self.probabilities(scores)[self.positive]
            return self.labels[self.positive if value >= self.threshold[1] else 1 - self.positive], scores
        if self.scheme == "two":
            return self.labels[self.positive if scores[0] >= 0 else 1 - self.positive], scores
        if self.scheme != "ovo":
            return self.labels[scores.index(max(scores))], scores
        votes = [0] * len(self.labels)
        for j in range(len(votes)):
            for i in range(j):
                votes[j if scores[j * (j - 1) // 2 + i] >= 0 else i] += 1
        order = [(-votes[k], -self.of_class(scores, k), k) for k in range(len(votes))]
        return self.labels[min(order)[2]], votes


def read_libsvm(path, names):
    index = {name: f for f, name in enumerate(names)}
    with open(path, "rb") as file:
        for line in file:
            pairs = [field.split(b":") for field in line.split()[not line[:1].isspace():]]
            yield {index[name]: float(value) for name, value in pairs if name in index}


def main(path, data, out, probabilities=False):
    model = Model(path)
    if data:
        for x in read_libsvm(data, model.names):
            label, scores = model.predict(x)
            if probabilities:
                scores = list(scores) + model.probabilities(scores)
            out.write(b"\t".join([label] + [b"%.17g" % score for score in scores]) + b"\n")
    elif model.kernel or model.decide in ("vote", "random"):
        model.print_supports(out)
    else:
        model.print_weights(out)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None, sys.stdout.buffer)
