#!/bin/bash
# tlu game: the rules are kept, the mistakes counted, and the adversary gets to the bound.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 - <<'PYTHON'
from fractions import Fraction as F
import math
from prelude import *


def transcript(*options, stdin=''):
    return [parsed(line) for line in tlu('game', '--json', *options, stdin=stdin).splitlines()]


def dot(a, b):
    return sum(F(x) * F(y) for x, y in zip(a, b))


# Every example of the adversary keeps the rules, exactly, and B is the perceptron of the notes; the
# last line is the bound: the largest k below R / gamma^2.
for gamma, radius, options in (('0.1', '1', ()), ('0.5', '1', ()), ('0.3', '1', ('--dimension', 7)),
                               ('0.37', '2.5', ()), ('1', '99.5', ()), ('3', '20', ('--u', '1,1,1,1')),
                               ('0.1003', '1', ('--dimension', 3)), ('0.2', '1', ('--dimension', 2)),
                               ('0.3', '1', ('--dimension', 1))):
    *rounds, end = transcript('--adversary', '--gamma', gamma, '--squared-radius', radius, *options)
    R, g = F(float(radius)), F(float(gamma))
    v = [F(0)] * len(rounds[0]['x'])
    u = rounds[0]['u']
    for k, said in enumerate(rounds, 1):
        x, y = said['x'], said['label']
        guess = 1 if dot(v, x) >= 0 else -1
        if not (dot(x, x) < R and y * dot(u, x) > g * (1 - F(1, 10**12)) and said['u'] == u):
            complain(f'{gamma}: the rules are broken in round {k}')
        if guess != 1 and abs(dot(v, x)) > F(1, 10**12):
            complain(f'{gamma}: B would say {guess} in round {k}')
        v = [a + y * F(b) for a, b in zip(v, x)]
        equal((said['mistake'], said['mistakes']), (True, k), f'{gamma}: round {k}')
        if dot(v, u) < k * g * (1 - F(1, 10**12)) or dot(v, v) > k * R:
            complain(f'{gamma}: a lemma fails in round {k}')
        near(said['v_dot_u'], float(dot(v, u)), 'v . u')
        near(said['v_squared'], float(dot(v, v)), '|v|^2')
        near(said['k_gamma'], k * float(gamma), 'k gamma')
        near(said['k_radius'], k * float(radius), 'k R')
    bound = F(radius) / F(gamma)**2 # the decimals, not the nearest floats
    most = math.ceil(bound) - 1
    equal(end['most_mistakes'], most, f'{gamma}: the bound')
    dimension = len(rounds[0]['x'])
    if dimension >= 3:
        equal(end['mistakes'], most, f'{gamma}: mistakes')
    else:
        equal(end['mistakes'] >= (most // 2 if dimension == 2 else 1), True, f'{gamma}: {dimension} dimensions')

# At least 0.9 of what there can be, for R / gamma^2 up to 100.
for n in range(2, 101):
    gamma = repr(1 / math.sqrt(n))
    end = transcript('--adversary', '--gamma', gamma)[-1]
    if end['mistakes'] < 0.9 * (n - 1) or end['mistakes'] > n:
        complain(f'R / gamma^2 = {n}: {end}')

# By hand, as A, in two dimensions. B begins with +1; (0.6, 0) as -1 is a mistake, v = (-0.6, 0). Then
# (0, 0.6) has the score 0: B says +1, and +1 is right. Both together have the margin 0.6 / sqrt(2).
game = '0.6 0\n-\n0, 0.6\n+1\n'
rounds = transcript('--gamma', '0.4', stdin=game)
equal([(r['guess'], r['label'], r['mistake'], r['mistakes']) for r in rounds[:-1]],
      [(1, -1, True, 1), (1, 1, False, 1)], 'two rounds')
equal(rounds[0]['v'], [-0.6, 0], 'v')
equal(rounds[-1], {'rounds': 2, 'mistakes': 1, 'most_mistakes': 6, 'bound': 1 / (0.4 * 0.4)}, 'the end')
near(rounds[0]['v_dot_u'], 0.6, 'v . u')
rounds = transcript('--gamma', '0.43', stdin=game + '(0 0.6)\n-\n0 1\n0.1 0\n-\n')
equal([r.get('refused', '')[:40] for r in rounds[:-1]],
      ['', 'no u of length 1 has y (u . x) above gam', 'no u of length 1 has y (u . x) above gam',
       '|x|^2 is 1, and must be below R, 1', 'no u of length 1 has y (u . x) above gam'], 'refusals')
equal(rounds[-1]['rounds'], 1, 'rounds')
# With a u that is declared it is that one: (0.8, 0.6) . (0.6, 0) = 0.48.
rounds = transcript('--gamma', '0.4', '--u', '4,3', stdin='0.6 0\n+\n0 0.6\n+\n')
equal([r.get('refused') for r in rounds[:-1]],
      [None, 'y (u . x) is 0.36 with this label, and must be above gamma, 0.4'], 'with u')
# The game ends at the bound, whatever comes after.
rounds = transcript('--gamma', '0.8', stdin='0.9\n-\n0.9\n-\n')
equal((len(rounds), rounds[-1]['mistakes']), (2, 1), 'the bound of 1')


def says(text, *parts):
    at = 0
    for part in parts:
        found = text.find(part, at)
        if found < 0:
            complain(f'{part} is not in {text[at:]}')
        else:
            at = found + len(part)


# |(1, 2, 3)|^2 = 14; v_1 = -(0.1, 0.5, 0.2) has the squared length 0.3, and u is along it: v_1 . u is
# sqrt(0.3). 1 / 0.4^2 = 6.25.
text = tlu('game', '--gamma', '0.4',
           stdin='x\n1 2 3\n0.1 0.5\n0.1 0.5 0.2\nmaybe\n+-\n11\nhelp\n-\nquits\nquit\n0 0 0\n')
says(text, '|x|^2 < R = 1 (R is the squared radius) and, for some u of length 1, y (u . x) > gamma = 0.4.\n',
     'k < R / gamma^2 = 6.25 mistakes, so at most 6.\n', 'not understood: expected the numbers',
     'against the rules: |x|^2 is 14, and must be below R, 1; give another example\n',
     'not understood: expected 3 numbers, found 2\n', 'B says +1\n',
     *['not understood: expected the label of the example, which is still open: +, 1 or +1'] * 3,
     'You are A. At x> give',
     'mistake 1: v_1 . u = 0.547722558 >= 1 gamma = 0.4, |v_1|^2 = 0.3 <= 1 R = 1\n'
     '  v_1 = (-0.1, -0.5, -0.2), u = (-0.1826, -0.9129, -0.3651)\n', 'not understood: expected the numbers',
     '1 mistake in 1 round; by the rules there can be at most 6\n')
equal(transcript('--gamma', '0.4', stdin='x\n')[0],
      {'expected': 'expected the numbers of an example, such as 0.5 -0.2, or help or quit'}, 'a slip in JSON')
for label, number in (('+', 1), ('1', 1), ('+1', 1), ('-', -1), ('-1', -1)):
    equal(transcript(stdin=f'0.5\n{label}\n')[0]['label'], number, f'the label {label}')

# 25 and 3 gamma as people write them; strictly below 25 is 24. 2 / 0.1^2 is 200, 1 / 0.3^2 is 11.1, and
# (1 + 1e-9) / 0.1^2 is 100.0000001: with 100 mistakes the rules are kept.
text = tlu('game', '--adversary')
says(text, 'R / gamma^2 = 25 mistakes, so at most 24.', '>= 3 gamma = 0.6, ', '24 mistakes in 24 rounds')
for gamma, radius, most in (('0.2', '1', 24), ('0.1', '2', 199), ('0.3', '1', 11), ('0.1', '1.000000001', 100),
                            ('0.1', '0.999999999', 99), ('0.7', '0.98', 1), ('0.0001', '9.000000004', 900000000),
                            ('0.0001', '9', 899999999)):
    equal(transcript('--gamma', gamma, '--squared-radius', radius)[-1]['most_mistakes'], most, f'{radius} / {gamma}^2')

# A u that is declared is shown, and that it was not of length 1; 0.6 . 0.6 + 0.8 . 0.7 = 0.92. A label that
# is refused closes the example: the next line is another one.
text = tlu('game', '--u', '1,1', stdin='')
says(text, 'and y (u . x) > gamma = 0.2 for u = (0.7071, 0.7071), which is --u divided by its length, 1.41421356.\n',
     '0 mistakes in 0 rounds; by the rules there can be at most 24\n')
text = tlu('game', '--u', '0.6,0.8', stdin='0.6 0.7\n-\n0.6 0.7\n+\n')
says(text, 'for u = (0.6, 0.8).\n', 'against the rules: y (u . x) is -0.92 with this label',
     'as if you had not given the example; give another\nB says +1\nB is right\n')
equal('for some u' in text, False, 'a u that is declared')
says(tlu('game', '--adversary', '--dimension', 2), 'in two dimensions no direction is across both')
says(tlu('game', '--adversary', '--dimension', 1), '1 mistake in 1 round', 'in one dimension')
equal('dimension' in tlu('game', '--adversary'), False, 'the bound was reached')

for stdin in ('', '\n', 'quit\n'):
    equal(transcript('--gamma', '0.4', stdin=stdin),
          [{'rounds': 0, 'mistakes': 0, 'most_mistakes': 6, 'bound': 1 / (0.4 * 0.4)}], 'nothing at all')
refused('gamma and R must be above 0', 'game', '--gamma', '0', '--adversary')
refused('R / gamma^2 is 1', 'game', '--gamma', '1', '--adversary')
refused('--u takes numbers', 'game', '--u', 'a,b')
refused('--u has 2 numbers', 'game', '--u', '1,2', '--dimension', '3')
refused('u must have a length', 'game', '--u', '0,0')
PYTHON
