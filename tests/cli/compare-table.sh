# The table of tlu compare: its order, and its numbers against train and eval.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
from prelude import *

lines = open(IRIS).read().splitlines()
header, rows = lines[0], lines[1:]
many = [f'{"abc"[i * i % 3] if i else "rare"} {1 + i % 5}:{i % 3 + 1} {10000000 + i % 4}:1' for i in range(40)]
write('many.svm', '\n'.join(many) + '\n')

names = [learner['name'] for learner in parsed(tlu('learners', '--json'), 'learners')]
for call, total in (([IRIS], 450), ([WEATHER], 42), (['many.svm', '--test', 'many.svm'], 40)):
    result = parsed(tlu('compare', *call, '--json'), 'compare')
    found = [entry['learner'] for entry in result['learners']]
    equal(sorted(found), sorted(names), f'learners of compare {call}')
    measured = [entry for entry in result['learners'] if entry['accuracy'] is not None]
    left_out = [entry for entry in result['learners'] if entry['accuracy'] is None]
    equal(result['learners'], measured + left_out, 'those without a result are the last')
    accuracies = [entry['accuracy'] for entry in measured]
    equal(accuracies, sorted(accuracies, reverse=True), 'the best first')
    equal([entry['accuracy'] for entry in measured],
          [entry['correct'] / result['examples'] for entry in measured], 'accuracy')
    equal(result['examples'], total, 'rows measured on')
    if not all(entry['bytes'] > 100 and entry['seconds'] >= 0 for entry in measured):
        complain('compare: sizes or times')
    if not all(entry['reason'] for entry in left_out) or len(measured) < len(names) - 3:
        complain(f'compare {call} leaves {[e["learner"] for e in left_out]} out')
text = tlu('compare', IRIS).splitlines()
equal([line.split()[0] for line in text[1:len(names) + 1]],
      [e['learner'] for e in parsed(tlu('compare', IRIS, '--json'), 'compare')['learners']], 'table')
# One that is cut short is not ranked.
tlu('generate', 'blobs', '--rows', 4000, '--classes', 10, '--features', 30, '-o', 'ten.svm')
# How long that is depends on the machine: from a limit that cuts all of them on, until some are done.
cut, limit = [], 0.02
while not cut and limit < 300:
    done = run('compare', 'ten.svm', '--limit', limit, '--json')
    if done.returncode == 0:
        cut = [entry for entry in parsed(done.stdout, 'compare')['learners'] if entry['cut']]
    limit *= 1.5
if not cut or any(entry['accuracy'] is not None or '--limit' not in entry['reason'] for entry in cut):
    complain(f'compare ranks what was cut short: {cut}')
# The numbers are those of train and eval.
write('third.csv', '\n'.join([header] + rows[::3]) + '\n')
result = parsed(tlu('compare', IRIS, '--test', 'third.csv', '--json', '--seed', 5), 'compare')
for learner in ('perceptron', 'logistic', 'max-margin'):
    options = ['--scale', 'auto', '--multiclass', 'auto'] + (['--C', 1] if learner == 'max-margin' else [])
    tlu('train', '--learner', 'perceptron', IRIS, '-o', 'c.tlu', '--quiet', '--learner', learner, '--seed', 5, *options)
    again = parsed(tlu('eval', 'c.tlu', 'third.csv', '--json'), 'eval')
    equal([e['correct'] for e in result['learners'] if e['learner'] == learner], [again['correct']],
          f'compare: {learner}')
# Some, with options: among them one learner twice.
asked = {'arow:r=0.1': ['arow', '--r', 0.1], 'arow:r=100:epochs=3': ['arow', '--r', 100, '--epochs', 3], 'pa1': ['pa1']}
result = parsed(tlu('compare', IRIS, '--test', 'third.csv', '--json', '--learners', ','.join(asked)), 'compare')
equal(sorted(e['learner'] for e in result['learners']), sorted(asked), 'those asked for')
for e in result['learners']:
    tlu('train', IRIS, '-o', 'c.tlu', '--quiet', '--scale', 'auto', '--multiclass', 'auto', '--learner', *asked[e['learner']])
    again = parsed(tlu('eval', 'c.tlu', 'third.csv', '--json'), 'eval')
    equal(e['correct'], again['correct'], f'compare: {e["learner"]}')
refused('did you mean arow?', 'compare', IRIS, '--learners', 'alma,arrow:r=1')
refused('--r is a number', 'compare', IRIS, '--learners', 'arow:r=much')
refused('is empty', 'compare', IRIS, '--learners', ' ,')
equal(parsed(tlu('compare', '-', '--json', stdin=open(IRIS).read()), 'stdin')['examples'], 450, 'stdin')
refused('cannot open', 'compare', 'absent.csv')
refused('cannot open', 'compare', IRIS, '--test', 'absent.csv')
refused('did you mean --learners?', 'compare', IRIS, '--learner', 'pa')
PYTHON
