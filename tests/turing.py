"""Turing machines: a second, plain implementation, which reads the same tables. As a program, compares every
step that `tlu logic run --turing` prints, and the network that `tlu logic --turing` prints, with it."""

import csv
import io
import random

from networks import Network
from prelude import *

HALTING = ('halt', 'accept', 'reject')


class Machine:
    """The table as a dictionary: (state, symbol) to (symbol, move, state)."""

    def __init__(self, text):
        self.rows, self.start, self.blank = {}, None, '_'
        for line in text.split('\n'):
            words = []
            for word in line.split():
                if word.startswith('#'):
                    break
                words.append(word)
            if len(words) == 2 and words[0] == 'start':
                self.start = words[1]
            elif len(words) == 2:
                self.blank = words[1]
            elif words:
                state, read, write, move, following = words
                self.rows[state, read] = write, {'L': -1, 'R': 1, 'S': 0}[move], following
        if self.start is None:
            self.start = next(iter(self.rows))[0]

    def run(self, tape, limit):
        """The configurations one after the other: state, head, cells, first and last cell so far."""
        cells = dict(enumerate(tape))
        state, head = self.start, 0
        first, last = 0, max(len(tape) - 1, 0)
        for step in range(limit + 1):
            yield state, head, dict(cells), first, last
            row = self.rows.get((state, cells.get(head, self.blank)))
            if row is None or step == limit:
                return
            cells[head], move, state = row
            head += move
            first, last = min(first, head), max(last, head)

    def halts(self, state, symbol):
        return (state, symbol) not in self.rows


def random_machine(generator):
    """Its text, and its symbols."""
    symbols = generator.choice([['0', '1'], ['_', '|'], list('_abc'), ['one', 'two', '_'], ['x'], ['é', '高', '_', '"', '\\']])
    states = [generator.choice('ABCDEFGH') + f'{i}' for i in range(generator.randint(1, 6))]
    if generator.random() < 0.3:
        states[-1] = generator.choice(['start', 'blank', 'read_0', 'no_row', 'bit0', 'left'])
    targets = states * 3 + [generator.choice(HALTING)]
    lines = []
    for state in states:
        for number, symbol in enumerate(symbols):
            if number and generator.random() < 0.15:
                continue
            lines.append(' '.join([state, symbol, generator.choice(symbols), generator.choice('LRLRS'),
                                   generator.choice(targets)]) + generator.choice(['', ' # so', '\t']))
    generator.shuffle(lines)
    if generator.random() < 0.5:
        lines.insert(generator.randrange(len(lines) + 1), f'start {generator.choice(states)}')
    if '_' not in symbols or generator.random() < 0.3:
        lines.insert(generator.randrange(len(lines) + 1), f'blank {generator.choice(symbols)}')
    if generator.random() < 0.5:
        lines.insert(0, '# at random')
    return '\n'.join(lines) + generator.choice(['', '\n']), symbols


def joined(machine, cells, first, last, characters):
    return ('' if characters else ' ').join(cells.get(cell, machine.blank) for cell in range(first, last + 1))


def reachable(machine):
    """States that rows lead to, with any symbols."""
    found, todo = {machine.start}, [machine.start]
    while todo:
        state = todo.pop()
        for (origin, _), (_, _, following) in machine.rows.items():
            if origin == state and following not in found:
                found.add(following)
                todo.append(following)
    return found


def all_symbols(machine):
    return {machine.blank} | {symbol for (_, read), (write, _, _) in machine.rows.items() for symbol in (read, write)}


def compare_steps(machine, path, tape, limit, characters, network, options):
    """Every step that is printed, the outcome and the exit code; the network runs along."""
    text = ('' if characters else ' ').join(tape)
    done = run('logic', 'run', '--turing', path, '--tape', text, '--steps', limit, '--as', 'json', *options)
    what = f'{open(path).read()}with {text!r}, {limit} steps, {options}'
    if not done.stdout:
        complain(f'{what}: {done.returncode}, {done.stderr}')
        return
    answer = parsed(done.stdout)
    network.reset()
    steps = list(machine.run(tape, limit))
    equal(len(answer['trace']), len(steps), f'number of steps, {what}')
    names = [output['name'] for output in network.form['outputs']]
    for number, (found, (state, head, cells, first, last)) in enumerate(zip(answer['trace'], steps)):
        delays = ''.join(str(network.state[delay['name']]) for delay in network.delays)
        expected = {'step': number, 'state': state, 'head': head, 'first': first,
                    'tape': joined(machine, cells, first, last, characters), 'delays': delays}
        equal(found, expected, f'step {number}, {what}')
        symbol = cells.get(head, machine.blank)
        outputs = dict(zip(names, network.step([int(name == 'read_' + symbol) for name in network.inputs])))
        row = machine.rows.get((state, symbol))
        wanted = {name: 0 for name in names}
        wanted['halt'] = int(row is None)
        if 'accept' in wanted:
            wanted['accept'] = int(state == 'accept')
        if row:
            wanted['write_' + row[0]] = 1
            wanted.update({'left': int(row[1] < 0), 'right': int(row[1] > 0)})
        equal(outputs, wanted, f'outputs in step {number}, {what}')
    state, head, cells, first, last = steps[-1]
    halted = machine.halts(state, cells.get(head, machine.blank))
    filled = sorted(cell for cell, symbol in cells.items() if symbol != machine.blank)
    equal((answer['steps'], answer['halted'], answer['state'], answer['head'], answer['not_blank']),
          (len(steps) - 1, halted, state, head, len(filled)), f'outcome, {what}')
    if filled:
        equal((answer['first'], answer['tape']), (filled[0], joined(machine, cells, filled[0], filled[-1], characters)),
              f'tape at the end, {what}')
    decides = 'accept' in reachable(machine)
    equal(answer.get('accepted'), (halted and state == 'accept') if decides else None, f'accepted, {what}')
    equal(done.returncode, 4 if not halted else int(decides and state != 'accept'), f'exit code, {what}')


def compare_random(generator):
    text, symbols = random_machine(generator)
    path = write('machine.tm', text)
    machine = Machine(text)
    for encoding in ('onehot', 'binary', None):
        options = ['--encoding', encoding] if encoding else []
        network = Network(parsed(tlu('logic', '--turing', path, '--as', 'json', *options)))
        report = parsed(tlu('logic', '--turing', path, '--json', *options))
        states = reachable(machine)
        equal({state['name'] for state in report['states']}, states, f'states, {text}')
        equal(report['states'][0]['name'], machine.start, f'start, {text}')
        equal(set(report['symbols']), all_symbols(machine), f'symbols, {text}')
        equal(report['symbols'][0], machine.blank, f'blank, {text}')
        equal(report['proof'], {'equal': True, 'pairs': len(states), 'symbols': len(report['symbols'])}, f'proof, {text}')
        rows = {(report['states'][row['state']]['name'], report['symbols'][row['read']]):
                (report['symbols'][row['write']], row['move'], report['states'][row['next']]['name'])
                for row in report['rows']}
        equal(rows, {key: row for key, row in machine.rows.items() if key[0] in states}, f'rows, {text}')
        tape = [generator.choice(report['symbols']) for _ in range(generator.randrange(15))]
        compare_steps(machine, path, tape, generator.randint(0, 40), all(len(s) == 1 for s in report['symbols']),
                      network, options)


def compare_window(generator):
    """Of a long tape a step shows 61 cells, the head among them."""
    path = write('shuttle.tm', 'go a b R go\ngo b a R go\ngo _ _ L back\nback a a L back\nback b b L back\nback _ a R go\n')
    machine = Machine(open(path).read())
    tape = [generator.choice('ab') for _ in range(100)]
    answer = parsed(run('logic', 'run', '--turing', path, '--tape', ''.join(tape), '--steps', 500, '--json').stdout)
    table = run('logic', 'run', '--turing', path, '--tape', ''.join(tape), '--steps', 500, '--as', 'csv').stdout
    lines = list(csv.DictReader(io.StringIO(table)))
    equal(len(lines), 501, 'lines of CSV')
    for found, line, (state, head, cells, first, last) in zip(answer['trace'], lines, machine.run(tape, 500)):
        start, end = found['first'], found['first'] + len(found['tape']) - 1
        equal(len(found['tape']), 61, 'cells shown')
        equal(first <= start <= head <= end <= last, True, f'window {start} to {end} of {first} to {last}, head {head}')
        equal(found['tape'], joined(machine, cells, start, end, True), 'cells of a long tape')
        marked = found['tape'][:head - start] + '[' + found['tape'][head - start] + ']' + found['tape'][head - start + 1:]
        equal(line['tape'], '...' * (start > first) + marked + '...' * (end < last), 'cells in CSV')
        equal((line['state'], int(line['head']), line['delays']), (state, head, found['delays']), 'a line of CSV')


if __name__ == '__main__':
    generator = random.Random(15)
    for _ in range(2000 if 'TLU_LONG' in os.environ else 60):
        compare_random(generator)
    compare_window(generator)
