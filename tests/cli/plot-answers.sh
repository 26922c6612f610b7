# tlu plot --roc, --pr, --confusion, --calibration, --weights, --image: what is drawn, read from the
# SVG, against what eval, predict and inspect print.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q ' cairo' || {
    echo "skipped: without cairo there are no pictures"
    exit 77
}
"$TLU" generate line --rows 300 --noise 0.2 --seed 3 --format csv >line.csv
"$TLU" generate blobs --rows 240 --classes 4 --noise 0.1 --seed 5 --format csv >blobs.csv
"$TLU" train line.csv --learner logistic -o line.tlu --quiet
"$TLU" train blobs.csv --learner logistic --multiclass wta -o blobs.tlu --quiet
"$TLU" train "$TLU_SOURCE/examples/data/digits-train.svm" --scale none -o digits.tlu --quiet
exec python3 - <<'PYTHON'
import base64
import re
from pictures import Png, Svg
from prelude import *

BLUE, ORANGE, RED, FAINT, WHITE = 0x0072b2, 0xd55e00, 0xc4001a, 0x656d76, 0xffffff
SERIES = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7]


# ---- what an SVG shows

def colour(text):
    parts = re.findall(r'([\d.]+)%', text or '')
    return None if len(parts) != 3 else sum(round(float(p) * 2.55) << s for p, s in zip(parts, (16, 8, 0)))


class Path:
    """A line or an area: colours, width, points."""

    def __init__(self, element):
        style = dict(element.attrib)
        style.update(re.findall(r'([\w-]+):([^;]*);', element.get('style', '')))
        self.fill, self.line = colour(style.get('fill')), colour(style.get('stroke'))
        self.width = float(style.get('stroke-width', 0))
        self.dashed = 'stroke-dasharray' in style
        self.curved = 'C' in element.get('d', '')
        self.points = [tuple(map(float, p)) for p in re.findall(r'[ML] (\S+) (\S+)', element.get('d', ''))]
        if len(self.points) > 2 and self.points[0] == self.points[-1]:
            self.points.pop()

    def box(self):
        across, down = zip(*self.points)
        return min(across), min(down), max(across), max(down)


class Chart:
    """The paths of a picture, and the area of its chart in the units of the data."""

    def __init__(self, *words):
        self.figures = parsed(tlu('plot', *words, '-o', 'picture.svg', '--json'))
        svg = Svg('picture.svg')
        self.caption = svg.texts('desc')[0]
        equal(self.caption, self.figures['caption'], f'{words}: caption')
        equal(svg.texts('title')[0], self.figures['title'], f'{words}: title')
        self.figures = self.figures['figures']
        paths = [Path(e) for e in svg.elements('path')]
        self.paths = [p for p in paths if p.points and (p.fill is not None or p.line is not None)]
        frames = [p for p in self.paths if p.line == FAINT and p.fill is None and len(p.points) == 4]
        self.frames = [p.box() for p in frames]
        self.images = [e.get('{http://www.w3.org/1999/xlink}href') for e in svg.elements('image')]

    def units(self, point):
        """Where a point is in the area: from 0 to 1, across and up."""
        left, top, right, bottom = self.frames[0]
        return (point[0] - left) / (right - left), (bottom - point[1]) / (bottom - top)

    def curves(self, line):
        """Those that go through the area; the legend has its own."""
        left, top, right, bottom = self.frames[0]
        return [[self.units(q) for q in p.points] for p in self.paths
                if p.line == line and p.width == 2 and p.points[0][0] < right]


def evaluation(model, data, metric):
    return parsed(tlu('eval', model, data, '--json', '--metric', metric))


def predictions(model, data):
    return [parsed(line) for line in tlu('predict', model, data, '--json', '--probabilities', '--scores').splitlines()]


def labels(path):
    return [line.rsplit(',', 1)[1] for line in open(path).read().splitlines()[1:]]


def about(found, expected, what, by=0.003):
    if not abs(found - expected) <= by:
        complain(f'{what}: found {found}, expected {expected}')


def area(points):
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))


# ---- curves: the area below what is drawn is that which pairs of rows and sums give

def pairs_won(scores, own):
    higher = sum((s > t) + 0.5 * (s == t) for s, o in zip(scores, own) if o for t, p in zip(scores, own) if not p)
    return higher / (sum(own) * (len(own) - sum(own)))


def mean_precision(scores, own):
    found = total = 0
    for threshold in sorted(set(scores), reverse=True):
        taken = [o for s, o in zip(scores, own) if s >= threshold]
        total += sum(taken) / len(taken) * (sum(taken) - found)
        found = sum(taken)
    return total / sum(own)


def check_curves(model, data, names, scores_of):
    rows, truth = predictions(model, data), labels(data)
    for kind, metric, value in ('roc', 'roc-auc', pairs_won), ('pr', 'average-precision', mean_precision):
        chart = Chart(f'--{kind}', data, model)
        said = evaluation(model, data, metric)['metrics'][metric]
        near(chart.figures[metric], said, f'{kind} of {data}')
        if f'{said:.4f}' not in chart.caption:
            complain(f'{kind} of {data}: {said} is not in the caption {chart.caption}')
        for i, name in names:
            own = [t == name for t in truth]
            expected = value([scores_of(row, name) for row in rows], own)
            drawn = chart.curves(SERIES[i])
            equal(len(drawn), 1, f'{kind} of {data}: curves of {name}')
            about(area(drawn[0]), expected, f'{kind} of {data}: area below the curve of {name}')
            if len(names) > 1:
                near(chart.figures[f'{metric} {name}'], expected, f'{kind} of {data}: figure of {name}')
            if kind == 'roc':
                about(drawn[0][0][0] + drawn[0][0][1], 0, f'{data}: where the curve starts')
                about(drawn[0][-1][0] + drawn[0][-1][1], 2, f'{data}: where the curve ends')


check_curves('line.tlu', 'line.csv', [(1, '+1')], lambda row, name: row['probabilities'][name])
check_curves('blobs.tlu', 'blobs.csv', list(enumerate(sorted(set(labels('blobs.csv'))))),
             lambda row, name: row['scores'][name])


# ---- confusion: a cell for each pair, coloured by what is right and what is wrong

def hue(value):
    red, green, blue = value >> 16, value >> 8 & 255, value & 255
    return 'none' if value == WHITE else 'right' if blue > red else 'wrong' if red > green + 3 else 'unclear'


def check_confusion(model, data):
    chart, said = Chart('--confusion', data, model), evaluation(model, data, 'accuracy')
    near(chart.figures['accuracy'], said['accuracy'], f'{data}: accuracy')
    equal(chart.figures['rows'], said['examples'], f'{data}: rows')
    equal(chart.figures['right'], said['correct'], f'{data}: right')
    classes = len(said['classes'])
    left, top, right, bottom = chart.frames[0]
    width, height = (right - left) / classes, (bottom - top) / classes
    cells = {}
    for path in chart.paths:
        box = path.box()
        if path.fill is None or abs(box[2] - box[0] - width) > 1 or abs(box[3] - box[1] - height) > 1:
            continue
        cells[round((box[1] - top) / height), round((box[0] - left) / width)] = path.fill
    equal(len(cells), classes * classes, f'{data}: cells')
    for (row, column), fill in cells.items():
        count = said['confusion'][row][column]
        expected = 'none' if count == 0 else 'right' if row == column else 'wrong'
        equal(hue(fill), expected, f'{data}: the cell of {row} taken for {column}, {count} rows')
    for row, counts in enumerate(said['confusion']):  # more rows, less white
        wrong = sorted((n, -(cells[row, c] & 255)) for c, n in enumerate(counts) if n and c != row)
        equal(wrong, sorted(wrong, key=lambda pair: pair[1]), f'{data}: strength of the colours in row {row}')


check_confusion('line.tlu', 'line.csv')
check_confusion('blobs.tlu', 'blobs.csv')
check_confusion('digits.tlu', f'{DATA}/digits-test.svm')

# On a terminal the counts are numbers, in the order of the matrix.
said = evaluation('blobs.tlu', 'blobs.csv', 'accuracy')
lines = tlu('plot', '--confusion', 'blobs.csv', 'blobs.tlu', '--term').splitlines()
rows = [[int(n) for n in re.findall(r'(?<![\d.])(\d+)(?![\d.%])', line.split('│', 1)[1])] for line in lines if '│' in line]
equal([row for row in rows if row], [[n for n in row if n] for row in said['confusion']], 'counts on a terminal')


# ---- calibration: the line goes through the bins' means

def bins(probabilities, hits):
    all = [[0, 0, 0] for _ in range(15)]
    for p, hit in zip(probabilities, hits):
        bin = all[min(int(p * 15), 14)]
        bin[0] += 1
        bin[1] += p
        bin[2] += hit
    return [(p / n, hit / n) for n, p, hit in all if n]


def check_calibration(model, data, probabilities, hits):
    chart = Chart('--calibration', data, model)
    said = evaluation(model, data, 'ece,log-loss')['metrics']
    near(chart.figures['ece'], said['ece'], f'{data}: ece')
    near(chart.figures['log-loss'], said['log-loss'], f'{data}: log loss')
    expected, drawn = bins(probabilities, hits), chart.curves(BLUE)
    equal(len(drawn), 1, f'{data}: lines')
    equal(len(drawn[0]), len(expected), f'{data}: bins')
    for found, wanted in zip(drawn[0], expected):
        about(found[0], wanted[0], f'{data}: probability of a bin')
        about(found[1], wanted[1], f'{data}: share of a bin')


rows, truth = predictions('line.tlu', 'line.csv'), labels('line.csv')
check_calibration('line.tlu', 'line.csv', [r['probabilities']['+1'] for r in rows], [t == '+1' for t in truth])
rows, truth = predictions('blobs.tlu', 'blobs.csv'), labels('blobs.csv')
check_calibration('blobs.tlu', 'blobs.csv', [max(r['probabilities'].values()) for r in rows],
                  [r['label'] == t for r, t in zip(rows, truth)])
refused('the model has no probabilities: ', 'plot', '--calibration', f'{DATA}/digits-test.svm', 'digits.tlu', '-o', 'x.svg')


# ---- weights: bars as long as the weights, the strongest on top

def weights(model):
    lines = [line.split('\t') for line in tlu('inspect', model, '--weights').splitlines()]
    return [(a, b, float(c)) for a, b, c in lines if b != '(bias)']


tlu('generate', 'sparse', '--rows', 400, '--features', 50, '--seed', 2, '-o', 'sparse.svm')
tlu('train', 'sparse.svm', '--scale', 'none', '-o', 'sparse.tlu', '--quiet')
strongest = sorted(weights('sparse.tlu'), key=lambda w: -abs(w[2]))
chart = Chart('--weights', 'sparse.tlu', '--top', 7)
equal([abs(w) for w in chart.figures.values()], [abs(w) for _, _, w in strongest[:7]], 'the strongest weights')
for name, weight in chart.figures.items():
    equal(weight, {b: c for _, b, c in strongest}[name], f'weight of {name}')
bars = sorted((p.box() + (p.fill,) for p in chart.paths if p.fill in (BLUE, ORANGE) and p.points[0][0] < chart.frames[0][2]),
              key=lambda bar: bar[1])
equal(len(bars), 7, 'bars')
per_unit = (bars[0][2] - bars[0][0]) / abs(strongest[0][2])
for bar, (name, weight) in zip(bars, chart.figures.items()):
    about((bar[2] - bar[0]) / per_unit, abs(weight), f'length of the bar of {name}', 0.01 * abs(strongest[0][2]))
    equal(bar[4], ORANGE if weight > 0 else BLUE, f'colour of the bar of {name}')
many = Chart('--weights', 'sparse.tlu', '--top', 100)
left = many.frames[0][0]
ticks = [p for p in many.paths if len(p.points) == 2 and p.line == FAINT and left - 5 < p.box()[0] < p.box()[2] < left + 1]
bars = [p for p in many.paths if p.fill in (BLUE, ORANGE) and p.points[0][0] < many.frames[0][2]]
every = re.search(r'One bar in (\d+) has its name', many.caption)
equal(int(every[1]) if every else 1, -(-len(bars) // len(ticks)), 'one bar in so many is named')

# Of several classes all charts have one scale.
tlu('train', 'blobs.csv', '--multiclass', 'wta', '--scale', 'none', '-o', 'plain.tlu', '--quiet')
chart = Chart('--weights', 'plain.tlu')
equal(len(chart.frames), 4, 'charts of four classes')
of_class = {}
for label, name, weight in weights('plain.tlu'):
    of_class.setdefault(label, []).append(abs(weight))
scales = []
for frame, (label, sizes) in zip(chart.frames, sorted(of_class.items())):
    longest = max(p.box()[2] - p.box()[0] for p in chart.paths
                  if p.fill in SERIES + [FAINT] and p.box()[0] >= frame[0] - 1 and p.box()[2] <= frame[2] + 1
                  and p.box()[1] > frame[1] + 1 and p.box()[3] < frame[3] - 1)
    scales.append(longest / max(sizes))
for scale in scales:
    about(scale, scales[0], 'points per unit of weight', 0.02 * scales[0])


# ---- images: a pixel for each feature

def shade(picture, x, y):
    red, green, blue = picture.pixel(x, y)
    return 255 * 3 - red - green - blue, 'none' if red == green == blue == 255 else 'more' if blue > red else 'less'


def read_image(link):
    with open('image.png', 'wb') as file:
        file.write(base64.b64decode(link.split(',', 1)[1]))
    return Png('image.png')


def check_images(model, wide, high, chart):
    """Names are pixels, from 1 on."""
    of = {}
    for label, name, weight in weights(model):
        of.setdefault(label, {})[int(name) - 1] = weight
    equal(len(chart.images), len(of), f'{model}: pictures')
    for link, label in zip(chart.images, of):
        picture = read_image(link)
        equal((picture.width, picture.height), (wide, high), f'{model}: size of a picture')
        for place in range(wide * high):
            weight = of[label].get(place, 0)
            dark, sign = shade(picture, place % wide, place // wide)
            if abs(weight) > chart.figures['full'] / 50:
                equal(sign, 'more' if weight > 0 else 'less', f'{model}: pixel {place} of {label}')
            elif weight == 0:
                equal(sign, 'none', f'{model}: pixel {place} of {label}')


check_images('digits.tlu', 8, 8, Chart('--image', '8x8', 'digits.tlu'))
with open('bars.svm', 'w') as file:  # two classes of 3 x 4 pixels, the first row of them and the last
    file.write('b 1:1 2:1 3:1\na 10:1 11:1 12:1\n' * 5)
tlu('train', 'bars.svm', '--scale', 'none', '-o', 'bars.tlu', '--quiet')
check_images('bars.tlu', 3, 4, Chart('--image', '3x4', 'bars.tlu'))
refused('pictures of 5 x 5 have 25 pixels, and the model has 12 features', 'plot', '--image', '5x5', 'bars.tlu', '-o', 'x.svg')
refused('pictures of 2 x 2 have 4 pixels, and the model has 12 features', 'plot', '--image', '2x2', 'bars.tlu', '-o', 'x.svg')


# ---- what cannot be had

tlu('train', 'line.csv', '--kernel', 'poly:2', '-o', 'kernel.tlu', '--quiet')
tlu('train', 'line.csv', '--learner', 'mlp', '--hidden', 4, '-o', 'mlp.tlu', '--quiet')
refused('the model has a kernel (poly:2', 'plot', '--weights', 'kernel.tlu', '-o', 'x.svg')
refused('the model has layers', 'plot', '--weights', 'mlp.tlu', '-o', 'x.svg')
equal(len(Chart('--image', '2x1', 'mlp.tlu').images), 4, 'units of the first layer')
with open('one.csv', 'w') as file:
    file.write(open('line.csv').readline() + '0.1,0.2,+1\n')
with open('zero.csv', 'w') as file:
    file.write('a,b,class\n' + '0,0,x\n0,0,y\n' * 3)
tlu('train', 'zero.csv', '-o', 'zero.tlu', '--quiet')
for kind in ['--weights'], ['--image', '2x1']:
    refused('all weights of the model are 0', 'plot', *kind, 'zero.tlu', '-o', 'x.svg')
for kind in '--roc', '--pr':
    refused('one.csv: all rows are of one class', 'plot', kind, 'one.csv', 'line.tlu', '-o', 'x.svg')
for kind in '--confusion', '--calibration':
    equal(Chart(kind, 'one.csv', 'line.tlu').figures['rows'], 1, f'{kind} of one row')
PYTHON
