"""How every other tool is called, and how the accuracy of its model is found out.

The tools do not do the same work: each has the setting that comes nearest to the passes of a linear
learner, and the note of a row says what it is. Those that are not in Debian (vw, sol_train,
sofia-ml) are called as their manuals say.
"""
import functools
import json
import os
import re
import shutil

from data import as_vw, as_words, rewrite
from measure import SOURCE, TLU, WORK, Job, first_line, output_of, package_version

CORES = str(os.cpu_count())
SVM_LIMIT = 120  # seconds for svm-train
WEKA = '/usr/share/java/weka.jar'


def have(name):
    return shutil.which(name) is not None


@functools.lru_cache
def python_with_sklearn():
    for python in ('python3', '/usr/bin/python3'):
        if have(python) and first_line([python, '-c', 'import sklearn; print(sklearn.__version__)'],
                                       r'^(\d\S*)$'):
            return python
    return None


# ---- held-out accuracy ----

def tlu_accuracy(model, test):
    return lambda: json.loads(output_of([TLU, 'eval', model, test, '--json']))['accuracy']


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


# ---- the sparse file ----

def on_sparse(train, test, rows, features):
    """Jobs of training and of prediction for every tool that is there."""
    size = train.stat().st_size
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
        words = rewrite(train, WORK / 'sparse.ft', as_words)
        rewrite(test, WORK / 'sparse.test.ft', as_words)
        add('train', 'fastText', fasttext(words, 'sparse.fasttext', 5),
            '5 passes, 10 dimensions; features as words, their values are lost',
            found_accuracy(['fasttext', 'test', 'sparse.fasttext.bin', 'sparse.test.ft'],
                           r'P@1\s+([0-9.]+)'), words.stat().st_size)
    if have('vw'):
        lines = rewrite(train, WORK / 'sparse.vw', as_vw)
        rewrite(test, WORK / 'sparse.test.vw', as_vw)
        add('train', 'Vowpal Wabbit', vw(lines, 'sparse.vwmodel', 5), 'hinge loss, 5 passes',
            vw_accuracy('sparse.vwmodel', 'sparse.test.vw', test), lines.stat().st_size)
        add('predict', 'vw -t',
            ['vw', '-t', '-d', lines, '-i', 'sparse.vwmodel', '-p', 'vw.all', '--quiet'],
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


def fasttext(words, model, epochs):
    return ['fasttext', 'supervised', '-input', words, '-output', model, '-epoch', str(epochs),
            '-dim', '10', '-lr', '0.5', '-thread', CORES, '-verbose', '0']


def vw(lines, model, passes):
    again = ['--passes', str(passes), '--holdout_off', '-k', '--cache_file', f'{model}.cache']
    return ['vw', '-d', lines, '--loss_function', 'hinge', '--binary', '-b', '18',
            *(again if passes > 1 else []), '-f', model, '--quiet']


def vw_accuracy(model, lines, test):
    return signs_accuracy(['vw', '-t', '-d', lines, '-i', model, '-p', 'vw.out', '--quiet'],
                          WORK / 'vw.out', test)


# ---- other data ----

def on_words(train, test, part):
    """Jobs on the same words as tlu's: train and test by format, and a part of the raw text."""
    jobs = []
    if have('fasttext'):
        size = train['ft'].stat().st_size
        accuracy = found_accuracy(['fasttext', 'test', 'words.fasttext.bin', test['ft']],
                                  r'P@1\s+([0-9.]+)')
        jobs += [Job('words', 'fastText', fasttext(train['ft'], 'words.fasttext', 1), size, accuracy,
                     'one pass, 10 dimensions; it reads the file twice, for the words first'),
                 Job('predict words', 'fasttext predict',
                     ['/bin/sh', '-c', 'fasttext predict words.fasttext.bin "$1" >words.out', 'sh',
                      train['ft']], size, note='one thread', optional=True)]
    if have('vw'):
        jobs.append(Job('words', 'Vowpal Wabbit', vw(train['vw'], 'words.vwmodel', 1),
                        train['vw'].stat().st_size,
                        vw_accuracy('words.vwmodel', test['vw'], test['vw']),
                        'hinge loss, one pass; names hashed to 18 bits'))
    python = python_with_sklearn()
    if python:
        jobs.append(Job('some words', 'scikit-learn',
                        [python, SOURCE / 'bench/perceptron.py', 'text', part], part.stat().st_size,
                        note='CountVectorizer with the same rule for words, averaged perceptron, '
                             'one pass; with the start of Python'))
    return jobs


def on_categories(table, test):
    """Jobs on a table as ARFF, small enough for Weka."""
    if not (have('java') and os.path.exists(WEKA)):
        return []

    def weka(kind, note, *options):
        start = ['java', '-Xmx4g', '-cp', WEKA, f'weka.classifiers.functions.{kind}']
        return Job('weka', f'Weka, {kind}',
                   [*start, *options, '-t', table, '-no-cv', '-v', '-o', '-d', f'{kind}.model'],
                   table.stat().st_size, found_accuracy(
                       [*start, '-T', test, '-l', f'{kind}.model', '-o'],
                       r'Correctly Classified Instances\s+\d+\s+([0-9.]+)', 0.01), note, 120)
    return [weka('SPegasos', 'gradient of the hinge loss, 5 passes, columns scaled; with the start of '
                 'Java', '-E', '5'),
            weka('VotedPerceptron', 'voted perceptron in the dual, one pass; with the start of Java',
                 '-I', '1')]


def on_mnist(train, test):
    python = python_with_sklearn()
    script = SOURCE / 'bench/perceptron.py'
    return [Job('mnist', 'scikit-learn', [python, script, 'train', train, 'mnist.model'],
                train.stat().st_size,
                found_accuracy([python, script, 'test', test, 'mnist.model'], r'([0-9.]+)'),
                'averaged perceptron, one versus rest, 5 passes')] if python else []


def on_small(train, test):
    return [Job('small', 'svm-train -t 0', ['svm-train', '-q', '-t', '0', train, 'small.model'],
                train.stat().st_size, found_accuracy(['svm-predict', test, 'small.model', 'small.out'],
                                                     r'Accuracy = ([0-9.]+)%', 0.01),
                f'support vector machine, linear kernel, at most {SVM_LIMIT} s',
                SVM_LIMIT)] if have('svm-train') else []


def versions(with_peers):
    known = {'tlu': first_line([TLU, '--version'], r'tlu (.*)')}
    if with_peers:
        for name, package in (('liblinear', 'liblinear-tools'), ('libsvm', 'libsvm-tools'),
                              ('fastText', 'fasttext'), ('weka', 'weka'), ('valgrind', 'valgrind')):
            known[name] = package_version(package)
        known['vw'] = first_line(['vw', '--version'], r'(\S+)')
        python = python_with_sklearn()
        known['scikit-learn'] = python and first_line(
            [python, '-c', 'import sklearn; print(sklearn.__version__)'], r'(\S+)')
    return {name: version for name, version in known.items() if version}
