"""tf-idf, word and character n-grams, stop words, --min-count and missing values against
scikit-learn: what it makes of the same tokens and the same table is what a trace shows."""

import csv
import random
import re

from prelude import *

try:
    import numpy
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer, TfidfVectorizer
    from sklearn.impute import SimpleImputer
except ImportError:
    print('skipped: there is no scikit-learn')
    sys.exit(77)

random.seed(5)


def examples(path, *options):
    """The rows after all scaling, as the learner gets them."""
    steps = parsed(tlu('trace', path, '--learner', 'perceptron', '--epochs', 1, '--no-shuffle',
                       '--as', 'json', '--steps', 10 ** 6, *options))['steps']
    return [{name: value for name, value in step['example'].items() if value != 0}
            for step in steps]


def same(found, matrix, names, what):
    """Rows of named values against a matrix with a name for each column."""
    matrix = numpy.asarray(matrix.todense() if hasattr(matrix, 'todense') else matrix)
    for i, row in enumerate(found):
        expected = {name: value for name, value in zip(names, matrix[i]) if value != 0}
        if set(row) != set(expected):
            complain(f'{what}: row {i + 1} has {sorted(set(row) ^ set(expected))} in one of two')
            return
        worst = max((abs(row[name] - expected[name]) for name in row), default=0)
        if worst > 1e-6:
            complain(f'{what}: row {i + 1} differs by {worst}')
            return


# ---- texts

def tokens(text):
    """As docs/formats.md has it, for ASCII: runs of letters and digits, runs of symbols."""
    return re.findall(r'[A-Za-z0-9]+|[^A-Za-z0-9\s]+', text)


def characters(text, least, most):
    found = []
    for word in tokens(text):
        if not word[0].isalnum():
            continue
        padded = f'<{word}>'
        found += ['~' + padded[i:i + n] for n in range(least, most + 1)
                  for i in range(len(padded) - n + 1)]
    return found


VOCABULARY = ['Free', 'free', 'offer', 'call', 'me', 'now', 'the', 'a', 'of', '!!', '...', '5', '2go',
              'meeting', 'tomorrow', 'prize', 'claim', '$', 'x']
texts = [' '.join(random.choices(VOCABULARY, k=random.randint(1, 12))) for _ in range(60)]
labels = [random.choice(['spam', 'ham']) for _ in texts]
with open('texts.tsv', 'w') as file:
    for label, text in zip(labels, texts):
        file.write(f'{label}\t{text}\n')
with open('texts.csv', 'w', newline='') as file:
    writer = csv.writer(file)
    writer.writerow(['v1', 'v2'])
    writer.writerows(zip(labels, texts))


def check(what, analyzer, options, transform):
    vectorizer = CountVectorizer(analyzer=analyzer)
    counts = vectorizer.fit_transform(texts)
    names = vectorizer.get_feature_names_out()
    matrix = transform(counts)
    same(examples('texts.tsv', '--format', 'text', *options), matrix, names, what)
    same(examples('texts.csv', '--text', 'v2', '--label', 'v1', *options), matrix,
         ['v2:' + name for name in names], what + ' of a column')


def tfidf(norm):
    return lambda counts: TfidfTransformer(norm=norm).fit_transform(counts)


STOP = ['the', 'a', 'of']
check('words', tokens, [], lambda counts: counts)
check('tf-idf', tokens, ['--tfidf'], tfidf(None))
check('tf-idf of unit length', tokens, ['--tfidf', '--normalize'], tfidf('l2'))
check('lower case', lambda text: tokens(text.lower()), ['--lowercase', '--tfidf', '--normalize'],
      tfidf('l2'))
check('stop words', lambda text: [word for word in tokens(text) if word not in STOP],
      ['--stop-words', 'the,a,of', '--tfidf'], tfidf(None))
check('characters', lambda text: tokens(text) + characters(text, 2, 4),
      ['--chars', '2:4', '--tfidf', '--normalize'], tfidf('l2'))
check('characters alone', lambda text: characters(text, 3, 3), ['--chars', 3, '--ngrams', 0],
      lambda counts: counts)
with open('stop.txt', 'w') as file:
    file.write('the\na\nof\n')
check('a file of stop words', lambda text: [word for word in tokens(text) if word not in STOP],
      ['--stop-words', 'stop.txt'], lambda counts: counts)

# The vectorizer that users know, with n-grams of words and words that are too rare left out.
vectorizer = TfidfVectorizer(tokenizer=tokens, token_pattern=None, lowercase=False,
                             ngram_range=(1, 2), min_df=3)
same(examples('texts.tsv', '--format', 'text', '--ngrams', 2, '--min-count', 3, '--tfidf',
              '--normalize'),
     vectorizer.fit_transform(texts), vectorizer.get_feature_names_out(), 'TfidfVectorizer')

# A model scores other texts as it was fitted: the weights are those of a model of the matrix.
others = [' '.join(random.choices(VOCABULARY + ['unseen'], k=random.randint(1, 12)))
          for _ in range(40)]
with open('others.txt', 'w') as file:
    file.writelines(f'\t{text}\n' for text in others)
vectorizer = TfidfVectorizer(tokenizer=tokens, token_pattern=None, lowercase=False)
matrix = vectorizer.fit_transform(texts)
unseen = vectorizer.transform(others)


def libsvm(path, matrix, labels):
    with open(path, 'w') as file:
        for i, label in enumerate(labels):
            row = matrix[i].tocoo()
            file.write(' '.join([label] + [f'{j + 1}:{v:.17g}' for j, v in
                                           sorted(zip(row.col, row.data))]) + '\n')


libsvm('texts.svm', matrix, labels)
libsvm('others.svm', unseen, [labels[0]] * len(others))
LEARN = ['--learner', 'perceptron', '--epochs', 5, '--scale', 'none', '-q']
tlu('train', 'texts.tsv', '--format', 'text', '--tfidf', '--normalize', *LEARN, '-o', 'text.tlu')
tlu('train', 'texts.svm', *LEARN, '-o', 'matrix.tlu')
by_text = [line.split('\t') for line in
           tlu('predict', 'text.tlu', 'others.txt', '--scores').splitlines()]
by_matrix = [line.split('\t') for line in
             tlu('predict', 'matrix.tlu', 'others.svm', '--scores').splitlines()]
equal(len(by_text), len(others), 'rows predicted')
for (label, score), (expected_label, expected) in zip(by_text, by_matrix):
    if label != expected_label or abs(float(score) - float(expected)) > 1e-5:
        complain(f'prediction {label} {score}, expected {expected_label} {expected}')

# ---- missing values

HOLE = ['', '?', 'NA', 'nan', 'NULL']
rows = []
for i in range(50):
    rows.append([random.choice([0, 1, 2, 2, 5.5, -3]) if random.random() < 0.8 else None,
                 round(random.gauss(10, 4), 2) if random.random() < 0.7 else None,
                 random.choice(['red', 'green', 'green', 'blue']) if random.random() < 0.8 else None,
                 i % 2])
with open('holes.csv', 'w', newline='') as file:
    writer = csv.writer(file)
    writer.writerow(['a', 'b', 'color', 'label'])
    writer.writerows([[random.choice(HOLE) if value is None else value for value in row]
                      for row in rows])
numbers = numpy.array([[numpy.nan if value is None else value for value in row[:2]] for row in rows],
                      dtype=float)
colors = numpy.array([[row[2]] for row in rows], dtype=object)


def table(strategy):
    """Rows with the numbers that scikit-learn imputes, the colors, and what --missing adds."""
    imputer = SimpleImputer(strategy={'auto': 'mean'}.get(strategy, strategy.replace('-', '_')))
    filled = imputer.fit_transform(numbers)
    if strategy == 'most-frequent':
        own = SimpleImputer(strategy='most_frequent', missing_values=None).fit_transform(colors)
    else:
        own = numpy.array([['(missing)' if color is None else color] for color, in colors])
    result = []
    for i, row in enumerate(filled):
        values = {name: value for name, value in zip('ab', row) if value != 0}
        values[f'color={own[i][0]}'] = 1
        if strategy == 'auto':
            values.update({f'{name}=(missing)': 1 for name, value in zip('ab', numbers[i])
                           if numpy.isnan(value)})
        result.append(values)
    return result


for strategy in ['auto', 'mean', 'median', 'most-frequent']:
    found = examples('holes.csv', '--missing', strategy)
    for i, (row, expected) in enumerate(zip(found, table(strategy))):
        if set(row) != set(expected) or any(abs(row[n] - expected[n]) > 1e-6 for n in row):
            complain(f'--missing {strategy}: row {i + 1} is {row}, expected {expected}')
            break
