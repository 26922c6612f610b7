#!/bin/bash
# tlu distance: sides, distances and margins, against the formula of the notes.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 - <<'PYTHON'
import math
from prelude import *

# The example of the Honavar notes: w = (-1; 1, 1), and the point (2, 1) has the score 2 and the
# distance sqrt(2). A perceptron gets to these weights in two passes over (1, 1) and (0, 0).
write('two.svm', '+1 1:1 2:1\n-1\n')
tlu('train', 'two.svm', '--learner', 'perceptron', '--decide', 'last', '--no-shuffle', '-o', 'two.tlu',
    '--quiet')
weights = dict(line.split('\t')[1:] for line in tlu('inspect', 'two.tlu', '--weights').splitlines())
equal({name: float(w) for name, w in weights.items()}, {'(bias)': -1, '1': 1, '2': 1}, 'the weights')
write('point.svm', '+1 1:2 2:1\n-1\n+1 1:-2\n')
lines = [parsed(line) for line in tlu('distance', 'two.tlu', 'point.svm', '--json').splitlines()]
near(lines[0]['score'], 2, 'the score')
near(lines[0]['distance'], math.sqrt(2), 'the distance')
near(lines[1]['distance'], -1 / math.sqrt(2), 'the distance on the other side')
near(lines[1]['margin'], 1 / math.sqrt(2), 'the margin of a row on its side')
near(lines[2]['margin'], -3 / math.sqrt(2), 'the margin of a row on the wrong side')
near(lines[3]['smallest_margin'], -3 / math.sqrt(2), 'the smallest margin')
equal((lines[3]['margin_row'], lines[3]['wrong'], lines[3]['labelled']), (3, 1, 3), 'the summary')
# In text 9 digits of sqrt(2), 1 / sqrt(2) and 3 / sqrt(2).
equal(tlu('distance', 'two.tlu', 'point.svm'),
      'row 1: +1, score 2, distance 1.41421356\nrow 2: -1, score -1, distance -0.707106781\n'
      'row 3: -1 (wrong, the label is +1), score -3, distance -2.12132034\n'
      'margin -2.12132034: the least distance of 3 labelled rows, that of row 3, which is on the wrong side\n',
      'the text')

# Every scheme and scaling, from the weights that inspect shows; ovo has planes of its own, of which
# it shows sums, so there the nearest plane must be one of the pairs, and be on the winner's side.
rows = [line.split(',') for line in open(IRIS).read().splitlines()[1:]]
names = open(IRIS).read().splitlines()[0].split(',')[:-1]


def checked(*options, csv=rows, classes=3):
    tlu('train', IRIS, '-o', 'iris.tlu', '--quiet', *options)
    planes = {}
    for line in tlu('inspect', 'iris.tlu', '--weights').splitlines():
        label, name, weight = line.split('\t')
        planes.setdefault(label, {})[name] = float(weight)
    found = [parsed(line) for line in tlu('distance', 'iris.tlu', IRIS, '--json', '--all').splitlines()]
    smallest = math.inf
    for row, said in zip(csv, found):
        values = dict(zip(names, map(float, row[:-1])))
        scores = {k: p['(bias)'] + sum(p.get(n, 0) * v for n, v in values.items()) for k, p in planes.items()}

        def between(k, j):
            length = math.sqrt(sum((planes[k].get(n, 0) - planes[j].get(n, 0))**2 for n in names))
            return (scores[k] - scores[j]) / length

        k = said['predicted']
        for j, distance in said['distances'].items():
            if abs(distance - between(k, j)) > 1e-6 * max(1, abs(distance)):
                complain(f'{options}: {distance} between {k} and {j}, expected {between(k, j)}')
        if abs(said['distance'] - min(said['distances'].values())) > 0:
            complain(f'{options}: the nearest plane')
        smallest = min(smallest, min(between(row[-1], j) for j in scores if j != row[-1]))
    equal(len(found), 151, 'lines')
    if abs(found[-1]['smallest_margin'] - smallest) > 1e-6:
        complain(f"{options}: margin {found[-1]['smallest_margin']}, expected {smallest}")


for scheme in ('wta', 'ovr'):
    for scale in ('none', 'standard', 'maxabs'):
        checked('--multiclass', scheme, '--scale', scale)
tlu('train', IRIS, '-o', 'ovo.tlu', '--quiet', '--learner', 'perceptron', '--multiclass', 'ovo')
for said in [parsed(line) for line in tlu('distance', 'ovo.tlu', IRIS, '--json', '--all').splitlines()][:-1]:
    if min(said['distances'].values()) != said['distance']:
        complain('ovo: the nearest plane')

tlu('train', 'two.svm', '--kernel', 'rbf:1', '-o', 'k.tlu', '--quiet')
refused('has a kernel', 'distance', 'k.tlu', 'two.svm')
tlu('train', 'two.svm', '--learner', 'perceptron', '--decide', 'vote', '-o', 'v.tlu', '--quiet')
refused('no hyperplane', 'distance', 'v.tlu', 'two.svm')
PYTHON
