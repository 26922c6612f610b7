# tlu plot --term: each cell of the picture is of the class that tlu predict gives to its place, points
# are where their rows are, lines fit the terminal. Colours and animations are cli/terminal.sh's.
. "$TLU_SOURCE/tests/prelude.sh"
need python3

"$TLU" generate blobs --rows 40 --classes 3 --seed 5 -o blobs.svm
"$TLU" train blobs.svm -o blobs.tlu --quiet
"$TLU" plot blobs.svm blobs.tlu --term --size 100x36 >blobs.txt || complain "blobs: exit code $?"
"$TLU" generate line --rows 25 -o line.svm

refuses "a picture for a terminal cannot be saved as svg" "$TLU" plot line.svm --term -o line.svg
refuses "the size of a picture for a terminal is out of range: expected 20 x 8 to 1000 x 1000 characters" "$TLU" plot line.svm --term --size 19x8
refuses "the size of a picture for a terminal is out of range: expected 20 x 8 to 1000 x 1000 characters" "$TLU" plot line.svm --term --size 80x1001

# What is seen depends on the encoding, what is drawn does not.
"$TLU" plot line.svm --term --size 60x20 >plain.txt
for locale in C POSIX en_US de_DE.UTF-8 de_DE.utf8 ''; do
    keeps_silent_about note: env LC_ALL="$locale" "$TLU" plot line.svm --term --size 60x20
    cmp -s output.txt plain.txt || complain "the picture depends on the locale '$locale'"
done
says 'note: pictures are drawn in UTF-8' env -u LC_ALL -u LC_CTYPE LANG=de_DE.ISO-8859-1 "$TLU" plot line.svm --term
keeps_silent_about note: env LC_ALL=de_DE.ISO-8859-1 "$TLU" plot line.svm --term --quiet

python3 - <<'PYTHON'
import re
import unicodedata

from prelude import *

# ---- regions and points, by the numbers at the axes


class Chart:
    """The area of a chart in text, and where its cells are by the ticks of the axes."""

    def __init__(self, text):
        self.lines = text.split('\n')
        bottom = next(i for i, line in enumerate(self.lines) if '└' in line)
        self.left = self.lines[bottom].index('└') + 1
        axis = self.lines[bottom][self.left:]
        self.width = len(re.match('[─┬]*', axis).group())
        columns = [i for i, letter in enumerate(axis[:self.width]) if letter == '┬']
        numbers = self.lines[bottom + 1].split()
        self.rows = {}
        places = {}
        for i, line in enumerate(self.lines[:bottom]):
            if len(line) >= self.left and line[self.left - 1] in '│┤':
                self.rows[i] = line[self.left:self.left + self.width].ljust(self.width)
            if len(line) >= self.left and line[self.left - 1] == '┤':
                places[i] = self.number(line[:self.left - 1])
        if len(columns) != len(numbers):
            sys.exit(f'{len(columns)} ticks and {len(numbers)} numbers')
        self.x = self.scale(list(zip(columns, map(self.number, numbers))))
        self.y = self.scale(sorted(places.items()))

    @staticmethod
    def number(text):
        return float(text.strip().replace('−', '-').replace(',', ''))

    @staticmethod
    def scale(ticks):
        """Start and step, from the ticks that are furthest apart. They are in the middle of a cell, or half of one away."""
        (first, low), (last, high) = ticks[0], ticks[-1]
        step = (high - low) / (last - first)
        return low - first * step, step

    def place(self, column, row):
        return self.x[0] + column * self.x[1], self.y[0] + row * self.y[1]

    def cell(self, x, y):
        return (x - self.x[0]) / self.x[1], (y - self.y[0]) / self.y[1]


GROUNDS, DOTS = '·░:', '●■▲'
chart = Chart(open('blobs.txt', encoding='utf-8').read())
equal(len(chart.rows) > 20 and chart.width > 50, True, 'the area')
labels = tlu('inspect', 'blobs.tlu', '--json')
classes = [str(entry['label']) if isinstance(entry, dict) else str(entry) for entry in parsed(labels)['classes']]
equal(len(classes), 3, 'classes')

# A tick may be drawn a cell away from where it is: a cell counts if all around it is predicted alike.
AROUND = [(across, down) for across in (-1.5, 0, 1.5) for down in (-1.5, 0, 1.5)]
cells = [(column, row) for row in chart.rows for column in range(chart.width) if chart.rows[row][column] in GROUNDS]
asked = ''.join('1:{:.9g} 2:{:.9g}\n'.format(*chart.place(column + across, row + down))
                for column, row in cells for across, down in AROUND)
open('cells.svm', 'w').write(asked)
answers = tlu('predict', 'blobs.tlu', 'cells.svm', '--format', 'libsvm').split('\n')
sure = [0, 0, 0]
for i, (column, row) in enumerate(cells):
    around = set(answers[i * len(AROUND):(i + 1) * len(AROUND)])
    if len(around) == 1:
        index = classes.index(around.pop())
        sure[index] += 1
        equal(chart.rows[row][column], GROUNDS[index], f'the ground of column {column}, row {row}')
equal(min(sure) > 50, True, f'cells of each class: {sure}')

# Every row has a dot of its class near by, and every dot a row.
rows = []
for line in open('blobs.svm'):
    label, *values = line.split()
    x, y = (float(dict(value.split(':') for value in values).get(name, 0)) for name in '12')
    rows.append((classes.index(label), *chart.cell(x, y)))
dots = [(DOTS.index(letter), column, row) for row, text in chart.rows.items() for column, letter in enumerate(text)
        if letter in DOTS]


def is_near(one, other):
    return one[0] == other[0] and abs(one[1] - other[1]) <= 1.6 and abs(one[2] - other[2]) <= 1.6


equal([dot for dot in dots if not any(is_near(dot, row) for row in rows)], [], 'dots without rows')
hidden = [row for row in rows if not any(is_near(dot, row) for dot in dots)]
crowded = [row for row in hidden if any(row[0] != dot[0] and is_near((row[0], *dot[1:]), row) for dot in dots)]
equal(hidden, crowded, 'rows without dots')
equal({dot[0] for dot in dots}, {0, 1, 2}, 'shapes')

# ---- lines


def cells_of(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in line)


names = 'größe,日本語の名前,class\n1,2,ä\n3,4,クラス\n2,1,ä\n5,4,クラス\n'
for size in ('20x8', '40x16', '80x24', '120x40'):
    columns, lines = map(int, size.split('x'))
    for data, stdin in ((IRIS, None), ('-', names)):
        text = tlu('plot', data, '--term', '--size', size, stdin=stdin)
        equal(text.count('\n'), lines, f'lines of {data} in {size}')
        for line in text.split('\n'):
            equal(cells_of(line) <= columns and '\x1b' not in line and line == line.rstrip(' '), True, f'{size}: {line}')
PYTHON
[ $? = 0 ] || complain "see above"
