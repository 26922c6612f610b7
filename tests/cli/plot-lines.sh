# tlu plot of several models, --lines, --sphere and --net: positions read from the SVG against a plain
# computation from the rows and the weights; errors.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q ' cairo' || {
    echo "skipped: without cairo there are no pictures"
    exit 77
}
exec python3 - <<'PYTHON'
import math
import re
from pictures import Svg
from prelude import *

SERIES = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xe69f00, 0x332288, 0x4d4d4d]
INK, WHITE = 0x1f2328, 0xffffff


def mix(a, b, share):
    return sum(int((a >> s & 255) + share * ((b >> s & 255) - (a >> s & 255)) + 0.5) << s for s in (16, 8, 0))


def colour(text):
    parts = re.findall(r'([\d.]+)%', text or '')
    return None if len(parts) != 3 else sum(round(float(p) * 2.55) << s for p, s in zip(parts, (16, 8, 0)))


class Path:
    def __init__(self, element):
        style = dict(re.findall(r'([\w-]+):([^;]*);', element.get('style', '')))
        self.fill, self.line = colour(style.get('fill')), colour(style.get('stroke'))
        self.width = float(style.get('stroke-width', 0))
        self.dashed = 'stroke-dasharray' in style
        data = element.get('d', '')
        self.curved = 'C' in data
        self.strokes = [[tuple(map(float, p)) for p in re.findall(r'[ML] (\S+) (\S+)', stroke)]
                        for stroke in re.findall(r'M[^M]*', data)]
        numbers = [float(n) for n in re.findall(r'-?[\d.]+(?:e-?\d+)?', data)]
        self.box = (min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])) if numbers else None

    def middle(self):
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


def draw(*words):
    said = parsed(tlu('plot', *words, '-o', 'p.svg', '--json'), 'plot')
    return said['figures'], [p for p in map(Path, Svg('p.svg').elements('path')) if p.box], said


def place(figures, x, y):
    left, right, top, bottom = (figures['area_' + side] for side in ('left', 'right', 'top', 'bottom'))
    return (left + (x - figures['x_low']) / (figures['x_high'] - figures['x_low']) * (right - left),
            bottom - (y - figures['y_low']) / (figures['y_high'] - figures['y_low']) * (bottom - top))


def read(path):
    rows = [line.split(',') for line in open(path).read().splitlines()[1:]]
    return [(*map(float, row[:-1]), row[-1]) for row in rows]


def near(a, b, by, what):
    if not abs(a - b) <= by:
        complain(f'{what}: {a}, not {b}')


def off(line, at):
    """The distance of a place on the page from a straight line through two."""
    (ax, ay), (bx, by) = line
    return abs((bx - ax) * (at[1] - ay) - (by - ay) * (at[0] - ax)) / math.hypot(bx - ax, by - ay)


def weights(model):
    """class -> {feature: weight}, of inspect --weights, which leaves weights of 0 out."""
    found = {}
    for line in tlu('inspect', model, '--weights').splitlines():
        name, feature, weight = line.split('\t')
        found.setdefault(name, {'x1': 0.0, 'x2': 0.0, '(bias)': 0.0})[feature] = float(weight)
    return found


def long_lines(paths, figures, line, width, dashed=False):
    """Straight lines of this colour that cross the area, without the legend's."""
    return [stroke for p in paths for stroke in p.strokes
            if p.line == line and p.width == width and p.dashed == dashed and len(stroke) == 2
            and not p.curved and min(q[0] for q in stroke) < figures['area_right']]


# ---- several models: three lines between five rows, by hand

open('k.csv', 'w').write('x,y,label\n0,0,no\n1,0,no\n0,1,no\n2,2,yes\n3,1,yes\n')
rows = read('k.csv')
# x + y = 2 and so on, from two rows each: the line of max-margin is half way between them.
open('first.csv', 'w').write('x,y,label\n0,0,no\n2,2,yes\n')
open('second.csv', 'w').write('x,y,label\n1,0,no\n3,1,yes\n')
for name in ('first', 'second'):
    tlu('train', f'{name}.csv', '--learner', 'max-margin', '--scale', 'none', '-o', f'{name}.tlu', '-q')
tlu('train', 'k.csv', '--learner', 'max-margin', '--scale', 'none', '-o', 'widest.tlu', '-q')
open('bad.csv', 'w').write('x,y,label\n0,0,yes\n0.5,0,no\n')
tlu('train', 'bad.csv', '--learner', 'max-margin', '--scale', 'none', '-o', 'bad.tlu', '-q')
figures, paths, said = draw('k.csv', 'first.tlu', 'second.tlu', 'widest.tlu', 'bad.tlu')
# (a, b, c) of a x + b y = c: the bisectors of the two rows; for all rows the nearest points are
# (2, 2) and the segment from (1, 0) to (0, 1), whose middle is (0.5, 0.5): x + y = 2.5.
lines = [(1, 1, 2), (2, 1, 4.5), (1, 1, 2.5), (-1, 0, -0.25)]
for i, (a, b, c) in enumerate(lines):
    size = math.hypot(a, b)
    distances = [((a * x + b * y - c) / size) * (1 if label == 'yes' else -1) for x, y, label in rows]
    wrong = sum(d < 0 for d in distances)
    equal(figures[f'wrong_{i + 1}'], wrong, f'wrong rows of model {i + 1}')
    drawn = long_lines(paths, figures, SERIES[2 + i], 2)
    equal(len(drawn), 1 if wrong else 2, f'the line of model {i + 1}, and that to the nearest row')
    line = max(drawn, key=lambda stroke: math.dist(*stroke))
    for t in (-1, 0, 1):  # places of the line
        at = place(figures, a * c / size ** 2 - t * b, b * c / size ** 2 + t * a)
        near(off(line, at), 0, 0.3, f'line {i + 1} at {t}')
    if wrong:
        if f'margin_{i + 1}' in figures:
            complain(f'model {i + 1} is wrong and has a margin')
        continue
    margin = min(distances)
    near(figures[f'margin_{i + 1}'], margin, 1e-5, f'margin of model {i + 1}')
    dashed = long_lines(paths, figures, SERIES[2 + i], 1, True)
    equal(len(dashed), 2, f'dashed lines of model {i + 1}')
    for sign in (-1, 1):
        shift = c + sign * margin * size
        at = place(figures, a * shift / size ** 2, b * shift / size ** 2)
        near(min(off(stroke, at) for stroke in dashed), 0, 0.3, f'margin {sign} of model {i + 1}')
    rings = [p.middle() for p in paths if p.line == SERIES[2 + i] and abs(p.width - 1.6) < 1e-6 and p.curved]
    nearest = [place(figures, x, y) for (x, y, _), d in zip(rows, distances) if d < margin + 1e-4]
    equal(len(rings), 1, f'rings of model {i + 1}')
    near(min(math.dist(rings[0], at) for at in nearest), 0, 0.3, f'ring of model {i + 1}')
tlu('plot', 'k.csv', 'first.tlu', 'second.tlu', 'widest.tlu', 'bad.tlu', '-o', 'p.txt', '--size', '110x30', '-q')
written = open('p.txt').read()
# The rows nearest to x + y = 2 are (0, 1), (1, 0): 1/sqrt 2; to 2 x + y = 4.5: 1.5/sqrt 5; the widest: 1.5/sqrt 2.
for text in ('first: margin 0.707', 'second: margin 0.671', 'widest: margin 1.06', 'bad: 4 wrong'):
    if text not in written:
        complain(f"the legend has no '{text}'")

# ---- --lines: the lines of inspect --weights (one versus rest), and pairs trained alone

open('b.csv', 'w').write(tlu('generate', 'blobs', '--classes', 3, '--rows', 90, '--seed', 5, '--format', 'csv'))
tlu('train', 'b.csv', '--multiclass', 'ovr', '--learner', 'perceptron', '--epochs', 20, '-o', 'ovr.tlu', '-q')
figures, paths, said = draw('b.csv', 'ovr.tlu', '--lines')
equal(figures['lines'], 3, 'lines')
for c, w in enumerate(weights('ovr.tlu').values()):
    drawn = [line for line in long_lines(paths, figures, SERIES[c], 2)]
    equal(len(drawn), 1, f'lines of class {c + 1}')
    size = math.hypot(w['x1'], w['x2'])
    foot = -w['(bias)'] * w['x1'] / size ** 2, -w['(bias)'] * w['x2'] / size ** 2
    for t in (-3, 0, 3):
        at = place(figures, foot[0] - t * w['x2'] / size, foot[1] + t * w['x1'] / size)
        near(off(drawn[0], at), 0, 0.3, f'line of class {c + 1}')
without, _, _ = draw('b.csv', '--learner', 'perceptron', '--epochs', 20, '--lines')
equal({k: v for k, v in without.items() if k.startswith('line')},
      {k: v for k, v in figures.items() if k.startswith('line')}, 'one versus rest is the default')
# One versus one trains each pair alone: the line of a pair is that of a model of its rows.
words = ('--learner', 'max-margin', '--C', 1, '--scale', 'none')
figures, paths, said = draw('b.csv', '--multiclass', 'ovo', *words, '--lines')
equal(figures['lines'], 3, 'lines of pairs')
for i, j in ((1, 2), (1, 3), (2, 3)):
    pair = [line for line in open('b.csv').read().splitlines() if line.split(',')[-1] in (str(i), str(j), 'label')]
    open('pair.csv', 'w').write('\n'.join(pair) + '\n')
    tlu('train', 'pair.csv', *words, '-o', 'pair.tlu', '-q')
    w, = weights('pair.tlu').values()
    found = [figures[f'line_{i}_{j}_{k}'] for k in '0xy']
    for a, b in zip(found, (w['(bias)'], w['x1'], w['x2'])):
        near(a, b, 2e-3 * max(map(abs, found)), f'line of {i} and {j}')
    drawn = long_lines(paths, figures, SERIES[j - 1], 2)
    if not any(off(line, place(figures, x, -(found[0] + found[1] * x) / found[2])) < 0.5
               for line in drawn for x in (0,)):
        complain(f'no line of {i} and {j}')

# ---- --sphere: where points of a circle are, by the projection

open('s.csv', 'w').write(tlu('generate', 'semicircles', '--rows', 24, '--seed', 2, '--radius', 0.8, '--margin', 0.08,
                             '--format', 'csv'))
rows = read('s.csv')
tlu('train', 's.csv', '--learner', 'perceptron', '--decide', 'last', '--shuffle', 'none', '--epochs', 1000, '--scale',
    'none', '-o', 's.tlu', '-q')
figures, paths, said = draw('s.csv', 's.tlu', '--sphere')
again, _, _ = draw('s.csv', '--sphere')
equal(again, figures, 'the perceptron of the notes is the default')
azimuth, elevation = math.radians(figures['azimuth']), math.radians(figures['elevation'])


def rotated(x, y, z):
    """Turned by the azimuth around the third axis, then tipped by the elevation: depth, right, up."""
    towards = x * math.cos(azimuth) + y * math.sin(azimuth)
    right = -x * math.sin(azimuth) + y * math.cos(azimuth)
    return (towards * math.cos(elevation) + z * math.sin(elevation), right,
            z * math.cos(elevation) - towards * math.sin(elevation))


def lifted(x, y):
    length = math.sqrt(x * x + y * y + 1)
    return x / length, y / length, 1 / length


hidden = 0
for x, y, label in rows:
    depth, right, up = rotated(*lifted(x, y))
    full = SERIES[1 if label == '+1' else 0]
    fill = full if depth >= 0 else mix(full, WHITE, 0.6)
    hidden += depth < 0
    at = place(figures, right, up)
    dots = [p.middle() for p in paths if p.fill == fill and p.box[2] - p.box[0] < 12]
    near(min((math.dist(dot, at) for dot in dots), default=999), 0, 0.3, f'lifted ({x}, {y})')
    _, right, up = rotated(x, y, 1)
    at = place(figures, right, up)
    dots = [p.middle() for p in paths if p.line == full and p.fill == WHITE and p.box[2] - p.box[0] < 12]
    near(min((math.dist(dot, at) for dot in dots), default=999), 0, 0.3, f'({x}, {y}, 1)')
equal(figures['hidden'], hidden, 'hidden rows')
near(figures['longest'], 0.8, 1e-5, 'radius')
w, = weights('s.tlu').values()
size = math.sqrt(w['x1'] ** 2 + w['x2'] ** 2 + w['(bias)'] ** 2)
normal = w['x1'] / size, w['x2'] / size, w['(bias)'] / size
for i, part in enumerate(normal):
    near(figures[f'normal_{i + 1}'], part, 1e-6, 'normal')
# All places of the great circle in front are on the sphere, in the plane, and to the front.
front = [q for p in paths if p.line == INK and p.width == 2 for s in p.strokes if len(s) > 20 for q in s]
if len(front) < 40:
    complain(f'the great circle has {len(front)} places')
scale = (figures['area_right'] - figures['area_left']) / (figures['x_high'] - figures['x_low'])
for px, py in front:
    right = figures['x_low'] + (px - figures['area_left']) / scale
    up = figures['y_low'] + (figures['area_bottom'] - py) / scale
    depth = math.sqrt(max(0, 1 - right ** 2 - up ** 2))
    towards, z = (depth * math.cos(elevation) - up * math.sin(elevation),
                  depth * math.sin(elevation) + up * math.cos(elevation))
    x, y = (towards * math.cos(azimuth) - right * math.sin(azimuth),
            towards * math.sin(azimuth) + right * math.cos(azimuth))
    if depth > 0.1:
        near(sum(a * b for a, b in zip(normal, (x, y, z))), 0, 0.02, f'great circle at {px}, {py}')
# The line in the plane x3 = 1 is that of the model.
straight = [s for p in paths if p.line == INK and p.width == 2 for s in p.strokes
            if len(s) == 2 and max(q[0] for q in s) < figures['area_right']]
equal(len(straight), 1, 'lines in the plane')
foot = -w['(bias)'] * w['x1'] / (w['x1'] ** 2 + w['x2'] ** 2), -w['(bias)'] * w['x2'] / (w['x1'] ** 2 + w['x2'] ** 2)
length = math.hypot(w['x1'], w['x2'])
for t in (-0.3, 0, 0.3):
    _, right, up = rotated(foot[0] - t * w['x2'] / length, foot[1] + t * w['x1'] / length, 1)
    near(off(straight[0], place(figures, right, up)), 0, 0.3, 'line in the plane')

# ---- --net: circles in columns, lines of the weights between them

open('x.csv', 'w').write(tlu('generate', 'xor', '--rows', 60, '--format', 'csv'))
tlu('train', 'x.csv', '--learner', 'mlp', '--hidden', '3,2', '--epochs', 30, '-o', 'x.tlu', '-q')
figures, paths, said = draw('x.tlu', '--net')
radius = figures['radius']
circles = sorted(p.middle() for p in paths if p.line == INK and p.curved and abs(p.box[2] - p.box[0] - 2 * radius) < 0.1)
layers = {}
for x, y in circles:
    layers.setdefault(round(x), []).append((x, y))
columns = [layers[x] for x in sorted(layers)]
equal([len(column) for column in columns], [2, 3, 2, 1], 'units')
for column in columns:
    gaps = [b[1] - a[1] for a, b in zip(column, column[1:])]
    if gaps and max(gaps) - min(gaps) > 0.1:
        complain(f'units are not evenly spaced: {gaps}')
    near((column[0][1] + column[-1][1]) / 2, (columns[0][0][1] + columns[0][-1][1]) / 2, 0.1, 'middle of a layer')
edges = [(p, s) for p in paths for s in p.strokes if len(s) == 2 and not p.curved and p.width > 0]
largest = max(abs(v) for k, v in figures.items() if k.startswith('weight'))
near(figures['largest'], largest, 1e-9, 'largest weight')
for l in range(1, 4):
    for i, a in enumerate(columns[l - 1]):
        for j, b in enumerate(columns[l]):
            weight = figures[f'weight_{l}_{i + 1}_{j + 1}']
            found = [p for p, s in edges if math.dist(s[0], a) < 0.3 and math.dist(s[1], b) < 0.3]
            equal(len(found), 1, f'lines of weight {l} {i + 1} {j + 1}')
            share = abs(weight) / largest
            near(found[0].width, 0.5 + 3.5 * share, 0.02, 'width')
            expected = mix(WHITE, SERIES[0 if weight >= 0 else 1], 0.3 + 0.7 * share)
            near(max(abs((expected >> s & 255) - (found[0].line >> s & 255)) for s in (16, 8, 0)), 0, 2, 'colour')
# The weights are those of the model: the net computed here predicts what tlu predict says.
tlu('train', 'x.csv', '--learner', 'mlp', '--hidden', '3', '--activation', 'tanh', '--scale', 'none', '--epochs', 30,
    '-o', 'y.tlu', '-q')
figures, _, _ = draw('y.tlu', '--net')
answers = tlu('predict', 'y.tlu', 'x.csv', '-q').split()
for (x, y, _), answer in zip(read('x.csv'), answers):
    hidden = [math.tanh(figures[f'weight_1_1_{u}'] * x + figures[f'weight_1_2_{u}'] * y + figures[f'bias_1_{u}'])
              for u in (1, 2, 3)]
    score = sum(figures[f'weight_2_{u}_1'] * h for u, h in zip((1, 2, 3), hidden)) + figures['bias_2_1']
    if abs(score) > 1e-4:
        equal(answer, '+1' if score > 0 else '-1', f'the net at {x}, {y}')
tlu('train', 'x.csv', '--learner', 'mlp', '--hidden', '50', '--epochs', 1, '-o', 'wide.tlu', '-q')
figures, paths, said = draw('wide.tlu', '--net')
equal(figures['units_1'], 50, 'units')
dots = [p for p in paths if p.curved and abs(p.box[2] - p.box[0] - 3.2) < 0.1]
equal(len(dots), 3, 'dots')
if not figures['drawn_1'] < 20 or 'Dots stand for units' not in said['caption']:
    complain(f'a wide layer: {figures["drawn_1"]} units, {said["caption"]}')
if f"weight_1_1_50" not in figures:
    complain('the last unit is not drawn')

# ---- errors

tlu('train', 'k.csv', '--kernel', 'rbf:1', '-o', 'kernel.tlu', '-q')
tlu('generate', 'margin', '--features', 3, '--rows', 30, '--format', 'csv', '-o', 'three.csv')
tlu('train', 'three.csv', '-o', 'three.tlu', '-q')
for message, words in (
        ('kernel is not linear, so that it has no line', ('k.csv', 'first.tlu', 'kernel.tlu')),
        ('ovr.tlu has 3 classes: several models are drawn together if each has two', ('b.csv', 'ovr.tlu', 'ovr.tlu')),
        ('has 3 features: several models are drawn together', ('three.csv', 'three.tlu', 'three.tlu')),
        ('7 models in one picture: expected 2 to 6', ('k.csv', *7 * ('first.tlu',))),
        ("--lines cannot be combined with several models; remove 'second.tlu'", ('k.csv', 'first.tlu', 'second.tlu', '--lines')),
        ('DATA and MODEL cannot both be standard input', ('-', '-')),
        ('two classes have only one line', ('k.csv', '--lines')),
        ('train with --multiclass ovr or --multiclass ovo', ('b.csv', '--multiclass', 'wta', '--lines')),
        ('the model is not linear, so that its borders are not lines', ('b.csv', '--kernel', 'rbf:1', '--lines')),
        ('--lines draws a model and --points draws none', ('b.csv', '--points', '--lines')),
        ('a picture on a sphere needs rows of two features, and these have 3', ('three.csv', '--sphere')),
        ('the model has 3 classes, and a great circle separates two', ('b.csv', '--sphere')),
        ('its border is not a great circle', ('k.csv', 'kernel.tlu', '--sphere')),
        ('--epochs cannot be combined with MODEL', ('k.csv', 'first.tlu', '--sphere', '--epochs', 3)),
        ('--sphere takes only DATA and MODEL', ('k.csv', 'first.tlu', 'second.tlu', '--sphere')),
        ('the model has no layers: tlu train --learner mlp', ('first.tlu', '--net')),
        ('--net needs MODEL', ('--net',)),
        ('--sphere needs DATA', ('--sphere',)),
        ('--lines applies to a picture of data, not to --net', ('first.tlu', '--net', '--lines'))):
    refused(message, 'plot', *words, '-o', 'e.svg')
for size in ('20x8', '60x20'):
    for words in (('k.csv', 'first.tlu', 'widest.tlu'), ('b.csv', '--lines'), ('s.csv', '--sphere'), ('wide.tlu', '--net')):
        tlu('plot', *words, '-o', 'p.txt', '--size', size, '-q')
for words in (('k.csv', 'first.tlu', 'widest.tlu'), ('b.csv', '--lines'), ('s.csv', '--sphere'), ('wide.tlu', '--net')):
    tlu('plot', *words, '-o', 'p.png', '--size', '100x80', '--theme', 'dark', '-q')
PYTHON
