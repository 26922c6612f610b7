"""The data of the bench: made once, the same on every machine, in WORK.

What `tlu generate` does not make is made here: a text of words as they are distributed in a language,
in the formats of all tools; a table of categories; sparse rows of several classes. What real data
there is (REAL) joins, repeated until it is large enough.
"""
import itertools
import json
import multiprocessing
import os
import random
import re

from measure import REAL, TLU, WORK, output_of

VOCABULARY = 300000
PART = 2000000  # bytes of text that one process makes at a time
LETTERS, OFTEN = 'etaoinshrdlucmfwypvbgkjqxz', list(itertools.accumulate(range(26, 0, -1)))
ACCENTS = 'éèüöñçåø'
ALPHABETS = ('αβγδεζηθικλμνοπρστυφχψω', 'абвгдежзийклмнопрстуфхцчшщыьэюя')


def made_once(path, recipe, make):
    """Calls make() unless the recipe of path, a text that says how it is made, is the same as before."""
    known = WORK / f'{path.name}.recipe'
    if not (path.exists() and known.exists() and known.read_text() == recipe):
        make()
        known.write_text(recipe)
    return path


# ---- what tlu generates ----

def generate(name, rows, held_out, kind, *options, header=False):
    """name.train and name.test; the first `rows` rows are for training."""
    train, test = WORK / f'{name}.train', WORK / f'{name}.test'
    words = [kind, '--rows', str(rows + held_out), '--seed', '1', *options]

    def make():
        whole = WORK / 'whole'
        output_of([TLU, 'generate', *words, '-o', whole])
        with open(whole, 'rb') as file, open(train, 'wb') as first, open(test, 'wb') as second:
            for number, line in enumerate(file, 0 if header else 1):
                if number <= rows:
                    first.write(line)
                if number == 0 or number > rows:
                    second.write(line)
        whole.unlink()
    made_once(train, f'{rows} {" ".join(words)}', make)
    return train, test


def converted(source, name, *options):
    """A file as tlu convert writes it."""
    target = WORK / name
    if not (target.exists() and target.stat().st_mtime >= source.stat().st_mtime):
        output_of([TLU, 'convert', source, '-q', '-o', target, *options])
    return target


def rewrite(source, target, change):
    """A LIBSVM file in another tool's format."""
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


# ---- words ----

def new_word(generator, number):
    """A word of a kind that its number tells; frequent words are short."""
    length = max(1, int(generator.gauss(2 + 1.2 * number ** 0.13, 1.5)))
    if number % 50 == 7:
        return str(generator.randrange(10 ** min(length, 6)))
    if number % 50 == 23:
        return ''.join(generator.choices(ALPHABETS[number % 3 > 0], k=length))
    word = ''.join(generator.choices(LETTERS, cum_weights=OFTEN, k=length))
    return word + generator.choice(ACCENTS) if number % 50 == 41 else word


def new_vocabulary(size):
    generator = random.Random(1)
    words = {}
    while len(words) < size:
        words[new_word(generator, len(words))] = None
    return list(words)


# How a sentence of words is written, by the places at which it is cut: (i, j) of w[0..n].
SHAPES = ((lambda w, i, j: f'{" ".join(w)}.'),
          (lambda w, i, j: f'{" ".join(w[:i])}, {" ".join(w[i:])}.'),
          (lambda w, i, j: f'{" ".join(w[:i])}, {" ".join(w[i:j])}, {" ".join(w[j:])}.'),
          (lambda w, i, j: f'{" ".join(w[:i])}\'s {" ".join(w[i:])}!'),
          (lambda w, i, j: f'{" ".join(w[:i])} "{" ".join(w[i:j])}" {" ".join(w[j:])}?'),
          (lambda w, i, j: f'{" ".join(w[:i])} ({" ".join(w[i:j])}) {"-".join(w[j:])}...'),
          (lambda w, i, j: f'{" ".join(w[:i])} — {" ".join(w[i:j])}’s {" ".join(w[j:])};'))


def sentence(generator, words):
    first = generator.randrange(1, len(words) - 1)
    shape = generator.choice(SHAPES)
    text = shape(words, first, generator.randrange(first + 1, len(words)))
    return text[0].upper() + text[1:]


class Language:
    """Words by Zipf's law; each class likes every second word somewhat more than the other does."""

    def __init__(self, vocabulary):
        self.words = new_vocabulary(vocabulary)
        weights = [1 / (rank + 2.7) for rank in range(vocabulary)]
        self.likes = [list(itertools.accumulate(
            weight * (1.1 if rank % 2 == label else 0.9) for rank, weight in enumerate(weights)))
            for label in (0, 1)]

    def part(self, seed, least):
        """At least some bytes of the text in every format: ({format: text}, number of words)."""
        generator, count, size = random.Random(seed), 0, 0
        lines = {'tsv': [], 'vw': [], 'ft': [], 'jsonl': []}
        while size < least:
            label = generator.randrange(2)
            name, plain, written = ('neg', 'pos')[label], [], []
            for _ in range(generator.randrange(2, 30)):
                words = generator.choices(self.words, cum_weights=self.likes[label],
                                          k=generator.randrange(4, 25))
                plain += words
                written.append(sentence(generator, words))
            bare, text = ' '.join(plain), ' '.join(written)
            lines['tsv'].append(f'{name}\t{text}\n')
            lines['vw'].append(f'{2 * label - 1} | {bare}\n')
            lines['ft'].append(f'__label__{name} {bare}\n')
            lines['jsonl'].append(json.dumps({'label': name, 'text': text}, ensure_ascii=False) + '\n')
            count += len(plain)
            size += len(text)
        return {key: ''.join(texts) for key, texts in lines.items()}, count


LANGUAGE = None  # of this process, which those that it starts share


def one_part(task):
    return LANGUAGE.part(*task)


def words(name, size, vocabulary=VOCABULARY, first_part=1):
    """About size bytes of text: ({format: path}, number of words)."""
    paths = {key: WORK / f'{name}.{key}' for key in ('tsv', 'vw', 'ft', 'jsonl')}
    parts, counted = -(-size // PART), WORK / f'{name}.count'
    tasks = [(seed, min(size, PART)) for seed in range(first_part, first_part + parts)]

    def make():
        global LANGUAGE
        if LANGUAGE is None or len(LANGUAGE.words) != vocabulary:
            LANGUAGE = Language(vocabulary)
        total, files = 0, {key: open(path, 'w') for key, path in paths.items()}
        with multiprocessing.get_context('fork').Pool(os.cpu_count()) as pool:
            for texts, count in pool.imap(one_part, tasks):
                total += count
                for key, text in texts.items():
                    files[key].write(text)
        for file in files.values():
            file.close()
        counted.write_text(str(total))
    made_once(paths['tsv'], f'words 1: {tasks[0]} {parts} {vocabulary}', make)
    return paths, int(counted.read_text())


def one_value(generator):
    kind = generator.random()
    return ('' if kind < 0.2 else f':{generator.randrange(1, 9)}' if kind < 0.4
            else f':{generator.random():.4f}' if kind < 0.7
            else f':{10 * generator.random():.6g}' if kind < 0.9
            else f':{generator.random() / 10:.7e}')


def with_values(source, name):
    """Vowpal Wabbit's format with values, and with the words in two namespaces: as many features."""
    target = WORK / name

    def make():
        generator = random.Random(1)
        with open(source) as file, open(target, 'w') as output:
            for line in file:
                label, words = line.split(' | ')
                parts = {'f': [], 'title': []}
                for word in words.split():
                    parts['title' if len(word) % 3 == 0 else 'f'].append(word + one_value(generator))
                output.write(' '.join([label, *(f'|{space} {" ".join(names)}'
                                                for space, names in parts.items())]) + '\n')
    return made_once(target, f'values 1: {source.stat().st_size}', make)


def head(source, name, size):
    """The first lines of a file, about size bytes of them."""
    target = WORK / name
    with open(source, 'rb') as file, open(target, 'wb') as output:
        output.write(file.read(size))
        output.write(file.readline())
    return target


def repeated(source, name, times, heading=b''):
    """A real file several times over, without its empty lines."""
    target = WORK / name

    def make():
        lines = [line for line in source.read_bytes().splitlines(keepends=True) if line.strip()]
        with open(target, 'wb') as output:
            output.write(heading)
            for _ in range(times):
                output.writelines(lines)
    return made_once(target, f'{source.name} {times} {heading}', make)


# ---- tables and classes ----

def categories(name, rows):
    """A CSV file of eight columns with 2 to 40 categories each, and six with small numbers."""
    def make():
        generator, columns = random.Random(1), []
        for width in (2, 5, 6, 8, 9, 15, 16, 40):
            texts = [''.join(generator.choices(LETTERS, k=generator.randrange(4, 14)))
                     for _ in range(width)]
            columns.append((texts, list(itertools.accumulate(1 / (k + 1) for k in range(width)))))
        with open(WORK / name, 'w') as output:
            for start in range(0, rows, 1000):
                chosen = [generator.choices(texts, cum_weights=sums, k=1000)
                          for texts, sums in columns]
                chosen += [[str(n) for n in generator.choices(range(17, 17 + 2 ** k), k=1000)]
                           for k in range(4, 10)]
                labels = ('yes' if row[0] == columns[0][0][0] or row[5] in columns[5][0][:4] else 'no'
                          for row in zip(*chosen))
                output.writelines(','.join(row) + f',{label}\n'
                                  for row, label in zip(zip(*chosen), labels))
    return made_once(WORK / name, f'categories 1: {rows}', make)


def several_classes(name, rows, classes, features=20000, nonzeros=72):
    """A LIBSVM file of sparse rows; of three entries one is of a feature that belongs to the class."""
    def make():
        generator = random.Random(1)
        often = list(itertools.accumulate(1 / (rank + 10) for rank in range(features)))
        with open(WORK / name, 'w') as output:
            for _ in range(rows):
                label = generator.randrange(classes)
                drawn = generator.choices(range(features), cum_weights=often, k=nonzeros)
                own = [f - f % classes + label if k % 3 == 0 else f for k, f in enumerate(drawn)]
                entries = ' '.join(f'{f + 1}:{generator.randrange(1, 10000) / 10000}'
                                   for f in sorted(set(own)))
                output.write(f'{label} {entries}\n')
    return made_once(WORK / name, f'classes 1: {rows} {classes} {features} {nonzeros}', make)


def for_weka(source, name):
    """A CSV file without a header in two, four fifths and one, each as CSV and as Weka's ARFF."""
    rows = [[field.strip() for field in line.split(',')] for line in open(source)]
    columns = list(zip(*rows))
    kinds = ['numeric' if all(re.fullmatch(r'-?[0-9.]+', field) for field in column)
             else '{' + ','.join(sorted(set(column) - {'?'})) + '}' for column in columns]
    names = [f'x{number}' for number in range(1, len(columns))] + ['label']
    paths = {}
    for part, chosen in (('train', rows[:len(rows) * 4 // 5]), ('test', rows[len(rows) * 4 // 5:])):
        lines = [','.join(row) + '\n' for row in chosen]
        attributes = ''.join(f'@attribute {n} {kind}\n' for n, kind in zip(names, kinds))
        for ending, heading in (('csv', ','.join(names) + '\n'),
                                ('arff', f'@relation table\n{attributes}@data\n')):
            paths[part, ending] = WORK / f'{name}.{part}.{ending}'
            paths[part, ending].write_text(heading + ''.join(lines))
    return paths
