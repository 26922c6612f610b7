#!/usr/bin/env python3
"""Plain readers of pictures, for tests: PNG and GIF as pixels, SVG as elements, PDF as pages. The standard
library alone. As a command:

    pictures.py size FILE             width and height: of PNG and GIF in pixels, of SVG as it says
    pictures.py pixel FILE X Y [N]    rrggbb at a place of a PNG, or of frame N (from 0) of a GIF
    pictures.py colours FILE [N]      the colours there are and how many pixels of each, the most first
    pictures.py frames FILE.gif       one per line: delay in 1/100 s, left, top, width, height
    pictures.py loop FILE.gif         how often it is played, 0: for ever; "once" if it does not say
    pictures.py text FILE.svg NAME    the text of the elements of this name, one per line: title, desc
    pictures.py count FILE.svg NAME   how many elements of this name there are
    pictures.py pages FILE.pdf        how many pages there are

As a module: Png(path), Gif(path), Svg(path), pdf_pages(path). Anything malformed is an exception.
"""
import collections
import re
import signal
import struct
import sys
import xml.etree.ElementTree
import zlib


def hexadecimal(colour):
    return "%02x%02x%02x" % colour


class Pixels:
    """width, height, and pixel(x, y) -> (red, green, blue), each 0 to 255."""

    def __init__(self, width, height, bytes_per_pixel, data, palette=None):
        self.width, self.height = width, height
        self.step, self.data, self.palette = bytes_per_pixel, data, palette

    def pixel(self, x, y):
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise IndexError(f"({x}, {y}) is outside of {self.width} x {self.height}")
        at = (y * self.width + x) * self.step
        return self._colour(self.data[at:at + self.step])

    def _colour(self, value):
        if self.palette is not None:
            return self.palette[value[0]]
        return (value[0],) * 3 if self.step < 3 else tuple(value[:3])

    def colours(self):
        """A Counter of (red, green, blue)."""
        values = collections.Counter(zip(*[iter(self.data)] * self.step))
        counts = collections.Counter()
        for value, count in values.items():
            counts[self._colour(value)] += count
        return counts


# ---- PNG (ISO/IEC 15948): 8 bits per channel, not interlaced

CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}


def png_chunks(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise ValueError("no PNG")
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + size]
        if zlib.crc32(kind + content) != struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]:
            raise ValueError(f"{kind}: wrong checksum")
        yield kind, content
        at += 12 + size


def paeth(left, up, corner):
    guess = left + up - corner
    a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
    return left if a <= b and a <= c else up if b <= c else corner


def unfilter(kind, line, above, step):
    """The bytes of a line, in place, by the filter of that line."""
    if kind == 1:
        for i in range(step, len(line)):
            line[i] = (line[i] + line[i - step]) & 255
    elif kind == 2:
        line[:] = bytes((a + b) & 255 for a, b in zip(line, above))
    elif kind == 3:
        for i in range(len(line)):
            left = line[i - step] if i >= step else 0
            line[i] = (line[i] + (left + above[i]) // 2) & 255
    elif kind == 4:
        for i in range(len(line)):
            left, corner = (line[i - step], above[i - step]) if i >= step else (0, 0)
            line[i] = (line[i] + paeth(left, above[i], corner)) & 255
    elif kind != 0:
        raise ValueError(f"there is no filter {kind}")


class Png(Pixels):
    """With texts, a dictionary, of what the file says about itself."""

    def __init__(self, path):
        packed, self.texts, ended = b"", {}, False
        for kind, content in png_chunks(open(path, "rb").read()):
            if kind == b"IHDR":
                width, height, depth, colour_type, *rest = struct.unpack(">IIBBBBB", content)
            elif kind == b"IDAT":
                packed += content
            elif kind == b"tEXt":
                name, text = content.split(b"\0", 1)
                self.texts[name.decode("latin-1")] = text.decode("latin-1")
            ended = kind == b"IEND"
        if depth != 8 or colour_type not in CHANNELS or rest != [0, 0, 0] or not ended:
            raise ValueError("no PNG of the kinds that are read here")
        step = CHANNELS[colour_type]
        size = width * step
        raw = zlib.decompress(packed)
        if len(raw) != height * (size + 1):
            raise ValueError("wrong number of pixels")
        above, lines = bytearray(size), []
        for at in range(0, len(raw), size + 1):
            line = bytearray(raw[at + 1:at + 1 + size])
            unfilter(raw[at], line, above, step)
            lines.append(line)
            above = line
        super().__init__(width, height, step, b"".join(lines))


# ---- GIF (version 89a)


def unpack(data, smallest, count):
    """LZW, as in appendix F of the specification."""
    clear, end = 1 << smallest, (1 << smallest) + 1
    made, table, old, bits = bytearray(), [], None, smallest + 1
    held, have, at = 0, 0, 0
    while True:
        while have < bits:
            held |= data[at] << have
            have += 8
            at += 1
        code = held & ((1 << bits) - 1)
        held >>= bits
        have -= bits
        if code == end:
            break
        if code == clear:
            table = [bytes([i]) for i in range(clear)] + [b"", b""]
            old, bits = None, smallest + 1
            continue
        if code < len(table):
            piece = table[code]
        elif code == len(table) and old is not None:
            piece = old + old[:1]
        else:
            raise ValueError(f"there is no code {code} yet")
        made += piece
        if old is not None and len(table) < 4096:
            table.append(old + piece[:1])
            if len(table) == 1 << bits and bits < 12:
                bits += 1
        old = piece
    if len(made) != count:
        raise ValueError(f"{len(made)} pixels instead of {count}")
    return bytes(made)


class Frame(Pixels):
    """What is seen of the whole, with the delay in 1/100 s and the rectangle that the frame brought."""

    def __init__(self, screen, delay, rectangle):
        super().__init__(screen.width, screen.height, 1, bytes(screen.data), screen.palette)
        self.delay = delay
        self.left, self.top, self.drawn_width, self.drawn_height = rectangle


class Gif:
    """width, height, loop (None: played once, 0: for ever), frames, comments."""

    def __init__(self, path):
        self.data, self.at = open(path, "rb").read(), 6
        if self.data[:6] != b"GIF89a":
            raise ValueError("no GIF")
        self.width, self.height, flags = self.take("<HHB")
        self.at += 2
        if not flags & 0x80:
            raise ValueError("no palette")
        colours = self.take("%dB" % (3 * (2 << (flags & 7))))
        self.palette = [tuple(colours[i:i + 3]) for i in range(0, len(colours), 3)]
        self.loop, self.frames, self.comments = None, [], []
        self.delay, self.transparent, self.disposal = 0, None, 1
        self.screen = Pixels(self.width, self.height, 1, bytearray(self.width * self.height), self.palette)
        for kind in iter(lambda: self.take("B")[0], 0x3b):
            if kind == 0x21:
                self.read_extension()
            elif kind == 0x2c:
                self.read_frame()
            else:
                raise ValueError(f"there is no block {kind}")
        if self.at != len(self.data):
            raise ValueError("something follows the end")

    def take(self, form):
        size = struct.calcsize(form)
        self.at += size
        return struct.unpack(form, self.data[self.at - size:self.at])

    def take_blocks(self):
        blocks = []
        for size in iter(lambda: self.take("B")[0], 0):
            blocks.append(self.take(f"{size}s")[0])
        return b"".join(blocks)

    def read_extension(self):
        kind, = self.take("B")
        content = self.take_blocks()
        if kind == 0xf9:
            flags, self.delay, index = struct.unpack("<BHB", content)
            self.transparent = index if flags & 1 else None
            self.disposal = flags >> 2 & 7
        elif kind == 0xfe:
            self.comments.append(content.decode())
        elif kind == 0xff and content.startswith(b"NETSCAPE2.0\1"):
            self.loop, = struct.unpack("<H", content[12:14])

    def read_frame(self):
        left, top, width, height, flags = self.take("<HHHHB")
        if flags & 0xc0 or self.disposal > 1:
            raise ValueError("palettes of frames, interlacing and disposal are not read here")
        if left + width > self.width or top + height > self.height:
            raise ValueError("a frame goes out of the screen")
        smallest, = self.take("B")
        indices = unpack(self.take_blocks(), smallest, width * height)
        seen = re.compile(b"(?s).+") if self.transparent is None else re.compile(
            b"(?s)[^" + re.escape(bytes([self.transparent])) + b"]+")
        for row in range(height):
            begin = (top + row) * self.width + left
            for run in seen.finditer(indices[row * width:(row + 1) * width]):
                self.screen.data[begin + run.start():begin + run.end()] = run.group()
        self.frames.append(Frame(self.screen, self.delay, (left, top, width, height)))


# ---- SVG and PDF


def absolute(data):
    """A path with a blank around each word and places instead of ways: M 1 2 L 3 4 C 5 6 7 8 9 10 Z."""
    words, at, start = [], (0, 0), (0, 0)
    for command, numbers in re.findall(r"([MmLlCcZz])([^MmLlCcZz]*)", data):
        values = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", numbers)]
        if command.islower():
            values = [value + at[i % 2] for i, value in enumerate(values)]
        words += [command.upper(), *("%.6g" % value for value in values)]
        at = start if command in "Zz" else tuple(values[-2:])
        start = at if command in "Mm" else start
    return " ".join(words)


def in_percent(colour):
    if not colour.startswith("#"):
        return colour
    return "rgb(%s)" % ",".join("%.6g%%" % (int(colour[i:i + 2], 16) / 2.55) for i in (1, 3, 5))


class Svg:
    """root, and elements and texts by their names without the namespace. However short the file puts it,
    each path has its places in `d` and in `style` all that it has, also from its groups, as cairo writes it:
    fill:none;stroke-width:2;stroke:rgb(0%,40%,100%);"""

    def __init__(self, path):
        self.root = xml.etree.ElementTree.parse(path).getroot()
        if self.root.tag != "{http://www.w3.org/2000/svg}svg":
            raise ValueError("no SVG")
        self.width = float(self.root.get("width").removesuffix("px").removesuffix("pt"))
        self.height = float(self.root.get("height").removesuffix("px").removesuffix("pt"))
        self.spell_out(self.root, {})

    def spell_out(self, element, known):
        for child in element:
            looks = {name: value for name, value in child.attrib.items() if re.match("fill|stroke", name)}
            looks = {**known, **looks}
            if child.tag.endswith("}path"):
                child.set("d", absolute(child.get("d")))
                child.set("style", "".join(f"{name}:{in_percent(value)};" for name, value in looks.items()))
            self.spell_out(child, looks)

    def elements(self, name):
        return list(self.root.iter("{http://www.w3.org/2000/svg}" + name))

    def texts(self, name):
        return ["".join(element.itertext()) for element in self.elements(name)]


def pdf_pages(path):
    data = open(path, "rb").read()
    if not data.startswith(b"%PDF-") or b"%%EOF" not in data[-32:]:
        raise ValueError("no PDF")
    pieces = [data]
    for stream in re.finditer(rb"stream\r?\n(.*?)endstream", data, re.DOTALL): # objects may be in one
        try:
            pieces.append(zlib.decompressobj().decompress(stream.group(1)))
        except zlib.error:
            pass
    return sum(len(re.findall(rb"/Type\s*/Page\b(?!s)", piece)) for piece in pieces)


# ---- the command


def read_frame(path, number="0"):
    return Png(path) if path.lower().endswith(".png") else Gif(path).frames[int(number)]


def size(path):
    kinds = {"png": Png, "gif": Gif, "svg": Svg}
    picture = kinds[path.lower().rsplit(".")[-1]](path)
    print("%g %g" % (picture.width, picture.height))


def pixel(path, x, y, number="0"):
    print(hexadecimal(read_frame(path, number).pixel(int(x), int(y))))


def colours(path, number="0"):
    for colour, count in read_frame(path, number).colours().most_common():
        print(hexadecimal(colour), count)


def frames(path):
    for frame in Gif(path).frames:
        print(frame.delay, frame.left, frame.top, frame.drawn_width, frame.drawn_height)


def loop(path):
    times = Gif(path).loop
    print("once" if times is None else times)


def text(path, name):
    for line in Svg(path).texts(name):
        print(line)


def count(path, name):
    print(len(Svg(path).elements(name)))


def pages(path):
    print(pdf_pages(path))


if __name__ == "__main__":
    verbs = {verb.__name__: verb for verb in (size, pixel, colours, frames, loop, text, count, pages)}
    if len(sys.argv) < 3 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    verbs[sys.argv[1]](*sys.argv[2:])
