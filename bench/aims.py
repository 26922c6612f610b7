"""The tables of aims: what was asked for, and what a run of the bench has found."""
import picture
from tables import megabytes, table

LEVEL_NAMES = {'avx2': 'AVX2', 'avx512': 'AVX-512', 'sse2': 'SSE2', 'neon': 'NEON', 'plain': 'plain C'}


# ---- how values are written ----

def times(value):
    return f'{value:.{2 if value < 2 else 1}f}'.rstrip('0').rstrip('.') + ' times'


def speed(value):
    return f'{value / 1e6:.0f} MB/s' if value < 1e9 else f'{value / 1e9:.2f} GB/s'


def count(value):
    return f'{value:.{2 if value < 10 else 1}f}'


def whole_seconds(value):
    return f'{value:.2f} s'


def nanoseconds(value):
    return f'{value * 1e9:.{2 if value < 1e-8 else 1}f} ns'


class Aim:
    """value: a number, or one per level by a function of the level; None is not measured."""

    def __init__(self, work, bound, target, form, value):
        self.work, self.bound, self.target, self.form, self.value = work, bound, target, form, value

    def at(self, level):
        return self.value(level) if callable(self.value) else self.value

    def met(self, value):
        if value is None:
            return None
        return value >= self.target if self.bound == 'at least' else value <= self.target


class Found:
    """The results of a run, by name."""

    def __init__(self, results):
        self.results, self.figures = results, results['figures']

    def run(self, group, name, level=''):
        return next((run for run in self.results['runs']
                     if (run['group'], run['name'], run['kernels']) == (group, name, level)), None)

    def seconds(self, group, name, level='', key='median_seconds'):
        run = self.run(group, name, level)
        return run and run[key]

    def ratio(self, slow, fast):
        """How many times longer the first takes: each is (group, name, level)."""
        a, b = self.run(*slow), self.run(*fast)
        return a['median_seconds'] / b['median_seconds'] if a and b else None

    def instructions(self, name):
        counted = self.results['instructions']
        return counted and counted['counts'].get(name)

    def format(self, name, level, what):
        """CPU time of one pass over a kind of file: per item, or bytes per second."""
        run = self.run('formats', name, level)
        if not run:
            return None
        if what == 'speed':
            return run['bytes'] / run['cpu_seconds']
        return run['cpu_seconds'] / self.results['data']['items'][name]


# ---- the aims ----

def words_aims(found):
    aims = []
    for name in ('raw text', 'Vowpal Wabbit'):
        aims += [Aim(f'{name}, one pass: instructions per byte', 'at most', 30, count,
                     found.instructions(f'{name}, one pass, per byte')),
                 Aim(f'{name}, one pass: CPU time per word', 'at most', 20e-9, nanoseconds,
                     lambda level, name=name: found.format(name, level, 'item'))]
    words = 'tlu, Vowpal Wabbit\'s format'
    return [*aims,
            Aim('raw text, one pass, per thread', 'at least', 280e6, speed,
                lambda level: found.format('raw text', level, 'speed')),
            Aim('Vowpal Wabbit\'s format against `vw`, one pass', 'at least', 4, times,
                lambda level: found.ratio(('words', 'Vowpal Wabbit'), ('words', words, level))),
            *(Aim(f'`--ngrams 2`, {name}: CPU time per pair of words', 'at most', 40e-9, nanoseconds,
                  lambda level, name=name: found.figures['levels'][level]['ngram'][name])
              for name in found.figures['levels']['']['ngram']),
            Aim('CSV of categories, one pass, per thread', 'at least', 400e6, speed,
                lambda level: found.format('CSV of categories', level, 'speed'))]


def numbers_aims(found):
    parse = found.figures['parse']

    def per_byte(name, target, key):
        return Aim(f'{name}: instructions per byte', 'at most', target, count,
                   found.instructions(f'{key}, per byte'))
    aims = [Aim('parsing LIBSVM, one thread', 'at least', 1.6e9, speed,
                lambda level: parse['LIBSVM'][level]),
            per_byte('reading LIBSVM', 6, 'LIBSVM, reading')]
    return [*aims,
            Aim('parsing LIBSVM with plain C, one thread', 'at least', 1e9, speed,
                parse['LIBSVM']['plain']),
            per_byte('reading LIBSVM with plain C', 9, 'LIBSVM, reading with plain'),
            per_byte('reading CSV of numbers', 8, 'CSV of numbers, reading'),
            Aim('LIBSVM with indices up to 20,000,000 against up to 900,000', 'at most', 1.5, times,
                lambda level: found.ratio(('indices', 'up to 20000000', level),
                                          ('indices', 'up to 900000', level)))]


def learning_aims(found):
    equal = next(run['name'] for run in found.results['runs']
                 if run['group'] == 'train' and run['name'].startswith('tlu --margin'))
    liblinear = 'train', 'liblinear-train -s 1'

    def in_memory(key):
        return lambda level: found.figures['levels'][level][key]

    def passes(what, target, key):
        return Aim(f'a pass in memory, {what}: instructions', 'at most', target, count,
                   found.instructions(key))
    return [Aim('`train --epochs 1` against `wc -l`', 'at most', 3, times,
                lambda level: found.ratio(('train', 'tlu --epochs 1', level), ('train', 'wc -l'))),
            Aim('`train --epochs 5` against `liblinear-train -s 1`', 'at least', 25, times,
                lambda level: found.ratio(liblinear, ('train', 'tlu --epochs 5', level))),
            Aim(f'`train {equal[4:]}`, of at least equal accuracy, against the same', 'at least', 20,
                times, lambda level: found.ratio(liblinear, ('train', equal, level))),
            Aim('a pass in memory, in file order, per non-zero', 'at most', 1.2e-9, nanoseconds,
                in_memory('pass')),
            passes('per non-zero', 9, 'a pass in memory, per non-zero'),
            Aim('a pass in memory, shuffled, per non-zero', 'at most', 2e-9, nanoseconds,
                in_memory('shuffled_pass')),
            passes('10 classes, per non-zero and class', 1.2,
                   'a pass in memory, 10 classes, per non-zero and class')]


def prediction_aims(found):
    return [Aim('`predict` against `liblinear-predict`', 'at least', 30, times,
                lambda level: found.ratio(('predict', 'liblinear-predict'),
                                          ('predict', 'tlu predict', level))),
            Aim('MNIST, `--kernel poly:4 --multiclass ovr --decide vote --epochs 10`: training', 'at most',
                15, whole_seconds, lambda level: found.seconds('kernel', 'tlu train', level)),
            Aim('the same: 10,000 rows predicted', 'at most', 1.5, whole_seconds,
                lambda level: found.seconds('kernel', 'tlu predict', level)),
            Aim('`--decide vote --epochs 1` on the sparse file, and the held-out rows predicted',
                'at most', 3, whole_seconds,
                lambda level: found.seconds('vote', 'tlu --decide vote --epochs 1, then predict',
                                            level))]


def aims(found):
    return [*words_aims(found), *numbers_aims(found), *learning_aims(found), *prediction_aims(found)]


def earlier_aims(found):
    """Aims of before that are still watched; on all instructions that the CPU has."""
    results, latency = found.results, found.figures['latency']
    largest, first = results['sizes'][-1], results['sizes'][0]
    rows = [Aim('`train --epochs 5` against scikit-learn', 'at least', 40, times,
                found.ratio(('train', 'scikit-learn'), ('train', 'tlu --epochs 5'))),
            Aim('parsing CSV of numbers, one thread', 'at least', 700e6, speed,
                found.figures['parse']['CSV of numbers']['']),
            Aim('memory kept for several passes, bytes per non-zero', 'at most', 10, count,
                found.figures['kept_bytes_per_nonzero'])]
    for group, what in (('stream', ''), ('short', ', short rows')):
        rows.append(Aim(f'`stream` with answers to a file against `train --epochs 1`{what}', 'at most',
                        1.5, times, found.ratio((group, 'tlu stream < FILE'),
                                                (group, 'tlu train --epochs 1'))))
    for where, what in ((', one core', 'programs on one core'), ('', 'on any')):
        rows.append(Aim(f'`stream`: a row in, its answer out, {what} (an echo: '
                        f'{latency["echo" + where] * 1e6:.1f} µs), median', 'at most', 20e-6,
                        lambda value: f'{value * 1e6:.1f} µs', latency['stream' + where]))
    return [*rows,
            Aim(f'memory of one pass over {megabytes(largest["bytes"])} MB, without the model',
                'at most', 64e6, lambda value: f'{megabytes(value)} MB',
                largest['memory'] - largest['model']),
            Aim(f'time grows with rows, {megabytes(first["bytes"])} MB to '
                f'{megabytes(largest["bytes"])} MB: R² of a straight line', 'at least', 0.99,
                lambda value: f'{value:.4f}', picture.fit(results['sizes'])['r2']),
            Aim('start-up: `train` on four rows', 'at most', 5e-3,
                lambda value: f'{value * 1e3:.2f} ms', results['start_up']['tlu'])]


# ---- the tables ----

def rows_of(aims, levels):
    """One row per aim: work, aim, and for each level what was found and whether that meets it."""
    rows = []
    for aim in aims:
        cells = []
        for number, level in enumerate(levels):
            if number > 0 and not callable(aim.value):  # measured on one level alone
                cells += ['', '']
                continue
            value = aim.at(level)
            met = aim.met(value)
            cells += ['not measured' if value is None else aim.form(value),
                      '' if met is None else 'yes' if met else 'no']
        rows.append([aim.work, f'{aim.bound} {aim.form(aim.target)}', *cells])
    return rows


def both_tables(results):
    found, levels = Found(results), list(results['figures']['levels'])
    best = results['machine']['kernels']
    header = ['work', 'aim']
    for level in levels:
        header += [LEVEL_NAMES.get(level or best, best), 'met']
    new = table(header, rows_of(aims(found), levels))
    same = {True: 'The models of both are the same, byte for byte.',
            False: 'THE MODELS OF THE TWO DIFFER.', None: ''}[results['same_models']]
    old = table(['work', 'aim', 'found', 'met'], rows_of(earlier_aims(found), ['']))
    return new + (f'\n\n{same}' if same else ''), old


def aims_record(results):
    """The aims with numbers, for results.json."""
    found = Found(results)
    return [{'work': aim.work, 'aim': f'{aim.bound} {aim.target:g}',
             **{level or 'best': aim.at(level) for level in results['figures']['levels']}}
            for aim in aims(found)] + [{'work': aim.work, 'aim': f'{aim.bound} {aim.target:g}',
                                        'best': aim.value} for aim in earlier_aims(found)]
