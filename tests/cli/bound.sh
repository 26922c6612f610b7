#!/bin/bash
# tlu bound: the theorem's figures for sets that can be worked out by hand, and runs within them.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q 'gmp clp' || {
    echo "skipped: built without GMP or Clp"
    exit 77
}
python3 - <<'PYTHON'
import math
import random
from prelude import *


def bound(path, *options):
    return parsed(tlu('bound', path, '--json', *options))


# OR with a bias: the rows (x, 1) are at most sqrt(3) long, and u = (2, 2, -1) / 3 has the margin 1/3
# at (0, 0), (0, 1) and (1, 0), which are linearly independent and all hold with equality: the best.
# So the bound is 3 * 9 = 27. Without (0, 1), or (1, 0), u = (2, 0, -1) / sqrt(5) has 1 / sqrt(5): 15.
write('or.svm', '-1\n+1 2:1\n+1 1:1\n+1 1:1 2:1\n')
said = bound('or.svm', '--runs', 20)
near(said['radius'], math.sqrt(3), 'R')
equal((said['rows'], said['radius_line'], said['answer']), (4, 4, 'separable'), 'OR')
near(said['margin_low'], 1 / 3, 'the margin')
near(said['margin_high'], 1 / 3, 'the margin from above')
for form in ('elkan', 'palagi', 'cohen', 'honavar'):
    near(said['forms'][form]['bound'], 27, form)
near(said['forms']['cohen']['R'], 3, 'the squared radius')
near(said['forms']['honavar']['W'], 3, '|W*| with delta = 1')
equal(said['without']['line'] in (2, 3), True, 'the example to drop')
near(said['without']['margin'], 1 / math.sqrt(5), 'the margin without it')
near(said['without']['bound'], 15, 'the bound without it')
equal([run['seed'] for run in said['runs']], list(range(1, 21)), 'seeds')
equal(all(run['converged'] and run['mistakes'] <= 27 for run in said['runs']), True, 'the runs of OR')

# Through the origin: x = 1 as +1 and x = -2 as -1 have R = 2 and the margin 1.
write('line.svm', '+1 1:1\n-1 1:-2\n')
said = bound('line.svm', '--no-bias')
near(said['bound'], 4, 'two points on a line')
equal('without' in said, False, 'a class of one row keeps it')

for path, options, text in (('or.svm', ('--no-bias',), '(0, 0) is on every plane through the origin'),
                            (write('xor.svm', '-1\n+1 2:1\n+1 1:1\n-1 1:1 2:1\n'), (), 'XOR')):
    done = run('bound', path, *options)
    equal((done.returncode, 'separable --approximate' in done.stdout), (1, True), text)
refused('has 3: --positive', 'bound', IRIS)
equal(bound(IRIS, '--positive', 'setosa')['rows'], 150, 'one against the rest')
equal(bound(IRIS, '--only', 'setosa,virginica', '--runs', 0)['runs'], [], 'no runs')

# Planted margins: runs in every order are within the bound, and the example that is dropped is the
# one whose absence, tried out, makes the bound smallest.
for seed in range(4):
    write('planted.svm', tlu('generate', 'margin', '--rows', 40, '--features', 2, '--seed', seed))
    rows = open('planted.svm').read().splitlines()
    said = bound('planted.svm')
    if any(run['mistakes'] > said['bound'] or not run['converged'] for run in said['runs']):
        complain(f"{said['runs']} are not within {said['bound']}")
    without = []
    for i in range(len(rows)):
        write('fewer.svm', ''.join(row + '\n' for k, row in enumerate(rows) if k != i))
        without.append(bound('fewer.svm', '--runs', 0)['bound'])
    if abs(min(without) - said['without']['bound']) > 1e-6 * min(without):
        complain(f"{said['without']}, expected {min(without)} without line {without.index(min(without)) + 1}")
PYTHON
