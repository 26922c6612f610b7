# tlu plot --game, --weight-space, --growth and --centroids: numbers and places in the SVG against a
# perceptron, a search for the best separator, means and exact decimals that are written out here.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q ' gmp.* clp' || {
    echo "skipped: without GMP and Clp there is no best separator"
    exit 77
}
"$TLU" --version | grep -q ' cairo.* giflib' || {
    echo "skipped: without cairo and giflib there are no pictures"
    exit 77
}
"$TLU" generate line --rows 25 --format csv >line.csv
"$TLU" generate xor --rows 20 --format csv >xor.csv
cat >game.csv <<'ROWS'
x1,x2,label
1,0.5,+1
-0.5,1.2,+1
0.3,-1,-1
-1,-0.2,-1
0.8,-0.3,-1
0.9,0.3,+1
-0.2,0.7,+1
-1.1,0.3,-1
ROWS
printf 'x,label\n2,+1\n1,-1\n' >one.csv
printf 'x,y,label\n1,2,+1\n1.5,1,+1\n2,1.5,+1\n11.5,0.5,+1\n-1,0.5,-1\n-0.5,1.5,-1\n0,0,-1\n' >means.csv
printf 'a,b,c,label\n1,2,3,+1\n-1,2,0,-1\n' >three.csv
printf 'a,b,label\n1,2,p\n-1,2,q\n3,3,r\n' >classes.csv
exec python3 - <<'PYTHON'
import itertools
import math
import re
import struct
from decimal import Decimal
from pictures import Gif, Svg
from prelude import *

INK, GREEN, PINK, RED, BLUE = '1f2328', '009e73', 'cc79a7', 'c4001a', '0072b2'


def single(text):
    """As a run sees it: a 32-bit float."""
    return struct.unpack('f', struct.pack('f', float(text)))[0]


def read(path, number=single):
    rows = []
    for line in open(path).read().splitlines()[1:]:
        *values, label = line.split(',')
        rows.append(([number(v) for v in values], 1 if label == '+1' else -1))
    return rows


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def perceptron(rows):
    """v_0, v_1, v_2, ... in the order of the file, until a pass is without a mistake."""
    v = [0 * value for value in rows[0][0]]
    history, wrong = [v], True
    while wrong:
        wrong = False
        for z, y in rows:
            if y * dot(v, z) <= 0:
                v = [a + y * b for a, b in zip(v, z)]
                history.append(v)
                wrong = True
    return history


def best_separator(rows):
    """In two dimensions: u is along one y x, or has the same product with two of them."""
    signed = [[y * a for a in x] for x, y in rows]
    candidates = [z for z in signed]
    for (a, b), (c, d) in itertools.combinations(signed, 2):
        candidates += [[d - b, a - c], [b - d, c - a]]  # at right angles to their difference
    def margin(u):
        length = math.hypot(*u)
        return min(dot(u, z) for z in signed) / length if length else -math.inf
    u = max(candidates, key=margin)
    return margin(u), [a / math.hypot(*u) for a in u]


class Marks:
    """Paths of an SVG: lists of points by colour, and whether they are filled, in units of the data."""

    def __init__(self, path, figures):
        self.lines, self.fills = [], []
        across = (figures['x_high'] - figures['x_low']) / (figures['area_right'] - figures['area_left'])
        up = (figures['y_high'] - figures['y_low']) / (figures['area_bottom'] - figures['area_top'])
        self.point = max(across, up)
        for element in Svg(path).elements('path'):
            strokes = [[(figures['x_low'] + (float(a) - figures['area_left']) * across,
                         figures['y_low'] + (figures['area_bottom'] - float(b)) * up)
                        for a, b in re.findall(r'(?:[MLC]|(?<=\d)) (-?[\d.e+-]+) (-?[\d.e+-]+)', stroke)]
                       for stroke in re.findall(r'M[^M]*', element.get('d'))]
            style = element.get('style')
            for kind, found in (('stroke', self.lines), ('fill', self.fills)):
                colour = re.search(kind + r':rgb\(([^)]*)\)', style)
                if colour:
                    parts = [round(float(c.strip(' %')) * 2.55) for c in colour[1].split(',')]
                    found += [('%02x%02x%02x' % tuple(parts), stroke) for stroke in strokes]

    def close(self, a, b, points=0.6):
        return math.dist(a, b) <= points * self.point

    def has_line(self, a, b, colour=None):
        return any(len(s) == 2 and (colour in (None, c)) and
                   (self.close(s[0], a) and self.close(s[1], b) or self.close(s[0], b) and self.close(s[1], a))
                   for c, s in self.lines)

    def has_tip(self, at):
        """A triangle whose first corner is here: the head of an arrow."""
        return any(len(s) == 3 and self.close(s[0], at) for _, s in self.fills)

    def has_mark(self, at, colour):
        """A closed shape with an edge of this colour around this place."""
        return any(c == colour and len(s) > 2 and
                   self.close([(min(p[i] for p in s) + max(p[i] for p in s)) / 2 for i in (0, 1)], at, 2.5)
                   for c, s in self.lines)

    def lines_through(self, normal, offset, colour=None):
        """Straight lines of this equation that go far."""
        length = math.hypot(*normal)
        return [s for c, s in self.lines if len(s) == 2 and colour in (None, c) and
                math.dist(*s) > 20 * self.point and
                all(abs(dot(normal, p) + offset) / length <= 0.6 * self.point for p in s)]


def show(*words):
    return json.loads(tlu('plot', *words, '--json'))['figures']


# ---- the game

rows = read('game.csv')
history = perceptron(rows)
gamma, u = best_separator(rows)
squared = max(dot(x, x) for x, _ in rows)
figures = show('--game', 'game.csv', '-o', 'game.svg')
marks = Marks('game.svg', figures)
equal(figures['mistakes'], len(history) - 1, 'mistakes of the game')
for name, expected in (('gamma', gamma), ('squared_radius', squared), ('bound', squared / gamma ** 2),
                       ('u_x', u[0]), ('u_y', u[1])):
    near(figures[name], expected, f'game: {name}', 1e3 * max(1, expected))
for k, v in list(enumerate(history))[1:]:
    near(figures[f'v_{k}_x'], v[0], f'v_{k}')
    near(figures[f'v_{k}_y'], v[1], f'v_{k}')
    near(figures[f'v_{k}_dot_u'], dot(v, u), f'v_{k} . u', 1e3)
    near(figures[f'{k}_gamma'], k * gamma, f'{k} gamma', 1e3)
    if not dot(v, u) >= k * gamma:
        complain(f'v_{k} . u is below {k} gamma')
    if not marks.has_tip(v):
        complain(f'no arrow to v_{k} = {v}')
    foot = [dot(v, u) * a for a in u]
    if not marks.has_line(v, foot, GREEN):
        complain(f'no line from v_{k} to its projection {foot}')
if not marks.has_tip(u):
    complain(f'no arrow to u = {u}')
if not marks.lines_through(u, 0, INK):
    complain('no hyperplane of u')
for side in (gamma, -gamma):
    if not marks.lines_through(u, side):
        complain(f'no edge of the band at {side}')
circles = [s for _, s in marks.lines if len(s) > 60 and
           all(abs(math.hypot(*p) - math.sqrt(squared)) <= marks.point for p in s)]
equal(len(circles), 1, 'circles of radius sqrt(R)')

# a u that is given, of any length
figures = show('--game', 'game.csv', '--u', '1.5,4.5', '-o', 'given.svg')
given = [1 / math.sqrt(10), 3 / math.sqrt(10)]
near(figures['u_y'], given[1], 'u')
near(figures['gamma'], min(y * dot(x, given) for x, y in rows), 'gamma of the given u')

# the adversary: what tlu game plays, and its sums
rounds = [json.loads(line) for line in tlu('game', '--adversary', '--dimension', 2, '--gamma', '0.25',
                                          '--json').splitlines()][:-1]
figures = show('--game', '--adversary', '--gamma', '0.25', '-o', 'adversary.svg')
marks = Marks('adversary.svg', figures)
equal(figures['mistakes'], len(rounds), 'mistakes of the adversary')
v = [0, 0]
for k, one in enumerate(rounds, 1):
    v = [a + one['label'] * b for a, b in zip(v, one['x'])]
    near(figures[f'v_{k}_x'], v[0], f'adversary: v_{k}')
    near(figures[f'v_{k}_y'], v[1], f'adversary: v_{k}')
    if not marks.has_tip(v):
        complain(f'adversary: no arrow to v_{k}')

tlu('plot', '--game', 'game.csv', '-o', 'game.gif')
equal(len(Gif('game.gif').frames), len(history), 'frames: one per mistake, and one before')
equal(show('--game', 'game.csv', '--frames', 4, '-o', 'strip.svg')['mistakes'], len(history) - 1, 'strip')
text = tlu('plot', '--game', 'game.csv', '-o', 'txt:-', '--size', '90x30')
equal(f'mistake {len(history) - 1}, row' in text and '\u221aR' in text, True, 'the game on a terminal')

# ---- weight space


def check_space(path, rows, *options):
    history = perceptron(rows)
    figures = show('--weight-space', path, '-o', 'space.svg', *options)
    marks = Marks('space.svg', figures)
    equal(figures['updates'], len(history) - 1, f'{path}: updates')
    shown = [k for k in range(len(history)) if f'w_{k}_x' in figures]
    equal(shown[0] == 0 and shown[-1] == len(history) - 1, True, f'{path}: first and last w')
    for k in shown:
        near(figures[f'w_{k}_x'], history[k][0], f'{path}: w_{k}')
        near(figures[f'w_{k}_y'], history[k][1], f'{path}: w_{k}')
    def is_way(line):
        """From the first w to the last, through all of them; corners that are straight may be left out."""
        places = iter(history)
        return (marks.close(line[0], history[0]) and marks.close(line[-1], history[-1]) and
                all(any(marks.close(p, w) for w in places) for p in line) and
                all(any(math.dist(a, w) + math.dist(w, b) <= math.dist(a, b) + marks.point
                        for a, b in zip(line, line[1:])) for w in history))

    ways = [s for c, s in marks.lines if c == INK and is_way(s)]
    equal(len(ways), 1, f'{path}: ways of w')
    for z, _ in rows:
        if not marks.lines_through(z, 0):
            complain(f'{path}: no line of the row {z}')
    # by trying all directions
    fits = [a / 100 for a in range(-36000, 36000)
            if all(y * dot(z, (math.cos(math.radians(a / 100)), math.sin(math.radians(a / 100)))) > 0
                   for z, y in rows)]
    inside = [a for a in fits if figures['cone_from'] <= a <= figures['cone_to']]
    equal(figures['separable'], 1, f'{path}: separable')
    if abs(inside[0] - figures['cone_from']) > 0.011 or abs(inside[-1] - figures['cone_to']) > 0.011:
        complain(f'{path}: the cone is {figures["cone_from"]} to {figures["cone_to"]}, '
                 f'not {inside[0]} to {inside[-1]}')
    cones = [s for _, s in marks.fills if any(marks.close(p, (0, 0)) for p in s) and len(s) > 2 and
             all(math.hypot(*p) < 2 * marks.point or
                 figures['cone_from'] - 0.5 <= math.degrees(math.atan2(p[1], p[0])) <= figures['cone_to'] + 0.5
                 for p in s)]
    equal(len(cones) >= 1, True, f'{path}: a shaded cone')


check_space('game.csv', rows)
check_space('one.csv', [([x, 1.0], y) for (x,), y in read('one.csv')])
equal(show('--weight-space', 'xor.csv', '--epochs', 2, '-o', 'xor.svg')['separable'], 0, 'xor')
tlu('plot', '--weight-space', 'one.csv', '-o', 'one.gif')
equal(len(Gif('one.gif').frames),
      len(perceptron([([x, 1.0], y) for (x,), y in read('one.csv')])), 'frames of weight space')

# ---- growth: with the decimals of the file, exactly


def check_growth(path):
    exact = [(x + [Decimal(1)], y) for x, y in read(path, Decimal)]
    history = perceptron(exact)[1:]
    places = max(-value.normalize().as_tuple().exponent for x, _ in exact for value in x)
    places = max(places, 0)
    digits = [len(str(int(max(map(abs, w)) * 10 ** places))) for w in history]
    radius = max(math.sqrt(dot(x, x)) for x, _ in exact)
    figures = show('--growth', path, '--shuffle', 'none', '-o', 'growth.svg')
    marks = Marks('growth.svg', figures)
    equal([figures[name] for name in ('updates', 'decimals', 'first_digits', 'digits')],
          [len(history), places, digits[0], digits[-1]], f'{path}: growth')
    near(figures['radius'], radius, f'{path}: R', 1e3)
    near(figures['length'], math.sqrt(dot(history[-1], history[-1])), f'{path}: |w|', 1e3)
    near(figures['length_bound'], radius * math.sqrt(len(history)), f'{path}: R sqrt k', 1e3)
    curves = [s for c, s in marks.lines if c == BLUE and
              all(any(marks.close(p, (k, math.sqrt(dot(w, w)))) or
                      abs(p[0] - k) < 0.01 and abs(p[1] - math.sqrt(dot(w, w))) < 0.02 * radius
                      for k, w in enumerate(history, 1)) for p in s)]
    equal(max(map(len, curves), default=0) > 0.6 * len(history), True, f'{path}: the curve of |w|')
    return digits


check_growth('line.csv')
with open('bits.csv', 'w') as file:  # numbers in binary, at least 21 or not: weights must grow
    file.write('a,b,c,d,e,f,label\n')
    for n in range(64):
        file.write(','.join('%06d' % int(bin(n)[2:])) + (',+1\n' if n >= 21 else ',-1\n'))
digits = check_growth('bits.csv')
equal((digits[0], digits[-1]), (1, 2), 'digits of the comparison')

# ---- centroids


def mean(points):
    return [sum(p[i] for p in points) / len(points) for i in (0, 1)]


rows = read('means.csv')
u, v = mean([x for x, y in rows if y > 0]), mean([x for x, y in rows if y < 0])
w = [a - b for a, b in zip(u, v)]
for options, score in (([], lambda x: math.dist(x, v) - math.dist(x, u)), (['--no-bias'], lambda x: dot(w, x))):
    figures = show('--centroids', 'means.csv', '-o', 'means.svg', *options)
    marks = Marks('means.svg', figures)
    wrong = [x for x, y in rows if (score(x) >= 0) != (y > 0)]
    equal((figures['rows'], figures['wrong']), (len(rows), len(wrong)), f'rocchio {options}')
    for name, at in (('u', u), ('v', v), ('w', w)):
        near(figures[f'{name}_x'], at[0], name)
        near(figures[f'{name}_y'], at[1], name)
    for at in (u, v):
        if not marks.has_mark(at, INK):
            complain(f'no mark at the mean {at}')
    for x, _ in rows:
        equal(marks.has_mark(x, RED), x in wrong, f'{x} ringed')
    middle = [(a + b) / 2 for a, b in zip(u, v)]
    if not marks.lines_through(w, -dot(w, middle), INK):
        complain('no bisector')
    if options and not marks.lines_through(w, 0, INK):
        complain('no line through 0')
equal(len(wrong) != 0, True, 'some rows are wrong')

# ---- errors

for kind in ('game', 'weight-space', 'centroids'):
    refused(f'three.csv: --{kind} draws two features', 'plot', f'--{kind}', 'three.csv', '-o', 'x.svg')
for kind in ('game', 'weight-space', 'centroids', 'growth'):
    refused('and the data has 3; keep the rows of two of them', 'plot', f'--{kind}', 'classes.csv', '-o', 'x.svg')
    refused('no-such.csv', 'plot', f'--{kind}', 'no-such.csv', '-o', 'x.svg')
for kind in ('game', 'weight-space', 'growth'):
    refused(f'--learner pa cannot be combined with --{kind}', 'plot', f'--{kind}', 'game.csv', '--learner', 'pa', '-o', 'x.svg')
    refused(f'--rate cannot be combined with --{kind}', 'plot', f'--{kind}', 'game.csv', '--rate', '2', '-o', 'x.svg')
refused('no line through 0 separates the rows', 'plot', '--game', 'xor.csv', '-o', 'x.svg')
refused('game.csv: row 5 is on the wrong side of the given u: y (u . x) is -0.8 ', 'plot', '--game', 'game.csv', '--u', '1,0', '-o', 'x.svg')
for u in ('1', '0,0', '1,2,3', 'a,b', 'nan,1', ''):
    refused('--u takes two numbers', 'plot', '--game', 'game.csv', f'--u={u}', '-o', 'x.svg')
refused("--adversary chooses the examples itself; remove 'game.csv'", 'plot', '--game', 'game.csv', '--adversary', '-o', 'x.svg')
refused('--game needs DATA or --adversary', 'plot', '--game', '-o', 'x.svg')
refused('--gamma applies to --adversary', 'plot', '--game', 'game.csv', '--gamma', '0.1', '-o', 'x.svg')
refused('R / gamma^2 is', 'plot', '--game', '--adversary', '--gamma', '2', '-o', 'x.svg')
refused('--adversary applies to --game, not to --run', 'plot', '--run', 'game.csv', '--adversary', '-o', 'x.svg')
for rule in ('--gamma', '--squared-radius'):
    refused(rule + ' must be above 0', 'plot', '--game', '--adversary', rule, '0', '-o', 'x.svg')
refused('--fps applies to animations', 'plot', '--game', 'game.csv', '--fps', '3', '-o', 'x.svg')
refused('--learner pa cannot be combined', 'plot', '--centroids', 'means.csv', '--learner', 'pa', '-o', 'x.svg')
refused('--scale cannot be combined', 'plot', '--centroids', 'means.csv', '--scale', 'standard', '-o', 'x.svg')
PYTHON
