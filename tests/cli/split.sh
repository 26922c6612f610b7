# tlu split on random files of every format: the parts are the rows, byte for byte and in file order,
# with what comes before the first row in each; the sizes are exact, classes have their share, groups
# stay together. The files are made of rows that this script knows, so that it parses nothing.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import gzip
import random
import shutil
from fractions import Fraction
from math import floor
from prelude import *

draw = random.Random(27)
FEATURES = subprocess.run([TLU, '--version'], capture_output=True, text=True).stdout
PACKINGS = [''] + ['.gz'] * ('gzip' in FEATURES) + ['.zst'] * ('zstd' in FEATURES and shutil.which('zstd') is not None)
LABELS = ['spam', 'ham', 'eggs', 'toast', 'beans']


def write_bytes(path, data):
    with open(path, 'wb') as file:
        file.write(data)
    if path.endswith('.gz'):
        write_plain(path, gzip.compress(data))
    if path.endswith('.zst'):
        write_plain(path, subprocess.run(['zstd', '-c'], input=data, stdout=subprocess.PIPE).stdout)


def write_plain(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def read_bytes(path):
    with open(path, 'rb') as file:
        data = file.read()
    if path.endswith('.gz'):
        return gzip.decompress(data)
    if path.endswith('.zst'):
        return subprocess.run(['zstd', '-dc'], input=data, stdout=subprocess.PIPE).stdout
    return data


# ---- files: what comes before the rows, the rows, and the options that they need

def words(count):
    return ' '.join(draw.choice(['offer', 'lunch', 'see', 'you', 'at', 'home', 'prize']) for _ in range(count))


def libsvm(i, label, group):
    note = draw.choice(['', '', ' # a note'])
    return f'{label} {i + 1}:1 {5000 + draw.randrange(50)}:0.5{note}'


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def table(delimiter, newline):
    def row(i, label, group):
        text = words(3)
        if draw.random() < 0.5:
            text += draw.choice([newline, newline + newline, delimiter, '"', ' "x"', f'{newline}# {delimiter}'])
        fields = [quoted(group) if draw.random() < 0.3 else group, str(i), label, quoted(text), '']
        return delimiter.join(fields)
    return row


def vw(i, label, group):
    return f"{label} 1 '{group} |words {words(3)} id:{i}"


def fasttext(i, label, group):
    return f'__label__{label} {words(3)} {i}'


def jsonl(i, label, group):
    return json.dumps({'g': group, 'text': words(2), 'id': i, 'label': label}, ensure_ascii=False)


def text(i, label, group):
    return f'{label}\t{words(4)} row{i}'


def make_file(kind, labels, groups):
    """(head, rows, options, extension): rows have a newline each."""
    newline = draw.choice(['\n', '\r\n'])
    head, options = [], []
    comments = [f'# comment {i}{newline}' for i in range(draw.randrange(3))]
    if kind in ('libsvm', 'csv') and draw.random() < 0.5:
        head += comments + [newline] * draw.randrange(2)
    if kind == 'csv':
        delimiter = draw.choice(',;\t|')
        make = table(delimiter, newline)
        options += ['--delimiter', {'\t': 'tab'}.get(delimiter, delimiter)]
        named = draw.random() < 0.7
        if named:
            head.append(delimiter.join(['g', 'id', 'y', quoted(f'te{newline}xt'), 'empty']) + newline)
        options += ['--header', 'yes' if named else 'no', '--label', 'y' if named else '3', '--format', 'csv']
        extension = draw.choice(['.csv', '.data', ''])
    else:
        make, extension = {'libsvm': (libsvm, '.svm'), 'vw': (vw, '.vw'), 'fasttext': (fasttext, '.ft'),
                           'jsonl': (jsonl, '.jsonl'), 'text': (text, '.txt')}[kind]
        if draw.random() < 0.5:
            options += ['--format', kind]
    if draw.random() < 0.3 and kind != 'vw':
        head.insert(0, '\ufeff')
    rows = [make(i, label, group) + newline for i, (label, group) in enumerate(zip(labels, groups))]
    return ''.join(head).encode(), [row.encode() for row in rows], options, extension


def save(path, kind, head, rows):
    """With empty lines, and sometimes without the last newline."""
    data = [head]
    for row in rows:
        data.append(row)
        if draw.random() < 0.1:
            data.append(draw.choice([b'\n', b'\r\n', b'  \n']))
        if kind == 'libsvm' and draw.random() < 0.05:
            data.append(b'# between rows\n')
    data = b''.join(data)
    if draw.random() < 0.5:
        data = data.rstrip(b'\r\n ')
    write_bytes(path, data)


# ---- what the parts are

def indices(path, head, rows, what):
    """The numbers of the rows of a part, which are in file order."""
    data = read_bytes(path)
    if not data.startswith(head):
        complain(f'{what}: {path} does not begin with the header')
        return []
    at, found = len(head), []
    for i, row in enumerate(rows):
        if data.startswith(row, at):
            found.append(i)
            at += len(row)
    if at != len(data):
        complain(f'{what}: {path} has other bytes at {at}: {data[at:at + 60]}')
    return found


def size_of(size, rows):
    return floor(size * rows + 0.5) if size < 1 else size


def split(path, prefix, head, rows, sizes, options, ending, what):
    """Runs the command: {part: row numbers}."""
    words = ['split', path, '-o', prefix, '--json', *options]
    for part, size in sizes.items():
        words += [f'--{part}', size]
    done = run(*words)
    if done.returncode:
        complain(f'{what}: {words} gives {done.returncode}: {done.stderr}')
        return None
    report = parsed(done.stdout)
    names = ['train'] + [part for part in ('validation', 'test') if sizes.get(part)]
    equal([part['file'] for part in report['parts']], [f'{prefix}-{name}{ending}' for name in names], what)
    parts = {part['part']: indices(part['file'], head, rows, what) for part in report['parts']}
    equal(sorted(i for part in parts.values() for i in part), list(range(len(rows))), f'{what}: rows of all parts')
    equal([part['rows'] for part in report['parts']], [len(parts[name]) for name in names], f'{what}: JSON')
    equal(sorted(name for name in os.listdir('.') if name.startswith('.tlu')), [], what)
    return report, parts


def largest_remainders(counts, chosen, total, what):
    """Whether `chosen` are the counts times a fraction, rounded by largest remainders."""
    rows = sum(counts.values())
    up, down = [], []
    for label, count in counts.items():
        exact = Fraction(count * total, rows)
        if not floor(exact) <= chosen[label] <= floor(exact) + (exact != floor(exact)):
            complain(f'{what}: {chosen[label]} of {count} rows of {label}, expected about {float(exact)}')
        (up if chosen[label] > exact else down).append(exact - floor(exact))
    if up and down and min(up) < max(down):
        complain(f'{what}: remainders {list(map(float, up))} were rounded up, {list(map(float, down))} down')


def count(labels, rows):
    found = dict.fromkeys(labels, 0)
    for i in rows:
        found[labels[i]] += 1
    return found


def closest(sizes, target):
    """The distance of the sum of some groups that comes closest, not none and not all."""
    sums = {0}
    for size in sizes:
        sums |= {s + size for s in sums}
    return min(abs(s - target) for s in sums if 0 < s < sum(sizes))


def check_by_class(kind, number):
    n = draw.randrange(20, 200)
    classes = LABELS[:draw.randrange(2, 6)]
    labels = classes * 4 + [draw.choice(classes) for _ in range(n)]
    draw.shuffle(labels)
    head, rows, options, extension = make_file(kind, labels, ['x'] * len(labels))
    packing = draw.choice(PACKINGS)
    path = f'data{number}{extension}{packing}'
    save(path, kind, head, rows)
    ending = extension + packing
    sizes = {'test': draw.choice([0.2, 0.25, 0.1, 1 / 3, 7])}
    if draw.random() < 0.5:
        sizes['validation'] = draw.choice([0.1, 0.15, 5])
    what = f'{path} {sizes} {options}'
    seed = ['--seed', draw.randrange(1000)]
    done = split(path, 'p', head, rows, sizes, options + seed, ending, what)
    if not done:
        return
    report, parts = done
    equal(report['skipped'], 0, what)
    equal(report['by'], 'class', what)
    if kind == 'csv':
        equal(report['label'], '3' if 'no' in options else 'y', what)
    for part, size in sizes.items():
        equal(len(parts[part]), size_of(size, len(rows)), f'{what}: size of {part}')
    counts = {name: count(labels, part) for name, part in parts.items()}
    whole = count(labels, range(len(rows)))
    for part in report['parts']:
        equal(part['classes'], dict(sorted(counts[part['part']].items())), f'{what}: classes of {part["part"]}')
    largest_remainders(whole, counts['test'], len(parts['test']), f'{what}: test')
    if 'validation' in parts:
        for label, rows_of in whole.items():
            exact = Fraction(rows_of * len(parts['validation']), len(rows))
            if abs(counts['validation'][label] - exact) >= 1:
                complain(f'{what}: {counts["validation"][label]} validation rows of {label}, expected {float(exact)}')
    again = split(path, 'q', head, rows, sizes, options + seed + ['--threads', 1], ending, what)
    equal(again[1], parts, f'{what}: the same seed')
    at_random = split(path, 'q', head, rows, sizes, options + ['--no-stratify'], ending, what)
    for part, size in sizes.items():
        equal(len(at_random[1][part]), size_of(size, len(rows)), f'{what}: size of {part} at random')
    in_order = split(path, 'q', head, rows, sizes, options + ['--in-order'], ending, what)
    joined = in_order[1]['train'] + in_order[1].get('validation', []) + in_order[1]['test']
    equal(joined, list(range(len(rows))), f'{what}: in order')
    equal(len(in_order[1]['test']), size_of(sizes['test'], len(rows)), f'{what}: in order')


def check_by_group(kind, number):
    sizes = [draw.choice([1, 2, 3, 5, 8, 20, 31]) for _ in range(draw.randrange(6, 30))]
    owners = [f'user {i}, é"' if kind != 'vw' else f'user{i}' for i, size in enumerate(sizes) for _ in range(size)]
    draw.shuffle(owners)
    if kind == 'csv':
        owners = [owner.replace(',', ' ').replace('"', '') for owner in owners]
    labels = [draw.choice(LABELS) for _ in owners]
    head, rows, options, extension = make_file(kind, labels, owners)
    path = f'group{number}{extension}'
    save(path, kind, head, rows)
    group = '1' if 'no' in options else 'g'
    wanted = {'test': draw.choice([0.2, 0.3, 0.5, 4])}
    if draw.random() < 0.4:
        wanted['validation'] = 0.2
    what = f'{path} {wanted} {options} by group'
    done = split(path, 'g', head, rows, wanted, options + ['--group', group], extension, what)
    if not done:
        return
    report, parts = done
    members = {name: {owners[i] for i in part} for name, part in parts.items()}
    for part in report['parts']:
        equal(part['groups'], len(members[part['part']]), f'{what}: groups of {part["part"]}')
    equal(sum(len(group) for group in members.values()), len(sizes), f'{what}: a group in two parts')
    if 'validation' in parts and 2 * max(sizes) > len(rows):
        return # one group is for training, and the parts share the others
    target = size_of(wanted['test'], len(rows))
    equal(abs(len(parts['test']) - target), closest(sizes, target), f'{what}: distance of the test part from {target}')
    if 'validation' in parts:
        left = [owners.count(owner) for owner in set(owners) - members['test']]
        target = size_of(wanted['validation'], len(rows))
        equal(abs(len(parts['validation']) - target), closest(left, target), f'{what}: distance of the validation part')


for number in range(4):
    for kind in ('libsvm', 'csv', 'vw', 'fasttext', 'jsonl', 'text'):
        check_by_class(kind, number)
    check_by_class('csv', number + 100)
    for kind in ('csv', 'vw', 'jsonl'):
        check_by_group(kind, number)

# Several chunks of the reader, and threads: rows of very different length, some longer than a chunk.
lengths = [draw.choice([1, 50, 400, 3000]) for _ in range(2500)] + [2500000, 10]
owners = [f'g{draw.randrange(300)}' for _ in lengths]
labels = [draw.choice(LABELS[:3]) for _ in lengths]
newline = '\n'
rows = [f'{group},{i},"{"ab" + newline if i % 3 else "x"}{"y" * length}",{label}\n'.encode()
        for i, (length, group, label) in enumerate(zip(lengths, owners, labels))]
head = b'# from somewhere\ng,i,long,label\n'
write_plain('large.csv', head + b''.join(rows))
sizes = {'test': 0.2, 'validation': 0.1}
parts = [split('large.csv', f'large{threads}', head, rows, sizes, ['--threads', threads], '.csv', f'{threads} threads')
         for threads in (1, 3)]
equal(parts[0][1], parts[1][1], 'threads')
other = split('large.csv', 'large', head, rows, sizes, ['--seed', 2], '.csv', 'another seed')
if other[1] == parts[0][1]:
    complain('another seed gives the same parts')
grouped = split('large.csv', 'large', head, rows, sizes, ['--group', 'g'], '.csv', 'many groups')
equal({len(grouped[1]['test']), len(grouped[1]['validation'])}, {500, 250}, 'sizes of many groups')

# Standard input, a pipe, a name without an extension, a prefix that is a folder.
with open('large.csv', 'rb') as file:
    done = subprocess.run([TLU, 'split', '-', '-o', 'stdin', '-q'], stdin=file)
equal(done.returncode, 0, 'a file as standard input')
done = subprocess.run([TLU, 'split', '-', '-o', 'pipe', '-q'], input=gzip.compress(head + b''.join(rows))
                      if 'gzip' in FEATURES else head + b''.join(rows))
equal(done.returncode, 0, 'a pipe')
equal(read_bytes('stdin-test.csv'), read_bytes('pipe-test.csv'), 'a pipe, and a file as standard input')
tlu('split', 'large.csv', '-o', 'named', '-q')
equal(read_bytes('named-train.csv'), read_bytes('pipe-train.csv'), 'a pipe, and a file')
for kind, ending in (('libsvm', '.svm'), ('vw', '.vw'), ('fasttext', '.ft'), ('jsonl', '.jsonl'), ('text', '.txt')):
    head, rows, _, _ = make_file(kind, LABELS * 10, LABELS * 10)
    done = subprocess.run([TLU, 'split', '-', '-o', f'in-{kind}', '-q'], input=head + b''.join(rows))
    found = indices(f'in-{kind}-test{ending}', head, rows, f'{kind} from a pipe')
    equal(len(found), 10, f'{kind} from a pipe')
done = subprocess.run([TLU, 'split', '-', '-o', 'tabs', '-q'], input=b'a\tb\tlabel\n' + b'1\t2\tx\n3\t4\ty\n' * 9)
equal(os.path.exists('tabs-train.tsv'), True, 'TSV from a pipe')
os.mkdir('folder')
os.rename('large.csv', 'large')
tlu('split', 'large', '-o', 'folder/', '--test', 2, '-q')
equal(sorted(os.listdir('folder')), ['test', 'train'], 'a folder as prefix')

# Several labels in a row: the class is the one that the file has first. A row without labels is of a
# class of its own.
rows = [f'{first},{second} {i + 1}:1\n'.encode() for i, (first, second) in
        enumerate((draw.choice('12'), draw.choice('3456')) for _ in range(40))]
write_plain('lists.svm', b''.join(rows))
report, parts = split('lists.svm', 'lists', b'', rows, {'test': 0.5}, ['--multilabel'], '.svm', 'lists of labels')
sets = [row.split()[0].decode().split(',') for row in rows]
order = list(dict.fromkeys(label for labels in sets for label in labels))
expected = [min(labels, key=order.index) for labels in sets]
equal({label: sum(part['classes'][label] for part in report['parts']) for label in report['parts'][0]['classes']},
      {label: expected.count(label) for label in expected}, 'lists of labels')
write_plain('none.svm', b''.join(rows) + b''.join(f' {i + 1}:1\n'.encode() for i in range(10)))
report = json.loads(subprocess.check_output([TLU, 'split', 'none.svm', '-o', 'none', '--test', '0.5', '--multilabel', '--json']))
equal([part['classes'][''] for part in report['parts']], [5, 5], 'rows without labels')

# Arrays of JSON, and objects of several lines: each part is of the same kind.
objects = [{'n': i, 'deep': {'a': ['}', '[', ',']}, 'label': 'xy'[i % 2]} for i in range(20)]
for name, text in (('array', json.dumps(objects)), ('wide', json.dumps(objects, indent=2)),
                   ('several', '\n'.join(json.dumps(row, indent=1) for row in objects))):
    write_plain(name + '.json', text.encode())
    subprocess.check_output([TLU, 'split', name + '.json', '-o', name, '--test', '0.25', '-q'])
    found = []
    for part in ('train', 'test'):
        text = read_bytes(f'{name}-{part}.json').decode()
        own = json.loads(text if name != 'several' else '[' + text.replace('\n}\n{', '\n},\n{') + ']')
        equal(text[0], '{' if name == 'several' else '[', name)
        found += own
    equal(sorted(row['n'] for row in found), list(range(20)), f'{name}: every row once')
    equal(sorted(map(str, found)), sorted(map(str, objects)), f'{name}: rows as they were')
PYTHON
