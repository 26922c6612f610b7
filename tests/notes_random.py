"""The command against the second implementation of the lecture notes, on random small sets.

    notes_random.py [--part PART] [--sets N] [--set NUMBER] [--count-only]

Each set is made from its number alone, so that `--part vote --set 17` repeats one. Values are small
whole numbers and quarters, which floating point adds up exactly: what differs is wrong. Most sets
converge or run into a cycle long before their last pass. The long run has 2,000 sets for each part,
and 10,000 for `converge`; the short one 25.

Parts:
  average   C 3.6 over exactly T passes, primal and with a linear kernel; the last weights
  vote      E's vote with c_n
  random    C 3.5: the vectors that may be picked, and how often each is
  best      the guess that was right most often
  ties      --tie in training, trace, prediction and eval, two classes
  wta       winner takes all: --tie, --tie-update, last weights, average, vote, random, ambiguous rows
  converge  winner takes all ends on every separable set, within the bound of Kesler's E'
  ovr       one versus rest      ovo       one versus one
  one       H's Z_k: all examples have the label 1, or -1
  mistakes  the table per mistake
  kesler    E' of convert --kesler
  bound     (R/delta)^2 exactly; with rates; of several classes; rows of one label
  import    weights written, read, written again
"""

import argparse
import csv
import io
import math
import random as randomness
import sys
from fractions import Fraction

from notes_reference import *
from prelude import *
from prelude import run as start

EPOCHS = (1, 2, 3, 5, 10, 17, 40)
TIES = ('mistake', 'positive', 'negative')


class Wrong(Exception):
    pass


def expect(found, expected, what):
    if found != expected:
        raise Wrong(f'{what}: found {found}, expected {expected}')


def expect_near(found, expected, what):
    if found is None or abs(found - float(expected)) > 1e-9 * max(1, abs(float(expected))):
        raise Wrong(f'{what}: found {found}, expected {float(expected)}')


def command(*words):
    done = start(*words)
    if done.returncode != 0:
        raise Wrong(f'{" ".join(map(str, words))} gives {done.returncode}: {done.stderr.strip()}')
    return done.stdout


def write_rows(path, rows):
    names = [f'x{i + 1}' for i in range(len(rows[0][0]))]
    with open(path, 'w') as file:
        file.write(','.join(names + ['y']) + '\n')
        for x, label in rows:
            file.write(','.join(str(float(v)) if v != int(v) else str(int(v)) for v in x) + f',{label}\n')


def value(dice, unit):
    return Fraction(dice.randint(-8, 8), 4) if unit == 4 else dice.randint(-2, 2)


def points(dice, rows, features, unit):
    return [tuple(value(dice, unit) for _ in range(features)) for _ in range(rows)]


def two_classes(dice):
    """Separable by a random line in half of the cases, else labelled at random."""
    features, unit = dice.randint(1, 3), dice.choice((1, 1, 4))
    while True:
        xs = points(dice, dice.randint(2, 8), features, unit)
        w = [dice.randint(-3, 3) for _ in range(features + 1)]
        by_line = dice.random() < 0.5
        rows = [(x, (1 if dot(w, (*x, 1)) > 0 else -1) if by_line else dice.choice((-1, 1))) for x in xs]
        if {y for _, y in rows} == {-1, 1}:
            return rows


def several_classes(dice, separable=False):
    features, classes = dice.randint(1, 3), 'ABCD'[:dice.randint(3, 4)]
    for _ in range(10000):
        xs = points(dice, dice.randint(len(classes), 9), features, 1)
        w = {k: [dice.randint(-3, 3) for _ in range(features + 1)] for k in classes}
        rows = []
        for x in xs:
            leading = winners({k: dot(w[k], (*x, 1)) for k in classes})
            if separable and len(leading) > 1:
                continue
            rows.append((x, leading[0] if separable or dice.random() < 0.8 else dice.choice(classes)))
        if len({label for _, label in rows}) >= 3:
            return rows
    raise SystemExit('no set was found')


class Setting:
    """A set of rows, the options to train with, and what the reference is given."""

    def __init__(self, dice, several=False, ties=('mistake',)):
        self.dice = dice
        self.plain = several_classes(dice) if several else two_classes(dice)
        self.bias = dice.random() < 0.7
        self.rows = with_one(self.plain) if self.bias else self.plain
        self.epochs = dice.choice(EPOCHS)
        self.tie = dice.choice(ties)
        self.options = ['--learner', 'perceptron', '--no-shuffle', '--threads', 1, '--epochs', self.epochs]
        if not self.bias:
            self.options.append('--no-bias')
        if self.tie != 'mistake' or dice.random() < 0.2:
            self.options += ['--tie', self.tie]
        write_rows('set.csv', self.plain)

    def train(self, *more):
        return parsed(command('train', 'set.csv', '-o', 'set.tlu', '--json', *self.options, *more))

    def probes(self, count=6):
        """New points, the origin and the rows themselves: (as written, as the reference sees it)."""
        features = len(self.plain[0][0])
        xs = points(self.dice, count, features, 1) + [(0,) * features] + [x for x, _ in self.plain]
        return [(x, (*x, 1) if self.bias else x) for x in xs]

    def predict(self, probes, *more):
        write_rows('probes.csv', [(x, self.plain[0][1]) for x, _ in probes])
        lines = command('predict', 'set.tlu', 'probes.csv', '--scores', '--threads', 1, *more).splitlines()
        expect(len(lines), len(probes), 'predicted rows')
        return [line.split('\t') for line in lines]


def story(run):
    """What kind of run it is, for messages."""
    if 0 in run.mistakes:
        return f'converged after {run.mistakes.index(0) + 1} of {run.epochs} passes'
    for end, state in enumerate(run.states):
        if state in run.states[:end]:
            return f'cycle of {end - run.states.index(state)} in {run.epochs} passes'
    return f'{run.epochs} passes'


def passes_made(run, report, what):
    """With --stop converged a pass without a mistake is the last; a cycle may be noticed at any pass after
    its first repetition."""
    made = report['epochs']
    if run.cycle():
        expect(min(sum(run.cycle()), run.epochs) <= made <= run.epochs, True, f'{what}: {made} passes')
    else:
        expect(made, run.converged_after() or run.epochs, f'{what}: passes')
    expect(report['mistakes'], run.mistakes[:made], f'{what}: mistakes per pass')
    expect(report['updates'], sum(run.mistakes[:made]), f'{what}: updates')
    return made


# ---- The parts: each function checks one set and returns its story -------------------------------

def average(dice):
    setting = Setting(dice, ties=TIES)
    run = Run(setting.rows, setting.epochs, setting.tie)
    tell = story(run)
    probes = setting.probes()
    kernel = ['--kernel', 'linear'] if dice.random() < 0.3 else []
    exactly = dice.random() < 0.5
    for decide in ('average', 'last'):
        report = setting.train('--decide', decide, *kernel, *(['--stop', 'epochs'] if decide == 'last' and exactly else []))
        made = passes_made(run, report, f'{tell}: {decide}')
        w = run.average() if decide == 'average' else run.last if exactly else run.states[made]
        for (x, seen), (label, score) in zip(probes, setting.predict(probes)):
            exact = dot(w, seen)
            expect_near(float(score), exact, f'{tell}: {decide}, score of {x}')
            if abs(exact) > 1e-9 or decide == 'last':
                expect(int(label), predicted(exact, setting.tie), f'{tell}: {decide}, label of {x}')
        if decide == 'average' or exactly:
            expect(report['counted_epochs'], setting.epochs, f'{tell}: passes counted')
    return tell


def vote(dice):
    setting = Setting(dice, ties=TIES)
    run = Run(setting.rows, setting.epochs, setting.tie)
    tell = story(run)
    setting.train('--decide', 'vote', *(['--kernel', 'linear'] if dice.random() < 0.3 else []))
    probes = setting.probes()
    for (x, seen), (label, score) in zip(probes, setting.predict(probes)):
        expect_near(float(score), run.vote(seen), f'{tell}: vote on {x}')
        expect(int(label), predicted(run.vote(seen), setting.tie), f'{tell}: label of {x}')
    return tell


picked = {'chi': 0.0, 'degrees': 0}


def count_picks(groups, counts, probes):
    """Adds to Pearson's statistic. groups: {what a vector answers: its probability}."""
    if len(groups) > 1 and min(groups.values()) * probes >= 5:
        for key, p in groups.items():
            picked['chi'] += (counts.get(key, 0) - probes * float(p)) ** 2 / (probes * float(p))
        picked['degrees'] += len(groups) - 1


def random(dice):
    setting = Setting(dice, ties=TIES)
    run = Run(setting.rows, setting.epochs, setting.tie)
    tell = story(run)
    setting.train('--decide', 'random', '--seed', dice.randint(1, 10**9))  # or the picks of all sets would be alike
    # The pick depends on the row: many different ones are asked, which differ in size alone.
    features = len(setting.plain[0][0])
    xs = [tuple((1 + Fraction(i, 256)) * (2 * j + 3) for j in range(features)) for i in range(150)]
    probes = [(x, (*x, 1) if setting.bias else x) for x in xs]
    chances = {}
    for v, p in zip(run.vectors, run.picks()):
        if p:
            chances[v] = chances.get(v, 0) + p
    counts, clear = {}, True
    for (x, seen), (label, score) in zip(probes, setting.predict(probes)):
        fits = [v for v in chances if abs(float(dot(v, seen)) - float(score)) < 1e-9]
        if not fits:
            raise Wrong(f'{tell}: no vector of the run gives {x} the score {score}')
        expect(int(label), predicted(dot(fits[0], seen), setting.tie), f'{tell}: label of {x}')
        clear = clear and len(fits) == 1
        counts[fits[0]] = counts.get(fits[0], 0) + 1
    if clear:
        count_picks(chances, counts, len(probes))
    return tell


def best(dice):
    setting = Setting(dice)
    run = Run(setting.rows, setting.epochs)
    tell = story(run)
    setting.train('--decide', 'best', '--stop', 'epochs')
    probes = setting.probes()
    for (x, seen), (label, score) in zip(probes, setting.predict(probes)):
        expect_near(float(score), dot(run.best(), seen), f'{tell}: best on {x}')
    return tell


def ties(dice):
    setting = Setting(dice, ties=TIES)
    run = Run(setting.rows, setting.epochs, setting.tie)
    tell = f'tie {setting.tie}, {story(run)}'
    report = setting.train('--decide', 'last')
    passes = passes_made(run, report, tell)
    last = run.states[passes]
    probes = setting.probes()
    for (x, seen), (label, score) in zip(probes, setting.predict(probes)):
        expect((int(label), float(score)), (predicted(dot(last, seen), setting.tie), float(dot(last, seen))),
               f'{tell}: label and score of {x}')
    right = sum(predicted(dot(last, x), setting.tie) == y for x, y in setting.rows)
    expect_near(parsed(command('eval', 'set.tlu', 'set.csv', '--json'))['accuracy'], Fraction(right, len(setting.rows)),
                f'{tell}: accuracy')
    steps = parsed(command('trace', 'set.csv', '--as', 'json', *setting.options))['steps']
    expect(len(steps) >= passes * len(setting.rows), True, f'{tell}: {len(steps)} steps of the trace')
    for step, (_, number, _, score, mistake, _) in zip(steps, run.steps):
        expect((step['row'], step['scores']['1'], step['mistake'], step['updated']),
               (number + 1, float(score), mistake, mistake), f'{tell}: step {step["step"]}')
    return tell


def wta(dice):
    setting = Setting(dice, several=True, ties=TIES)
    update = dice.choice(('both', 'label')) if setting.tie == 'mistake' else 'both'
    run = WinnerTakesAll(setting.rows, setting.epochs, setting.tie, update)
    tell = f'tie {setting.tie}, update {update}, {story(run)}'
    options = ['--multiclass', 'wta'] + (['--tie-update', 'label'] if update == 'label' else [])
    probes = setting.probes()
    setting.train('--decide', 'last', '--stop', 'epochs', *options)
    for (x, seen), (label, mark, *scores) in zip(probes, setting.predict(probes, '--ambiguous')):
        exact = {k: dot(run.last[k], seen) for k in run.classes}
        expect([float(s) for s in scores], [float(exact[k]) for k in run.classes], f'{tell}: scores of {x}')
        expect(label, winner(exact, setting.tie), f'{tell}: label of {x}')
        expect(mark, '?' if len(winners(exact)) > 1 else '', f'{tell}: whether {x} is ambiguous')
    setting.train('--decide', 'average', *options)
    for (x, seen), (label, *scores) in zip(probes, setting.predict(probes)):
        exact = {k: dot(w, seen) for k, w in run.average().items()}
        for k, score in zip(run.classes, scores):
            expect_near(float(score), exact[k], f'{tell}: average, score of {k} for {x}')
        if len([k for k in exact if exact[k] > max(exact.values()) - Fraction(1, 10**9)]) == 1:
            expect(label, winner(exact, setting.tie), f'{tell}: average, label of {x}')
    setting.train('--decide', 'vote', *options)
    for (x, seen), (label, *scores) in zip(probes, setting.predict(probes)):
        for k, score in zip(run.classes, scores):
            expect_near(float(score), run.vote(seen)[k], f'{tell}: votes for {k} on {x}')
        expect(label, winner(run.vote(seen), setting.tie), f'{tell}: label of {x} by vote')
    setting.train('--decide', 'random', *options)
    possible = [weights for weights, p in run.picks() if p]
    for (x, seen), (label, *scores) in zip(probes, setting.predict(probes)):
        found = [float(s) for s in scores]
        if not any(all(abs(float(dot(w[k], seen)) - s) < 1e-9 for k, s in zip(run.classes, found)) for w in possible):
            raise Wrong(f'{tell}: no weights of the run give {x} the scores {found}')
    return tell


def converge(dice):
    rows = several_classes(dice, separable=True)
    seen = with_one(rows)
    write_rows('set.csv', rows)
    report = parsed(command('train', 'set.csv', '-o', 'set.tlu', '--json', '--learner', 'perceptron', '--no-shuffle', '--threads', 1,
                            '--epochs', 100000, '--multiclass', 'wta', '--decide', 'last', '--stop', 'converged'))
    expect((report['converged'], report['mistakes'][-1]), (True, 0), 'a separable set')
    run = WinnerTakesAll(seen, len(report['mistakes']))
    expect(report['mistakes'], run.mistakes, 'mistakes per pass')
    return f'{len(run.mistakes)} passes'


def ovr(dice):
    setting = Setting(dice, several=True, ties=TIES)
    runs = one_versus_rest(setting.rows, setting.epochs, setting.tie)
    tell = f'tie {setting.tie}, {setting.epochs} passes'
    probes = setting.probes()
    for decide in ('last', 'average', 'vote'):
        setting.train('--decide', decide, '--multiclass', 'ovr', '--stop', 'epochs')
        for (x, seen), (label, mark, *scores) in zip(probes, setting.predict(probes, '--ambiguous')):
            exact = {k: run.vote(seen) if decide == 'vote' else dot(run.last if decide == 'last' else run.average(), seen)
                     for k, run in runs.items()}
            for k, score in zip(runs, scores):
                expect_near(float(score), exact[k], f'{tell}: {decide}, score of {k} for {x}')
            if decide == 'last':
                expect(label, winner(exact, setting.tie), f'{tell}: {decide}, label of {x}')
                if 0 not in exact.values():
                    expect(mark, '' if sum(s > 0 for s in exact.values()) == 1 else '?', f'{tell}: {x} ambiguous')
    return tell


def ovo(dice):
    setting = Setting(dice, several=True, ties=TIES)
    runs = one_versus_one(setting.rows, setting.epochs, setting.tie)
    tell = f'tie {setting.tie}, {setting.epochs} passes'
    probes = setting.probes()
    setting.train('--decide', 'last', '--multiclass', 'ovo', '--stop', 'epochs')
    for (x, seen), (label, mark, *scores) in zip(probes, setting.predict(probes, '--ambiguous')):
        weights = {pair: run.last for pair, run in runs.items()}
        won = pairs_won(weights, seen, setting.tie)
        expect([float(s) for s in scores], [float(won[k]) for k in sorted(won)], f'{tell}: pairs won at {x}')
        leading = winners(won)
        expect(label in leading, True, f'{tell}: label {label} of {x}, of {leading}')
        undecided = any(dot(w, seen) == 0 and set(pair) & set(leading) for pair, w in weights.items())
        expect(mark, '?' if len(leading) > 1 or undecided else '', f'{tell}: {x} ambiguous')
    return tell


def one(dice):
    setting = Setting(dice)
    label = dice.choice((1, -1))
    setting.plain = [(x if y == label else tuple(-v for v in x), label) for x, y in setting.plain]
    setting.rows = with_one(setting.plain) if setting.bias else setting.plain
    write_rows('set.csv', setting.plain)
    run = Run(setting.rows, setting.epochs)
    tell = f'label {label}: {story(run)}'
    setting.train('--decide', 'average')
    probes = setting.probes()
    for (x, seen), (_, score) in zip(probes, setting.predict(probes)):
        expect_near(abs(float(score)), abs(dot(run.average(), seen)), f'{tell}: score of {x}')
    steps = parsed(command('trace', 'set.csv', '--as', 'json', *setting.options))['steps']
    for step, (_, number, _, score, mistake, _) in zip(steps, run.steps):
        expect((step['row'], step['mistake'], step['updated']), (number + 1, mistake, mistake), f'{tell}: step {step["step"]}')
    report = setting.train('--decide', 'last')
    right = sum(predicted(dot(run.states[report['epochs']], x), 'mistake') == y for x, y in setting.rows)
    expect_near(parsed(command('eval', 'set.tlu', 'set.csv', '--json'))['accuracy'], Fraction(right, len(setting.rows)), f'{tell}: accuracy')
    return tell


# Names that the table has in JSON; the first that is there counts.
KEYS = {'k': ('k',), 'row': ('row',), 'm': ('m_k', 'm', 'used'), 'c': ('c_n', 'c', 'c_k', 'survived'),
        'probability': ('probability', 'm_k/m', 'share'), 'error': ('error', 'error_rate'),
        'squared': ('squared_length', '|v_k|^2', 'squared'), 'k_squared_radius': ('k_R2', 'k R^2', 'k_squared_radius'),
        'projection': ('v_dot_u', 'v_k.u', 'projection'), 'k_gamma': ('k_gamma', 'k gamma'), 'angle': ('angle',)}


def cell(entry, name):
    for key in KEYS[name]:
        if key in entry:
            return entry[key]
    raise Wrong(f'the table has no {name}: {sorted(entry)}')


def mistakes(dice):
    setting = Setting(dice)
    run = Run(setting.rows, setting.epochs)
    tell = story(run)
    document = parsed(command('trace', 'set.csv', '--mistakes', '--as', 'json', *setting.options))
    found = next((rows for rows in document.values() if isinstance(rows, list) and rows and 'k' in rows[0]), None)
    if found is None:
        raise Wrong(f'no table in {sorted(document)}')
    table = table_of_mistakes(run)
    expect(len(found), len(table), f'{tell}: guesses')
    for entry, expected in zip(found, table):
        what = f'{tell}: v_{expected["k"]}'
        for name in ('k', 'row', 'm', 'c'):
            expect(cell(entry, name), expected[name], f'{what}: {name}')
        for name in ('probability', 'error', 'squared', 'k_squared_radius', 'projection', 'k_gamma', 'angle'):
            if expected[name] is None:
                expect(cell(entry, name), None, f'{what}: {name}')
            elif name == 'angle':  # acos near 0 loses half of the digits
                expect(abs(cell(entry, name) - expected[name]) < 1e-4, True, f'{what}: angle {cell(entry, name)}, not {expected[name]}')
            else:
                expect_near(cell(entry, name), expected[name], f'{what}: {name}')
    return tell


def kesler_rows(dice):
    setting = Setting(dice, several=True)
    text = command('convert', 'set.csv', '--kesler', '--to', 'csv', *([] if setting.bias else ['--no-bias']))
    table = list(csv.reader(io.StringIO(text)))[1:]
    found = [(tuple(float(v) for v in row[:-1]), float(row[-1])) for row in table]
    expect(found, [(tuple(map(float, x)), 1.0) for x, _ in kesler(setting.rows)], "E'")
    return 'converted'


def bound(dice):
    several = dice.random() < 0.3
    rows = several_classes(dice, separable=dice.random() < 0.8) if several else two_classes(dice)
    while several and (len(rows) > 5 or len({label for _, label in rows}) > 3):  # few supports to try
        rows = several_classes(dice, separable=dice.random() < 0.8)
    if not several:  # decimals that no float has
        rows = [(tuple(Fraction(v) / 10 for v in x), y) for x, y in rows]
        if dice.random() < 0.3:  # Z_k of H: all examples positive
            rows = [(x if y == 1 else tuple(-v for v in x), 1) for x, y in rows]
    bias = dice.random() < 0.6
    write_rows('set.csv', rows)
    seen = with_one(rows) if bias else rows
    exact = mistake_bound(kesler(seen) if several else seen)
    rates = dice.choice((None, None, (Fraction(1, 2), 2)))
    words = ['bound', 'set.csv', '--json', '--runs', 1, *([] if bias else ['--no-bias'])]
    words += ['--rate', '0.5:2'] if rates else []
    done = start(*words)
    if exact is None:
        expect(done.returncode, 1, f'not separable; {" ".join(map(str, words))} says {done.stderr.strip()}')
        return 'not separable'
    expect(done.returncode, 0, f'separable; {" ".join(map(str, words))} says {done.stderr.strip()}')
    said = parsed(done.stdout)
    expect_near(said['radius'], math.sqrt(exact[0]), 'R')
    expect_near(said['margin_low'], math.sqrt(exact[1]), 'delta')
    limit = exact[2] * (16 if rates else 1)
    expect_near(said['bound'], limit, '(R/delta)^2')
    expect(said['most_mistakes'], math.floor(limit), 'mistakes at most')
    return 'several classes' if several else 'two classes'


def imported(dice):
    several = dice.random() < 0.5
    setting = Setting(dice, several=several)
    setting.train('--decide', 'last', *(['--multiclass', 'wta'] if several else []))
    text = command('inspect', 'set.tlu', '--weights')
    if not text or len({line.split('\t')[0] for line in text.splitlines()}) < (len({y for _, y in setting.plain}) if several else 1):
        return 'a class without weights'
    if all(line.split('\t')[1] == '(bias)' for line in text.splitlines()):
        return 'a bias alone'  # refused: the model would not know its columns
    probes = setting.probes()
    before = setting.predict(probes)
    write('weights.tsv', text)
    labels = [] if several else ['--labels=-1,1']
    command('import', '--weights', 'weights.tsv', '-o', 'set.tlu', *labels)
    expect(command('inspect', 'set.tlu', '--weights'), text, 'weights')
    expect(setting.predict(probes), before, 'predictions')
    return 'imported'


PARTS = {'average': average, 'vote': vote, 'random': random, 'best': best, 'ties': ties, 'wta': wta,
         'converge': converge, 'ovr': ovr, 'ovo': ovo, 'one': one, 'mistakes': mistakes, 'kesler': kesler_rows,
         'bound': bound, 'import': imported}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--part', choices=PARTS, action='append')
    parser.add_argument('--sets', type=int, help='sets of each part')
    parser.add_argument('--set', type=int)
    parser.add_argument('--count-only', action='store_true', help='count failures instead of ending at the first few')
    arguments = parser.parse_args()
    parts = arguments.part or list(PARTS)
    for name in parts:
        failed, stories = 0, {}
        sets = arguments.sets or (25 if not os.environ.get('TLU_LONG') else 10000 if name == 'converge' else 2000)
        for number in [arguments.set] if arguments.set is not None else range(sets):
            dice = randomness.Random(f'{name} {number}')
            try:
                tell = PARTS[name](dice)
            except (Wrong, KeyError, IndexError, ValueError) as error:  # what differs, or a report of another form
                wrong = error if isinstance(error, Wrong) else repr(error)
                failed += 1
                if arguments.count_only:
                    tell = 'FAILED ' + str(wrong)
                    if failed <= 10:
                        print(f'{name}, set {number}: {wrong}')
                else:
                    complain(f'{name}, set {number}: {wrong}')
                    if failed == 3:
                        complain(f'{name}: ended after three failures')
                        break
                    continue
            key = next((word for word in ('converged', 'cycle') if word in tell), 'other')
            stories[key] = stories.get(key, 0) + 1
        if arguments.count_only:
            print(f'{name}: {failed} failed of {sets}')
            continue
        print(f'{name}: {sum(stories.values())} sets agree:', ', '.join(f'{n} {key}' for key, n in sorted(stories.items())))
        if name in ('average', 'vote', 'random', 'ties', 'wta', 'mistakes') and not failed and arguments.set is None:
            if not ('converged' in stories and 'cycle' in stories):
                complain(f'{name}: sets that converge and sets with a cycle are both needed')
    if picked['degrees']:
        z = (picked['chi'] - picked['degrees']) / math.sqrt(2 * picked['degrees'])
        print(f'random: Pearson\'s statistic {picked["chi"]:.1f} at {picked["degrees"]} degrees of freedom, z = {z:.2f}')
        if z > 6:
            complain('random: the vectors are not picked as often as m_k/m says')
    elif 'random' in parts and arguments.set is None:
        complain('random: no set could be counted')


main()
