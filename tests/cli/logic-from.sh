# tlu logic from: the units say what the model says, of two classes and of several, and the
# differences that are counted are those that a plain implementation of the network finds; equal
# scores are as --tie says; what does not become a unit is refused. Real data, if it is there.
. "$TLU_SOURCE/tests/prelude.sh"
need python3

python3 - <<'PYTHON'
from networks import *


def write_rows(path, rows, labels):
    with open(path, 'w') as file:
        file.write(','.join(f'c{i}' for i in range(len(rows[0]))) + ',label\n')
        for row, label in zip(rows, labels):
            file.write(','.join(map(str, row)) + f',{label}\n')


def check(model, data, rows, what, *options):
    """The report, after it was compared with the network and the labels of the model."""
    report = json.loads(tlu('logic', 'from', model, data, '--json', '--as', 'json', '-o', 'net.json', *options))
    network = Network(json.load(open('net.json')))
    names = [output['name'] for output in network.form['outputs']]
    columns = [int(name[1:]) for name in network.inputs]
    differences = 0
    for row, label in zip(rows, tlu('predict', model, data).split('\n')):
        outputs = network.step([row[i] for i in columns])
        said = [name for name, output in zip(names, outputs) if output]
        if len(names) > 1:
            equal(len(said), 1, f'{what}: classes that have won')
        differences += said != [label] if len(names) > 1 else bool(outputs[0]) != (label == names[0])
    equal(report['differences'], differences, f'{what}: differences')
    equal(report['rows'], len(rows), f'{what}: rows')
    equal(report['inputs'], len(network.inputs), f'{what}: inputs')
    for unit in network.form['units']:
        for name, weight in unit['weights'].items():
            if name in network.inputs and '--multiclass ovo' not in what and abs(weight) >= 2 ** (report['bits'] - 1):
                complain(f'{what}: a weight of {weight} has more than {report["bits"]} bits')
    return report


generator = random.Random(5)
for classes in 2, 3, 5:
    planes = [[generator.gauss(0, 1) for _ in range(9)] for _ in range(classes)]
    rows = [[generator.randint(0, 1) for _ in range(8)] for _ in range(300)]
    score = lambda row, plane: sum(x * w for x, w in zip(row, plane)) + plane[8] + generator.gauss(0, 0.2)
    labels = [f'k{max(range(classes), key=lambda k: score(row, planes[k]))}' for row in rows]
    write_rows('data.csv', rows, labels)
    every = [[row >> i & 1 for i in range(8)] for row in range(256)]
    write_rows('every.csv', every, labels)
    for options in ('', '--learner logistic', '--learner perceptron --decide last --scale none', '--multiclass ovr',
                    '--multiclass ovo', '--learner bernoulli-bayes', *(
                        f'--learner perceptron --decide last --scale none --epochs 2 --tie {tie}{scheme}'
                        for tie in ('negative', 'positive') for scheme in ('', ' --multiclass ovr', ' --multiclass ovo'))):
        if classes == 2 and 'multiclass' in options:
            continue
        what = f'{classes} classes {options}'
        tlu('train', 'data.csv', '-o', 'model.tlu', '--quiet', *options.split())
        # Every row there is: the network is the model.
        report = check('model.tlu', 'every.csv', every, what)
        equal(report['differences'], 0, f'{what}: rows that differ without --bits')
        few = check('model.tlu', 'every.csv', every, what, '--bits', '2')
        # Fewer bits are not enough: that is what the least number means.
        if report['bits'] > 2 and 'ovo' not in options:
            less = check('model.tlu', 'every.csv', every, what, '--bits', str(report['bits'] - 1))
            if less['differences'] == 0:
                complain(f'{what}: {report["bits"] - 1} bits are enough')
        if 'last' in options:  # whole weights
            exact = json.loads(tlu('logic', 'from', 'model.tlu', '--json'))
            equal((exact['exact'], exact['rows']), (True, 0), f'{what}: without data')

# A unit worked out by hand: Rosenblatt's rule from 0 with a bias, in file order. (1, 1) is a mistake
# of the class +1: w = (1, 1), b = 1. (0, 1) of the class -1 is the next: w = (1, 0), b = 0. Then
# (1, 0) is right, (0, 0), a score of 0, is positive and wrong: b = -1. The next pass: (1, 1) has the
# score 0, which counts as a mistake: w = (2, 1), b = 0. (0, 1): w = (2, 0), b = -1. All are right.
with open('hand.svm', 'w') as file:
    file.write('+1 1:1 2:1\n-1 2:1\n+1 1:1\n-1\n')
tlu('train', 'hand.svm', '-o', 'hand.tlu', '--quiet', '--learner', 'perceptron', '--decide', 'last', '--scale', 'none',
    '--shuffle', 'none')
network = json.loads(tlu('logic', 'from', 'hand.tlu', '--as', 'json', '--quiet'))
equal(network['units'], [{'name': '+1', 'weights': {'1': 1}, 'threshold': 1}], '2 x1 - 1 >= 0 is x1 >= 1')

# Planes by hand: a score of 0 is positive by >= and <=, negative by > and <. Of whole numbers, more
# than 1 is 2 or more; more than 1/2 is 1 or more, as is at least 1/2; of 2 x + 2 y - 2 the common
# factor goes out.
for plane, x, y, threshold in (('2 x + y - 1 > 0', 2, 1, 2), ('2 x + y - 1 >= 0', 2, 1, 1),
                               ('2 x + y - 1 < 0', -2, -1, 0), ('2 x + y - 1 <= 0', -2, -1, -1),
                               ('x + y - 1/2 > 0', 1, 1, 1), ('x + y - 1/2 >= 0', 1, 1, 1),
                               ('2 x + 2 y - 2 > 0', 1, 1, 2), ('2 x + 2 y - 2 >= 0', 1, 1, 1)):
    tlu('import', '--plane', plane, '-o', 'plane.tlu', '--quiet')
    network = json.loads(tlu('logic', 'from', 'plane.tlu', '--as', 'json', '--quiet'))
    equal(network['units'], [{'name': '1', 'weights': {'x': x, 'y': y}, 'threshold': threshold}], plane)

# Equal scores of several classes: the first label wins, or by --tie positive the last. A has the
# score x, B y, C 0: (0, 0) is between all, (1, 1) between A and B.
with open('corners.csv', 'w') as file:
    file.write('x,y\n0,0\n1,0\n0,1\n1,1\n')
for scheme in 'wta', 'ovr':
    for tie, winners in ('mistake', 'AABA'), ('negative', 'AABA'), ('positive', 'CABB'):
        tlu('import', '--plane', 'A: x', '--plane', 'B: y', '--plane', 'C: 0 x', '-o', 'three.tlu', '--quiet', '--tie', tie,
            '--multiclass', scheme)
        for data in ['corners.csv'], []:
            form = json.loads(tlu('logic', 'from', 'three.tlu', *data, '--as', 'json', '--quiet'))
            network, said = Network(form), ''
            for row in (0, 0), (1, 0), (0, 1), (1, 1):
                outputs = network.step([row['xy'.index(name)] for name in network.inputs])
                said += ''.join(o['name'] for o, fires in zip(form['outputs'], outputs) if fires)
            equal(said, winners, f'{scheme}, --tie {tie}')
PYTHON

from() # WORDS...
{
    "$TLU" logic from "$@"
}

# What does not become a unit.
data=$TLU_SOURCE/examples/data
"$TLU" train "$data/iris.csv" -o iris.tlu --quiet
refuses_with "iris.csv:2: the feature 'sepal_length' is 5.1, and the inputs of a threshold unit are 0 or 1; train on 0, 1 and categories" \
    from iris.tlu "$data/iris.csv"
"$TLU" train "$data/weather.csv" -o kernel.tlu --kernel poly:2 --quiet
refuses 'the model has no weights of features, as it has a kernel or layers: it does not become a threshold unit; train another learner without --kernel' \
    from kernel.tlu
"$TLU" train "$data/weather.csv" -o vote.tlu --decide vote --quiet
refuses 'the model decides by vote over many weight vectors: it does not become a threshold unit; train with --decide average' \
    from vote.tlu
"$TLU" train "$data/weather.csv" -o weather.tlu --quiet
refuses_with '--bits is a whole number from 2 to 40' from weather.tlu --bits 1
refuses_with 'would overwrite the input' from weather.tlu "$data/weather.csv" -o weather.tlu
says 'says the same as the model about 14 rows' from weather.tlu "$data/weather.csv"
says 'not checked with data' from weather.tlu --bits 4
[ -z "$(from weather.tlu --bits 4 --quiet 2>&1 >/dev/null)" ] || complain "--quiet is not"
: >empty.csv
from weather.tlu empty.csv >output.txt 2>&1
[ $? = 2 ] || complain "an empty file is accepted"

# Real data: as C, of a model of many features, against tlu predict.
adult=$TLU_SOURCE/../shared/data/a9a/a9a
if [ -e "$adult" ] && command -v cc >/dev/null; then
    head -n 4000 "$adult" >a9a
    "$TLU" train a9a -o a9a.tlu --quiet
    from a9a.tlu a9a --as c -o a9a.c 2>errors.txt || complain "a9a: $(cat errors.txt)"
    grep -q 'says the same as the model about 4000 rows' errors.txt || complain "a9a: $(cat errors.txt)"
    cc -std=c11 -Wall -Wextra -Wconversion -pedantic -Werror -DNETWORK_MAIN a9a.c -o a9a.program ||
        complain "the C of a9a"
    from a9a.tlu a9a --as json -o a9a.json --quiet
    "$TLU" predict a9a.tlu a9a >expected.txt
    python3 - <<'PYTHON'
from networks import *

names = json.load(open('a9a.json'))['inputs']
lines = ''
for line in open('a9a'):
    ones = {entry.split(':')[0] for entry in line.split()[1:]}
    lines += ''.join('1' if name in ones else '0' for name in names) + '\n'
found = ['+1' if line == '1' else '-1' for line in execute('./a9a.program', stdin=lines).split()]
equal(found == open('expected.txt').read().split(), True, 'the program of a9a says what tlu predict says')
PYTHON
else
    echo 'a9a is not there: left out'
fi

# A threshold that the model keeps moves the plane: of the network, of the distances, and what is said
# about scores.
weather=$TLU_SOURCE/examples/data/weather.csv
for how in none sigmoid; do
    "$TLU" train "$weather" --learner logistic --calibrate $how -q -o kept.tlu || complain "training with --calibrate $how"
    "$TLU" predict kept.tlu "$weather" >before.txt
    limit=$("$TLU" threshold kept.tlu "$weather" --for precision=1 --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["score"])') ||
        complain 'finding a threshold'
    "$TLU" predict kept.tlu "$weather" --scores >after.txt
    cut -f 1 after.txt | cmp -s - before.txt && complain 'the threshold changes nothing: the test tests nothing'
    awk -v limit="$limit" '($2 >= limit) != ($1 == "yes")' after.txt | grep -q . && complain "scores from $limit on are not yes"
    "$TLU" logic from kept.tlu "$weather" --bits 20 -o kept.net 2>told.txt || complain 'a model with a threshold'
    grep -q 'says the same as the model about 14 rows' told.txt || complain "$(cat told.txt)"
    "$TLU" logic from kept.tlu --bits 20 2>/dev/null | cmp -s - kept.net || complain 'without data it is another network'
    "$TLU" distance kept.tlu "$weather" | sed -nE 's/^row [0-9]+: (yes|no)[ ,].*/\1/p' >distance.txt
    cut -f 1 after.txt | cmp -s - distance.txt || complain 'tlu distance has other labels than tlu predict'
done
