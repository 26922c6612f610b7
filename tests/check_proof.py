"""check_proof.py PROOF DATA: checks a proof of tlu separable in Python's fractions, written from
docs/proof-format.md alone: a second opinion beside tlu check. Prints the claim, or what is wrong."""

import csv
import sys
from fractions import Fraction

from proofs import checksum

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)  # numbers have as many digits as they need
MISSING = {"", "?", "NA", "N/A", "nan", "NaN", "null", "NULL"}


def read_proof(path):
    """Its lines, each a word and the rest."""
    text = open(path, newline="\n").read()
    body, end = text[:text.rindex("end ")], text[text.rindex("end "):]
    assert end == f"end {checksum(body)}\n", "the checksum"
    lines = [line for line in body.split("\n")[:-1] if not line.startswith("#")]
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
            if kind == "l":
                label = field
            elif kind == "i":
                continue
            elif field in MISSING:
                assert missing != "r"
                if missing == "i":
                    x[f"{place}=(missing)"] = Fraction(1)
            elif kind == "c":
                x[f"{place}={field}"] = Fraction(1)
            elif Fraction(field):
                x[str(place)] = Fraction(field)
        yield line, label, x


def check(proof, data):
    """The word of the claim, if it holds."""
    lines = read_proof(proof)
    said = {word: rest.split(" ") for word, rest in lines}
    digits, bias, count, classes = map(int, said["question"])
    if said["data"] == ["libsvm"]:
        rows = libsvm_rows(data)
    else:
        _, delimiter, header, missing, kinds = said["data"]
        rows = csv_rows(data, chr(int(delimiter)), header == "1", kinds, missing)
    group = {}
    for word, rest in lines:
        if word == "label":
            number, label = rest.split(" ", 1)
            assert label not in group, "a label twice"
            group[label] = int(number)
    examples = {}
    for line, label, x in rows:
        if group[label]:
            examples[line] = (group[label], {**x, None: Fraction(1)} if bias else x)
            assert all((value * 10**digits).denominator == 1 for value in x.values()), "digits"
    assert len(examples) == count, "the number of rows"
    met = {own for own, _ in examples.values()}
    assert met == set(range(1, classes + 1)) or (classes == 2 and len(met) == 1), "a class without rows"

    weights, cases = {}, []
    for word, rest in lines:
        if word in ("weight", "offset"):
            amount, block, *name = rest.split(" ", 2)
            place = (int(block), name[0] if word == "weight" else None)
            assert int(amount) != 0 and place not in weights and (classes > 2 or place[0] == 1), "a weight"
            weights[place] = int(amount)
        elif word == "row":
            cases.append(tuple(map(int, rest.split(" "))))

    def score(block, x):
        return sum(weights.get((block, name), 0) * value for name, value in x.items())

    def right(example):
        own, x = example
        return all(score(own, x) > score(other, x) for other in range(1, classes + 1) if other != own)

    sums, of_line, last = {}, {}, (0, 0)
    for amount, line, own, rival, part in cases:
        assert amount > 0 and own != rival and examples[line][0] == own and 1 <= rival <= classes, "a row"
        assert (line, rival) > last and of_line.setdefault(line, part) == part, "the order of rows"
        last = (line, rival)
        for name, value in examples[line][1].items():
            for block, sign in ((own, 1), (rival, -1)):
                place = (part, block, name)
                sums[place] = sums.get(place, 0) + sign * amount * value

    claim = said["claim"][0]
    if claim in ("separable", "below") and "high" in said:
        assert not sums.get((1, 1, None), 0), "the sums of the hulls"
        square = sum(v * v for (_, block, name), v in sums.items() if block == 1 and name is not None)
        whole = sum(amount for amount, *_ in cases)
        assert Fraction(said["high"][0]) == square / Fraction(whole) ** 2, "the margin from above"
    if claim == "separable":
        assert all(map(right, examples.values())), "a row is on the wrong side"
        if "low" in said:
            least = min(abs(score(1, x)) for _, x in examples.values())
            length = sum(v * v for (_, name), v in weights.items() if name is not None)
            assert Fraction(said["low"][0]) == least * least / length, "the margin from below"
    elif claim == "not-separable":
        assert cases and not any(sums.values()), "a sum is not 0"
    elif claim == "mistakes":
        assert not any(sums.values()), "a sum is not 0"
        assert set(of_line.values()) == set(range(1, int(said["claim"][1]) + 1)), "the number of sets"
        assert sum(not right(example) for example in examples.values()) == int(said["claim"][2]), "mistakes"
    else:
        assert claim == "below" and cases and "high" in said and classes == 2, "the claim"
    return claim


if __name__ == "__main__":
    try:
        print(check(sys.argv[1], sys.argv[2]))
    except AssertionError as error:
        print("rejected:", error)
        sys.exit(1)
