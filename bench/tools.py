"""The data, and how tlu and every other tool is called.

The tools do not do the same work: each has the setting that comes nearest to five passes of a linear
learner, and the note of a row says what it is. Those that are not in Debian (vw, sol_train,
sofia-ml) are called as their manuals say.
"""
import functools
import json
import os
import re
import shutil
import subprocess

from measure import TLU, WORK, SOURCE, Job, first_line, output_of, package_version

# What reaches the held-out accuracy of liblinear-train -s 1 on the sparse file; see performance.md.
EQUAL = ['--margin', '1', '--epochs', '10']
HINGE = ['--learner', 'hinge', '--rate', '2', '--l2', '8e-6', '--decide', 'last', '--epochs', '5']
SVM_LIMIT = 120  # seconds for svm-train


def tlu(*words):
    return [TLU, *words]


# ---- data ----

def generate(name, rows, held_out, kind, *options, header=False):
    """name.train and name.test, made once; the first `rows` rows are for training."""
    train, test, recipe = WORK / f'{name}.train', WORK / f'{name}.test', WORK / f'{name}.recipe'
    words = [kind, '--rows', str(rows + held_out), '--seed', '1', *options]
    wanted = f'{rows} {" ".join(words)}'
    if not (recipe.exists() and recipe.read_text() == wanted):
        whole = WORK / 'whole'
        output_of(tlu('generate', *words, '-o', whole))
        with open(whole, 'rb') as file, open(train, 'wb') as first, open(test, 'wb') as second:
            for number, line in enumerate(file, 0 if header else 1):
                if number <= rows:
                    first.write(line)
                if number == 0 or number > rows:
                    second.write(line)
        whole.unlink()
        recipe.write_text(wanted)
    return train, test


def rewrite(source, target, change):
    """A file in another tool's format, made once."""
    if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
        return target
    with open(source) as file, open(target, 'w') as output:
        for line in file:
            label, _, rest = line.rstrip('\n').partition(' ')
            output.write(change(label, rest) + '\n')
    return target


def as_words(label, rest):  # fastText knows no values
    return f'__label__{label} ' + re.sub(r':\S+', '', rest)


def as_vw(label, rest):
    return f'{label.lstrip("+")} | {rest}'


# ---- held-out accuracy ----

def tlu_accuracy(model, test):
    return lambda: json.loads(output_of(tlu('eval', model, test, '--json')))['accuracy']


def found_accuracy(command, pattern, scale=1.0):
    return lambda: scale * float(re.search(pattern, output_of(command)).group(1))


def signs_accuracy(command, predictions, test):
    """For tools that write scores: the share of rows whose sign is the label's."""
    def measure():
        output_of(command)
        with open(predictions) as guesses, open(test) as rows:
            right = [(float(guess.split()[0]) > 0) == (float(row.split()[0]) > 0)
                     for guess, row in zip(guesses, rows, strict=True)]
        return sum(right) / len(right)
    return measure


# ---- other tools ----

def have(name):
    return shutil.which(name) is not None


@functools.lru_cache
def python_with_sklearn():
    for python in ('python3', '/usr/bin/python3'):
        if have(python) and first_line([python, '-c', 'import sklearn; print(sklearn.__version__)'],
                                       r'^(\d\S*)$'):
            return python
    return None


def peers(train, test, rows, features):
    """Jobs of training and of prediction on the sparse file for every tool that is there."""
    size, cores = train.stat().st_size, str(os.cpu_count())
    jobs = []

    def add(group, name, command, note='', accuracy=None, size=size):
        jobs.append(Job(group, name, command, size, accuracy, note))

    if have('liblinear-train'):
        add('train', 'liblinear-train -s 1',
            ['liblinear-train', '-q', '-s', '1', train, 'liblinear.model'],
            'support vector machine with squared hinge loss, to its own tolerance',
            found_accuracy(['liblinear-predict', test, 'liblinear.model', 'liblinear.out'],
                           r'Accuracy = ([0-9.]+)%', 0.01))
        add('predict', 'liblinear-predict',
            ['liblinear-predict', train, 'liblinear.model', 'liblinear.out'])
    python = python_with_sklearn()
    if python:
        script = SOURCE / 'bench/perceptron.py'
        add('train', 'scikit-learn', [python, script, 'train', train, 'sklearn.model'],
            'averaged perceptron, 5 passes; with the start of Python',
            found_accuracy([python, script, 'test', test, 'sklearn.model'], r'([0-9.]+)'))
    if have('fasttext'):
        words = rewrite(train, WORK / 'words.train', as_words)
        rewrite(test, WORK / 'words.test', as_words)
        add('train', 'fastText', ['fasttext', 'supervised', '-input', words, '-output', 'fasttext',
                                  '-epoch', '5', '-dim', '10', '-lr', '0.5', '-thread', cores,
                                  '-verbose', '0'],
            '5 passes, 10 dimensions; features as words, their values are lost',
            found_accuracy(['fasttext', 'test', 'fasttext.bin', 'words.test'], r'P@1\s+([0-9.]+)'),
            words.stat().st_size)
    if have('vw'):
        lines = rewrite(train, WORK / 'vw.train', as_vw)
        rewrite(test, WORK / 'vw.test', as_vw)
        add('train', 'Vowpal Wabbit',
            ['vw', '-d', lines, '--loss_function', 'hinge', '--binary', '-b', '18', '--passes', '5',
             '--holdout_off', '-k', '--cache_file', 'vw.cache', '-f', 'vw.model', '--quiet'],
            'hinge loss, 5 passes',
            signs_accuracy(['vw', '-t', '-d', 'vw.test', '-i', 'vw.model', '-p', 'vw.out', '--quiet'],
                           WORK / 'vw.out', test), lines.stat().st_size)
        add('predict', 'vw -t', ['vw', '-t', '-d', lines, '-i', 'vw.model', '-p', 'vw.all', '--quiet'],
            size=lines.stat().st_size)
    if have('sol_train'):
        add('train', 'SOL', ['sol_train', '-a', 'ogd', '-p', '5', train, 'sol.model'],
            'gradient of the hinge loss, 5 passes',
            found_accuracy(['sol_test', 'sol.model', test, 'sol.out'], r'test accuracy: ([0-9.]+)'))
        add('predict', 'sol_test', ['sol_test', 'sol.model', train, 'sol.all'])
    if have('sofia-ml'):
        add('train', 'sofia-ml',
            ['sofia-ml', '--learner_type', 'pegasos', '--loop_type', 'stochastic', '--lambda', '1e-5',
             '--iterations', str(5 * rows), '--dimensionality', str(features + 1), '--random_seed',
             '1', '--training_file', train, '--model_out', 'sofia.model'],
            'Pegasos, as many steps as 5 passes',
            signs_accuracy(['sofia-ml', '--model_in', 'sofia.model', '--test_file', test,
                            '--results_file', 'sofia.out', '--dimensionality', str(features + 1)],
                           WORK / 'sofia.out', test))
    return jobs


def ours(train, test):
    """Jobs of tlu on the sparse file."""
    size = train.stat().st_size

    def job(name, model, options, note):
        return Job('train', name, tlu('train', train, '-q', '--learner', 'perceptron', '--json', '-o', model, *options), size,
                   tlu_accuracy(model, test), note)

    jobs = [
        job('tlu --epochs 5', 'five.tlu', ['--epochs', '5'], 'averaged perceptron, 5 passes'),
        job('tlu --epochs 1', 'one.tlu', ['--epochs', '1'], 'averaged perceptron, 1 pass'),
        job('tlu --epochs 5, one thread', 'single.tlu', ['--epochs', '5', '--threads', '1'],
            'the same as the first row, with one thread'),
        job('tlu ' + ' '.join(EQUAL), 'equal.tlu', EQUAL, 'averaged perceptron with a margin'),
        job('tlu ' + ' '.join(HINGE), 'hinge.tlu', HINGE, 'gradient of the hinge loss'),
        Job('train', 'wc -l', ['wc', '-l', train], size, note='counts lines'),
        Job('predict', 'tlu predict', tlu('predict', 'five.tlu', train, '-q', '-o', 'five.out'), size),
    ]
    for order in ('none', 'later'):
        for epochs in (2, 10):  # both keep the rows in memory; the difference is eight passes
            jobs.append(Job('pass', f'tlu --shuffle {order} --epochs {epochs}',
                            tlu('train', train, '-q', '--learner', 'perceptron', '--json', '-o', 'pass.tlu', '--shuffle', order,
                                '--epochs', str(epochs)), size))
    return jobs


def streams(group, data):
    """Jobs of a stream, which answers every row, and of a pass over the same file, which does not."""
    size = data.stat().st_size

    def learn(name, script, note):  # what train does with the same options, for the stream's cost alone
        return Job(group, name, ['/bin/sh', '-c', 'rm -f live.tlu; ' + script, 'sh', TLU, data], size,
                   note=note)

    options = '--quiet --learner perceptron --decide average --scale none'

    return [
        Job(group, 'tlu train --epochs 1', tlu('train', data, '-q', '--learner', 'perceptron', '--epochs', '1', '-o', 'pass.tlu'),
            size, note='one pass, no answers'),
        learn('tlu learn < FILE', f'exec "$1" learn live.tlu {options} <"$2" >live.out',
              'each row answered, then learned from'),
        learn('cat FILE to tlu learn', f'cat "$2" | "$1" learn live.tlu {options} >live.out',
              'the same by a pipe; cat takes a core, too'),
    ]


def others(rows, with_peers):
    """Jobs on other data: a CSV of numbers, MNIST, and a small sparse file for svm-train."""
    train, test = generate('csv', rows, rows // 5, 'margin', '--features', '80', '--format', 'csv',
                           '--noise', '0.1', header=True)
    size = train.stat().st_size
    jobs = [Job('csv', f'tlu --epochs {epochs}',
                tlu('train', train, '-q', '--learner', 'perceptron', '--json', '-o', 'csv.tlu', '--epochs', epochs), size,
                tlu_accuracy('csv.tlu', test), f'averaged perceptron, --epochs {epochs}')
            for epochs in ('5', '1')]
    jobs.append(Job('csv', 'wc -l', ['wc', '-l', train], size, note='counts lines'))

    packed = SOURCE / '../shared/data/mnist'
    if with_peers and (packed / 'train.svm.gz').exists():
        train, test = WORK / 'mnist.train', WORK / 'mnist.test'
        for part in ('train', 'test'):
            with open(WORK / f'mnist.{part}', 'wb') as file:
                subprocess.run(['gzip', '-dc', packed / f'{part}.svm.gz'], stdout=file, check=True)
        size, python = train.stat().st_size, python_with_sklearn()
        jobs.append(Job('mnist', 'tlu --epochs 5',
                        tlu('train', train, '-q', '--learner', 'perceptron', '--json', '-o', 'mnist.tlu', '--epochs', '5'), size,
                        tlu_accuracy('mnist.tlu', test), 'averaged perceptron, 10 classes, 5 passes'))
        if python:
            script = SOURCE / 'bench/perceptron.py'
            jobs.append(Job('mnist', 'scikit-learn',
                            [python, script, 'train', train, 'mnist.model'], size,
                            found_accuracy([python, script, 'test', test, 'mnist.model'],
                                           r'([0-9.]+)'),
                            'averaged perceptron, one versus rest, 5 passes'))

    if with_peers and have('svm-train'):
        train, test = generate('small', 3000, 1000, 'sparse', '--features', '47236', '--nonzeros', '72')
        size = train.stat().st_size
        jobs += [Job('small', 'tlu --epochs 5',
                     tlu('train', train, '-q', '--learner', 'perceptron', '--json', '-o', 'small.tlu', '--epochs', '5'), size,
                     tlu_accuracy('small.tlu', test), 'averaged perceptron, 5 passes'),
                 Job('small', 'svm-train -t 0', ['svm-train', '-q', '-t', '0', train, 'small.model'],
                     size, found_accuracy(['svm-predict', test, 'small.model', 'small.out'],
                                          r'Accuracy = ([0-9.]+)%', 0.01),
                     f'support vector machine, linear kernel, at most {SVM_LIMIT} s', SVM_LIMIT)]
    return jobs


def versions(with_peers):
    known = {'tlu': first_line([TLU, '--version'], r'tlu (.*)'),
             'kernels of tlu': first_line([TLU, '--version'], r'kernels: (.*)')}
    if with_peers:
        for name, package in (('liblinear', 'liblinear-tools'), ('libsvm', 'libsvm-tools'),
                              ('fastText', 'fasttext'), ('valgrind', 'valgrind')):
            known[name] = package_version(package)
        known['vw'] = first_line(['vw', '--version'], r'(\S+)')
        python = python_with_sklearn()
        known['scikit-learn'] = python and first_line(
            [python, '-c', 'import sklearn; print(sklearn.__version__)'], r'(\S+)')
    return {name: version for name, version in known.items() if version}
