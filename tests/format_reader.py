#!/usr/bin/env python3
"""A second reader of Vowpal Wabbit's format, fastText's, JSON and labelled text, written from
docs/formats.md, slow and plain; with a perceptron to compare what tlu makes of a file.

    format_reader.py make FORMAT SEED [--multilabel]
                                             a random file
    format_reader.py learn FORMAT FILE [--ngrams N] [--lowercase] [--label NAME] [--text NAMES]
                     [--categorical NAMES] [--numeric NAMES] [--ignore NAMES] [--missing zero]
                     [--multilabel]
                                             weights after one pass, as `tlu inspect --weights`

FORMAT is one of tlu's, or `records`: JSON objects that are rows of a table, as lines, as an array or
one after the other, by the seed.
"""
import json
import random
import re
import struct
import sys
import unicodedata


# ---- words ----

def kind_of(char):
    if ord(char) < 32 or ord(char) == 127:
        return "space"
    category = unicodedata.category(char)
    if category[0] == "Z" or 0x80 <= ord(char) < 0xA0:
        return "space"
    if category[0] == "M" or char in "\u200c\u200d":
        return "mark"
    if category[0] in "LN":
        code = ord(char)
        alone = 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or 0x20000 <= code <= 0x3FFFF
        return "alone" if alone else "word"
    return "symbol"


def lower(char):
    if char == "\u0130":
        return "i"
    small = char.lower()
    return small if len(small) == 1 else char


def words_of(data, options):
    """data: bytes"""
    words, run = [], "space"
    # A stray byte separates, as a blank does.
    text = "".join(" " if 0xDC80 <= ord(c) <= 0xDCFF else c
                   for c in data.decode("utf-8", "surrogateescape"))
    for char in text:
        kind = kind_of(char)
        if kind == "mark":
            kind = "word" if run == "space" else run
            fresh = run == "space"
        else:
            fresh = kind != run or kind == "alone"
        run = kind
        if kind == "space":
            continue
        if options["lowercase"]:
            char = lower(char)
        if fresh:
            words.append(char)
        else:
            words[-1] += char
    grams = []
    for i in range(len(words)):
        for n in range(1, options["ngrams"] + 1):
            if i + 1 >= n:
                grams.append(" ".join(words[i + 1 - n:i + 1]))
    return [(gram.encode(), 1.0) for gram in grams]


# ---- formats: a line of bytes to (labels, weight, [(name, value)]) ----

NUMBER = re.compile(rb"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\Z")


def read_vw(line, options):
    head, *spaces = line.split(b"|")
    fields = [f for f in re.split(rb"[ \t]+", head) if f]
    if fields and (head[-1:] not in b" \t" or fields[-1].startswith(b"'")):
        fields.pop()
    labels = fields[0].split(b",")
    weight = float(fields[1]) if len(fields) > 1 else 1.0
    entries = []
    for space in spaces:
        prefix, scale, nameless = b"", 1.0, 0
        named = space[:1] not in (b"", b" ", b"\t")
        parts = [p for p in re.split(rb"[ \t]+", space) if p]
        if named:
            name, _, value = parts.pop(0).partition(b":")
            scale = float(value) if value else 1.0
            prefix = name + b"^"
        for part in parts:
            name, colon, value = part.partition(b":")
            if not colon:
                entries.append((prefix + name, scale))
            elif NUMBER.match(value):
                if not name:
                    name = b"%d" % nameless
                    nameless += 1
                entries.append((prefix + name, scale * float(value)))
            else:
                entries.append((prefix + name + b"=" + value, 1.0))
    return labels, weight, entries


def read_fasttext(line, options):
    labels = []
    line = line.lstrip(b" \t")
    while line.startswith(b"__label__"):
        found = re.match(rb"__label__([^ \t]*)[ \t]*", line)
        labels.append(found.group(1))
        line = line[found.end():]
    return labels, 1.0, words_of(line, options)


def read_text(line, options):
    labels, _, text = line.partition(b"\t")
    return [label.strip(b" ") for label in labels.split(b",")], 1.0, words_of(text, options)


class Number(str):
    """A JSON number, as it is written."""


def spelled(value):
    return ("%s" % value).lower() if isinstance(value, bool) else str(value)


def labels_of(label):
    return [spelled(one).encode() for one in (label if isinstance(label, list) else [label])]


def read_jsonl(row, options, prefix):
    labels = labels_of(row["label"])
    entries = []
    for key in row:  # in the order of the line
        if key == "text":
            entries += [(prefix + word, count)
                        for word, count in words_of((row["text"] or "").encode(), options)]
        if key == "features":
            entries += flatten(row["features"], "")
    return labels, float(row.get("weight", 1)), entries


# ---- JSON: its objects, and records ----

def objects_of(text):
    """The rows of JSON lines, of an array, or of objects one after the other."""
    decoder = json.JSONDecoder(parse_int=Number, parse_float=Number)
    space = re.compile(r"[ \t\r\n]*")
    at, rows = space.match(text).end(), []
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        rows += value if isinstance(value, list) else [value]
        at = space.match(text, at).end()
    return rows


def flatten(value, path, missing=False):
    if isinstance(value, dict):
        return [e for key, v in value.items()
                for e in flatten(v, path + "^" + key if path else key, missing)]
    if isinstance(value, list):
        found = []
        for i, v in enumerate(value):
            text = isinstance(v, str) and not isinstance(v, Number)
            found += flatten(v, path if text else path + "^%d" % i if path else "%d" % i, missing)
        return found
    if isinstance(value, str) and not isinstance(value, Number):
        return [((path + "=" + value if path else value).encode(), 1.0)]
    if value is None and missing:
        return [((path + "=(missing)").encode(), 1.0)]
    return [(path.encode(), float(value or 0))]


def is_text(values):
    """Most values have blanks inside, and they differ or are long."""
    words = [len(v.split()) for v in values]
    if not values or 2 * sum(n > 1 for n in words) < len(values):
        return False
    long = sum(words) >= 5 * len(values)
    if len(values) < 20:
        return long
    return 2 * len(set(values)) >= len(values) or (len(set(values)) > 20 and long)


def is_identifier(name, values):
    if name.lower() in ("id", "uuid", "guid", "index", "rowid", "row_id", "row_number"):
        return True
    numbers = [float(v) for v in values if isinstance(v, Number)]
    return len(numbers) >= 100 and len(numbers) == len(values) and \
        all(b == a + 1 for a, b in zip(numbers, numbers[1:]))


def kinds_of(rows, options):
    """The members that are not what their JSON type says: {name: kind}; None: not records."""
    sample = rows[:1000]
    names = {name for row in sample for name in row}
    if "features" in names or names <= {"label", "text", "weight"}:
        return None
    kinds = {name: kind for kind in ("text", "categorical", "numeric", "ignore")
             for name in options[kind]}
    kinds[options["label"]] = "label"
    for name in names - set(kinds):
        values = [row[name] if isinstance(row[name], Number) else spelled(row[name]) for row in sample
                  if name in row and not isinstance(row[name], (dict, list, type(None)))]
        if is_identifier(name, values):
            kinds[name] = "ignore"
        elif is_text([v for v in values]):
            kinds[name] = "text"
    return kinds


def read_record(row, kinds, options):
    entries, label, missing = [], None, options["missing"] != "zero"
    for name, value in row.items():
        kind = kinds.get(name)
        plain = not isinstance(value, (dict, list, type(None)))
        if kind == "label":
            label = labels_of(value)
        elif kind == "text" and plain:
            entries += [(name.encode() + b":" + word, count)
                        for word, count in words_of(spelled(value).encode(), options)]
        elif kind == "categorical" and plain:
            entries.append((("%s=%s" % (name, spelled(value))).encode(), 1.0))
        elif kind == "numeric" and isinstance(value, str):
            entries.append((name.encode(), float(value)))
        elif kind != "ignore" and not (kind == "text" and value is None):
            entries += flatten(value, name, missing)
    return label, 1.0, entries


def read_json(path, options):
    rows = objects_of(open(path, "rb").read().decode())
    kinds = kinds_of(rows, options)
    if kinds is None:
        prefix = b"text:" if any("features" in row for row in rows[:1000]) else b""
        return [read_jsonl(row, options, prefix) for row in rows]
    out = [read_record(row, kinds, options) for row in rows]
    for name in {name for row in rows[:1000] for name in row} if options["missing"] == "auto" else ():
        if is_numeric(rows[:1000], name, kinds):
            fill_in(rows, out, name)
    return out


def is_numeric(sample, name, kinds):
    values = [row[name] for row in sample if row.get(name) is not None]
    return kinds.get(name) == "numeric" or \
        (name not in kinds and values and all(isinstance(value, Number) for value in values))


def fill_in(rows, out, name):
    """The mean of the rows that do not say null, as a 32-bit number, beside each marker."""
    single = lambda value: struct.unpack("f", struct.pack("f", value))[0]
    own = [sum(value for feature, value in entries if feature == name.encode())
           for _, _, entries in out]
    known = [value for row, value in zip(rows, own) if name not in row or row[name] is not None]
    mean = single(sum(known) / len(known)) if known else 0.0
    for row, (_, _, entries) in zip(rows, out):
        if name in row and row[name] is None:
            entries.append((name.encode(), mean))


READERS = {"vw": read_vw, "fasttext": read_fasttext, "text": read_text}


def lines_of(path):
    for line in open(path, "rb").read().split(b"\n"):
        if line.endswith(b"\r"):
            line = line[:-1]
        if line.strip(b" \t"):
            yield line


def read(path, form, options):
    rows = []
    for labels, weight, entries in (read_json(path, options) if form in ("jsonl", "records") else
                                    [READERS[form](line, options) for line in lines_of(path)]):
        row = {}
        for name, value in entries:
            row[name] = row.get(name, 0.0) + value
        rows.append((labels, weight, {name: value for name, value in row.items() if value}))
    return rows


# ---- learning ----

def class_of(label):
    """1, +1 and 1.0 are one class."""
    found = re.match(rb"\+?(-?(0|[1-9][0-9]*))(\.0*)?\Z", label)
    return found.group(1) if found else label


def learn_one(rows, target, label):
    """The rows that have the target against the others; prints the weights with the label."""
    weights, bias = {}, 0.0
    for labels, weight, row in rows:
        y = 1 if target in map(class_of, labels) else -1
        if y * (bias + sum(weights.get(name, 0.0) * value for name, value in row.items())) <= 0:
            bias += y * weight
            for name, value in row.items():
                weights[name] = weights.get(name, 0.0) + y * weight * value
    out = sys.stdout.buffer
    for name, value in [(b"(bias)", bias)] + list(weights.items()):
        if value:
            out.write(label + b"\t" + name + b"\t" + repr(value).encode() + b"\n")


def learn(rows, options):
    spelled = {}
    for labels, _, _ in rows:
        for label in labels:
            spelled.setdefault(class_of(label), label)
    # Of -1 and 1, ham and spam, x and y, the last is positive: "-" is before "1" in ASCII too.
    for target in spelled if options["multilabel"] else [max(spelled)]:
        learn_one(rows, target, spelled[target])


# ---- random files: values are multiples of 1/8, so that sums are exact ----

LETTERS = ["a", "b", "c", "Z", "é", "É", "ß", "Σ", "ж", "Ж", "İ", "中", "国", "3", "e\u0301",
           "क्", "ा", "\u200d", "😀", "❤\ufe0f"]
OTHERS = ["!", "...", "£", "_", "'", "-", "\u00a0", "\u3000", " ", "  ", "&", "\u0301", "|", ":"]


def text_of(rng, pieces, count):
    return "".join(rng.choice(pieces) for _ in range(count))


def number_of(rng):
    return rng.choice(["1", "2", "0.5", "-1.25", "+3", "1e1", ".125", "0", "25e-2", "-2."])


def choose_labels(rng, names, multilabel):
    """One of the names, or several that are different ones."""
    return rng.sample(names, rng.choice([1, 1, 2, 3])) if multilabel else [rng.choice(names)]


def make_vw(rng, multilabel):
    names = ["a", "b", "cc", "é", "x=1", "7", "a^b", "'", "#"]
    blank = lambda: rng.choice([" ", "  ", "\t", " \t"])
    labels = ["1", "-1", "7", "ä"] if multilabel else ["1", "-1", "+1", "1.0"]
    line = rng.choice(["", " "]) + ",".join(choose_labels(rng, labels, multilabel))
    if rng.random() < 0.4:
        line += blank() + rng.choice(["1", "2", "0.5", "0", "3.0"])
        if rng.random() < 0.3:
            line += blank() + number_of(rng)
    line += rng.choice([" ", blank() + "'tag ", " tag", " 'x", "\t"])
    for _ in range(rng.randrange(4)):
        line += "|" + rng.choice(["", "", "n", "ns:2", "n:0.5", "é:-1", "m:0"])
        for _ in range(rng.randrange(5)):
            line += blank() + rng.choice(names)
            line += rng.choice(["", "", ":" + number_of(rng), ":" + rng.choice(["x", "nantes", "a:b",
                                                                              "info", "é"])])
            if rng.random() < 0.1:
                line += blank() + ":" + number_of(rng)
        line += rng.choice(["", " "])
    return (line + ("" if "|" in line else "|")).encode()


def make_words(rng):
    line = text_of(rng, LETTERS + OTHERS + [" "] * 8, rng.randrange(25)).encode()
    if rng.random() < 0.2:
        line += rng.choice([b"\xff", b"\xc3", b"\xe2\x82 x", b"\xed\xa0\x80", b"\xf4\x90\x80\x80a"])
    return line


def make_fasttext(rng, multilabel):
    names = ["ham", "spam", "a,b"] if multilabel else ["ham", "spam"]
    labels = " ".join("__label__" + label for label in choose_labels(rng, names, multilabel))
    return (rng.choice(["", " "]) + labels + rng.choice([" ", "\t", "  "])).encode() + make_words(rng)


def make_text(rng, multilabel):
    names = ["ham", " spam", "eggs "] if multilabel else ["ham", "spam", " spam "]
    return ",".join(choose_labels(rng, names, multilabel)).encode() + b"\t" + make_words(rng)


def make_value(rng, depth):
    kind = rng.randrange(9 if depth < 4 else 7)
    if kind < 3:
        return rng.choice([1, 2.5, -0.125, 0, 1e1, 3, -4])
    if kind < 5:
        return text_of(rng, LETTERS + ['"', "\\", "/", "^", "="], 1 + rng.randrange(3))
    if kind < 7:
        return rng.choice([True, False, None])
    if kind == 7:
        return [make_value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {text_of(rng, ["k", "é", "中", "^", "😀"], 1 + rng.randrange(2)): make_value(rng, depth + 1)
            for _ in range(rng.randrange(4))}


def make_jsonl(rng, multilabel):
    labels = choose_labels(rng, ["x", "y", 3, True] if multilabel else ["x", "y", "y"], multilabel)
    if multilabel and rng.random() < 0.2:
        labels = []
    row = [("label", labels[0] if len(labels) == 1 and rng.random() < 0.5 else labels)]
    if rng.random() < 0.6:
        row.append(("text", make_words(rng).decode("utf-8", "ignore")))
    if rng.random() < 0.8:
        row.append(("features", rng.choice([
            {text_of(rng, LETTERS, 1): make_value(rng, 1) for _ in range(3)},
            [make_value(rng, 1) for _ in range(3)]])))
    if rng.random() < 0.3:
        row.append(("weight", rng.choice([0, 0.5, 2, 3])))
    if rng.random() < 0.3:
        row.append(("id", make_value(rng, 0)))
    rng.shuffle(row)
    return json.dumps(dict(row), ensure_ascii=rng.random() < 0.5,
                      separators=rng.choice([None, (",", ":"), (" ,\t", " : ")])).encode()


def make_record(rng, number):
    row = [("kind", rng.choice(["x", "y"])), ("id", rng.choice([number, "é%d" % number])),
           ("size", rng.choice([1, 2.5, -0.125, 0, None, 3e1])),
           ("place", rng.choice(["by the sea", "hill", "", "{[\"}]", None])),
           ("note", " ".join(text_of(rng, LETTERS + OTHERS, 1 + rng.randrange(4))
                             for _ in range(rng.choice([0, 3, 6, 9])))),
           ("count", number + 7), ("ok", rng.choice([True, False, None])),
           ("code", rng.choice([1, 2, "2", 3.0, False])), ("degree", rng.choice(["1.5", "-2", 8]))]
    if rng.random() < 0.3:
        row.append((text_of(rng, ["k", "é", "中", "^", "😀"], 2), make_value(rng, 1)))
    if rng.random() < 0.2:
        row.append(("kinds", [make_value(rng, 2) for _ in range(rng.randrange(3))]))
    rng.shuffle(row)
    return dict(row)


def make_records(rng, seed):
    rows = [make_record(rng, number) for number in range(150)]
    ascii = rng.random() < 0.5
    if int(seed) % 4 == 0:  # JSON lines
        return "\r\n".join(json.dumps(row, ensure_ascii=ascii) for row in rows)
    if int(seed) % 4 == 1:
        return json.dumps(rows, ensure_ascii=ascii)
    if int(seed) % 4 == 2:
        return json.dumps(rows, ensure_ascii=ascii, indent=rng.choice([1, "\t", 0]))
    return "\n".join(json.dumps(row, ensure_ascii=ascii, indent=2) for row in rows)


MAKERS = {"vw": make_vw, "fasttext": make_fasttext, "jsonl": make_jsonl, "text": make_text}


def main(what, form, argument, *rest):
    if what == "make" and form == "records":
        sys.stdout.buffer.write(make_records(random.Random(argument), argument).encode())
    elif what == "make":
        rng = random.Random("%s %s" % (form, argument))
        for _ in range(150):
            sys.stdout.buffer.write(MAKERS[form](rng, "--multilabel" in rest) + rng.choice([b"\n", b"\n", b"\r\n", b"\n\n"]))
    else:
        value = lambda name, other: rest[rest.index(name) + 1] if name in rest else other
        options = {"ngrams": int(value("--ngrams", 1)), "lowercase": "--lowercase" in rest,
                   "label": value("--label", "label"), "missing": value("--missing", "auto"),
                   "multilabel": "--multilabel" in rest}
        for kind in ("text", "categorical", "numeric", "ignore"):
            options[kind] = value("--" + kind, "").split(",")
        learn(read(argument, form, options), options)


main(*sys.argv[1:])
