# tlu plot DATA [MODEL]: the ground of a picture, pixel by pixel, against what tlu predict says about a
# row at that place; points, lines, captions; rows that are few, many, alike or strange.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q ' cairo' || {
    echo "skipped: without cairo there are no pictures"
    exit 77
}
is_sanitized && export TLU_SANITIZED=1
exec python3 - <<'PYTHON'
import math
import random
import re
from pictures import Png, Svg
from prelude import *

SERIES = [(0x00, 0x72, 0xb2), (0xd5, 0x5e, 0x00), (0x00, 0x9e, 0x73), (0xcc, 0x79, 0xa7)]
INK, WHITE = (0x1f, 0x23, 0x28), (255, 255, 255)
GROUND = [tuple(int(w + 0.2 * (c - w) + 0.5) for w, c in zip(WHITE, colour)) for colour in SERIES]
NEAR = 4      # pixels
random.seed(1)


def plot(*words):
    """The figures, and what else is said."""
    said = parsed(tlu('plot', *words, '--json'), 'plot')
    return said['figures'], said


def letters(*words):
    """What is written in a picture, as a terminal shows it."""
    tlu('plot', *words, '-o', 'p.txt', '--size', '110x30', '--quiet')
    return open('p.txt').read()


class Place:
    """From pixels of a picture to the units of the data, and back."""

    def __init__(self, figures):
        self.left, self.right = figures['area_left'], figures['area_right']
        self.top, self.bottom = figures['area_top'], figures['area_bottom']
        self.x_low, self.x_high = figures['x_low'], figures['x_high']
        self.y_low, self.y_high = figures['y_low'], figures['y_high']

    def data(self, column, row):
        return (self.x_low + (column - self.left) / (self.right - self.left) * (self.x_high - self.x_low),
                self.y_low + (self.bottom - row) / (self.bottom - self.top) * (self.y_high - self.y_low))

    def pixel(self, x, y):
        return (self.left + (x - self.x_low) / (self.x_high - self.x_low) * (self.right - self.left),
                self.bottom - (y - self.y_low) / (self.y_high - self.y_low) * (self.bottom - self.top))

    def some(self, count):
        return [(random.randrange(math.ceil(self.left) + NEAR, int(self.right) - NEAR),
                 random.randrange(math.ceil(self.top) + NEAR, int(self.bottom) - NEAR))
                for _ in range(count)]


def read_csv(path):
    names, *rows = [line.split(',') for line in open(path).read().splitlines()]
    return names[:-1], [[float(v) for v in row[:-1]] for row in rows], [row[-1] for row in rows]


def rows_at(path, names, means, shown, places):
    """A CSV file of rows at places of the plane."""
    with open(path, 'w') as file:
        print(*names, sep=',', file=file)
        for place in places:
            values = list(means)
            for axis, feature in enumerate(shown):
                values[feature] = place[axis]
            print(*values, sep=',', file=file)


def check(what, data, model, classes, shown=(0, 1), words=(), hatched=False):
    names, rows, _ = read_csv(data)
    means = [sum(column) / len(rows) for column in zip(*rows)]
    figures, _ = plot(data, model, '-o', 'p.png', '--size', '360x260', *words)
    picture, place = Png('p.png'), Place(figures)
    pixels = place.some(300)
    # The place itself, and what is around it.
    around = [(0, 0), (-NEAR, -NEAR), (NEAR, -NEAR), (-NEAR, NEAR), (NEAR, NEAR)]
    rows_at('at.csv', names, means, shown,
            [place.data(c + dc + 0.5, r + dr + 0.5) for c, r in pixels for dc, dr in around])
    said = [line.split('\t') for line in
            tlu('predict', model, 'at.csv', '--ambiguous', '--quiet').splitlines()]
    dots = [place.pixel(row[shown[0]], row[shown[1]]) for row in rows]
    clear = unclear = met = 0
    for i, (column, row) in enumerate(pixels):
        here = said[5 * i:5 * i + 5]
        if any(answer != here[0] for answer in here):
            continue # next to a border
        if any(abs(column - x) < 12 and abs(row - y) < 12 for x, y in dots):
            continue # a point may be painted there
        square = [picture.pixel(column + dc, row + dr) for dc in range(-NEAR, NEAR + 1)
                  for dr in range(-NEAR, NEAR + 1)]
        expected = GROUND[classes.index(here[0][0])]
        if here[0][1:] == ['?']:
            unclear += 1
            if all(colour == expected for colour in square):
                complain(f'{what}: ({column}, {row}) is ambiguous, and not hatched')
            met += max(set(square), key=square.count) == expected
        else:
            clear += 1
            wrong = [colour for colour in square if colour != expected]
            # The line, its margin and its arrow are there too, but not everywhere.
            met += not wrong
            others = set(wrong) & set(GROUND)
            if others:
                complain(f'{what}: ({column}, {row}) is {here[0][0]}, the ground {others} not {expected}')
    if clear + unclear < 60 or met < 0.85 * (clear + unclear):
        complain(f'{what}: {met} of {clear} + {unclear} places have the ground that they should have')
    if hatched != (unclear > 0):
        complain(f'{what}: {unclear} places are ambiguous')


def train(data, *words):
    tlu('train', data, '-o', 'm.tlu', '--quiet', *words)


# ---- the ground is what the model says

def generate(kind, *words):
    path = f'{kind}.csv'
    open(path, 'w').write(tlu('generate', kind, '--format', 'csv', *words))
    return path


moons = generate('moons', '--rows', 60)
two = ['-1', '+1']
train(moons, '--learner', 'perceptron')
check('perceptron', moons, 'm.tlu', two)
train(moons, '--learner', 'logistic', '--scale', 'standard')
tlu('threshold', 'm.tlu', moons, '--for', 'recall=1', '-o', 't.tlu', '--quiet')
check('threshold', moons, 't.tlu', two)
without, _ = plot(moons, 'm.tlu', '-o', 'p.png')
moved, _ = plot(moons, 't.tlu', '-o', 'p.png')
if not abs(moved['line_0'] - without['line_0']) > 0.01:
    complain('the threshold does not move the line')
train(moons, '--kernel', 'rbf:2')
check('kernel', moons, 'm.tlu', two)
circle = generate('circle', '--rows', 60)
train(circle, '--learner', 'mlp', '--epochs', '100')
check('mlp', circle, 'm.tlu', two)

blobs = generate('blobs', '--rows', 40, '--classes', 4, '--seed', 5)
for scheme in ('wta', 'ovr', 'ovo'):
    train(blobs, '--multiclass', scheme, '--learner', 'perceptron', '--epochs', '1', '--decide', 'last')
    check(scheme, blobs, 'm.tlu', ['1', '2', '3', '4'], hatched=scheme != 'wta')

flowers = ['setosa', 'versicolor', 'virginica']
names = open(IRIS).readline().strip().split(',')
train(IRIS, '--multiclass', 'wta', '--scale', 'standard')
check('slice', IRIS, 'm.tlu', flowers, shown=(2, 1), words=('--x', names[2], '--y', names[1]))
train(IRIS, '--kernel', 'poly:2', '--scale', 'standard', '--multiclass', 'wta')
check('slice of a kernel', IRIS, 'm.tlu', flowers, shown=(0, 3), words=('--x', names[0], '--y', names[3]))


# ---- the line, the margin, the support rows

def distances(figures, rows):
    length = math.hypot(figures['line_x'], figures['line_y'])
    return [(figures['line_0'] + figures['line_x'] * x + figures['line_y'] * y) / length for x, y in rows]


apart = generate('margin', '--rows', 40, '--features', 2)
_, rows, labels = read_csv(apart)
figures, said = plot(apart, '--learner', 'max-margin', '-o', 'p.svg')
legend = letters(apart, '--learner', 'max-margin')
away = distances(figures, rows)
equal([d > 0 for d in away], [label == '+1' for label in labels], 'sides of the line')
least = min(abs(d) for d in away)
if abs(figures['margin'] - least) > 1e-6:
    complain(f"the margin is {least}, and it says {figures['margin']}")
if f'the margin, {least:.4g}' not in said['caption']:
    complain(f"the margin is not in the caption: {said['caption']}")
picture = Svg('p.svg')
equal(sum('stroke-dasharray' in e.get('style', '') + str(e.attrib) for e in picture.elements('path')), 2,
      'dashed lines')
for part in ('support rows (3)', '+1 (', '-1 ('):
    if part not in legend:
        complain(f'{part} is not in the legend: {legend}')
figures, _ = plot(moons, '--learner', 'perceptron', '-o', 'p.svg')
if 'margin' in figures:
    complain('a line with rows on its wrong side has a margin')
if f"wrong ({figures['wrong']:.0f})" not in letters(moons, '--learner', 'perceptron'):
    complain('wrong rows are not in the legend')
near(figures['accuracy'], 1 - figures['wrong'] / 60, 'accuracy')

# More features: the distance to the hyperplane, as tlu distance has it.
train(WEATHER, '--learner', 'perceptron')
figures, said = plot(WEATHER, 'm.tlu', '-o', 'p.png')
if 'distance to the hyperplane' not in said['caption']:
    complain(f"the caption does not say what is seen: {said['caption']}")
if figures['line_0'] != 0 or figures['line_y'] != 0 or not figures['x_low'] < 0 < figures['x_high']:
    complain('the hyperplane is not the upright line at 0')


# ---- rows of all kinds

def write(path, text):
    with open(path, 'w', encoding='utf-8', errors='surrogateescape') as file:
        file.write(text)
    return path


def colours(path):
    return Png(path).colours()


said = plot(moons, '--points', '-o', 'p.png')[1]['caption']
equal(said, '60 rows.', 'points alone')
if not (colours('p.png')[SERIES[0]] > 100 > colours('p.png')[GROUND[0]]):
    complain('points alone are not points on white')
equal(parsed(tlu('plot', '-', '-o', 'q.png', '--points', '--json', stdin=open(moons).read()))['figures'],
      plot(moons, '-o', 'q.png', '--points')[0], 'standard input')

for name, text in (('single', '+1 1:2 2:3\n'), ('alike', '+1 1:2 2:3\n' * 9), ('side', '+1 1:2\n+1 2:1\n')):
    figures, said = plot(write(f'{name}.svm', text), '-o', 'p.png')
    if 'one label' not in said['caption'] or 'accuracy' in figures:
        complain(f"{name}: {said['caption']}")
    if not colours('p.png')[SERIES[0]] > 20:
        complain(f'{name}: there is no point')
figures, _ = plot(write('same.svm', '+1 1:2 2:3\n-1 1:2 2:3\n' * 5), '-o', 'p.png')
equal([figures['accuracy'], figures['rows']], [0.5, 10], 'rows alike of two classes')
if not min(colours('p.png')[SERIES[0]], colours('p.png')[SERIES[1]]) > 10:
    complain('rows alike of two classes: one class covers the other')
for words in ((), ('--kernel', 'rbf:1'), ('--learner', 'mlp')):
    figures, _ = plot(write('huge.svm', '+1 1:1e38 2:-1e38\n-1 1:-1e38 2:3\n+1 1:2 2:3e38\n'), '-o', 'p.svg', *words)
    if not 1e38 < figures['x_high'] < 1e39:
        complain(f'huge values, {words}')
    if any(re.search('nan|inf', element.get('d', '')) for element in Svg('p.svg').elements('path')):
        complain(f'huge values, {words}: a path without numbers')
figures, _ = plot(write('flat.svm', ''.join(f'{s}1 1:5 2:{i}\n' for i in range(4) for s in '+-')), '-o', 'p.png')
if not figures['x_low'] < 5 < figures['x_high']:
    complain('a feature that is the same everywhere')
refused('is empty', 'plot', write('empty.svm', ''), '-o', 'p.png')
refused("there is no feature 'sepal_lenght' to draw by; did you mean 'sepal_length'?", 'plot', IRIS,
        '--x', 'sepal_lenght', '-o', 'p.png')

# What the model does not know, and rows without labels.
train(moons, '--learner', 'perceptron')
unlabelled = write('unlabelled.csv', ''.join(line.rsplit(',', 1)[0] + '\n' for line in open(moons)))
figures, said = plot(unlabelled, 'm.tlu', '-o', 'p.png')
if 'no labels' not in said['caption'] or 'accuracy' in figures:
    complain(f"rows without labels: {said['caption']}")
strange = write('strange.csv', open(moons).read().replace(',+1', ',other'))
if 'a label that the model does not know' not in plot(strange, 'm.tlu', '-o', 'p.png')[1]['caption']:
    complain('labels that the model does not know')

# A picture does not take the place of what it is drawn from, whatever that is called.
os.link(moons, 'rows.svg')
os.link('m.tlu', 'model.png')
refused('would overwrite', 'plot', 'rows.svg', '-o', './rows.svg')
refused('would overwrite', 'plot', moons, 'model.png', '-o', 'model.png')

# Long names, bytes that are no text, 60 classes.
long_name = 'n' * 200
write('long.csv', f'{long_name},\udcff\udcfe,label\n' + ''.join(
    f'{i % 7},{i % 5},{"c" * 200}{i % 2}\n' for i in range(30)))
for end in ('svg', 'png', 'txt'):
    plot('long.csv', '-o', f'p.{end}')
Svg('p.svg')
figures, _ = plot(generate('blobs', '--classes', 60, '--rows', 300), '-o', 'p.png', '--size', '400x300')
if not figures['area_bottom'] - figures['area_top'] > 40:
    complain('60 classes leave no room for the points')

# Rows that are wrong: whether another line could be right about them.
xor = write('xor.csv', 'a,b,label\n0,0,-1\n0,1,1\n1,0,1\n1,1,-1\n')
apart = write('apart.csv', 'a,b,label\n0,0,-1\n0,1,-1\n1,0,1\n9,9,1\n0.9,0,1\n')
lazy = ('--learner', 'perceptron', '--epochs', '1', '--decide', 'last', '--scale', 'none', '--shuffle', 'none')
if {'gmp', 'clp'} <= set(tlu('--version').split()):
    for data, words, expected in ((xor, (), 'No line separates these rows'),
                                  (xor, ('--no-bias',), 'No line through 0 separates these rows'),
                                  (apart, lazy, 'A line separates all rows: --learner max-margin'),
                                  (generate('xor', '--rows', 300), ('--kernel', 'rbf:9'), None)):
        figures, said = plot(data, '-o', 'p.png', *words)
        if expected and not figures['wrong']:
            complain(f'{data} {words}: no row is wrong')
        if expected not in said['caption'] if expected else ' line ' in said['caption']:
            complain(f"{data} {words}: {said['caption']}")
    if 'separates' in plot(apart, '-o', 'p.png', '--learner', 'max-margin')[1]['caption']:
        complain('no row is wrong, and another line is spoken of')

# A column that 32-bit floats keep to 64 only.
large = write('large.csv', 'a,b,label\n' + ''.join(f'{10**9 + i},{i},{i % 2}\n' for i in range(9)))
if 'Values of a are precise to 64 only' not in plot(large, '-o', 'p.png')[1]['caption']:
    complain('a column of large values')

# A line is above the points, however dense they are.
figures, _ = plot(generate('line', '--rows', 20000), '-o', 'p.png', '--learner', 'perceptron')
picture, place, seen = Png('p.png'), Place(figures), 0
for i in range(100):
    x = 0.02 + 0.96 * i / 100
    column, row = place.pixel(x, -(figures['line_0'] + figures['line_x'] * x) / figures['line_y'])
    seen += any(picture.pixel(int(column), int(row) + down) == INK for down in (-1, 0, 1))
if seen < 90:
    complain(f'the line is seen at {seen} of 100 places')

# Many rows: some stand for all, and no class and no far one is left out.
many = tlu('generate', 'line', '--rows', 100000, '--format', 'csv') + '30,40,third\n'
train(write('many.csv', many), '--learner', 'perceptron', '--epochs', '1')
figures, said = plot('many.csv', 'm.tlu', '-o', 'p.png')
equal(figures['rows'], 100001, 'rows')
if not 30 < figures['shown'] < 6001 or 'stand for 100,001 rows' not in said['caption']:
    complain(f"{figures['shown']} points are shown: {said['caption']}")
if not (figures['x_low'] < 0.01 and figures['x_high'] > 30 and figures['y_high'] > 40):
    complain('the row that is far away is not in the picture')
if not colours('p.png')[SERIES[2]] > 20:
    complain('the class with one row is not in the picture')
PYTHON
