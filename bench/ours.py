"""The jobs of tlu: what is run, with which learner, on which instructions.

Every command names its learner. LEVELS are the instructions it runs with: '' is all that the CPU has;
if it has AVX-512, what a CPU with AVX2 alone would use comes first.
"""
import json
import subprocess

import data
from measure import PROGRAMS, REAL, TLU, WORK, Job, first_line, output_of
from tools import tlu_accuracy

BEST = first_line([TLU, '--version'], r'SIMD: (.*)')
LEVELS = ['avx2', ''] if BEST == 'avx512' else ['']
PERCEPTRON = ['--learner', 'perceptron']
# What reaches the held-out accuracy of liblinear-train -s 1 on the sparse file; see performance.md.
EQUAL = ['--margin', '1', '--epochs', '10']
HINGE = ['--learner', 'hinge', '--rate', '2', '--l2', '8e-6', '--decide', 'last', '--epochs', '5']
MNIST = ['--kernel', 'poly:4', '--multiclass', 'ovr', '--decide', 'vote', '--epochs', '10']
MISSING = ['--missing', 'indicator']


def model_of(name, level):
    return f'{name}.{level}.tlu' if level else f'{name}.tlu'


def train(group, name, source, model, options, note='', test=None, level='', limit=600):
    """tlu train as a job; the learner is the perceptron unless the options say otherwise."""
    learner = [] if '--learner' in options else PERCEPTRON
    model = model_of(model, level)
    accuracy = test and tlu_accuracy(model, test)
    return Job(group, name, [TLU, 'train', source, '-q', '--json', *learner, *options, '-o', model],
               source.stat().st_size, accuracy, note, limit, level)


def predict(group, name, source, model, level='', options=(), note=''):
    return Job(group, name, [TLU, 'predict', model, source, '-q', *options, '-o',
                             model_of(model, level) + '.out'],
               source.stat().st_size, note=note, level=level)


def on_sparse(source, test):
    """Training and prediction on the sparse file, and passes over rows in memory."""
    jobs = []
    size = source.stat().st_size
    for level in reversed(LEVELS):
        def add(name, model, options, note):
            jobs.append(train('train', name, source, model, options, note, test, level))
        add('tlu --epochs 5', 'five', ['--epochs', '5'], 'averaged perceptron, 5 passes')
        add('tlu --epochs 1', 'one', ['--epochs', '1'], 'averaged perceptron, 1 pass')
        add('tlu ' + ' '.join(EQUAL), 'equal', EQUAL, 'averaged perceptron with a margin')
        if level == '':
            add('tlu --epochs 5, one thread', 'single', ['--epochs', '5', '--threads', '1'],
                'the same as the first row, with one thread')
            add('tlu ' + ' '.join(HINGE), 'hinge', HINGE, 'gradient of the hinge loss')
            jobs.append(Job('train', 'wc -l', ['wc', '-l', source], size, note='counts lines'))
            jobs.append(Job('train', 'cat', ['sh', '-c', 'exec cat "$1" >/dev/null', 'sh', source], size,
                            note='reads the file'))
        jobs.append(predict('predict', 'tlu predict', source, 'five.tlu', level))
        jobs.append(predict('predict', 'tlu predict --threads 1', source, 'five.tlu', level,
                            ['--threads', '1']))
        for order in ('none', 'later'):
            for epochs in (2, 10):  # both keep the rows in memory; the difference is eight passes
                jobs.append(train('pass', f'tlu --shuffle {order} --epochs {epochs}', source, 'pass',
                                  ['--shuffle', order, '--epochs', str(epochs)], level=level))
    return jobs


def on_formats(files):
    """One pass over every kind of file, with all threads and with one: files by name, (path, options)."""
    return [train('formats', name + (', one thread' if threads else ''), path, 'format',
                  ['--epochs', '1', *options, *threads], level=level)
            for name, (path, options) in files.items() for level in LEVELS
            for threads in ((), ('--threads', '1'))]


def same_models():
    """Whether the models that each level has made are the same, byte for byte; None: one level."""
    pairs = [(path, WORK / path.name.replace(f'.{level}.', '.')) for level in LEVELS if level
             for path in WORK.glob(f'*.{level}.tlu')]
    return all(a.read_bytes() == b.read_bytes() for a, b in pairs if b.exists()) if pairs else None


def on_words(words, test, part):
    """The words in the formats of all tools, and pairs of words."""
    jobs = []
    for level in reversed(LEVELS):
        for name, ending in (('raw text', 'tsv'), ('Vowpal Wabbit\'s format', 'vw'),
                             ('fastText\'s format', 'ft'), ('JSON lines', 'jsonl')):
            jobs.append(train('words', f'tlu, {name}', words[ending], f'words.{ending}',
                              ['--epochs', '1'], 'averaged perceptron, one pass', test[ending], level))
        jobs.append(predict('predict words', 'tlu predict, fastText\'s format', words['ft'],
                            'words.ft.tlu', level))
        jobs.append(predict('predict words', 'tlu predict, raw text', words['tsv'], 'words.tsv.tlu',
                            level))
    jobs.append(train('some words', 'tlu, raw text', part['tsv'], 'some', ['--epochs', '1'],
                      'averaged perceptron, one pass'))
    return jobs


def on_ngrams(files):
    """One pass with pairs of words and without: files by name."""
    return [train('ngrams', f'tlu --ngrams {length}, {name}', path, 'ngrams',
                  ['--epochs', '1', '--ngrams', length], level=level)
            for name, path in files.items() for level in LEVELS for length in ('1', '2')]


def count_ngrams(path):
    """How many pairs of words a text has: what --ngrams 2 has more than --ngrams 1."""
    counts = [json.loads(output_of([PROGRAMS / 'parse', '--json', '--rounds', '1', '--ngrams', length,
                                    path]))['values'] for length in ('1', '2')]
    return counts[1] - counts[0]


def on_numbers(source, test):
    jobs = [train('csv', f'tlu --epochs {epochs}', source, 'csv', ['--epochs', epochs],
                  f'averaged perceptron, --epochs {epochs}', test) for epochs in ('5', '1')]
    return [*jobs, Job('csv', 'wc -l', ['wc', '-l', source], source.stat().st_size,
                       note='counts lines')]


def on_classes(rows):
    """Passes over sparse rows of ten classes."""
    source = data.several_classes('classes.svm', rows, 10)
    return [train('pass', f'tlu, 10 classes, --epochs {epochs}', source, 'classes',
                  ['--shuffle', 'none', '--epochs', str(epochs)], level=level)
            for level in LEVELS for epochs in (2, 10)]


def on_indices(rows):
    """One pass over files whose indices are below 900,000 and below 20,000,000."""
    jobs = []
    for features in ('900000', '20000000'):
        source, _ = data.generate(f'indices{features}', rows, 0, 'sparse', '--features', features,
                                  '--nonzeros', '72')
        jobs += [train('indices', f'up to {features}', source, 'indices', ['--epochs', '1'], level=level)
                 for level in LEVELS]
    return jobs


def on_votes(source, test):
    """A vote of all weights of one pass, then the held-out rows predicted."""
    script = ('"$1" train "$2" -q --learner perceptron --decide vote --epochs 1 -o vote.tlu && '
              'exec "$1" predict vote.tlu "$3" -q -o vote.out')
    return [Job('vote', 'tlu --decide vote --epochs 1, then predict',
                ['/bin/sh', '-c', script, 'sh', TLU, source, test], source.stat().st_size,
                limit=100, level=level) for level in LEVELS]


def on_categories(source, test):
    return [train('weka', 'tlu --scale standard --epochs 5', source, 'table',
                  ['--scale', 'standard', '--epochs', '5', *MISSING], 'averaged perceptron, 5 passes, '
                  'columns scaled', test),
            train('weka', 'tlu --decide vote --epochs 1', source, 'table.vote',
                  ['--decide', 'vote', '--epochs', '1', *MISSING], 'voted perceptron, one pass', test)]


def mnist():
    """MNIST unpacked, (train, test), if it is there."""
    packed = REAL / 'mnist'
    if not (packed / 'train.svm.gz').exists():
        return None
    for part in ('train', 'test'):
        with open(WORK / f'mnist.{part}', 'wb') as file:
            subprocess.run(['gzip', '-dc', packed / f'{part}.svm.gz'], stdout=file, check=True)
    return WORK / 'mnist.train', WORK / 'mnist.test'


def on_mnist(source, test):
    jobs = [train('mnist', 'tlu --epochs 5', source, 'mnist', ['--epochs', '5'],
                  'averaged perceptron, 10 classes, 5 passes', test)]
    for level in LEVELS:
        jobs.append(train('kernel', 'tlu train', source, 'kernel', MNIST, level=level))
        jobs.append(predict('kernel', 'tlu predict', test, model_of('kernel', level), level))
    return jobs


def on_small(source, test):
    return [train('small', 'tlu --epochs 5', source, 'small', ['--epochs', '5'],
                  'averaged perceptron, 5 passes', test)]


def streams(group, source):
    """Jobs of a stream, which answers every row, and of a pass over the same file, which does not."""
    size = source.stat().st_size

    def learn(name, script, note):  # what train does with the same options, for the stream's cost alone
        return Job(group, name, ['/bin/sh', '-c', 'rm -f live.tlu; ' + script, 'sh', TLU, source], size,
                   note=note)

    options = '--quiet --learner perceptron --decide average --scale none'
    return [
        train(group, 'tlu train --epochs 1', source, 'stream', ['--epochs', '1'],
              'averaged perceptron, one pass, no answers'),
        learn('tlu stream < FILE', f'exec "$1" stream live.tlu {options} <"$2" >live.out',
              'each row answered, then learned from'),
        learn('cat FILE to tlu stream', f'cat "$2" | "$1" stream live.tlu {options} >live.out',
              'the same by a pipe; cat takes a core, too'),
    ]


def limits(files, megabytes):
    """Jobs that tell what the machine can do at best, and what reading and parsing alone cost."""
    jobs = [Job('limit', 'bandwidth', [PROGRAMS / 'bandwidth', files['LIBSVM'][0], str(megabytes)])]
    for format, (path, options) in files.items():
        size = path.stat().st_size
        if not options:  # it takes none
            jobs.append(Job('limit', f'read, {format}', [PROGRAMS / 'read', path], size))
        for level in LEVELS + (['plain'] if format == 'LIBSVM' else []):
            if (PROGRAMS / 'parse').exists() and format != 'binary':
                jobs.append(Job('limit', f'parse, {format}', [PROGRAMS / 'parse', '--json', '--rounds',
                                                              '2', *options, path], size, level=level))
    return jobs
