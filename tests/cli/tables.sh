# Tables as they are found: which column is the label, which are texts or identifiers, what becomes of
# missing values, commas in numbers. Expected values were worked out by hand.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 - <<'END'
import csv
import random

from prelude import *

random.seed(1)
SUBJECTS = 'the cat|a dog|my friend|our team|that car|some rain|one idea|his plan'.split('|')
VERBS = 'runs to|looks at|waits for|talks about|walks past'.split('|')
OBJECTS = 'the old house|a new day|your green door|all of us|the end of it'.split('|')


def sentence():
    return f'{random.choice(SUBJECTS)} {random.choice(VERBS)} {random.choice(OBJECTS)} {random.randint(1, 999)}'


def write(path, header, rows, delimiter=','):
    with open(path, 'w', newline='') as file:
        writer = csv.writer(file, delimiter=delimiter)
        if header:
            writer.writerow(header)
        writer.writerows(rows)


def trained(path, *options):
    done = run('train', path, '-o', 'm.tlu', '--json', *options)
    if done.returncode:
        complain(f'{path} {options}: {done.stderr}')
        sys.exit(1)
    return parsed(done.stdout)


def features():
    return {line.split('\t')[1] for line in
            tlu('inspect', 'm.tlu', '--weights').splitlines()} - {'(bias)'}


# ---- the label, and how it was chosen

rows = [[i % 7, (i * 3) % 5, 'yes' if i % 2 else 'no', i % 2] for i in range(40)]
for header, label, reason in [
        (['a', 'b', 'c', 'd'], 'd', 'last'),
        (['a', 'b', 'Survived', 'd'], 'Survived', 'name'),
        (['a', 'b', 'target', 'species'], 'target', 'name'),  # the more usual one
        (['a', 'b', 'is_late', 'd'], 'is_late', 'name'),
        (['is_a', 'b', 'is_late', 'has_d'], 'has_d', 'last'),  # several questions are no answer
        (['is_a', 'b', 'c', 'd'], 'd', 'last'),  # more than two values
        (['v1', 'b', 'c', 'd'], 'd', 'last')]:  # no text beside it
    write('t.csv', header, rows)
    report = trained('t.csv')
    equal((report['label'], report['label_reason']), (label, reason), f'label of {header}')
    folds = parsed(tlu('cv', 't.csv', '--json', '-k', 2))
    equal((folds['label'], folds['label_reason']), (label, reason), f'label of cv, {header}')
report = trained('t.csv', '--label', 'c')
equal((report['label'], report['label_reason']), ('c', 'given'), '--label')
equal(run('train', 't.csv', '-o', 'm.tlu').stderr.count('label column d, the last one (--label COLUMN '
                                                        'chooses another)'), 1, 'summary')
tuned = parsed(tlu('tune', 't.csv', '--json', '--budget', 40, '-o', 'x.tlu'))
equal((tuned['label'], tuned['label_reason']), ('d', 'last'), 'label of tune')
compared = parsed(tlu('compare', 't.csv', '--json', '--learners', 'perceptron,pa1'))
equal((compared['label'], compared['label_reason']), ('d', 'last'), 'label of compare')
answer = parsed(run('separable', 't.csv', '--json').stdout)
equal((answer['label'], answer['label_reason']), ('d', 'last'), 'label of separable')

# ---- texts

messages = [[random.choice(['ham', 'spam']), sentence()] for _ in range(60)]
write('m.csv', ['v1', 'v2'], messages)
report = trained('m.csv')
equal((report['label'], report['label_reason']), ('v1', 'name'), 'v1 beside a text')
if not features() >= {'v2:cat', 'v2:the', 'v2:door'}:
    complain(f'words of a column: {sorted(features())[:9]}')
if not any('column v2 is read as text' in note for note in report['notices']):
    complain(f"the note about v2: {report['notices']}")
write('m.csv', ['kind', 'message'], messages)  # the last column is the text
equal((trained('m.csv')['label']), 'kind', 'the last column that is not a text')
report = trained('m.csv', '--label', 'kind', '--categorical', 'message')
equal(report['features'], len({row[1] for row in messages}), 'texts as categories')
# Few different values of several words are categories, many are texts.
states = ['New York', 'New Mexico', 'North Dakota', 'West Virginia']
write('s.csv', ['state', 'x', 'label'],
      [[random.choice(states), i % 9, i % 2] for i in range(80)])
trained('s.csv')
equal(features() - {'x'}, {f'state={state}' for state in states}, 'states')
trained('s.csv', '--text', 'state')
equal(features() - {'x'}, {f'state:{word}' for word in ' '.join(states).split()}, '--text')
# Two texts beside a number and a category. The word "end" of one is not that of the other.
write('two.csv', ['title', 'n', 'colour', 'body', 'label'],
      [[sentence(), i, random.choice(['red', 'blue']), sentence() + ' and more of that', i % 2]
       for i in range(60)])
trained('two.csv')
if not features() >= {'title:cat', 'body:cat', 'colour=red', 'n', 'body:more'} \
        or 'title:more' in features():
    complain(f'two texts: {sorted(features())[:20]}')
# Quotes, newlines and commas inside.
write('q.csv', ['label', 'text'], [[i % 2, f'he said "stop, now"\nand left {i}'] for i in range(30)])
trained('q.csv')
if not features() >= {'text:he', 'text:"', 'text:stop', 'text:,', 'text:left', 'text:and'}:
    complain(f'quoted text: {sorted(features())[:20]}')

# ---- identifiers

write('id.csv', ['PassengerId', 'x', 'code', 'label'],
      [[i + 1, (i * 7) % 11, f'k{i % 3}', i % 2] for i in range(120)])
report = trained('id.csv')
equal(features(), {'x', 'code=k0', 'code=k1', 'code=k2'}, 'an identifier')
if not any('column PassengerId is left out' in note for note in report['notices']):
    complain(f"the note about PassengerId: {report['notices']}")
trained('id.csv', '--numeric', 'PassengerId')
if 'PassengerId' not in features():
    complain('--numeric keeps an identifier')
write('id.csv', None, [[i + 1, (i * 7) % 11, i % 2] for i in range(120)])
trained('id.csv')
equal(features(), {'2'}, 'a column that counts the rows')
write('id.csv', ['id', 'label'], [[i + 1, i % 2] for i in range(120)])
trained('id.csv')
equal(features(), {'id'}, 'an identifier that is all there is')
write('id.csv', ['x', 'label'], [[-1, -1], [0, 1], [1, -1]])
trained('id.csv')
equal(features(), {'x'}, 'three points on a line')

# ---- missing values

# a: 1, 2, 6 and two missing: mean 3, median 2. b: 4, 4, 1, 0, 0: the smallest of the most frequent
# is 0. The color of the last row is missing: red is the most frequent.
HOLES = [['1', '4', 'red', 'x'], ['', '4', 'red', 'y'], ['2', '1', 'blue', 'x'],
         ['NA', '0', 'red', 'y'], ['6', '0', '?', 'x']]
write('h.csv', ['a', 'b', 'color', 'label'], HOLES)
TRACE = ['--learner', 'perceptron', '--epochs', 1, '--no-shuffle', '--as', 'json']


def examples(*options):
    steps = parsed(tlu('trace', 'h.csv', *TRACE, *options))['steps']
    return [{name: value for name, value in step['example'].items() if value} for step in steps]


MISSING_A = {'a=(missing)': 1}
for how, a, marked, color in [('auto', 3, MISSING_A, 'color=(missing)'),
                              ('mean', 3, {}, 'color=(missing)'),
                              ('median', 2, {}, 'color=(missing)'),
                              ('most-frequent', 1, {}, 'color=red'),
                              ('indicator', 0, MISSING_A, 'color=(missing)'),
                              ('zero', 0, {}, None)]:
    found = examples('--missing', how)
    filled = {'a': a} if a else {}
    equal(found[1], {**filled, **marked, 'b': 4, 'color=red': 1}, f'--missing {how}, row 2')
    equal(found[3], {**filled, **marked, 'color=red': 1}, f'--missing {how}, row 4')
    equal(found[4], {'a': 6, **({color: 1} if color else {})}, f'--missing {how}, row 5')
    # A model replaces what is missing in other rows by what it was fitted to, in one row and in a
    # column that had no hole.
    write('o.csv', ['a', 'b', 'color'], [['', '', '']])
    trained('h.csv', '--missing', how, '--learner', 'perceptron', '--decide', 'last')
    weights = {name: float(weight) for _, name, weight in
               (line.split('\t') for line in tlu('inspect', 'm.tlu', '--weights').splitlines())}
    fills = {'auto': (3, 9 / 5), 'mean': (3, 9 / 5), 'median': (2, 1), 'most-frequent': (1, 0)}
    fill_a, fill_b = fills.get(how, (0, 0))
    expected = weights.get('(bias)', 0) + fill_a * weights.get('a', 0) + fill_b * weights.get('b', 0)
    if how in ['auto', 'indicator']:
        expected += weights.get('a=(missing)', 0)
    expected += weights.get(color, 0) if color else 0
    score = float(tlu('predict', 'm.tlu', 'o.csv', '--scores').split('\t')[1])
    if abs(score - expected) > 1e-6:
        complain(f'--missing {how}: score {score} of a row without values, expected {expected}')
refused("h.csv:3:1: the value in column 'a' is missing", 'train', 'h.csv', '-o', 'x.tlu', '--missing',
        'refuse')
report = trained('h.csv')
for part in ['2 of a by the mean 3', '1 of color']:
    if not any(part in note for note in report['notices']):
        complain(f"the notes have no '{part}': {report['notices']}")

write('e.csv', ['empty', 'x', 'label'], [['', i, i % 2] for i in range(10)])
refused("column 'empty' has no value", 'train', 'e.csv', '-o', 'x.tlu')
trained('e.csv', '--ignore', 'empty')
write('e.csv', ['t', 'x', 'label'], [['', i, i % 2] for i in range(10)])
refused("column 't' has no text", 'train', 'e.csv', '-o', 'x.tlu', '--text', 't')

# JSON records: a text without a word, a member that is always null, a label that a row has twice.
def write_records(path, rows):
    with open(path, 'w') as file:
        file.writelines(json.dumps(row) + '\n' for row in rows)


write_records('e.jsonl', [{'t': None if i % 2 else '', 'x': i, 'label': i % 2} for i in range(10)])
refused("e.jsonl: column 't' has no text in any row; leave it out with --ignore t", 'train', 'e.jsonl', '-o', 'x.tlu',
        '--text', 't')
write_records('e.jsonl', [{'empty': None, 'x': i, 'label': i % 2} for i in range(10)])
write('n.csv', ['empty', 'x', 'label'], [['', i, i % 2] for i in range(10)])
for missing in 'auto', 'mean', 'median', 'most-frequent':
    for kind in '--numeric', '--categorical':
        for path in 'e.jsonl', 'n.csv':
            refused(f"{path}: column 'empty' has no value; leave it out with --ignore empty", 'train', path, '-o', 'x.tlu',
                    '--missing', missing, kind, 'empty')
    refused("e.jsonl: column 'empty' has no value", 'train', 'e.jsonl', '-o', 'x.tlu', '--missing', missing)
    refused("e.jsonl: column 'empty' has no value", 'train', 'e.jsonl', '-o', 'x.tlu', '--missing', missing, '--holdout', 0.3)
for path in 'e.jsonl', 'n.csv':
    trained(path, '--ignore', 'empty')
trained('e.jsonl', '--missing', 'zero')
# A value in one row only: a fold without it can be trained.
write_records('e.jsonl', [{'rare': 3 if i == 5 else None, 'x': i, 'label': i % 2} for i in range(30)])
tlu('cv', 'e.jsonl', '-k', 3)
write('n.csv', ['x', 'label'], [[1, 'p,q,p'], [2, 'q']])
refused("n.csv:2:3: the label 'p' occurs twice in this row; write it once", 'train', 'n.csv', '-o', 'x.tlu', '--multilabel')
write_records('e.jsonl', [{'x': 1, 'label': ['p', 'q', 'p']}, {'x': 2, 'label': ['q']}])
refused("e.jsonl:1:30: the label 'p' occurs twice in this row; write it once", 'train', 'e.jsonl', '-o', 'x.tlu',
        '--multilabel')

# ---- decimal commas

write('d.csv', ['len', 'wid', 'kind'], [['3,5', '2', 'a'], ['4,25', '-0,5', 'b'], ['1', '0,125', 'a']],
      delimiter=';')
trained('d.csv', '--learner', 'perceptron')
steps = parsed(tlu('trace', 'd.csv', *TRACE))['steps']
equal([step['example'] for step in steps],
      [{'len': 3.5, 'wid': 2}, {'len': 4.25, 'wid': -0.5}, {'len': 1, 'wid': 0.125}], 'decimal commas')
write('p.csv', ['len', 'wid'], [['3.5', '2']], delimiter=';')
write('c.csv', ['len', 'wid'], [['3,5', '2']], delimiter=';')
equal(tlu('predict', 'm.tlu', 'p.csv', '--scores'), tlu('predict', 'm.tlu', 'c.csv', '--scores'),
      'a model of decimal commas predicts points, too')
refused('--decimal is one of', 'train', 'd.csv', '--decimal', 'dot', '-o', 'x.tlu')

# ---- --scale touches numbers alone

write('w.csv', ['n', 'text', 'label'],
      [[100 * i, 'one two two ' + sentence(), i % 2] for i in range(50)])
for scale in ['standard', 'maxabs', 'auto']:
    steps = parsed(tlu('trace', 'w.csv', *TRACE, '--scale', scale))['steps']
    equal({step['example']['text:two'] for step in steps}, {2}, f'--scale {scale} leaves words alone')
    if max(abs(step['example'].get('n', 0)) for step in steps) > 5:
        complain(f'--scale {scale} scales numbers')

# Objects with "features": words have a prefix, so that numbers alone are scaled.
with open('o.jsonl', 'w') as file:
    for i in range(50):
        file.write(json.dumps({'label': 'ab'[i % 2], 'text': 'one two two', 'features': {'n': 100 * i}}) + '\n')
steps = parsed(tlu('trace', 'o.jsonl', *TRACE, '--scale', 'standard'))['steps']
equal({step['example']['text:two'] for step in steps}, {2}, 'words beside features')
if max(abs(step['example'].get('n', 0)) for step in steps) > 5:
    complain('--scale standard scales numbers of features')

# ---- what learners, --resume and prediction make of words and values that were left out

write('m.csv', ['a', 'b', 't', 'y'], [['' if i % 3 == 0 else i, 7 - i, 'rare%d common' % i, 'pn'[i % 2]] for i in range(8)])
for learner in ['mlp', 'perceptron', 'arow', 'rocchio', 'scw1']:
    for options in [['--missing', how] for how in ('mean', 'median', 'most-frequent')] + [['--min-count', 2]]:
        tlu('train', 'm.csv', '-q', '-o', 'x.tlu', '--text', 't', '--learner', learner, *options)
        equal(len(tlu('predict', 'x.tlu', 'm.csv').split()), 8, f'{learner} {options}')
for options, why in [(['--missing', 'median'], 'which values were missing'), (['--min-count', 2], 'the words that --min-count')]:
    tlu('train', 'm.csv', '-q', '-o', 'x.tlu', '--text', 't', '--learner', 'perceptron', '--epochs', 1, *options)
    refused(why, 'train', 'm.csv', '-q', '-o', 'x.tlu', '--resume', '--epochs', 4)
refused('no word occurs in 50 rows; give a smaller --min-count', 'train', 'm.csv', '-o', 'x.tlu', '--text', 't', '--ignore', 'a,b',
        '--min-count', 50)
tlu('train', 'm.csv', '-q', '-o', 'x.tlu', '--missing', 'median')
refused('--missing mean needs another training', 'predict', 'x.tlu', 'm.csv', '--missing', 'mean')
for how in ('median', 'indicator', 'zero'):
    equal(len(tlu('predict', 'x.tlu', 'm.csv', '--missing', how).split()), 8, f'predict --missing {how}')

# Points and commas in one number; dates have points alone.
with open('p.csv', 'w') as file:
    file.write('n;d;y\n1,5;31.12.2024;a\n2,5;30.12.2024;b\n1.000,5;1.1.2025;a\n')
refused("p.csv:4:1: expected a number in column 'n', found '1.000,5': numbers take a decimal comma and no points", 'train',
        'p.csv', '-o', 'x.tlu')
tlu('train', 'p.csv', '-q', '-o', 'x.tlu', '--ignore', 'n')

with open('k.csv', 'w') as file:
    file.write('v1,v2,,\nham,hello you there my friend,,\nspam,win a prize now please,,\n')
refused("columns '3,4' have no value; leave them out with --ignore 3,4", 'train', 'k.csv', '-o', 'x.tlu')
with open('t.csv', 'w') as file:
    file.write('text,label\n,a\n,b\n')
refused('t.csv: no row has a word; choose the text with --text, or add columns', 'train', 't.csv', '-o', 'x.tlu', '--text', 'text')
with open('t.jsonl', 'w') as file:
    file.write('{"y":["x"],"a":1}\n{"y":[],"a":2}\n')
refused('t.jsonl:2:8: the list of labels is empty; --multilabel learns from such rows', 'train', 't.jsonl', '-o', 'x.tlu')

# ---- notes that lead out

with open('s.csv', 'w') as file:
    file.write('a,tags\n1,x;y\n2,y\n3,x\n')
for options, count in ([], 1), (['--label-separator', ';'], 0):
    text = run('train', 's.csv', '-o', 'x.tlu', '--multilabel', *options).stderr
    equal(text.count("the label 'x;y' has a ';'; --label-separator ';' would read it"), count, f'separator {options}')
with open('u.csv', 'w') as file:
    file.write('v1,v2\nham,see you at home then\nspam,win a prize right now\n')
tlu('train', 'u.csv', '-q', '-o', 'x.tlu')
with open('one.csv', 'w') as file:
    file.write('"win a prize, call now"\n')
equal('a label that the model does not know' in run('predict', 'x.tlu', 'one.csv').stderr, False, 'a quoted text')
with open('one.csv', 'w') as file:
    file.write('win a prize, call now\n')
equal('put the text in quotes' in run('predict', 'x.tlu', 'one.csv').stderr, True, 'a text that lacks its quotes')
# A label that training never met is not the start of a text.
with open('one.csv', 'w') as file:
    file.write('eggs,"see you"\nham,"see you"\n')
equal(run('predict', 'x.tlu', 'one.csv').stdout.split(), ['ham', 'ham'], 'an unknown label')
END
