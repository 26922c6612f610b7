# inspect --examples, and what train and inspect say of models that keep rows: kernels, votes, the
# largest margin. Expectations are what plain Python makes of the same rules.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import math
from prelude import *

# The dual perceptron of the Kun notes in Python: alpha_i counts the updates of row i.
write('lines.svm', '# kept in mind\n\n' + ''.join(f'{y} 1:{a} 2:{b}\n\n' for y, a, b in
      [(1, 1, 1), (-1, 2, 2), (1, 3, 3), (-1, 4, 4), (1, 5, 5), (1, 0, 1)]))
points = [((1, 1), 1), ((2, 2), -1), ((3, 3), 1), ((4, 4), -1), ((5, 5), 1), ((0, 1), 1)]
alpha, b = [0] * 6, 0
for _ in range(20):
    for i, (x, y) in enumerate(points):
        score = b + sum(a * u * (1 + x[0] * z[0] + x[1] * z[1]) ** 2
                        for a, (z, u) in zip(alpha, points))
        if y * score <= 0:
            alpha[i] += 1
            b += y
tlu('train', '--learner', 'perceptron', 'lines.svm', '-o', 'k.tlu', '--quiet', '--no-shuffle', '--epochs', 20, '--kernel',
    'poly:2,1', '--decide', 'last')
result = parsed(tlu('inspect', 'k.tlu', '--examples', 100, '--json'), 'examples')
expected = sorted(((a, 3 + 2 * i, str(points[i][1])) for i, a in enumerate(alpha) if a),
                  key=lambda entry: -entry[0])
equal([(e['alpha'], e['line'], e['label']) for e in result['examples_by_alpha']], expected,
      'examples of the highest alpha')
equal((result['kernel'], result['supports']), ('poly:2,1', len(expected)), 'kernel and supports')
text = tlu('inspect', 'k.tlu', '--examples', 2)
equal([tuple(line.split()) for line in text.splitlines()[-2:]],
      [(f'{a}', f'{line}', label) for a, line, label in expected[:2]], 'examples as text')
for word in ('kernel poly:2,1', 'supports', 'first pass:'):
    if word not in text:
        complain(f'inspect says nothing about {word}')
refused('has a kernel', 'inspect', 'k.tlu', '--weights')
refused('has a kernel', 'explain', 'k.tlu', 'lines.svm')

# Kun's OR with a linear kernel: w = (-1,1) + (1,-1) - (-1,-1) = (1,1), b = 1 + 1 - 1. Scaled: as without a kernel.
write('or.csv', 'x1,x2,y\n-1,1,1\n1,-1,1\n1,1,1\n-1,-1,-1\n')
def weights(*options):
    tlu('train', 'or.csv', '--learner', 'perceptron', '--decide', 'last', '--no-shuffle', '-q', '-o', 'w.tlu', *options)
    return {name: float(w) for _, name, w in (line.split('\t') for line in tlu('inspect', 'w.tlu', '--weights').splitlines())}
equal(weights('--kernel', 'linear'), {'(bias)': 1, 'x1': 1, 'x2': 1}, 'weights of a linear kernel')
for scale in ('maxabs', 'standard'):
    one, other = weights('--scale', scale), weights('--scale', scale, '--kernel', 'linear')
    if one.keys() != other.keys() or any(abs(one[k] - other[k]) > 1e-9 for k in one):
        complain(f'weights of a linear kernel with --scale {scale}: {other}, not {one}')

# Cohen's section 2 by hand: p_a = log 12/5, q_a = log 3/10, w_a = log 8; p_b = p_c = log 3/5,
# q_b = q_c = log 9/5, w_b = w_c = log 1/3; prior log 3/4, w_0 = log 0.729.
write('nb.csv', 'a,b,c,y\n1,0,1,1\n1,1,0,1\n1,0,0,1\n0,1,0,-1\n0,1,1,-1\n1,1,1,-1\n0,0,1,-1\n')
tlu('train', 'nb.csv', '--learner', 'bernoulli-bayes', '--smoothing', 1, '-q', '-o', 'nb.tlu')
for base in (math.e, 2):
    said = parsed(tlu('inspect', 'nb.tlu', '--log-odds', '--json', *(['--base', 2] if base == 2 else [])), 'nb')['log_odds'][0]
    found = [f[key] for f in said['features'] for key in 'pqw'] + [said['prior'], said['w_0']]
    for x, odds in zip(found, (12 / 5, 3 / 10, 8, 3 / 5, 9 / 5, 1 / 3, 3 / 5, 9 / 5, 1 / 3, 3 / 4, 0.729)):
        if abs(x - math.log(odds, base)) > 1e-12:
            complain(f'log odds {x}, not the logarithm of {odds} to base {base}')
refused('not log odds', 'inspect', 'k.tlu', '--log-odds')
refused('--base is for --log-odds', 'inspect', 'nb.tlu', '--base', 2)
refused('cannot be combined', 'inspect', 'nb.tlu', '--log-odds', '--weights')
tlu('train', 'nb.csv', '--learner', 'multinomial-bayes', '-q', '-o', 'mn.tlu')
said = parsed(tlu('inspect', 'mn.tlu', '--log-odds', '--json'), 'mn')['log_odds'][0]
if abs(said['w_0'] - math.log(3 / 4)) > 1e-12 or any(f['q'] for f in said['features']):
    complain(f'log odds of multinomial-bayes: {said}')
tlu('train', '--learner', 'perceptron', IRIS, '-o', 'vote.tlu', '--quiet', '--decide', 'vote')
if not parsed(tlu('inspect', 'vote.tlu', '--examples', 3, '--json'), 'vote')['examples_by_alpha']:
    complain('a vote keeps no examples')
refused('decides by vote', 'explain', 'vote.tlu', IRIS)
tlu('train', IRIS, '--kernel', 'linear', '--decide', 'vote', '-o', 'linear-vote.tlu')
refused('decides by vote', 'inspect', 'linear-vote.tlu', '--weights')
tlu('train', '--learner', 'perceptron', IRIS, '-o', 'plain.tlu', '--quiet')
refused('keeps none of its training rows', 'inspect', 'plain.tlu', '--examples', 3)

# max-margin: of two points the plane is half-way between, and both are supports.
write('two.csv', 'x,y,label\n0,0,a\n0,6,a\n4,0,b\n9,9,b\n')
result = parsed(tlu('train', '--learner', 'perceptron', 'two.csv', '-o', 'mm.tlu', '--learner', 'max-margin', '--json'), 'mm')
a, b, c = (0, 0), (0, 6), (4, 0)  # the nearest: c and the edge x = 0, 2 on either side
if abs(result['margin'] - 2) > 1e-5 or result['soft_margin'] != 0:
    complain(f'margin of the largest margin: {result["margin"]}')
if 'the distance of the nearest row' not in tlu('inspect', 'mm.tlu'):
    complain('inspect does not say what a hard margin is')
found = parsed(tlu('inspect', 'mm.tlu', '--examples', 9, '--json'), 'mm')['examples_by_alpha']
if {e['line'] for e in found} - {2, 3, 4} or 4 not in {e['line'] for e in found}:
    complain(f'supports of the largest margin: {found}')
# With --C it is 1/|w|, and rows may be nearer than that.
tlu('train', '--learner', 'perceptron', 'two.csv', '-o', 'soft.tlu', '--learner', 'max-margin', '--C', 0.01, '--quiet')
w = {name: float(value) for _, name, value in
     (line.split('\t') for line in tlu('inspect', 'soft.tlu', '--weights').splitlines())}
length = math.hypot(w.get('x', 0), w.get('y', 0))
nearest = min(abs(w.get('x', 0) * x + w.get('y', 0) * y + w['(bias)']) / length
              for x, y in ((0, 0), (0, 6), (4, 0), (9, 9)))
result = parsed(tlu('inspect', 'soft.tlu', '--json'), 'soft')
if nearest > 0.9 / length or abs(result['soft_margin'] * length - 1) > 1e-9 or result['margin'] != 0:
    complain(f'soft margin {result["soft_margin"]}, margin {result["margin"]}: 1/|w| is '
             f'{1 / length}, the nearest row {nearest} away')
if '1/|w| =' not in tlu('inspect', 'soft.tlu'):
    complain('inspect does not say what a soft margin is')
# A vote after one pass has a bound, the average has none, nor has a file sorted by class.
write('mixed.svm', ''.join(f'{"ab"[i % 2]} 1:{i % 7} 2:{i % 5} 3:{i % 2}\n' for i in range(60)))
write('sorted.svm', ''.join(f'{"ab"[i // 30]} 1:{i % 7} 2:{i % 5} 3:{i // 30}\n' for i in range(60)))
for file, options, words, none in (
        ('mixed.svm', ('--decide', 'vote', '--epochs', 1), ('first pass:', '2k/(m+1)'), ('last pass:',)),
        ('mixed.svm', ('--decide', 'random', '--epochs', 1), ('first pass:', ' k/(m+1)'), ()),
        ('mixed.svm', ('--decide', 'vote', '--epochs', 2), ('first pass:', 'last pass:'), ('(m+1)',)),
        ('mixed.svm', (), ('first pass:', 'last pass:'), ('(m+1)',)),
        ('sorted.svm', ('--decide', 'vote', '--epochs', 1), ('not an estimate', 'sorted by class'),
         ('each row predicted', '(m+1)'))):
    summary = run('train', '--learner', 'perceptron', file, '-o', 'b.tlu', *options).stderr
    for text in (summary, tlu('inspect', 'b.tlu')):
        for word in words:
            if word not in text:
                complain(f'{file} {options}: no word about {word} in\n{text}')
        for word in none:
            if word in text:
                complain(f'{file} {options}: {word} is in\n{text}')
PYTHON
