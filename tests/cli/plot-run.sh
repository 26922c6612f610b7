# tlu plot --run: frames against the steps that tlu trace prints, places of the plane against the weights
# after each of them.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q ' cairo.* giflib' || {
    echo "skipped: without cairo and giflib there are no animations"
    exit 77
}
"$TLU" generate line --rows 25 --seed 2 --format csv >line.csv
"$TLU" generate xor --rows 20 --format csv >xor.csv
exec python3 - <<'PYTHON'
import csv
import math
import re
from pictures import Gif, Png, Svg
from prelude import *

BLUE, ORANGE, GREEN = COLOURS = (0x00, 0x72, 0xb2), (0xd5, 0x5e, 0x00), (0x00, 0x9e, 0x73)
GROUNDS = {'-1': BLUE, '+1': ORANGE}


def is_like(colour, other, most=6):
    return all(abs(a - b) <= most for a, b in zip(colour, other))


def ground(colour):
    """As theme.h has it: a fifth of the colour, the rest white."""
    return tuple(round(255 + 0.2 * (c - 255)) for c in colour)


def read(path):
    with open(path) as file:
        return [((float(row['x1']), float(row['x2'])), row['label']) for row in csv.DictReader(file)]


def area_of(frame):
    """The box of the pixels that are ground of a class."""
    lights = [ground(c) for c in COLOURS]
    wanted = {i for i, c in enumerate(frame.palette) if any(is_like(c, l) for l in lights)}
    rows = [y for y in range(frame.height)
            if sum(frame.data[y * frame.width + x] in wanted for x in range(0, frame.width, 3)) > 50]
    middle = (rows[0] + rows[-1]) // 2
    columns = [x for x in range(frame.width) if frame.data[middle * frame.width + x] in wanted]
    return columns[0], rows[0], columns[-1], rows[-1]


def spot(frame, area, best):
    """The middle of the dot that has the pixel which is first by `best`, of those of dots."""
    left, top, right, bottom = area
    wanted = {i for i, c in enumerate(frame.palette) if any(is_like(c, d, 40) for d in COLOURS)}
    pixels = {(x, y) for y in range(top, bottom) for x in range(left, right)
              if frame.data[y * frame.width + x] in wanted}
    todo, dot = [min(pixels, key=best)], set()
    while todo:
        x, y = todo.pop()
        if (x, y) in pixels and (x, y) not in dot:
            dot.add((x, y))
            todo += [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
    return sum(x for x, _ in dot) / len(dot) + 0.5, sum(y for _, y in dot) / len(dot) + 0.5


class Places:
    """Where numbers of the data are in a frame, from the outermost dots of a frame without a ring."""

    def __init__(self, frame, area, rows):
        xs, ys = [at[0] for at, _ in rows], [at[1] for at, _ in rows]
        first, last = (spot(frame, area, best)[0] for best in (lambda p: p[0], lambda p: -p[0]))
        lowest, highest = (spot(frame, area, best)[1] for best in (lambda p: -p[1], lambda p: p[1]))
        self.across = (last - first) / (max(xs) - min(xs))
        self.x = first - self.across * min(xs)
        self.up = (highest - lowest) / (max(ys) - min(ys))
        self.y = lowest - self.up * min(ys)

    def pixel(self, x, y):
        return self.x + self.across * x, self.y + self.up * y

    def data(self, x, y):
        return (x + 0.5 - self.x) / self.across, (y + 0.5 - self.y) / self.up


def check_ground(what, frame, area, places, weights, bias):
    """Pixels that are ground of a class are on its side of the line, up to two pixels."""
    left, top, right, bottom = area
    length = math.hypot(weights[0] / places.across, weights[1] / places.up)
    checked = {label: 0 for label in GROUNDS}
    for y in range(top + 3, bottom - 2, 9):
        for x in range(left + 3, right - 2, 9):
            at = places.data(x, y)
            score = weights[0] * at[0] + weights[1] * at[1] + bias
            if length and abs(score) / length < 2:
                continue
            for label, colour in GROUNDS.items():
                # The edge of a dot may have the colour of another ground, in one pixel.
                if all(is_like(frame.pixel(x + by, y), ground(colour), 3) for by in (-1, 0, 1)):
                    checked[label] += 1
                    if (label == '+1') != (score > 0):
                        complain(f'{what}: {at} is drawn as {label}, and its score is {score}')
    if sum(checked.values()) < 500:
        complain(f'{what}: only {checked} places are ground')
    return checked


def ring_share(frame, places, at):
    """How much of a circle of 9 pixels around a place is dark."""
    x, y = places.pixel(*at)
    turns = [2 * math.pi * i / 32 for i in range(32)]
    return sum(max(frame.pixel(int(x + 9 * math.cos(t)), int(y + 9 * math.sin(t)))) < 0x90 for t in turns) / 32


# ---- one frame per update

rows = read('line.csv')
steps = json.loads(tlu('trace', 'line.csv', '--as', 'json', '--steps', 100000))
updates = [step for step in steps['steps'] if step['updated']]
equal(steps['stopped'], 'converged', 'the run')
shown = json.loads(tlu('plot', '--run', 'line.csv', '-o', 'run.gif', '--fps', 5, '--json'))
run_gif = Gif('run.gif')
equal(len(run_gif.frames), len(updates) + 1, 'frames')
equal(shown['frames'], len(updates) + 1, 'frames told')
equal(shown['figures']['updates'], len(updates), 'updates told')
equal(shown['figures']['mistakes'], sum(step['mistake'] for step in steps['steps']), 'mistakes told')
equal(shown['figures']['passes'], steps['epochs'], 'passes told')
equal([f.delay for f in run_gif.frames[:-1]], [20] * len(updates), 'delays')
if run_gif.frames[-1].delay < 200:
    complain(f'the last frame is shown for {run_gif.frames[-1].delay} hundredths of a second')
if f'converged after {len(updates)} mistakes in {steps["epochs"]} passes' not in shown['caption']:
    complain(f'the caption: {shown["caption"]}')

area = area_of(run_gif.frames[-1])
places = Places(run_gif.frames[0], area, rows)
if abs(places.across + places.up) > 0.02 * places.across:
    complain(f'a unit is {places.across} across and {places.up} up')
both = 0
for number, (frame, step) in enumerate(zip(run_gif.frames[1:], updates), 1):
    weights = step['weights_after']['+1']
    found = check_ground(f'update {number}', frame, area, places, (weights['x1'], weights['x2']), step['bias_after']['+1'])
    both += min(found.values()) > 0
    example = rows[step['row'] - 1][0]
    equal([round(v, 4) for v in step['example'].values()], [round(v, 4) for v in example], 'example')
    if ring_share(frame, places, example) < 0.7:
        complain(f'update {number}: no ring around row {step["row"]}')
    if sum(ring_share(frame, places, at) > 0.7 for at, _ in rows) > 2:
        complain(f'update {number}: rings around other rows')
if both < 5:
    complain(f'only {both} frames have a line')
if any(ring_share(run_gif.frames[0], places, at) > 0.5 for at, _ in rows):
    complain('a ring before the first update')

# Nothing jumps: what is around the area is the same in all frames but for the line above it.
for number, frame in enumerate(run_gif.frames):
    for y in (*range(0, 28), *range(area[1], area[3]), *range(area[3] + 3, frame.height)):
        begin, end = y * frame.width, (y + 1) * frame.width
        same = run_gif.frames[1].data
        if y > area[3]:
            outside = frame.data[begin:end] == same[begin:end]
        else:
            outside = (frame.data[begin:begin + area[0] - 1] == same[begin:begin + area[0] - 1] and
                       frame.data[begin + area[2] + 2:end] == same[begin + area[2] + 2:end])
        if not outside:
            complain(f'frame {number} differs around the area, in line {y}')
            break

# ---- fewer frames: evenly chosen, the first and the last among them

tlu('plot', '--run', 'line.csv', '-o', 'few.gif', '--frames', 4)
few = Gif('few.gif').frames
equal(len(few), 4, '--frames 4')
equal([f.delay for f in few[:-1]], [50] * 3, 'delays of a few frames')
chosen = [round(len(updates) * i / 3 + 1e-9) for i in range(4)]
area = area_of(few[-1])
places = Places(few[0], area, rows)
for frame, number in zip(few[1:], chosen[1:]):
    weights = updates[number - 1]['weights_after']['+1']
    check_ground(f'--frames 4, update {number}', frame, area, places, (weights['x1'], weights['x2']),
                 updates[number - 1]['bias_after']['+1'])
    if ring_share(frame, places, rows[updates[number - 1]['row'] - 1][0]) < 0.7:
        complain(f'--frames 4: no ring at update {number}')

# ---- scaled rows: the axes have the numbers of the data, and the line is the model's

options = ['--learner', 'perceptron', '--decide', 'last', '--scale', 'standard', '--epochs', '50']
tlu('plot', '--run', 'line.csv', '-o', 'scaled.gif', *options)
tlu('train', 'line.csv', '-o', 'scaled.tlu', '--quiet', *options)
last = Gif('scaled.gif').frames[-1]
area = area_of(last)
places = Places(Gif('scaled.gif').frames[0], area, rows)
grid = [(x, y) for y in range(area[1] + 5, area[3] - 4, 13) for x in range(area[0] + 5, area[2] - 4, 13)]
write('grid.csv', ['x1,x2\n'] + ['%r,%r\n' % places.data(x, y) for x, y in grid])
labels = tlu('predict', 'scaled.tlu', 'grid.csv').split()
wrong = seen = 0
for (x, y), label in zip(grid, labels):
    for other, colour in GROUNDS.items():
        if is_like(last.pixel(x, y), ground(colour), 3):
            seen += 1
            wrong += other != label
if seen < 0.8 * len(grid) or wrong > 0.01 * len(grid):
    complain(f'--scale: of {len(grid)} places {seen} are ground and {wrong} are not as predicted')

# ---- several classes: the last frame is what the model says

def three_classes(scheme):
    options = ['--learner', 'perceptron', '--decide', 'last', '--multiclass', scheme, '--epochs', '50']
    tlu('plot', '--run', 'three.csv', '-o', 'three.gif', '--frames', 4, *options)
    tlu('train', 'three.csv', '-o', 'three.tlu', '--quiet', *options)
    frames = Gif('three.gif').frames
    area = area_of(frames[-1])
    places = Places(frames[0], area, three)
    grid = [(x, y) for y in range(area[1] + 5, area[3] - 4, 11) for x in range(area[0] + 5, area[2] - 4, 11)]
    write('grid.csv', ['x1,x2\n'] + ['%r,%r\n' % places.data(x, y) for x, y in grid])
    seen, wrong = {label: 0 for label in 'abc'}, 0
    for (x, y), line in zip(grid, tlu('predict', 'three.tlu', 'grid.csv', '--ambiguous').splitlines()):
        label, *mark = line.split('\t')
        for other, colour in zip('abc', COLOURS):
            if is_like(frames[-1].pixel(x, y), ground(colour), 3) and '?' not in mark:
                seen[other] += 1
                wrong += other != label
    if min(seen.values()) < 20 or sum(seen.values()) < 0.4 * len(grid) or wrong > 0.01 * len(grid):
        complain(f'{scheme}: of {len(grid)} places {seen} are ground, {wrong} not as predicted')


three = [((x + dx, y + dy), label) for x, y, label in ((0, 0, 'a'), (6, 1, 'b'), (3, 5, 'c'))
         for dx, dy in ((0, 0), (1, 0.3), (0.2, 1), (-0.9, -0.1), (0.1, -1.1))]
write('three.csv', ['x1,x2,label\n'] + ['%g,%g,%s\n' % (*at, label) for at, label in three])
for scheme in ('wta', 'ovr', 'ovo'):
    three_classes(scheme)

# ---- small pictures on one page

def panels(path):
    """Closed frames, all of one size, that nothing is filled into."""
    boxes = [e for e in Svg(path).elements('path') if e.get('d').strip().count('L') == 3 and 'Z' in e.get('d') and
             ('fill:none' in (e.get('style') or '') or e.get('fill') == 'none')]
    return len(boxes)


tlu('plot', '--run', 'line.csv', '-o', 'strip.svg')
equal(panels('strip.svg'), 12, 'small pictures')
tlu('plot', '--run', 'line.csv', '-o', 'five.svg', '--frames', 5)
equal(panels('five.svg'), 5, 'small pictures, of 5')


def corners(element):
    return [tuple(map(float, p)) for p in re.findall(r'[ML] ?(\S+) (\S+)', element.get('d'))]


def check_arrows(path):
    """Heads of arrows are triangles, and each is inside of a small picture, all of it."""
    shapes = [corners(e) for e in Svg(path).elements('path') if 'C' not in e.get('d') and 'c' not in e.get('d')]
    boxes = [(min(x for x, _ in s), min(y for _, y in s), max(x for x, _ in s), max(y for _, y in s))
             for s in shapes if len(s) in (4, 5) and s[0] == (s + s)[4] or len(s) == 4]
    heads = [s for s in shapes if len(s) == 3 or len(s) == 4 and s[0] == s[3]]
    heads = [s for s in heads if max(math.dist(a, b) for a in s for b in s) < 15]
    for head in heads:
        if not any(all(b[0] <= x <= b[2] and b[1] <= y <= b[3] for x, y in head) for b in boxes if b[2] - b[0] > 60):
            complain(f'{path}: the arrow at {head} is not inside of a picture')
    return len(heads)


if check_arrows('strip.svg') < 8:
    complain(f'strip.svg: {check_arrows("strip.svg")} arrows')
tlu('plot', '--run', 'xor.csv', '-o', 'xor.svg', '--quiet')
if check_arrows('xor.svg') < 5:
    complain(f'xor.svg: {check_arrows("xor.svg")} arrows')
tlu('plot', '--run', 'line.csv', '-o', 'strip.png')
equal((Png('strip.png').width, Png('strip.png').height), (720, 480), 'strip.png')

# ---- sizes: the points have room on a low page, and on a wide one

for size, least in (('200x150', 0.2), ('1600x300', 0.4)):
    tlu('plot', '--run', 'line.csv', '-o', 'size.gif', '--size', size, '--frames', 3)
    frame = Gif('size.gif').frames[-1]
    lights = {i for i, c in enumerate(frame.palette) if any(is_like(c, ground(d)) for d in COLOURS[:2])}
    dots = {i for i, c in enumerate(frame.palette) if any(is_like(c, d) for d in COLOURS[:2])}
    share = sum(i in lights for i in frame.data) / len(frame.data)
    if share < least:
        complain(f'--size {size}: the ground is {share:.0%} of the picture')
    columns = [n % frame.width for n, i in enumerate(frame.data) if i in dots and n % frame.width < 0.8 * frame.width]
    if max(columns) - min(columns) < 0.2 * frame.width:
        complain(f'--size {size}: points are from {min(columns)} to {max(columns)}')

# ---- rows that no line separates

if ' clp' in tlu('--version'):
    for data, separable in (('xor.csv', False), ('line.csv', True)):
        caption = parsed(tlu('plot', '--run', data, '--json'))['caption']
        equal('No line separates these rows: tlu separable shows why' in caption, not separable, f'{data}: {caption}')

# ---- several classes, one feature, no picture

tlu('plot', '--run', IRIS, '-o', 'iris.gif', '--frames', 3)
equal(len(Gif('iris.gif').frames), 3, 'iris')
write('one.csv', ['a,label\n', '1,x\n', '2,x\n', '3,y\n', '4,y\n'])
tlu('plot', '--run', 'one.csv', '-o', 'one.svg')
refused('--kernel', 'plot', '--run', 'line.csv', '--kernel', 'poly:2', '-o', 'k.gif')
refused('standard input can be read only once', 'plot', '--run', '-', '-o', 'k.gif')
os.mkfifo('pipe')
if subprocess.run(['timeout', '5', TLU, 'plot', '--run', 'pipe', '-o', 'k.gif'], stderr=subprocess.DEVNULL).returncode != 2:
    complain('a pipe, which can be read only once, is waited for')
refused('rocchio', 'plot', '--run', 'line.csv', '--learner', 'rocchio', '-o', 'r.gif')
refused('no feature', 'plot', '--run', 'line.csv', '--x', 'x9', '-o', 'r.gif')
refused('do not fit on this page', 'plot', '--run', 'line.csv', '--size', '100x80', '-o', 's.svg')
PYTHON
