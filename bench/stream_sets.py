"""Streams for bench/streams: generated ones that drift, or do not, and real sets in a fixed order.

Each is a function that gives (format, lines). Everything is drawn from random numbers with a fixed seed, so that
a table can be made again.
"""
import gzip
import json
import math
import os
import random

ROWS = 6000


def normal(draw, count):
    return [draw.gauss(0, 1) for _ in range(count)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def csv(rows):
    """Rows of (values, label), under a header."""
    lines = []
    for values, label in rows:
        if not lines:
            lines.append(','.join('x%d' % i for i in range(len(values))) + ',label')
        lines.append(','.join(v if isinstance(v, str) else '%.5g' % v for v in values) + ',' + str(label))
    return 'csv', lines


# ---- generated: what the right answer depends on changes, or not

def planes(seed, plane_at, features=10, noise=0.05, shift=0.0):
    """Points around the origin on one or the other side of a plane that depends on the time, from 0 to 1."""
    draw = random.Random(seed)
    rows = []
    for i in range(ROWS):
        x = [v + shift for v in normal(draw, features)]
        w, b = plane_at(i / ROWS, draw)
        right = dot(w, x) > b + shift * sum(w)
        rows.append((x, int(right != (draw.random() < noise))))
    return csv(rows)


def stationary():
    w = normal(random.Random(1), 10)
    return planes(1, lambda t, d: (w, 0.3))


def stationary_noisy():
    w = normal(random.Random(2), 20)
    return planes(2, lambda t, d: (w, -0.5), features=20, noise=0.25)


def abrupt():
    draw = random.Random(3)
    concepts = [normal(draw, 10) for _ in range(3)]
    return planes(3, lambda t, d: (concepts[int(3 * t)], 0))


def abrupt_reversed():
    w = normal(random.Random(4), 10)
    return planes(4, lambda t, d: (w if t < 0.5 else [-v for v in w], 0.2))


def gradual():
    draw = random.Random(5)
    a, b = normal(draw, 10), normal(draw, 10)
    return planes(5, lambda t, d: (b if d.random() < min(1, max(0, 3 * t - 1)) else a, 0))


def rotating():
    """A plane that turns round once."""
    return planes(6, lambda t, d: ([math.cos(6.2832 * t), math.sin(6.2832 * t)] + [0.3] * 4, 0), features=6)


def rotating_slowly():
    return planes(7, lambda t, d: ([math.cos(1.2 * t), math.sin(1.2 * t)] + [0.5] * 8, 0), noise=0.15)


def seasonal():
    """Two concepts that take turns, 750 rows each."""
    draw = random.Random(8)
    concepts = [normal(draw, 8) for _ in range(2)]
    return planes(8, lambda t, d: (concepts[int(8 * t) % 2], 0), features=8)


def sea():
    """Street and Kim 2001: x0 + x1 <= theta, with a third column that does not matter and 10% noise."""
    draw = random.Random(9)
    rows = []
    for i in range(ROWS):
        x = [draw.uniform(0, 10) for _ in range(3)]
        theta = (8, 9, 7, 9.5)[4 * i // ROWS]
        rows.append((x, int((x[0] + x[1] <= theta) != (draw.random() < 0.1))))
    return csv(rows)


def stagger():
    """Schlimmer and Granger 1986: three concepts over three categories, one after the other."""
    draw = random.Random(10)
    rows = []
    for i in range(ROWS):
        size, colour, shape = (draw.choice(c) for c in (('small', 'medium', 'large'), ('red', 'green', 'blue'),
                                                        ('circle', 'square', 'triangle')))
        concept = 3 * i // ROWS
        right = ((size == 'small' and colour == 'red'), (colour == 'green' or shape == 'circle'),
                 size in ('medium', 'large'))[concept]
        rows.append(((size, colour, shape), 'yes' if right else 'no'))
    return csv(rows)


def weather_of(draw, i, rows):
    year = math.sin(6.2832 * i / (rows / 3))
    temperature = 12 + 10 * year + draw.gauss(0, 5)
    humidity = min(100, max(5, 65 - 15 * year + draw.gauss(0, 18)))
    pressure = 1013 + draw.gauss(0, 9)
    wind = abs(draw.gauss(0, 6))
    light = max(0, 400 + 300 * year + draw.gauss(0, 150))
    rain = 0.06 * (humidity - 65) - 0.12 * (pressure - 1013) + 0.1 * wind - 0.002 * light + draw.gauss(0, 0.8)
    return (temperature, humidity, pressure, wind, light), rain > 0.2


def sensors():
    """Columns of very different ranges, some far from 0."""
    draw = random.Random(11)
    return csv((x, 'rain' if rain else 'dry') for x, rain in (weather_of(draw, i, ROWS) for i in range(ROWS)))


def ranges():
    """Six columns that matter alike, in units from 0.001 to 1000."""
    draw = random.Random(12)
    w = normal(draw, 6)
    rows = []
    for _ in range(ROWS):
        x = normal(draw, 6)
        rows.append(([v * 10 ** (i - 3) for i, v in enumerate(x)], int(dot(w, x) + draw.gauss(0, 0.3) > 0)))
    return csv(rows)


def ranges_drifting():
    draw = random.Random(13)
    concepts = [normal(draw, 6) for _ in range(4)]
    rows = []
    for i in range(ROWS):
        x = normal(draw, 6)
        rows.append(([v * 10 ** (k - 3) for k, v in enumerate(x)],
                     int(dot(concepts[4 * i // ROWS], x) + draw.gauss(0, 0.3) > 0)))
    return csv(rows)


def imbalance():
    """3 rows of 100 are of the class that matters."""
    draw = random.Random(14)
    rows = []
    for _ in range(ROWS):
        rare = draw.random() < 0.03
        rows.append(([v + (1.2 if rare else 0) for v in normal(draw, 8)], 'fault' if rare else 'fine'))
    return csv(rows)


def new_classes():
    """A class more every 600 rows."""
    draw = random.Random(15)
    centres = [[3 * v for v in normal(draw, 8)] for _ in range(10)]
    rows = []
    for i in range(ROWS):
        k = draw.randrange(min(10, 2 + i // 600))
        rows.append(([c + draw.gauss(0, 1.5) for c in centres[k]], 'class%d' % k))
    return csv(rows)


def classes_drifting():
    """Five classes whose centres wander."""
    draw = random.Random(16)
    centres = [[2 * v for v in normal(draw, 6)] for _ in range(5)]
    rows = []
    for _ in range(ROWS):
        k = draw.randrange(5)
        rows.append(([c + draw.gauss(0, 1) for c in centres[k]], k))
        for centre in centres:
            for j in range(6):
                centre[j] = 0.9998 * centre[j] + draw.gauss(0, 0.03)
    return csv(rows)


def sticky():
    """What was right for a row is mostly right for the next: labels come in runs, values say little."""
    draw = random.Random(17)
    label, rows = 0, []
    for _ in range(ROWS):
        label = label if draw.random() < 0.9 else 1 - label
        rows.append(([v + 0.3 * (2 * label - 1) for v in normal(draw, 5)], label))
    return csv(rows)


def words_of(draw, topic, vocabulary, length):
    """Words of a topic are as frequent as one over their rank; half of a text is common to all topics."""
    words = []
    for _ in range(length):
        rank = int(math.exp(draw.random() * math.log(vocabulary)))
        words.append(('w%d' % rank) if draw.random() < 0.6 else 't%d_%d' % (topic, rank))
    return words


def topics():
    """Text of four topics, labels first."""
    draw = random.Random(18)
    lines = []
    for _ in range(ROWS):
        topic = draw.randrange(4)
        other = topic if draw.random() < 0.8 else draw.randrange(4)
        lines.append('topic%d\t%s' % (topic, ' '.join(words_of(draw, other, 3000, 12))))
    return 'text', lines


def topics_drifting():
    """Spam or not by words that mean something else in each quarter."""
    draw = random.Random(19)
    lines = []
    for i in range(ROWS):
        spam, quarter = draw.random() < 0.4, 4 * i // ROWS
        topic = (quarter + 1 if spam else quarter) if draw.random() < 0.9 else draw.randrange(6)
        lines.append('%s\t%s' % ('spam' if spam else 'ham', ' '.join(words_of(draw, topic, 800, 15))))
    return 'text', lines


def svm(values):
    return ' '.join('%d:%.5g' % (k, v) for k, v in sorted(values.items()) if v)


def counts():
    """Counts of words, sparse."""
    draw = random.Random(20)
    lines = []
    for _ in range(ROWS):
        label, row = draw.randrange(2), {}
        for _ in range(60):
            rank = int(math.exp(draw.random() * math.log(5000)))
            if draw.random() < 0.25:
                rank = 5000 + 2 * int(math.exp(draw.random() * math.log(2000))) + label
            row[rank] = row.get(rank, 0) + 1
        lines.append('%+d %s' % (2 * label - 1, svm(row)))
    return 'libsvm', lines


def sensors_named(kind):
    """The weather sensors as JSON lines, VW's format or LIBSVM."""
    names = ('temperature', 'humidity', 'pressure', 'wind', 'light')
    draw = random.Random(21)
    lines = []
    for i in range(ROWS):
        x, rain = weather_of(draw, i, ROWS)
        x = [float('%.4g' % v) for v in x]
        if kind == 'jsonl':
            lines.append(json.dumps({'label': 'rain' if rain else 'dry', 'features': dict(zip(names, x))}))
        elif kind == 'vw':
            lines.append('%d |s %s' % (1 if rain else -1, ' '.join('%s:%g' % item for item in zip(names, x))))
        else:
            lines.append('%+d %s' % (1 if rain else -1, svm(dict(enumerate(x, 1)))))
    return kind, lines


GENERATED = {f.__name__.replace('_', '-'): f for f in (
    stationary, stationary_noisy, abrupt, abrupt_reversed, gradual, rotating, rotating_slowly, seasonal, sea, stagger,
    sensors, ranges, ranges_drifting, imbalance, new_classes, classes_drifting, sticky, topics, topics_drifting, counts)}
for _kind in ('jsonl', 'vw', 'libsvm'):
    GENERATED['sensors-' + _kind] = lambda kind=_kind: sensors_named(kind)


# ---- real sets

def read(folder, path):
    name = os.path.join(folder, path)
    with (gzip.open(name, 'rt') if name.endswith('.gz') else open(name, encoding='utf-8', errors='replace')) as file:
        return [line.rstrip('\r\n') for line in file if line.strip()]


def real(path, kind, order='shuffled', most=8000, header=False, columns=None):
    """Lines of a file: as they are, or shuffled, as a file sorted by class is not a stream."""
    def lines_of(folder):
        lines = read(folder, path)
        top, lines = (lines[:1], lines[1:]) if header else ([], lines)
        if order == 'shuffled':
            random.Random(1).shuffle(lines)
        lines = top + lines[:most]
        return kind, [columns(line) for line in lines] if columns else lines
    return lines_of


def without_id(line):
    return line.split(',', 1)[1]


def label_last(line):
    first, rest = line.split(',', 1)
    return rest + ',' + first


def jsonl_of_titanic(folder):
    import csv as tables
    with open(os.path.join(folder, 'titanic/titanic.csv'), newline='') as file:
        rows = list(tables.DictReader(file))
    random.Random(1).shuffle(rows)
    lines = []
    for row in rows:
        out = {'sex': row['Sex'], 'class': row['Pclass'], 'fare': float(row['Fare'])}
        if row['Age']:
            out['age'] = float(row['Age'])
        out.update(siblings=int(row['SibSp']), parents=int(row['Parch']), port=row['Embarked'] or 'none')
        lines.append(json.dumps({'label': row['Survived'], 'features': out}))
    return 'jsonl', lines


def csv_of_titanic(folder):
    kind, lines = jsonl_of_titanic(folder)
    rows = [dict(json.loads(line)['features'], label=json.loads(line)['label']) for line in lines]
    names = ['sex', 'class', 'fare', 'age', 'siblings', 'parents', 'port', 'label']
    return 'csv', [','.join(names)] + [','.join(str(row.get(n, 0)) for n in names) for row in rows]


REAL = {
    'elec2': real('elec2/elec.csv', 'csv', 'as it is', 10**9, header=True),
    'sms': real('sms/SMSSpamCollection', 'text', 'as it is'),
    'a9a': real('a9a/a9a', 'libsvm', 'as it is', 10**9),
    'adult': real('adult/adult.data', 'csv', 'as it is', 10**9),
    'mushrooms': real('mushrooms/agaricus-lepiota.data', 'csv', columns=label_last),
    'mushrooms-libsvm': real('mushrooms/mushrooms', 'libsvm'),
    'imdb': real('imdb/train.bow.svm.gz', 'libsvm', most=4000),
    'news20': real('news20/news20', 'libsvm', most=4000),
    'rcv1': real('rcv1-small/train.svm', 'libsvm'),
    'mnist': real('mnist/test.svm.gz', 'libsvm', most=4000),
    'rt-polarity': real('rt-polarity/train.tsv', 'text'),
    'wdbc': real('wdbc/wdbc.data', 'csv', columns=lambda line: label_last(without_id(line))),
    'sonar': real('sonar/sonar.csv', 'csv'),
    'titanic': csv_of_titanic,
    'titanic-jsonl': jsonl_of_titanic,
    'breast-cancer': real('small/breast-cancer_scale', 'libsvm'),
    'diabetes': real('small/diabetes_scale', 'libsvm'),
    'heart': real('small/heart_scale', 'libsvm'),
    'svmguide1': real('small/svmguide1', 'libsvm'),
    'vowel': real('small/vowel.scale', 'libsvm'),
    'iris': real('iris/iris.csv', 'csv', header=True),
    'rcv1-vw': real('vw/rcv1_small.dat', 'vw', 'as it is'),
}
