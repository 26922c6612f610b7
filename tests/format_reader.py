#!/usr/bin/env python3
"""A second reader of Vowpal Wabbit's format, fastText's, JSON lines and labelled text, written from
docs/formats.md, slow and plain; with a perceptron to compare what tlu makes of a file.

    format_reader.py make FORMAT SEED [--multilabel]
                                             a random file
    format_reader.py learn FORMAT FILE [--ngrams N] [--lowercase] [--multilabel]
                                             weights after one pass, as `tlu inspect --weights`
"""
import json
import random
import re
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


def flatten(value, path):
    if isinstance(value, dict):
        return [e for key, v in value.items() for e in flatten(v, path + "^" + key if path else key)]
    if isinstance(value, list):
        found = []
        for i, v in enumerate(value):
            found += flatten(v, path if isinstance(v, str) else
                             path + "^%d" % i if path else "%d" % i)
        return found
    if isinstance(value, str):
        return [((path + "=" + value if path else value).encode(), 1.0)]
    return [(path.encode(), float(value or 0))]


def read_jsonl(line, options):
    row = json.loads(line)
    labels = row["label"] if isinstance(row["label"], list) else [row["label"]]
    labels = [(str(l).lower() if isinstance(l, bool) else str(l)).encode() for l in labels]
    entries = []
    for key in row:  # in the order of the line
        if key == "text":
            entries += words_of((row["text"] or "").encode(), options)
        if key == "features":
            entries += flatten(row["features"], "")
    return labels, float(row.get("weight", 1)), entries


READERS = {"vw": read_vw, "fasttext": read_fasttext, "jsonl": read_jsonl, "text": read_text}


def read(path, form, options):
    rows = []
    for line in open(path, "rb").read().split(b"\n"):
        if line.endswith(b"\r"):
            line = line[:-1]
        if not line.strip(b" \t"):
            continue
        labels, weight, entries = READERS[form](line, options)
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


MAKERS = {"vw": make_vw, "fasttext": make_fasttext, "jsonl": make_jsonl, "text": make_text}


def main(what, form, argument, *rest):
    if what == "make":
        rng = random.Random("%s %s" % (form, argument))
        for _ in range(150):
            sys.stdout.buffer.write(MAKERS[form](rng, "--multilabel" in rest) + rng.choice([b"\n", b"\n", b"\r\n", b"\n\n"]))
    else:
        options = {"ngrams": 1, "lowercase": "--lowercase" in rest, "multilabel": "--multilabel" in rest}
        if "--ngrams" in rest:
            options["ngrams"] = int(rest[rest.index("--ngrams") + 1])
        learn(read(argument, form, options), options)


main(*sys.argv[1:])
