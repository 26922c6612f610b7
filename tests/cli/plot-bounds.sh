# tlu plot --bounds: the proof of convergence as a picture, against a perceptron and a search for the
# best separator that are written out here.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q ' gmp.* clp' || {
    echo "skipped: without GMP and Clp there is no best separator"
    exit 77
}
"$TLU" --version | grep -q ' cairo' || {
    echo "skipped: without cairo there are no pictures"
    exit 77
}
"$TLU" generate line --rows 25 --format csv >line.csv
"$TLU" generate line --rows 40 --seed 5 --format csv >more.csv
printf '+1 1:1\n-1 1:-1\n' >two.svm
"$TLU" generate xor --rows 20 --format csv >xor.csv

python3 - <<'PYTHON'
import itertools
import math
import re
import struct
from pictures import Svg
from prelude import *


def single(text):
    """As a run sees it: a 32-bit float."""
    return struct.unpack('f', struct.pack('f', float(text)))[0]


def read(path, bias):
    rows = []
    for line in open(path).read().splitlines()[1:]:
        *values, label = line.split(',')
        rows.append(([single(v) for v in values] + [1.0] * bias, 1 if label == '+1' else -1))
    return rows


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def perceptron(rows):
    """v_1, v_2, ... in the order of the file, until a pass is without a mistake."""
    v, history, wrong = [0.0] * len(rows[0][0]), [], True
    while wrong:
        wrong = False
        for z, y in rows:
            if y * dot(v, z) <= 0:
                v = [a + y * b for a, b in zip(v, z)]
                history.append(v)
                wrong = True
    return history


def solve(matrix, right):
    """Gaussian elimination; None if it is singular."""
    n = len(right)
    m = [row[:] + [b] for row, b in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(m[r][i]))
        if abs(m[pivot][i]) < 1e-14:
            return None
        m[i], m[pivot] = m[pivot], m[i]
        for r in range(n):
            if r != i:
                factor = m[r][i] / m[i][i]
                m[r] = [a - factor * b for a, b in zip(m[r], m[i])]
    return [m[i][n] / m[i][i] for i in range(n)]


def best_separator(rows):
    """u of length 1 with the largest margin: all rows that support it have the margin exactly, and
    u is a sum of these, so that all sets of up to as many rows as there are numbers are tried."""
    signed = [[y * a for a in z] for z, y in rows]
    best = (0, None)
    for size in range(1, len(signed[0]) + 1):
        for chosen in itertools.combinations(signed, size):
            parts = solve([[dot(a, b) for b in chosen] for a in chosen], [1.0] * size)
            if not parts:
                continue
            w = [sum(p * z[i] for p, z in zip(parts, chosen)) for i in range(len(signed[0]))]
            length = math.sqrt(dot(w, w))
            margin = min(dot(w, z) for z in signed) / length
            if margin > best[0]:
                best = (margin, [a / length for a in w])
    return best


def check(path, *options):
    bias = '--no-bias' not in options
    rows = read(path, bias)
    shown = json.loads(tlu('plot', '--bounds', path, '--shuffle', 'none', '--json',
                           '-o', path + '.svg', *options))
    figures = shown['figures']
    # The picture has the 32-bit floats that the run sees; bound has decimals, so it is given these floats.
    with open(path) as file, open('floats.csv', 'w') as floats:
        for number, line in enumerate(file):
            fields = line.rstrip('\n').split(',')
            if number:
                fields = [repr(struct.unpack('f', struct.pack('f', float(v)))[0]) for v in fields[:-1]] + fields[-1:]
            floats.write(','.join(fields) + '\n')
    told = json.loads(tlu('bound', 'floats.csv', '--runs', 0, '--json', *options))
    for mine, theirs in (('radius', 'radius'), ('margin', 'margin_low'), ('bound', 'bound')):
        near(figures[mine], told[theirs], f'{path}: {mine}')
    margin, u = best_separator(rows)
    radius = max(math.sqrt(dot(z, z)) for z, _ in rows)
    near(figures['margin'], margin, f'{path}: margin, searched for')
    near(figures['radius'], radius, f'{path}: radius')
    near(figures['bound'], (radius / margin) ** 2, f'{path}: bound', figures['bound'])
    history = perceptron(rows)
    equal(figures['mistakes'], len(history), f'{path}: mistakes')
    v = history[-1]
    length, inside = math.sqrt(dot(v, v)), dot(v, u)
    near(figures['length'], length, f'{path}: |v|')
    near(figures['v_dot_u'], inside, f'{path}: v . u', 1e3)  # u has a few digits less
    angle = math.degrees(math.acos(inside / length))
    if abs(figures['angle'] - angle) > 1e-4:
        complain(f'{path}: angle {figures["angle"]}, expected {angle}')
    return history, u, margin, radius


def curves(path):
    """Open lines of an SVG by colour, width and whether they are dashed, each a list of points."""
    found = []
    for path in Svg(path).elements('path'):
        text = path.get('style')
        points = [(float(a), float(b)) for a, b in re.findall(r'[ML] ([-\d.]+) ([-\d.]+)', path.get('d'))]
        stroke = re.search(r'stroke:rgb\(([^)]*)\)', text)
        if not stroke or 'Z' in path.get('d'):
            continue
        colour = tuple(round(float(c.strip(' %')) * 2.55) for c in stroke[1].split(','))
        found.append((colour, 'stroke-dasharray:' in text, points))
    return found


BLUE, ORANGE = (0, 114, 178), (213, 94, 0)


def longest(lines, colour, dashed):
    return max((points for c, d, points in lines if c == colour and d == dashed), key=len)


def check_places(path, history, u, margin, radius):
    """On logarithmic axes the bounds are straight lines; the places of the run are worked out from
    its first and last mistake across, and from k gamma up."""
    lines = curves(path + '.svg')
    length, inside = longest(lines, BLUE, False), longest(lines, ORANGE, False)
    most, least = longest(lines, BLUE, True), longest(lines, ORANGE, True)
    per_point = math.log(len(history)) / (length[-1][0] - length[0][0])
    log_k = lambda x: (x - length[0][0]) * per_point
    # log y = up0 + up * y of the page: where the line k gamma is at its ends
    (x1, y1), (x2, y2) = least[0], least[-1]
    up = (log_k(x2) - log_k(x1)) / (y2 - y1)
    value = lambda y: margin * math.exp(log_k(x1) + up * (y - y1))
    for x, y in most[::20]:
        expected = radius * math.exp(log_k(x) / 2)
        if abs(value(y) / expected - 1) > 0.01:
            complain(f'R sqrt k at k = {math.exp(log_k(x))} is drawn at {value(y)}, not {expected}')
    for what, line, is_so in (('|v_k|', length, lambda v: math.sqrt(dot(v, v))),
                              ('v_k . u', inside, lambda v: dot(v, u))):
        if len(line) < 0.8 * len(history):  # what is on a straight line may be left out
            complain(f'{what} has {len(line)} points, and there are {len(history)} mistakes')
        for x, y in line:
            k = round(math.exp(log_k(x)))
            if not 1 <= k <= len(history) or abs(math.exp(log_k(x)) / k - 1) > 0.01 / k ** 0.5:
                complain(f'{what}: a mistake is drawn at {math.exp(log_k(x))}')
            elif abs(value(y) / is_so(history[k - 1]) - 1) > 0.01:
                complain(f'{what} after {k} mistakes is drawn at {value(y)}, '
                         f'not {is_so(history[k - 1])}')
            if not 0.99 * k * margin <= value(y) <= 1.01 * radius * math.sqrt(k):
                complain(f'{what} is outside of its bounds after {k} mistakes')


check_places('line.csv', *check('line.csv'))
check_places('more.csv', *check('more.csv'))

# A row and its opposite: one mistake, which is what the bound allows.
two = json.loads(tlu('plot', '--bounds', 'two.svm', '--no-bias', '--json', '-o', 'two.svg'))
equal([two['figures'][name] for name in ('mistakes', 'bound', 'radius', 'margin', 'angle')],
      [1, 1, 1, 1, 0], 'two rows')

refused('not separable', 'plot', '--bounds', 'xor.csv', '-o', 'xor.svg')
refused('two classes, and the data has 3', 'plot', '--bounds', IRIS, '-o', 'iris.svg')
refused('--learner pa', 'plot', '--bounds', 'line.csv', '--learner', 'pa', '-o', 'pa.svg')
# Rates from 0.5 to 2: (2 / 0.5)^2 times as many mistakes.
plain, rates = (parsed(tlu('plot', '--bounds', 'line.csv', '-o', 'rate.svg', '--json', '--rate', rate))['figures']['bound']
                for rate in ('1', '0.5:2'))
near(rates, 16 * plain, 'rates')
refused('--rate', 'plot', '--bounds', 'line.csv', '--rate', '2:1', '-o', 'rate.svg')
PYTHON
