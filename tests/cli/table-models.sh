# Texts, tf-idf and missing values of a table, as CSV and as JSON records, and rows with several labels:
# the model has the same bits for any number of threads, with little memory, from a pipe, compressed and
# from binary data; `tlu cv` fits what it does to the training rows of a fold alone.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 - <<'END_OF_PYTHON'
import csv
import gzip
import os
import random

from model_reader import sections
from prelude import *

draw = random.Random(27)
WORDS = ['rain', 'Sun', 'sea', 'hill', 'road', 'éé', "it's", 'w,x', 'say "no"', 'two\nlines'] + [f'w{i}' for i in range(40)]
PACKED = 'gzip' in run('--version').stdout


def text(least, most):
    return ' '.join(draw.choice(WORDS[:10 + draw.randrange(40)]) for _ in range(draw.randint(least, most)))


def table_row(i):
    row = {'size': None if draw.random() < 0.2 else round(draw.gauss(3, 20), 3),
           'count': None if i % 11 == 3 else draw.randrange(5),
           'place': None if i % 7 == 2 else draw.choice(['sea', 'hill', 'by the road']),
           'title': text(0, 3), 'note': text(1, 9) if i % 13 else ''}
    score = row['note'].count('sea') - row['title'].count('rain') + ((row['size'] or 0) > 5) + (row['place'] == 'hill')
    row['label'] = 'pqr'[(score > 0) + (score > 1)]
    return row


def save(name, rows):
    """NAME.csv and NAME.jsonl"""
    with open(f'{name}.csv', 'w', newline='') as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows([{key: ';'.join(value) if isinstance(value, list) else value for key, value in row.items()}
                          for row in rows])
    write(f'{name}.jsonl', [json.dumps(row) + '\n' for row in rows])


def content(path):
    """What a model is, without the section that names its data and tells how long it took."""
    with open(path, 'rb') as file:
        found = sections(file.read())
    return {tag: part.data for tag, part in found.items() if tag != 'REPT' and hasattr(part, 'data')}


def check(data, reading, learning):
    """All ways to the same model. `reading` are options that `tlu convert` needs, too."""
    what = f'{data} {learning}'
    tlu('train', data, '-o', 'first.tlu', '-q', *reading, *learning)
    first, scores = content('first.tlu'), tlu('predict', 'first.tlu', data, '--scores', '-q')
    weights = tlu('inspect', 'first.tlu', '--weights')
    with open('first.tlu', 'rb') as file:
        bits = file.read()
    for more in ('--threads', 1), ('--threads', 3), ('--memory', '20K', '--threads', 2):
        tlu('train', data, '-o', 'model.tlu', '-q', *reading, *learning, *more)
        with open('model.tlu', 'rb') as file:
            if file.read() != bits:
                complain(f'{what}: another model with {more}')
    with open(data) as file:
        whole = file.read()
    tlu('train', '-', '-o', 'model.tlu', '-q', *reading, *learning, stdin=whole)
    equal(content('model.tlu') == first, True, f'{what}: from a pipe')
    equal(tlu('predict', 'first.tlu', '-', '--scores', '-q', stdin=whole) == scores, True, f'{what}: rows from a pipe')
    if PACKED:
        with open('packed.gz', 'wb') as file:
            file.write(gzip.compress(whole.encode(), 1))
        tlu('train', 'packed.gz', '-o', 'model.tlu', '-q', *reading, *learning)
        equal(content('model.tlu') == first, True, f'{what}: compressed')
    tlu('convert', data, '-o', 'data.tlud', '-q', *reading)
    tlu('train', 'data.tlud', '-o', 'model.tlu', '-q', *learning, *(['--multilabel'] * ('--multilabel' in reading)))
    equal(tlu('inspect', 'model.tlu', '--weights') == weights, True, f'{what}: binary data')
    for model, rows in ('model.tlu', data), ('first.tlu', 'data.tlud'), ('model.tlu', 'data.tlud'):
        equal(tlu('predict', model, rows, '--scores', '-q') == scores, True, f'{what}: {model} predicts {rows}')


rows = [table_row(i) for i in range(600)]
save('table', rows)
TEXTS = ('--text', 'title,note', '--lowercase', '--stop-words', 'road,w3')
for data in 'table.csv', 'table.jsonl':
    check(data, TEXTS, ('--tfidf', '--normalize', '--min-count', 2))
    check(data, (*TEXTS, '--chars', '2:3', '--missing', 'median'), ('--tfidf', '--learner', 'pa1', '--scale', 'standard'))
    check(data, (*TEXTS, '--ngrams', 2, '--missing', 'most-frequent'), ('--min-count', 3, '--learner', 'perceptron', '--holdout', 0.2))
    for missing in 'mean', 'indicator', 'zero':
        check(data, (*TEXTS, '--missing', missing), ('--epochs', 1))

TOPICS = ['art', 'law', 'war', 'tax']
for row in rows:
    row['label'] = sorted({draw.choice(TOPICS) for _ in range(draw.randrange(4))})
save('sets', rows)
for data, separator in ('sets.csv', ';'), ('sets.jsonl', ','):
    check(data, (*TEXTS, '--multilabel', '--label', 'label', '--label-separator', separator), ('--tfidf', '--epochs', 3))

# Decimal commas are recognised, also by a model of binary data.
with open('table.csv') as file, open('commas.csv', 'w', newline='') as out:
    writer = csv.writer(out, delimiter=';')
    for fields in csv.reader(file):
        writer.writerow([field.replace('.', ',') if i < 2 else field for i, field in enumerate(fields)])
check('commas.csv', TEXTS, ('--tfidf', '--epochs', 2))
tlu('train', 'table.csv', '-o', 'points.tlu', '-q', *TEXTS, '--tfidf', '--epochs', 2)
equal(tlu('inspect', 'first.tlu', '--weights') == tlu('inspect', 'points.tlu', '--weights'), True, 'decimal commas')
# What words are is settled when text is converted.
for option in ('--chars', '2:3'), ('--text', 'title'), ('--stop-words', 'sea,w1'), ('--decimal', 'point'):
    refused(f'{option[0]} was settled when the data was converted', 'train', 'data.tlud', '-o', 'x.tlu', *option)

# The notes count the same missing values in CSV and in JSON records.
notes = [[note for note in parsed(tlu('train', data, '-o', 'm.tlu', '--json', *TEXTS))['notices'] if 'missing' in note]
         for data in ('table.csv', 'table.jsonl')]
equal(notes[1], notes[0], 'notes about missing values')
equal(len(notes[0]), 2, 'notes about missing values')
END_OF_PYTHON
