# The hash of feature names as docs/formats.md describes it, in plain Python, and random data of
# several formats with the rows that --hash should make of it.
#
#   hash_reference.py vectors DOC              checks the table of test vectors in the document
#   hash_reference.py make FORMAT SEED BITS    writes data, and to "expected" and "counts" what the
#                                              rows and the slots should be
import json
import random
import re
import sys

MASK = 2**64 - 1


def fnv1a(data):
    h = 0xCBF29CE484222325
    for byte in data:
        h = ((h ^ byte) * 0x100000001B3) & MASK
    return h


def feature_hash(data):
    h = fnv1a(data)
    h = ((h ^ (h >> 33)) * 0xFF51AFD7ED558CCD) & MASK
    h = ((h ^ (h >> 33)) * 0xC4CEB9FE1A85EC53) & MASK
    return h ^ (h >> 33)


# As its authors publish them.
assert fnv1a(b"") == 0xCBF29CE484222325
assert fnv1a(b"a") == 0xAF63DC4C8601EC8C
assert fnv1a(b"foobar") == 0x85944171F73967E8


def check_vectors(path):
    found = re.findall(r"^\| `(.*)` \| `0x([0-9a-f]{16})` \| (\d+) \|$", open(path).read(), re.M)
    for name, value, slot in found:
        h = feature_hash(name.encode())
        if h != int(value, 16) or h % 2**18 != int(slot):
            sys.exit("%s: %r is %016x, slot %d of 2^18" % (path, name, h, h % 2**18))
    if len(found) < 5:
        sys.exit("%s: only %d test vectors" % (path, len(found)))


def some_value(r):
    return r.choice([1, 1, 1, 2, -1, -2, 3, 0.25, -0.5])


def text_of(value):
    return repr(value) if value != int(value) else "%d" % value


# Each gives the lines, the rows as (label, [(name, value)]) and names that are there without a row.
def make_libsvm(r):
    lines, rows = [], []
    for i in range(400):
        indices = sorted(r.sample(range(0, 3000), r.randrange(0, 30)))
        if r.random() < 0.3:
            indices.append(r.randrange(2**20, 2**40))
        row = [(str(i), some_value(r)) for i in indices]
        label = r.choice(["a", "b", "c"])
        lines.append(" ".join([label] + ["%s:%s" % (n, text_of(v)) for n, v in row]))
        rows.append((label, row))
    return lines, rows, []


def make_csv(r):
    numeric = ["x%d" % i for i in range(40)]
    lines, rows = [",".join(numeric + ["colour", "shape", "class"])], []
    for i in range(400):
        values = [r.choice([0, some_value(r)]) for _ in numeric]
        colour, shape = "c%d" % r.randrange(300), "s%d" % r.randrange(300)
        label = r.choice(["p", "q"])
        lines.append(",".join([text_of(v) for v in values] + [colour, shape, label]))
        row = [(n, v) for n, v in zip(numeric, values) if v]
        rows.append((label, row + [("colour=" + colour, 1), ("shape=" + shape, 1)]))
    return lines, rows, numeric


def named_row(r, words):
    row = {}
    for _ in range(r.randrange(1, 30)):
        row[r.choice(words)] = some_value(r)
    return row


def make_vw(r):
    words = ["w%d" % i for i in range(3000)]
    lines, rows = [], []
    for i in range(400):
        row, label = named_row(r, words), r.choice(["yes", "no"])
        lines.append("%s |n %s" % (label, " ".join("%s:%s" % (n, text_of(v)) for n, v in row.items())))
        rows.append((label, [("n^" + n, v) for n, v in row.items()]))
    return lines, rows, []


def make_jsonl(r):
    words = ["n\u00e4me %d" % i for i in range(3000)]
    lines, rows = [], []
    for i in range(400):
        row, label = named_row(r, words), r.choice(["yes", "no"])
        lines.append(json.dumps({"label": label, "features": row}, ensure_ascii=i % 2 == 0))
        rows.append((label, list(row.items())))
    return lines, rows, []


def make_fasttext(r):
    lines, rows = [], []
    for i in range(400):
        words = ["w%d" % r.randrange(2000) for _ in range(r.randrange(1, 40))]
        label = r.choice(["yes", "no"])
        lines.append(" ".join(["__label__" + label] + words))
        rows.append((label, [(w, 1) for w in words]))
    return lines, rows, []


def make(form, seed, bits):
    r = random.Random(seed)
    lines, rows, names = globals()["make_" + form](r)
    sys.stdout.buffer.write(("\n".join(lines) + "\n").encode())
    slots = {}

    def slot_of(name):
        slot = feature_hash(name.encode()) % 2**bits
        slots.setdefault(slot, set()).add(name)
        return slot

    for name in names:
        slot_of(name)
    with open("expected", "w") as out:
        for label, row in rows:
            sums = {}
            for name, value in row:
                slot = slot_of(name)
                sums[slot] = sums.get(slot, 0) + value
            entries = ["%d:%s" % (s + 1, text_of(v)) for s, v in sorted(sums.items()) if v]
            out.write(" ".join([label] + entries) + "\n")
    with open("counts", "w") as out:
        shared = sum(len(n) > 1 for n in slots.values())
        out.write("%d of 2^%d slots used, %d of them by several names\n" % (len(slots), bits, shared))


if sys.argv[1] == "vectors":
    check_vectors(sys.argv[2])
else:
    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
