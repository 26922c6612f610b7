# Which learner tlu compare picks, and the command that it prints. The pick is worked out a second time
# by the rule of docs/command.md, from predictions of models that tlu train made.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import json, os, random, shlex, subprocess
from prelude import *

GRADES = ['rocchio bernoulli-bayes multinomial-bayes', 'perceptron romma', 'pa pa1 pa2 aromma alma',
          'arow scw1 scw2 hinge logistic squared', 'svm max-margin', 'mlp']


def compare(*words):
    return json.loads(tlu('compare', *words, '--json'))


names = [learner['name'] for learner in json.loads(tlu('learners', '--json'))]
grade = {name: i for i, row in enumerate(GRADES) for name in row.split()}
equal(sorted(grade), sorted(names), 'learners with a grade')

# ---- the rule, on rows of their own ----


def right_rows(name, data, test, labels):
    options = [] if 'bayes' in name else ['--scale', 'auto', '--multiclass', 'auto']
    options += {'max-margin': ['--C', '1'], 'bernoulli-bayes': ['--binarize']}.get(name, [])
    tlu('train', data, '--learner', name, *options, '-o', 'one.tlu', '--quiet')
    return [found == label for found, label in zip(tlu('predict', 'one.tlu', test, '--quiet').split(), labels)]


def rule(right, default):  # what is to be picked, the default's points below the best, whether it is worse
    best = max(right, key=lambda name: sum(right[name]))
    below = {name: 100 * (sum(right[best]) - sum(right[name])) / len(right[name]) for name in right}

    def worse(name):
        b = sum(x and not y for x, y in zip(right[best], right[name]))
        c = sum(y and not x for x, y in zip(right[best], right[name]))
        return b > c and (b - c) ** 2 / (b + c) > 2.706

    few = len(right[best]) < 200
    if not worse(default) and (few or below[default] <= (1 if len(right[best]) < 500 else 0.7)):
        return default, below, few, worse(default)
    near = [name for name in right if below[name] <= 1 and not worse(name)]
    return min(near, key=lambda name: (grade[name], names.index(name))), below, few, worse(default)


def check(data, test, default='alma'):
    labels = [line.split()[0] for line in open(test)]
    result = compare(data, '--test', test)
    measured = [e['learner'] for e in result['learners'] if e['accuracy'] is not None]
    pick, below, few, worse = rule({name: right_rows(name, data, test, labels) for name in measured}, default)
    equal(result['pick'], pick, f'pick of {data} and {test}')
    for e in result['learners'][:len(measured)]:
        if abs(100 * (result['learners'][0]['accuracy'] - e['accuracy']) - below[e['learner']]) > 1e-9:
            complain(f'{data}: {e["learner"]} is {below[e["learner"]]} below the best')
    equal('too few' in result['why'], few and not worse, f'{data} {test}: {result["why"]}')
    simplest = pick not in (default, result['learners'][0]['learner'])
    equal('the simplest of those' in result['why'], simplest, f'{data}: {result["why"]}')
    return pick, below, worse, default


digits = [line for line in open(f'{DATA}/digits-test.svm')]
seen = [check(f'{DATA}/digits-train.svm', f'{DATA}/digits-test.svm'),
        check(f'{DATA}/digits-train.svm', write('199.svm', digits[:199])),
        check(f'{DATA}/digits-train.svm', write('200.svm', digits[:200]))]
random.seed(3)


def spots(rows, flips):  # two clouds; labels of some rows are turned round
    for _ in range(rows):
        side = random.choice((-1, 1))
        label = -side if random.random() < flips else side
        yield f'{label:d} ' + ' '.join(f'{i}:{random.gauss(side * 0.5, 1):.4f}' for i in range(1, 7)) + '\n'


def words(rows):  # sparse, one word in a thousand tells
    for _ in range(rows):
        label = random.randrange(2)
        chosen = sorted({label + 1} | set(random.sample(range(3, 300), 12)) if random.random() < 0.6 else
                        set(random.sample(range(3, 300), 12)))
        yield f'{label} ' + ' '.join(f'{f}:1' for f in chosen) + '\n'


for make in (lambda n: spots(n, 0.1), lambda n: spots(n, 0.3), words):
    for rows in (80, 400, 2000):
        data, test = write(f'd{len(seen)}.svm', make(rows)), write(f't{len(seen)}.svm', make(rows))
        seen.append(check(data, test, 'logistic' if make is words else 'alma'))
# Each way to a pick was gone: the default and others; the default not the best; significantly worse.
kinds = [(pick == default, below[pick] > 0, worse) for pick, below, worse, default in seen]
for kind in ((True, True, False), (False, True, True)):
    if kind not in kinds:
        complain(f'no data for {kind}: {[(p, round(b[p], 2), w) for p, b, w, _ in seen]}')

# ---- cross-validation: near the best, and the same whatever the seed ----

write('noisy.svm', spots(300, 0.2))
picks = []
seeds = 8 if os.environ.get('TLU_LONG') else 3
for seed in range(1, seeds + 1):
    result = compare('noisy.svm', '--seed', seed, '--epochs', 2)
    points = {e['learner']: 100 * e['accuracy'] for e in result['learners'] if e['accuracy'] is not None}
    picks.append(result['pick'])
    if max(points.values()) - points[result['pick']] > 1:
        complain(f'seed {seed}: {result["pick"]} of {points}')
if max(picks.count(pick) for pick in picks) < min(seeds, 7):
    complain(f'compare picks {picks}')
equal(result['examples'], 300 * 13, 'rows measured on')
for data, count in (('iris', 150), ('weather', 14)):
    result = compare(f'{DATA}/{data}.csv')
    equal((result['pick'], result['examples']), ('alma', 3 * count), data)
    if f'{count} rows are too few to choose by' not in result['why']:
        complain(f'{data}: {result["why"]}')

# ---- the command: it trains the pick as it stands, and nothing in it is without effect ----

write('a b.svm', open('d9.svm'))
write('two.csv', ['a,b,c\n'] + [f'{100 * (i * 7 % 13)},{i * 5 % 11},{"no" if i * 7 % 13 > i * 5 % 11 else "yes"}\n'
                                for i in range(200)])
calls = [[f'{DATA}/iris.csv'], [f'{DATA}/digits-train.svm', '--test', f'{DATA}/digits-test.svm', '--epochs', '9'],
         ['two.csv', '--seed', '4', '--scale', 'none', '--epochs', '1'],
         ['a b.svm', '--test', 't9.svm', '--epochs', '2']]
calls += [[f'd{i}.svm', '--test', f't{i}.svm'] for i in range(3, len(seen))]
for call in calls:
    result = compare(*call)
    script = result['command'].replace('tlu ', shlex.quote(TLU) + ' ', 1)
    done = subprocess.run(['bash', '-c', script], capture_output=True, text=True)
    if done.returncode or 'effect' in done.stdout + done.stderr:
        complain(f'{result["command"]}: {done.stderr}')
    found = shlex.split(result['command'])
    name = os.path.basename(call[0]).rsplit('.', 1)[0] + '.tlu'
    equal(found[:5], ['tlu', 'train', call[0], '-o', name], 'the command')
    equal(json.loads(tlu('inspect', name, '--json'))['learner'], result['pick'], f'{call}: learner')
    if result['pick'] == 'alma' and '--epochs' not in call:
        equal(found[5:], ['--learner', 'alma'], 'the command for alma')
    equal('--multiclass' in found, result['pick'] != 'alma' and 'digits' in name, result['command'])
    if '--test' not in call:
        continue  # the text as well would take long
    lines = tlu('compare', *call).splitlines()
    usual = {f'd{i}.svm': default for i, (_, _, _, default) in enumerate(seen)} | {'a b.svm': 'logistic'}
    default = ', the default' if result['pick'] == usual.get(call[0], 'alma') else ''
    equal(lines[-2:], [f'pick      {result["pick"]}{default}: {result["why"]}', result['command']], 'the text')
last = tlu('compare', '-', stdin=open(f'{DATA}/iris.csv').read()).splitlines()[-1]
equal(last, 'tlu train - -o model.tlu --learner alma (with the same data on standard input)', 'a pipe')

# ---- what --help says is the default ----

for verb, option, text in (('compare', '--scale', '(default auto; naive Bayes: none)'),
                           ('trace', '--learner', '(default perceptron)'), ('train', '--learner', '(default auto)'), ('stream', '--decide', '(default adaptive)')):
    after = ' '.join(tlu(verb, '--help').split(f'\n  {option} ')[1].split('\n  -')[0].split())
    if text not in after:
        complain(f'{verb} --help: {option} {after}')
PYTHON
