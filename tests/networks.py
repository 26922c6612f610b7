"""Networks of threshold units, made at random and run step by step: a second implementation, slow and
plain, for the tests of those that tlu writes in other languages."""

import json
import random
import subprocess

from prelude import *

# Names that languages have taken, that become alike, or that no language has.
NAMES = ['a', 'for', 'a b', 'a_b', 'a-b', '1', '2', 'x1', 'clk', 'reset', 'inputs', 'outputs', 'state', 'network',
         'linux', 'INT8_MAX', 'INT64_C', 'int8_t', 'true', 'bool', 'main', '_A', '__x', '_', 'module', 'wire', 'and',
         'colour=red', 'quote"', 'back\\', '*/', '//', 'Höhe', '高', '\n', '\t', '\u202e', 'in', 'u1', 'u2', 'i',
         'sum', 'inner', 'fires', 'from', 'unix', 'x' * 3000, 'NETWORK_INPUTS', 'NETWORK_MAIN', 'class', '??/',
         'while_2', 'while']


class Network:
    """The JSON form, and what it computes."""

    def __init__(self, form):
        self.form = form
        self.inputs = form['inputs']
        self.delays = form.get('delays', [])
        self.reset()

    def reset(self):
        self.state = {delay['name']: delay['start'] for delay in self.delays}

    def step(self, bits):
        value = dict(zip(self.inputs, bits), **self.state)
        for unit in self.form['units']:  # in an order in which each comes after those it looks at
            total = sum(weight * value[name] for name, weight in unit['weights'].items())
            value[unit['name']] = int(total >= unit['threshold'])
        self.state = {delay['name']: value[delay['from']] for delay in self.delays}
        return [value[output['from']] for output in self.form['outputs']]


def make(generator, inputs, delays, units, most, links=0.6, names=None):
    """A network whose weights are -most to most."""
    names = names or generator.sample(NAMES, min(len(NAMES), inputs + delays + units))
    names = names + [f'n{i}' for i in range(inputs + delays + units - len(names))]
    generator.shuffle(names)
    form = {'inputs': names[:inputs], 'delays': [], 'units': [], 'outputs': []}
    known = names[:inputs + delays]
    for name in names[inputs + delays:]:
        weights = {other: generator.randint(-most, most) for other in known if generator.random() < links}
        weights = {other: weight for other, weight in weights.items() if weight}
        low = sum(min(weight, 0) for weight in weights.values())
        high = sum(max(weight, 0) for weight in weights.values())
        form['units'].append({'name': name, 'weights': weights, 'threshold': generator.randint(low - 1, high + 1)})
        known.append(name)
    for name in names[inputs:inputs + delays]:
        form['delays'].append({'name': name, 'from': generator.choice(known), 'start': generator.randint(0, 1)})
    for i in range(generator.randint(1, 3)):
        form['outputs'].append({'name': generator.choice([f'out{i}', NAMES[i]]), 'from': generator.choice(known)})
    if len({output['name'] for output in form['outputs']}) < len(form['outputs']):
        form['outputs'] = form['outputs'][:1]
    return Network(form)


def networks():
    """Of all kinds, each with its number."""
    generator = random.Random(1)
    kinds = [(3, 0, 4, 2), (5, 0, 6, 9), (8, 0, 3, 100), (4, 0, 5, 30000), (6, 0, 4, 2**31), (3, 0, 4, 2**58),
             (0, 0, 3, 2), (1, 2, 4, 3), (3, 3, 6, 9), (2, 5, 9, 40000), (0, 3, 5, 2), (4, 1, 3, 2**40),
             (40, 0, 3, 5), (70, 0, 2, 20), (100, 2, 3, 300), (300, 0, 1, 7), (300, 0, 3, 2**33), (0, 70, 2, 1),
             (255, 0, 2, 3), (256, 1, 1, 3), (80, 0, 90, 1), (5000 if 'TLU_LONG' in os.environ else 700, 0, 1, 50)]
    for kind in kinds + [kinds[i] for i in (0, 1, 8, 9) for _ in range(2)]:
        yield make(generator, *kind, links=generator.choice([0.3, 0.6, 1]))
    yield make(generator, len(NAMES) - 20, 5, 15, 3, names=list(NAMES))


def rows_for(network, generator):
    """Runs of rows, each from the start: every row if there are few, else some at random."""
    count = len(network.inputs)
    if not network.delays and count <= 8:
        return [[[row >> (count - 1 - i) & 1 for i in range(count)] for row in range(2 ** count)]]
    return [[[generator.randint(0, 1) for _ in range(count)] for _ in range(length)] for length in ((40, 25) if count else (40,))]


def answers(network, runs):
    """What the network says, a text per row."""
    lines = []
    for run_of_rows in runs:
        network.reset()
        lines += [''.join(map(str, network.step(bits))) for bits in run_of_rows]
    return lines


def as_text(runs):
    """Rows for the programs; an empty line goes back to the start."""
    return '\n'.join(''.join(''.join(map(str, bits)) + '\n' for bits in rows) for rows in runs)


def written(network, language):
    return tlu('logic', 'eval', '-', '--as', language, stdin=json.dumps(network.form))


def execute(*words, stdin=None):
    """What another program prints; it must succeed and say nothing else."""
    done = subprocess.run(words, input=stdin, capture_output=True, text=True)
    if done.returncode or done.stderr:
        complain(f'{words} gives {done.returncode}: {done.stderr[:2000]}')
        return ''
    return done.stdout
