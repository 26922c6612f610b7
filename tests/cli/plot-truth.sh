# tlu plot --truth: what a few rows teach, against what is true. Accuracies by a perceptron that is
# written out here, and by tlu train and eval; regions by the colours of pixels.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q ' cairo' || {
    echo "skipped: without cairo there are no pictures"
    exit 77
}
python3 - <<'PYTHON'
import functools
import math
import re
import struct
from pictures import Png, Svg
from prelude import *


def single(text):
    return struct.unpack('f', struct.pack('f', float(text)))[0]


@functools.lru_cache(None)
def generated(kind, rows, seed, *options):
    """Rows to learn from, and 1,000 after them: lines of CSV, and as (x, y, label)."""
    lines = tlu('generate', kind, '--rows', rows + 1000, '--seed', seed, '--format', 'csv',
                *options).splitlines()
    values = [tuple(single(v) for v in line.split(',')) for line in lines[1:]]
    return lines, values[:rows], values[rows:]


def perceptron(rows):
    """As in the notes: until a pass is without a mistake."""
    a = b = c = 0.0
    wrong, passes, updates = True, 0, 0
    while wrong:
        wrong, passes = False, passes + 1
        for x, y, label in rows:
            if label * (a * x + b * y + c) <= 0:
                a, b, c = a + label * x, b + label * y, c + label
                wrong, updates = True, updates + 1
    return a, b, c, passes, updates


def share_right(weights, rows):
    a, b, c = weights[:3]
    return sum((a * x + b * y + c >= 0) == (label > 0) for x, y, label in rows) / len(rows)


def figures(*options):
    return json.loads(tlu('plot', '--truth', *options, '--json'))['figures']


# ---- 25 points, the line y = 1 - x

accuracies = {}
for seed in range(1, 101):
    _, rows, fresh = generated('line', 25, seed)
    weights = perceptron(rows)
    accuracies[seed] = share_right(weights, fresh)
    if seed <= 5:
        found = figures('line', '--seed', seed)
        near(found['accuracy'], accuracies[seed], f'seed {seed}: accuracy')
        equal([found['passes'], found['updates'], found['converged'], found['training_mistakes']],
              [weights[3], weights[4], 1, 0], f'seed {seed}: the run')
        equal(found['accuracy_of_truth'], 1, f'seed {seed}: the truth')


def check_seeds(found, values, what):
    mean = sum(values) / len(values)
    near(found['mean_accuracy'], mean, f'{what}: mean')
    near(found['deviation'], math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1)),
         f'{what}: deviation')
    equal([found['least'], found['most'], found['seeds']], [min(values), max(values), len(values)],
          what)
    return mean


mean = check_seeds(figures('line', '--seeds', 100), list(accuracies.values()), '100 seeds')
check_seeds(figures('line', '--seeds', 4, '--seed', 7), [accuracies[s] for s in range(7, 11)],
            '4 seeds')
said = tlu('plot', '--truth', 'line', '--seeds', 100, '-o', 'hundred.svg')
caption = ' '.join(said.split('shows')[1].split())
if f'Over 100 seeds the mean accuracy is {100 * mean:.1f}%' not in caption:
    complain(f'the mean accuracy, {mean}, is not in the caption: {caption}')
equal(Svg('hundred.svg').texts('desc'), [caption], 'the caption in the picture')


# ---- regions

def mix(a, b, share):
    return tuple(int(x + share * (y - x) + 0.5) for x, y in zip(a, b))


WHITE, WRONG, MINUS, PLUS = (255, 255, 255), (0xc4, 0, 0x1a), (0, 0x72, 0xb2), (0xd5, 0x5e, 0)
# by (true, learned)
GROUND = {(True, True): mix(WHITE, PLUS, 0.2), (False, False): mix(WHITE, MINUS, 0.2),
          (True, False): mix(WHITE, WRONG, 0.25), (False, True): mix(WHITE, WRONG, 0.6)}


def dotted_box(path):
    """Of an SVG: left, top, right, bottom of where the rows are."""
    for element in Svg(path).elements('path'):
        if re.search(r'stroke-dasharray:2,', element.get('style', '')):
            corners = re.findall(r'[ML] ([-\d.]+) ([-\d.]+)', element.get('d'))
            xs, ys = [float(x) for x, _ in corners], [float(y) for _, y in corners]
            return min(xs), min(ys), max(xs), max(ys)
    complain('there is no dotted box')


def cut(polygon, inside):
    """The part of a polygon where a linear function is not below 0 (Sutherland and Hodgman)."""
    kept = []
    for (p, q) in zip(polygon, polygon[1:] + polygon[:1]):
        a, b = inside(*p), inside(*q)
        if a >= 0:
            kept.append(p)
        if (a >= 0) != (b >= 0):
            t = a / (a - b)
            kept.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
    return kept


def area(polygon):
    return abs(sum(a * d - b * c for (a, b), (c, d) in
                   zip(polygon, polygon[1:] + polygon[:1]))) / 2 if polygon else 0


# A seed both of whose slivers are thick.
def slivers(seed, count=25):
    _, rows, _ = generated('line', count, seed)
    a, b, c = perceptron(rows)[:3]
    truth = lambda x, y: x + y - 1
    learned = lambda x, y: a * x + b * y + c
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    minus = lambda f: lambda x, y: -f(x, y)
    return (area(cut(cut(square, truth), minus(learned))),
            area(cut(cut(square, minus(truth)), learned)), truth, learned, rows)


seed = max(range(1, 30), key=lambda s: min(slivers(s)[:2]))
missed, claimed, truth, learned, rows = slivers(seed)
options = ('line', '--seed', seed)
found = json.loads(tlu('plot', '--truth', *options, '-o', 'line.png', '--json'))['figures']
tlu('plot', '--truth', *options, '-o', 'line.svg')

def check_areas(found, missed, claimed):
    for name, expected in (('missed_share', missed), ('claimed_share', claimed),
                           ('wrong_share', missed + claimed)):
        if abs(found[name] - expected) > 1e-5:
            complain(f'{name} is {found[name]}, not {expected}')


check_areas(found, missed, claimed)
check_areas(figures('line', '--rows', 1000), *slivers(1, 1000)[:2])  # thinner than a pixel
left, top, right, bottom = dotted_box('line.svg')
picture, asked = Png('line.png'), {}
for i in range(2, 100, 3):
    for k in range(2, 100, 3):
        x, y = i / 100, k / 100
        at = left + x * (right - left), bottom - y * (bottom - top)
        size = math.hypot(learned(1, 0) - learned(0, 0), learned(0, 1) - learned(0, 0))
        distance = min(abs(truth(x, y)) / math.sqrt(2), abs(learned(x, y)) / size)
        if distance * (right - left) < 5:
            continue  # a line may be here
        if any(math.hypot(left + p * (right - left) - at[0], bottom - q * (bottom - top) - at[1]) < 8
               for p, q, _ in rows):
            continue  # a point
        case = truth(x, y) > 0, learned(x, y) >= 0
        seen = {picture.pixel(int(at[0]) + dx, int(at[1]) + dy) for dx in (-1, 0, 1)
                for dy in (-1, 0, 1)}
        if GROUND[case] not in seen or any(GROUND[other] in seen for other in GROUND if other != case):
            complain(f'{x}, {y}, which is {case}, looks like {seen}')
        asked[case] = asked.get(case, 0) + 1
if len(asked) < 4 or min(asked.values()) < 3:
    complain(f'too few places were looked at: {asked}')


# ---- other kinds and learners, by tlu train and tlu eval

def check(kind, seed, rows, recipe, learner, plot=()):
    """recipe: options of tlu generate; learner: of tlu train; plot: what tlu plot gets of both."""
    lines, _, _ = generated(kind, rows, seed, *recipe)
    clean = lines
    if '--noise' in recipe:  # of labels: fresh rows have none
        clean, _, _ = generated(kind, rows, seed, *recipe, '--noise', 0)
    open('train.csv', 'w').write('\n'.join(lines[:rows + 1]) + '\n')
    open('fresh.csv', 'w').write('\n'.join(lines[:1] + clean[rows + 1:]) + '\n')
    tlu('train', 'train.csv', '-o', 'm.tlu', '--seed', seed, *learner)
    expected = json.loads(tlu('eval', 'm.tlu', 'fresh.csv', '--json'))['accuracy']
    found = figures(kind, '--seed', seed, '--rows', rows, *plot)
    near(found['accuracy'], expected, f'{kind} {plot}')
    if not 0 <= found['wrong_share'] <= 1:
        complain(f'{kind} {plot}: {found["wrong_share"]} of the box is wrong')
    return found


NOTES = ('--learner', 'perceptron', '--decide', 'last', '--shuffle', 'none', '--epochs', 1000)
check('line', 2, 60, ('--noise', 0.2), NOTES, ('--noise', 0.2))
check('xor', 3, 25, (), NOTES)
check('margin', 4, 25, ('--features', 2), NOTES)
check('blobs', 5, 40, (), NOTES)
check('circle', 6, 80, (), NOTES[:-2] + ('--kernel', 'rbf:3', '--epochs', 7),
      ('--kernel', 'rbf:3', '--epochs', 7))
check('semicircles', 9, 40, (), NOTES)
check('moons', 7, 50, (), ('--learner', 'pa1'), ('--learner', 'pa1'))
curved = check('xor', 8, 40, (), ('--learner', 'mlp', '--hidden', 8), ('--learner', 'mlp', '--hidden', 8))
if curved['accuracy'] < 0.95:
    complain(f'a net knows no XOR: {curved}')

done = run('plot', '--truth', 'line', '--rows', 2, '--seed', 2, '-o', 'two.svg')
if done.returncode or 'all rows have the label +1' not in done.stderr:
    complain(f'two rows of one label: {done.returncode}, {done.stderr}')
refused('noise is a share', 'plot', '--truth', 'line', '--noise', 2, '-o', 'two.svg')

# ---- a border that is not seen, and room for the seeds below a narrow legend

for seed in range(1, 9):
    said = json.loads(tlu('plot', '--truth', 'line', '--noise', 0.1, '--seed', seed, '--json'))
    found = said['figures']
    everywhere = {(0.5, 0): '-1', (0, 0.5): '+1'}.get((round(found['missed_share'], 6),
                                                       round(found['claimed_share'], 6)))
    expected = f'All of the box is predicted as {everywhere}:' if everywhere else 'wrong in'
    if expected not in said['caption'] or ('All of the box' in said['caption']) != bool(everywhere):
        complain(f'seed {seed}: {found} {said["caption"]}')
    if seed == 1 and not everywhere:
        complain('the first seed is to have its border outside')
for kind in ('line', 'blobs'):
    tlu('plot', '--truth', kind, '--seeds', 12, '-o', 'seeds.txt', '--size', '110x34', '-q')
    page = open('seeds.txt').read()
    if '12 seeds' not in page.split('Over 12')[0] or 'mean' not in page.split('True:')[0]:
        complain(f'{kind} has no histogram:\n{page}')
PYTHON
