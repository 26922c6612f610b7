"""check_proof.py PROOF DATA: checks a proof of tlu separable in Python's fractions, written from
docs/proof-format.md alone: a second opinion beside tlu check. Prints the claim, or what is wrong."""

import csv
import sys
import zlib
from fractions import Fraction

NAMES = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|"}
MISSING = {"", "?", "NA", "N/A", "nan", "NaN", "null", "NULL"}


def plain(text):
    return text.replace("\\n", "\n").replace("\\r", "\r").replace("\\\\", "\\")


def read_proof(path):
    raw = open(path, "rb").read()
    body, end = raw[:raw.rindex(b"end ")], raw[raw.rindex(b"end "):]
    assert end == b"end %08x\n" % zlib.crc32(body), "the checksum"
    lines = [line for line in body.decode().split("\n")[:-1] if not line.startswith("#")]
    assert lines[0] == "tlu proof 1"
    return [line.partition(" ")[::2] for line in lines[1:]]


def libsvm_rows(path):
    for number, line in enumerate(open(path), 1):
        words = line.split("#")[0].split()
        if words:
            entries = [word.split(":") for word in words[1:] if not word.startswith("qid:")]
            yield number, words[0], {str(int(k)): Fraction(v) for k, v in entries if Fraction(v)}


def csv_rows(path, delimiter, header, columns, missing):
    reader = csv.reader(open(path, newline=""), delimiter=delimiter, skipinitialspace=True)
    start = 1
    for fields in reader:
        line, start = start, reader.line_num + 1
        if header or not any(field.strip() for field in fields):
            header = header and not any(field.strip() for field in fields)
            continue
        x, label = {}, None
        for place, (kind, field) in enumerate(zip(columns, map(str.strip, fields)), 1):
            if kind == "label":
                label = field
            elif kind == "ignored":
                continue
            elif field in MISSING:
                assert missing != "refuse"
                if missing == "indicator":
                    x[f"{place}=(missing)"] = Fraction(1)
            elif kind == "category":
                x[f"{place}={field}"] = Fraction(1)
            elif Fraction(field):
                x[str(place)] = Fraction(field)
        yield line, label, x


def check(proof, data):
    lines = read_proof(proof)
    head = {}
    for word, rest in lines:
        head.setdefault(word, []).append(rest)
    bias = head["bias"] == ["yes"]
    group = {}
    for sign, word in ((1, "positive"), (-1, "negative"), (None, "left-out")):
        for label in head.get(word, []):
            group[plain(label)] = sign
    for rest in head.get("class", []):
        number, label = rest.split(" ", 1)
        group[plain(label)] = int(number)
    several = "class" in head
    classes = sorted({g for g in group.values() if g is not None}) if several else []
    form = head["format"][0].split(" ")
    if form[0] == "libsvm":
        rows = libsvm_rows(data)
    else:
        rows = csv_rows(data, NAMES.get(form[1], form[1]), form[2] == "header",
                        [column.split(" ")[0] for column in head["column"]], head["missing"][0])
    examples = {}
    for line, label, x in rows:
        if group[label] is not None:
            examples[line] = (group[label], {**x, None: Fraction(1)} if bias else x)
    assert len(examples) == int(head["rows"][0]), "the number of rows"
    claim = head["claim"][0]

    weights = {}
    for word, rest in lines:
        if word in ("weight", "offset"):
            parts = rest.split(" ", 2 if several else 1) if word == "weight" else rest.split(" ")
            block = int(parts[1]) if several else 0
            name = plain(parts[-1]) if word == "weight" else None
            assert int(parts[0]) != 0 and (block, name) not in weights
            weights[block, name] = int(parts[0])

    def score(block, x):
        return sum(weights.get((block, name), 0) * value for name, value in x.items())

    def right(example):
        own, x = example
        if not several:
            return own * score(0, x) > 0
        return all(score(own, x) > score(other, x) for other in classes if other != own)

    def vanish(items):
        """Whether these cases add up to nothing."""
        total = {}
        for rest in items:
            parts = [int(part) for part in rest.split(" ")]
            own, x = examples[parts[1]]
            assert parts[0] > 0
            for name, value in x.items():
                if several:
                    assert parts[2] in classes and parts[2] != own
                    total[own, name] = total.get((own, name), 0) + parts[0] * value
                    total[parts[2], name] = total.get((parts[2], name), 0) - parts[0] * value
                else:
                    total[name] = total.get(name, 0) + parts[0] * own * value
        assert items and not any(total.values()), "a sum is not 0"

    if "hull" in head:
        sums, point = {1: 0, -1: 0}, {}
        for rest in head["hull"]:
            amount, line = map(int, rest.split(" "))
            own, x = examples[line]
            assert amount > 0
            sums[own] += amount
            for name, value in x.items():
                point[name] = point.get(name, 0) + amount * own * value
        assert not bias or sums[1] == sums[-1], "the sums of the hulls"
        whole = 2 * sums[1] if bias else sums[1] + sums[-1]
        square = sum(v * v for name, v in point.items() if name is not None)
        assert Fraction(head["margin-high"][0]) == square / Fraction(whole) ** 2, "margin-high"
    if claim == "separable":
        assert all(map(right, examples.values())), "a row is on the wrong side"
        if "margin-low" in head:
            least = min(own * score(0, x) for own, x in examples.values())
            length = sum(v * v for (_, name), v in weights.items() if name is not None)
            assert Fraction(head["margin-low"][0]) == least * least / length, "margin-low"
    elif claim == "not-separable":
        vanish(head["row"])
    elif claim == "mistakes":
        wrong = sum(not right(example) for example in examples.values())
        assert wrong == int(head["at-most"][0]), "at-most"
        sets, seen = [], set()
        for word, rest in lines:
            if word == "set":
                sets.append([])
            elif word == "row":
                sets[-1].append(rest)
        for items in sets:
            vanish(items)
            own = {rest.split(" ")[1] for rest in items}
            assert not own & seen, "a row in two sets"
            seen |= own
        assert len(sets) == int(head["at-least"][0]), "at-least"
    else:
        assert claim == "margin-below" and "hull" in head
    return claim


if __name__ == "__main__":
    try:
        print(check(sys.argv[1], sys.argv[2]))
    except AssertionError as error:
        print("rejected:", error)
        sys.exit(1)
