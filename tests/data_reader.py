"""A second reader of binary data files, written from docs/data-format.md.

    data_reader.py FILE         prints each row as LABEL NAME:VALUE NAME:VALUE ..., sets as A,B
    data_reader.py FILE about   prints the columns, the settings, the lines and weights of the rows

Values are printed with nine digits, which tell any two floats apart; a row without a label has "-".
"""
import struct
import sys
import zlib

DIRECT = 1 << 20
NO_LABEL = 0xFFFFFFFF


def padded(size):
    return (size + 63) // 64 * 64


def check(condition, what):
    if not condition:
        sys.exit("data_reader.py: " + what)


class Texts:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        (n,) = struct.unpack_from("=I", self.data, self.at)
        self.at += 4
        return n

    def text(self):
        size = self.number()
        self.at += size
        check(self.at <= len(self.data), "a text is too long")
        return self.data[self.at - size:self.at]

    def done(self):
        rest = self.data[self.at:]
        check(len(rest) < 64 and not any(rest), "what is behind the texts is no padding")


class File:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        check(data[:8] == b"\x89TLUD\r\n\x1a", "no binary data")
        version, order, size, flags, delimiter, columns, settings = \
            struct.unpack_from("=IIQIIII", data, 8)
        check(version == (2 if flags & 4 else 1) and order == 0x01020304, "another version or order of bytes")
        (crc,) = struct.unpack_from("=I", data, 60)
        check(zlib.crc32(data[:60] + data[64:size]) == crc, "the header's checksum")
        (self.format,) = struct.unpack_from("=I", data, 40)
        check(not any(data[44:60]), "unused bytes are not 0")
        check(self.format in (0, 2, 3, 4, 5) and not (self.format and flags & 3), "the format")
        self.csv, self.named, self.delimiter = bool(flags & 1), bool(flags & 2), chr(delimiter)
        self.sets = bool(flags & 4)
        texts = Texts(data[64:size])
        self.columns = [(texts.number(), texts.text()) for _ in range(columns)]
        self.settings = [(texts.text(), texts.text()) for _ in range(settings)]
        texts.done()
        check(not columns or self.csv or self.format == 4, "columns of another format")
        check(not columns or sum(kind == 2 for kind, _ in self.columns) == 1, "the label")
        self.names = [name for kind, name in self.columns if kind in (0, 5)]
        self.labels = []
        self.rows, self.lines, self.weights = [], [], []
        self.read_blocks(data, size)

    def read_blocks(self, data, at):
        blocks = nonzeros = 0
        while True:
            check(at % 64 == 0, "a block does not start at a multiple of 64")
            kind, crc, size, head, arrays_crc, flags, rows, entries, labels, names, first_line, \
                lines, skipped, queries, lowest, highest, more, cells = \
                struct.unpack_from("=IIQQIIQQIIQQQQIIQQ", data, at)
            check(zlib.crc32(data[at + 8:at + head]) == crc, "a head's checksum")
            if kind == 2:
                check((size, head, at + size) == (128, 128, len(data)), "the end")
                check((lines, rows, entries, labels, names) ==
                      (blocks, len(self.rows), nonzeros, len(self.labels), len(self.names)),
                      "the totals")
                return
            check(kind == 1, "a block is none")
            check(zlib.crc32(data[at + head:at + size]) == arrays_crc, "a block's checksum")
            texts = Texts(data[at + 128:at + head])
            self.labels += [texts.text() for _ in range(labels)]
            self.names += [texts.text() for _ in range(names)]
            texts.done()
            check(self.sets or cells == 0, "sets without need")
            end = self.read_rows(data, at + head, rows, entries, flags, lowest, highest,
                                 first_line, cells)
            check(end == at + size, "a block's size")
            at, blocks, nonzeros = at + size, blocks + 1, nonzeros + entries

    def label(self, number, sets):
        if number == NO_LABEL:
            return b"-"
        if not self.sets:
            return self.labels[number]
        own = sets[number + 1:number + 1 + sets[number]]
        check(list(own) == sorted(set(own)), "a set that does not ascend")
        return b",".join(self.labels[k] for k in own)

    def read_rows(self, data, at, rows, entries, flags, lowest, highest, first_line, cells):
        def array(kind, count):
            nonlocal at
            numbers = struct.unpack_from("=%d%s" % (count, kind), data, at)
            at += padded(4 * count)
            return numbers

        offsets = array("I", rows + 1)
        indices = array("I", entries)
        values = [1.0] * entries if flags & 1 else array("f", entries)
        labels = array("I", rows)
        lines = array("I", rows)
        self.weights += array("f", rows) if flags & 2 else [1.0] * rows
        sets = array("I", cells)
        for i in range(rows):
            row = range(offsets[i], offsets[i + 1])
            label = self.label(labels[i], sets)
            for k in row:
                check(self.csv or self.format or indices[k] >= DIRECT or lowest <= indices[k] <= highest,
                      "an index out of its range")
            self.rows.append((label, [(self.name(indices[k]), values[k]) for k in row]))
            self.lines.append(first_line + lines[i])
        return at

    def name(self, feature):
        if self.csv or self.format:
            return self.names[feature]
        return b"%d" % feature if feature < DIRECT else self.names[feature - DIRECT]


def main(path, about):
    file, out = File(path), sys.stdout.buffer
    if about:
        for kind, name in file.columns:
            out.write(b"column %d %s\n" % (kind, name))
        for name, value in file.settings:
            out.write(b"setting %s %s\n" % (name, value))
        out.write(b"lines %s\n" % b" ".join(b"%d" % line for line in file.lines))
        if any(weight != 1 for weight in file.weights):
            out.write(b"weights %s\n" % b" ".join(b"%.9g" % weight for weight in file.weights))
        return
    for label, entries in file.rows:
        out.write(b" ".join([label] + [b"%s:%.9g" % entry for entry in entries]) + b"\n")


if __name__ == "__main__":
    main(sys.argv[1], len(sys.argv) > 2)
