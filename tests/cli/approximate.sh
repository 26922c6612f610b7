#!/bin/bash
# tlu approximate: the errors from the printed weights by a second implementation, cases known by
# hand, errors that do not grow, malformed functions and files.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 - <<'PYTHON'
import math
from prelude import *

ACTIVATIONS = {'tanh': math.tanh, 'relu': lambda z: max(z, 0), 'step': lambda z: float(z >= 0),
               'sigmoid': lambda z: 1 / (1 + math.exp(-z)) if z > -700 else 0.0}


def value(net, s, x):
    return net['bias'] + sum(c * s(w * x + t) for w, t, c in zip(net['w'], net['t'], net['c']))


def checked(what, points, *words):
    """The networks; their errors must be those of the weights at the points, and not grow."""
    answer = parsed(tlu('approximate', what, '--json', *words))
    s, scale = ACTIVATIONS[answer['activation']], max(abs(y) for _, y in points)
    before = None
    for net in answer['networks']:
        errors = [abs(value(net, s, x) - y) for x, y in points]
        size = scale + sum(map(abs, net['c']))
        near(net['max_error'], max(errors), f'{what} {words}: max error', size)
        near(net['rms_error'], math.sqrt(sum(e * e for e in errors) / len(errors)), f'{what} {words}: RMS', size)
        equal(len(net['w']), net['units'], 'the number of units')
        for key in ('max_error', 'rms_error'):
            if before and net[key] > before[key] * (1 + 1e-9) + 1e-15:
                complain(f'{what} {words}: {key} grows from {before[key]} to {net[key]}')
        before = net
    return answer['networks']


def grid(f, low, high, count=101):
    xs = [low + i / (count - 1) * (high - low) for i in range(count)]
    return [(x, f(x)) for x in xs]


def sign(x):
    return (x > 0) - (x < 0)


for text, f, low, high in [('sin(x)', math.sin, -3, 3), ('abs(x)', abs, -1, 1), ('exp(x)', math.exp, 0, 2),
                           ('sign(x - 0.005)', lambda x: sign(x - 0.005), -1, 1)]:
    for activation in ACTIVATIONS:
        nets = checked(text, grid(f, low, high), '--from', low, '--to', high, '--points', 101, '--units', '1,2,3,5,8',
                       '--activation', activation)
        # Between the points the curve of a continuous function is not much worse.
        if text[0] != 's' or text == 'sin(x)':
            s = ACTIVATIONS[activation]
            fine = max(abs(value(nets[-1], s, x) - y) for x, y in grid(f, low, high, 1001))
            if fine > 1.5 * nets[-1]['max_error'] + (0.1 if activation == 'step' else 0.02):
                complain(f'{text} {activation}: {fine} between the points, {nets[-1]["max_error"]} at them')

# By hand. One tanh unit is tanh; one ReLU at the left end is a line; two are |x|. n steps cut x on
# [0, 1] into n + 1 pieces: of 12 points, 11 gaps, into pieces of 6, 4, 3 and 2 points.
for words, most in [(('tanh(x)',), 1e-9), (('2*x + 1', '--activation', 'relu'), 1e-9)]:
    if not parsed(tlu('approximate', *words, '--units', 1, '--json'))['networks'][0]['max_error'] < most:
        complain(f'{words}: one unit is not enough')
if not parsed(tlu('approximate', 'abs(x)', '--activation', 'relu', '--units', 2, '--json'))['networks'][0]['max_error'] < 1e-9:
    complain('two ReLU units are not |x|')
for units, points in [(1, 6), (2, 4), (3, 3), (5, 2)]:
    net = checked('x', grid(lambda x: x, 0, 1, 12), '--from', 0, '--to', 1, '--points', 12, '--units', units,
                  '--activation', 'step')[0]
    near(net['max_error'], (points - 1) / 11 / 2, f'{units} steps of x')

# The arithmetic of functions: a constant is its own approximation.
for text, expected in [('(-2^2)', -4), ('2^3^2', 512), ('2^-1', 0.5), ('1 - 2 - 3', -4), ('8/2/2', 2), ('(-(-3))', 3),
                       ('min(3, 1, 2)', 1), ('max(1, 2)', 2), ('floor(-1.5)', -2), ('sqrt(16)', 4), ('exp(1) - e', 0),
                       ('log(e^3)', 3), ('sin(pi/6)', 0.5), ('cos(100000)', math.cos(100000)), ('tan(1)', math.tan(1)),
                       ('2^0.5', math.sqrt(2)), ('tanh(0.1)', math.tanh(0.1)), ('(1 + 2)*3', 9), ('.5e1', 5)]:
    near(parsed(tlu('approximate', text, '--units', 1, '--json'))['networks'][0]['bias'], expected, text)

rows = [(0.5, 1), (0, 0), (1, 0.5), (2, 3), (1, 0.75), (3, 2)]
write('rows.csv', 'x,y\n' + ''.join(f'{x},{y}\r\n' for x, y in rows) + '\n')
for activation in ACTIVATIONS:
    checked('rows.csv', rows, '--units', '1,2,4', '--activation', activation)
checked('rows.csv', [row for row in rows if row[0] <= 1], '--units', 1, '--to', 1)
equal(tlu('approximate', 'sin(x)', '--units', 3), tlu('approximate', 'sin(x)', '--units', 3), 'twice the same')
equal(tlu('approximate', 'abs(x)', '--activation', 'step', '--units', '1,2', '--points', 9, '--as', 'csv').splitlines()[0],
      'units,max error,at x,RMS error', 'the heading')
tlu('approximate', 'x^2', '--units', '1,2', '-o', 'picture.txt', '--size', '100x24')
for part in ('hidden units', 'x^2 by one hidden layer of tanh units', '2 units'):
    if part not in open('picture.txt').read():
        complain(f'the picture has no {part}')

for text, place in [('', '1:1: the function is empty'), ('(x', '1:1: this ( is never closed'), ('sin x', '1:1: sin needs'),
                    ('2x', '1:2: expected an operator'), ('x**2', 'a power is written ^'), ('foo(x)', "1:1: 'foo' is not known"),
                    ('1 + ln(x)', '1:5: '), ('x)', '1:2: there is no ('), ('max(x)', 'two arguments'), ('sin(x, 1)', '1:6: '),
                    ('1e999', 'overflows'), ('x +', '1:4: '), ('(' * 300 + 'x', 'nested more than'), ('log(x)', 'x = -4: log of -4'),
                    ('1/x', 'at x = 0: 1 / 0'), ('1/(x - 0.005)', 'near x = 0.005'), ('tan(x)', 'near x = -1.5708'),
                    ('exp(x^9)', 'larger than 1e150')]:
    refused(place, 'approximate', text)
for text, place in [('x,y\n1,2\n3\n', ':3:2: expected two numbers'), ('1,2\n3,a\n', ":2:3: 'a' is not"), ('1,2,3\n', ':1:4: '),
                    ('x,y\n', 'no rows'), ('1,2\n1,3\n', 'the same x'), ('1,nan\n', ':1:3: ')]:
    write('bad.csv', text)
    refused(place, 'approximate', 'bad.csv', '--units', 1)
for part, *words in [('expected --from below --to', '--from', 1, '--to', 0), ('--units takes', '--units', '1,,2'),
                     ('ascend', '--units', '2,1'), ('too many for', '--points', 5), ('--size applies', '--size', '10x10'),
                     ('--from: function:1:', '--from', '2x'), ('takes a number', '--from', 'x'),
                     ('--seed has no effect', '--seed', 1, '--activation', 'step')]:
    refused(part, 'approximate', 'x', *words)

# A function that begins with - is taken for options.
for text in '-x^2', '-2*x', '-sin(x)', '-q^2':
    refused(f"has no option '{text}'; if it is the function, write '({text})' or put -- before it", 'approximate', text)
refused('did you mean --seed?', 'approximate', 'x', '-seed')
parabola = [(x / 4 - 4, -(x / 4 - 4) ** 2) for x in range(33)]
checked('(-x^2)', parabola, '--units', '1,2', '--points', 33)
equal(tlu('approximate', '--units', '1,2', '--points', 33, '--', '-x^2'),
      tlu('approximate', '--units', '1,2', '--points', 33, '(-x^2)'), 'after --')
PYTHON
