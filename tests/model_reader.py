#!/usr/bin/env python3
"""A second reader of model files, written from docs/model-format.md alone.

    model_reader.py MODEL

Prints what `tlu inspect --weights` prints: class TAB feature TAB weight for every weight that is not
zero, with 17 digits, the bias as "(bias)"; for two classes those of the positive class alone.
"""
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

    def text(self):
        return self.take(self.count())

    def numbers(self, n):
        codes = self.take((n + 3) // 4)
        forms = [None, "h", "f", "d"]
        result = []
        for i in range(n):
            form = forms[codes[i // 4] >> 2 * (i % 4) & 3]
            result.append(float(self.unpack(form)) if form else 0.0)
        return result

    def done(self):
        if self.at != len(self.data):
            raise ValueError("bytes are left over")


def sections(data):
    if data[:8] != b"\x89TLU\r\n\x1a\n":
        raise ValueError("not a tlu model")
    form, size = struct.unpack_from("<IQ", data, 8)
    if form != 1 or size != len(data):
        raise ValueError("another format or another size")
    if struct.unpack_from("<I", data, size - 4)[0] != zlib.crc32(data[:size - 4]):
        raise ValueError("the checksum does not match")
    found = {}
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
    section.unpack("B")
    names = []
    index = -1
    for _ in range(section.count()):
        index += 1 + section.count()
        names.append(b"%d" % index)
    names += [section.text() for _ in range(section.count())]
    section.done()
    return names


def read_classes(section):
    count = section.count()
    positive = section.unpack("B") if count == 2 else None
    labels = []
    for _ in range(count):
        section.text()  # the form that is compared
        labels.append(section.text())
        section.count()  # rows
    section.done()
    return labels, positive


def read_weights(section, features, columns, average):
    if section.unpack("B") != average:
        raise ValueError("sums for the average: there or not?")
    steps = section.unpack("d")
    bias = section.numbers(columns)
    w = section.numbers(features * columns)
    if average:
        bias = [a - b / steps for a, b in zip(bias, section.numbers(columns))]
        w = [a - b / steps for a, b in zip(w, section.numbers(features * columns))]
    section.done()
    return w, bias


def fold_scaling(section, w, bias, columns):
    section.unpack("B")
    features = len(w) // columns
    factor = section.numbers(features)
    shift = section.numbers(features)
    section.done()
    for f in range(features):
        for k in range(columns):
            w[f * columns + k] *= factor[f]
            bias[k] -= w[f * columns + k] * shift[f]


def main(path, out):
    with open(path, "rb") as file:
        found = sections(file.read())
    options = read_options(found["OPTS"])
    names = read_features(found["FEAT"])
    labels, positive = read_classes(found["CLAS"])
    columns = 1 if positive is not None else len(labels)
    average = options.get("decide", "average") == "average"
    w, bias = read_weights(found["WGHT"], len(names), columns, average)
    if "SCAL" in found:
        fold_scaling(found["SCAL"], w, bias, columns)
    for k in range(columns):
        label = labels[positive if columns == 1 else k]
        rows = [(b"(bias)", bias[k])]
        rows += [(name, w[f * columns + k]) for f, name in enumerate(names)]
        for name, weight in rows:
            if weight != 0:
                out.write(b"%s\t%s\t%s\n" % (label, name, b"%.17g" % weight))


if __name__ == "__main__":
    main(sys.argv[1], sys.stdout.buffer)
