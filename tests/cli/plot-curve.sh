# tlu plot --curve: each value is that of tlu train --epochs N on the rows that are not held out, by tlu
# eval on both; the held-out rows are the first folds of tlu cv. Places of the curves in the SVG.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q ' cairo' || {
    echo "skipped: without cairo there are no pictures"
    exit 77
}
"$TLU" generate sparse --rows 400 --features 300 --nonzeros 12 --noise 0.1 -o sparse.svm
"$TLU" generate moons --rows 90 --noise 0.3 --seed 4 --format csv -o moons.csv

python3 - <<'PYTHON' || complain "see above"
import re
from pictures import Svg
from prelude import *


def divide(path, folds, held_out, seed):
    """Writes train and held, the rows of the first of the folds; header and all."""
    told = json.loads(tlu('cv', path, '--folds', folds, '--seed', seed, '--json'))['folds']
    chosen = {row for fold in told[:held_out] for row in fold['rows']}
    lines = open(path).read().splitlines()
    header = lines[:1] if path.endswith('.csv') else []
    rows = lines[len(header):]
    for name, inside in (('train', False), ('held', True)):
        kept = [line for i, line in enumerate(rows) if (i + 1 in chosen) == inside]
        open(name + path[-4:], 'w').write('\n'.join(header + kept) + '\n')
    return 'train' + path[-4:], 'held' + path[-4:], len(rows) - len(chosen), len(chosen)


def accuracy(model, path):
    return json.loads(tlu('eval', model, path, '--json'))['accuracy']


def check(path, learners, epochs, folds=5, held_out=1, seed=1, options=()):
    """learners: names, and the options of tlu train that they stand for."""
    train, held, rows, rows_held = divide(path, folds, held_out, seed)
    told = json.loads(tlu('plot', '--curve', path, '--learners', ','.join(learners), '--epochs', epochs,
                          '--seed', seed, '-o', 'curve.svg', '--json', *options))
    figures = told['figures']
    for name, words in learners.items():
        for e in [int(words[-1])] if '--epochs' in words else range(1, epochs + 1):
            what = f'{path}, {name}, pass {e}'
            report = json.loads(tlu('train', train, '-o', 'm.tlu', '--epochs', e, '--seed', seed, '--json',
                                    *words))
            near(figures.get(f'{name} training {e}'), accuracy('m.tlu', train), what + ': training')
            near(figures.get(f'{name} held-out {e}'), accuracy('m.tlu', held), what + ': held out')
            if len(report['mistakes']) == e:
                equal(figures.get(f'{name} mistakes {e}'), report['mistakes'][-1], what + ': mistakes')
    if f'Accuracy on {rows_held} held-out rows after training on {rows} rows:' not in told['caption']:
        complain(f'{path}: {rows} and {rows_held} rows are not in "{told["caption"]}"')
    return figures


check('sparse.svm', {'perceptron:decide=last': ('--learner', 'perceptron', '--decide', 'last'),
                     'perceptron:decide=average': ('--learner', 'perceptron'),
                     'perceptron:decide=vote': ('--learner', 'perceptron', '--decide', 'vote'),
                     'perceptron:decide=best': ('--learner', 'perceptron', '--decide', 'best'),
                     'arow:r=2': ('--learner', 'arow', '--r', 2),
                     'logistic': ('--learner', 'logistic')}, 5)
# Of three in ten rows, and another seed; a kernel; a net; a table, which is scaled.
check('moons.csv', {'perceptron:kernel=rbf:2': ('--learner', 'perceptron', '--kernel', 'rbf:2'),
                    'pa1': ('--learner', 'pa1'),
                    'mlp:hidden=4': ('--learner', 'mlp', '--hidden', 4)}, 4, 10, 3, 7,
      ('--holdout', 0.3))
# Learners that look at all rows at once have one value; one with passes of its own ends there.
whole = check('sparse.svm', {'rocchio': ('--learner', 'rocchio', '--epochs', 3),
                             'pa:epochs=2': ('--learner', 'pa', '--epochs', 2)}, 3)
equal(sorted(whole), ['pa:epochs=2 held-out 1', 'pa:epochs=2 held-out 2', 'pa:epochs=2 mistakes 1',
                      'pa:epochs=2 mistakes 2', 'pa:epochs=2 training 1', 'pa:epochs=2 training 2',
                      'rocchio held-out 3', 'rocchio training 3'], 'all rows at once')


# Places: the curve of held-out rows is solid, that of rows learned from dashed, in one colour.
def curves(path, colour):
    found = {True: [], False: []}
    for element in Svg(path).elements('path'):
        style = element.get('style', '')
        stroke = re.search(r'stroke:rgb\(([^)]*)\)', style)
        if not stroke or 'Z' in element.get('d'):
            continue
        if tuple(round(float(c.strip(' %')) * 2.55) for c in stroke[1].split(',')) == colour:
            found['stroke-dasharray:' in style].append(
                [tuple(map(float, p)) for p in re.findall(r'[ML] ([-\d.]+) ([-\d.]+)', element.get('d'))])
    return found


figures = json.loads(tlu('plot', '--curve', 'sparse.svm', '--learner', 'perceptron', '--epochs', 6, '--json',
                         '-o', 'one.svg'))['figures']
drawn = curves('one.svg', (0, 114, 178))
held, learned = drawn[False][0], drawn[True][0]
first, last = held[0][0], held[-1][0]


def by_pass(points, what):
    """(value, y) of the passes that have a point: one on a straight line may have none."""
    passes = [1 + (x - first) / (last - first) * 5 for x, _ in points]
    if len(points) < 4 or any(abs(e - round(e)) > 0.01 for e in passes):
        complain(f'{what}: points at the passes {passes}')
    return [(figures[f'perceptron {what} {round(e)}'], y) for e, (_, y) in zip(passes, points)]


def on_a_line(pairs, what):
    """The higher the value, the higher it is drawn, evenly."""
    (low, bottom), (high, top) = min(pairs), max(pairs)
    if bottom - top < 30 or last - first < 100:
        complain(f'{what}: {low} is drawn at {bottom}, {high} at {top}')
    for value, y in pairs:
        if abs(bottom + (value - low) / (high - low) * (top - bottom) - y) > 0.5:
            complain(f'{what}: {value} is drawn at {y}')


on_a_line(by_pass(held, 'held-out') + by_pass(learned, 'training'), 'accuracies')
on_a_line(by_pass(drawn[False][1], 'mistakes'), 'mistakes')

# The choice; a pipe; nothing held out.
said = json.loads(tlu('plot', '--curve', 'sparse.svm', '--json'))
chosen = said['figures']
if not re.search(r'perceptron \(last\) [0-9.]+%, perceptron \(average\) [0-9.]+%, arow [0-9.]+%',
                 said['caption']):
    complain(f"the choice is called {said['caption']}")
equal({name.split()[0] for name in chosen}, {'perceptron:decide=last', 'perceptron:decide=average', 'arow'},
      'the choice')
equal(max(int(name.split()[-1]) for name in chosen), 10, 'passes')
piped = json.loads(tlu('plot', '--curve', '-', '--json', stdin=open('sparse.svm').read()))['figures']
equal(piped, chosen, 'from standard input')
none = json.loads(tlu('plot', '--curve', 'sparse.svm', '--holdout', 0, '--learner', 'perceptron', '--epochs', 2,
                      '--json'))
equal(sorted(none['figures']), ['perceptron mistakes 1', 'perceptron mistakes 2', 'perceptron training 1',
                                'perceptron training 2'], 'nothing held out')
tlu('train', 'sparse.svm', '--learner', 'perceptron', '--epochs', 2, '-o', 'm.tlu')
near(none['figures']['perceptron training 2'], accuracy('m.tlu', 'sparse.svm'), 'nothing held out')

refused("there is no learner 'percetron'; did you mean perceptron?", 'plot', '--curve', 'sparse.svm',
        '--learners', 'percetron', '-o', 'x.svg')
open('two.svm', 'w').write('+1 1:1\n-1 2:1\n')
refused('has 2 rows, too few for 5 parts', 'plot', '--curve', 'two.svm', '-o', 'x.svg')
PYTHON

# --learning-curve with all training rows is tlu cv with the same folds. A smaller size has as many
# rows as it says, and one of each class at least: two rows can always be separated.
"$TLU" generate sparse --rows 204 --features 40 --nonzeros 6 --noise 0.1 --seed 3 -o sizes.svm
"$TLU" cv sizes.svm --learner perceptron --folds 4 --json --quiet >cv.json
"$TLU" plot --learning-curve sizes.svm --learners perceptron,arow --folds 4 --train-sizes 1,0.25,90,2 --json >sizes.json
python3 - <<'PYTHON' || complain "see above"
import re

from prelude import *

cv = json.load(open('cv.json'))
picture = json.load(open('sizes.json'))
figures = picture['figures']
most = 153  # outside of a fold of 51
equal(sorted({int(name.split()[-1]) for name in figures}), [2, most // 4, 90, most], 'sizes')
accuracies = [fold['accuracy'] for fold in cv['folds']]
mean = sum(accuracies) / 4
near(figures[f'perceptron validation {most}'], mean, 'the mean of tlu cv')
deviation = (sum((a - mean) ** 2 for a in accuracies) / 3) ** 0.5
near(figures[f'perceptron validation deviation {most}'], deviation, 'its deviation')
near(figures['arow training 2'], 1, 'accuracy on two training rows')
if f'{most} training rows: perceptron {100 * mean:.1f}%' not in picture['caption']:
    complain(picture['caption'])
# The caption names the learner that auto chose; no band hides another.
for learners in 'auto', 'arow,auto':
    caption = json.loads(tlu('plot', '--learning-curve', 'sizes.svm', '--learners', learners, '--json'))['caption']
    tlu('train', 'sizes.svm', '-o', 'auto.tlu', '-q')
    choice = json.loads(tlu('inspect', 'auto.tlu', '--json'))['learner']
    if not re.search(rf'auto \({choice}\) [0-9.]+% ', caption):
        complain(f'{learners}: {caption}')
tlu('plot', '--learning-curve', 'sizes.svm', '--learners', 'arow,perceptron', '-o', 'bands.svg')
equal(len(re.findall(r'fill-opacity="0\.16', open('bands.svg').read())), 2, 'translucent bands')
PYTHON
refuses_with '--train-sizes takes numbers above 0, separated by commas' \
    "$TLU" plot --learning-curve sizes.svm --train-sizes 0.1,,2 --json
refuses '--train-sizes applies to --learning-curve, not to --curve' \
    "$TLU" plot --curve sizes.svm --train-sizes 0.1 --json
refuses 'there are only 153 training rows in each of 4 folds; give sizes up to 153, or shares up to 1' \
    "$TLU" plot --learning-curve sizes.svm --folds 4 --train-sizes 500 --json

# A title of '' and --no-caption leave the texts out of the picture, but not out of its description.
"$TLU" plot moons.csv --title '' --no-caption --aspect free --points -o bare.svg >bare.txt
"$TLU" plot moons.csv --points -o full.svg >full.txt
python3 - <<'PYTHON' || complain "see above"
from pictures import Svg
from prelude import *

bare, full = Svg('bare.svg'), Svg('full.svg')
equal(bare.texts('desc'), full.texts('desc'), 'description')
equal(bare.texts('title')[:1], full.texts('title')[:1], 'title for screen readers')
if len(bare.elements('path')) == 0 or open('bare.svg').read().count('<use') >= open('full.svg').read().count('<use'):
    complain('the title or the caption is drawn')
PYTHON
grep -q '90 rows' bare.txt || complain "the caption is not printed: $(cat bare.txt)"
