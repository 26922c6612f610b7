# tlu split: what it says, what it refuses, and what is left when it fails: full disks, failing
# system calls, Ctrl-C. The files of an earlier split stay as they were, and no temporary file is left.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
export TMPDIR=$PWD/tmp
mkdir tmp
python3 - <<'PYTHON' || exit 1
import errno
import resource
import signal
import time
from prelude import *

SANITIZED = os.system('grep -q -e __asan_init -e __tsan_init "$TLU"') == 0


def write_bytes(path, data):
    with open(path, 'wb') as file:
        file.write(data)


def read(path):
    with open(path) as file:
        return file.read()


# ---- the summary, and the commands that it ends with

write('mail.csv', 'v1;v2\n' + ''.join(f'{"spam" if i % 3 else "ham"};"a {i % 3}\nb"\n' for i in range(30)) + 'eggs;x\n')
done = run('split', 'mail.csv', '--test', '0.2', '--validation', '4', '--label', 'v1', '--seed', '3', '-o', "it's")
equal((done.returncode, done.stdout), (0, ''), 'split')
equal(done.stderr, """\
data        mail.csv: 31 rows, 3 classes in column v1; split by class
train       it's-train.csv: 21 rows, 3 classes (eggs 1, ham 7, spam 13)
validation  it's-validation.csv: 4 rows, 2 classes (eggs 0, ham 1, spam 3)
test        it's-test.csv: 6 rows, 2 classes (eggs 0, ham 2, spam 4)
note: the class eggs has a single row, which is in the training part
next        tlu train 'it'\\''s-train.csv' -o m.tlu --label v1
            tlu eval m.tlu 'it'\\''s-validation.csv'
            tlu eval m.tlu 'it'\\''s-test.csv'
""", 'summary')
for line in done.stderr.split('next')[1].splitlines():
    equal(subprocess.run(['bash', '-c', line.strip().replace('tlu ', '"$TLU" ', 1)], capture_output=True).returncode, 0, line)
equal(run('split', 'mail.csv', '-o', 'm', '-q').stderr, '', '--quiet')
report = parsed(tlu('split', 'mail.csv', '--label', 'v1', '-o', 'm', '--json'))
equal(list(report), 'data format label by group rows unlabelled skipped parts notices'.split(), 'JSON')
equal(report['notices'], ['the class eggs has a single row, which is in the training part'], 'notices')

equal(parsed(tlu('split', 'mail.csv', '-o', 'm', '--in-order', '--seed', '2', '--json'))['notices'],
      ['--seed has no effect with --in-order; leave one of them out'], 'notices')

# Rows without a label, and more classes than training rows.
write('some.svm', '+1 1:1\n-1 2:1\n1:1 3:1\n+1 4:1\n-1 5:1\n+1 6:1\n')
refused('some.svm:3: the row has no label', 'split', 'some.svm', '-o', 's')
refused('--no-stratify', 'split', 'some.svm', '-o', 's')
refused('--in-order', 'split', 'some.svm', '-o', 's')
equal(os.path.exists('s-train.svm'), False, 'a refused split leaves a file')
report = parsed(tlu('split', 'some.svm', '--skip-bad', '-o', 's', '--test', '2', '--json'))
equal((report['rows'], report['skipped'], report['unlabelled']), (5, 1, 0), '--skip-bad')
for way in ('--in-order', '--no-stratify'):
    report = parsed(tlu('split', 'some.svm', way, '-o', 's', '--test', '2', '--json'))
    equal((report['rows'], report['unlabelled']), (6, 1), way)
write('classes.csv', 'x,y\n' + ''.join(f'{i},c{i % 9}\n' for i in range(10)))
refused('has 9 classes, and the training part keeps a row of each, so that at most 1 of the 10 rows', 'split',
        'classes.csv', '-o', 'c')
tlu('split', 'classes.csv', '-o', 'c', '--test', '0.1', '-q')
tlu('split', 'classes.csv', '-o', 'c', '--no-stratify', '-q')

# ---- what is refused

DATA_ROWS = 'g,x,y\n' + ''.join(f'{i % 4},{i},{"ab"[i % 2]}\n' for i in range(20))
write('data.csv', DATA_ROWS)
for words, part in (
        ([], 'split needs -o PREFIX'),
        (['-o', ''], ''),
        (['-o', 'no/where'], 'no/where-train.csv: cannot be written: No such file or directory'),
        (['-o', 'p', '--test', '1'], '--test is a fraction of the rows, above 0 and below 1, or a number of rows from 2 on, not 1'),
        (['-o', 'p', '--test', '1.5'], 'not 1.5'),
        (['-o', 'p', '--test', '-1'], '--test'),
        (['-o', 'p', '--test', 'x'], '--test'),
        (['-o', 'p', '--test', '0'], 'give --test or --validation'),
        (['-o', 'p', '--test', '20'], 'has 20 rows, so that none is left to train on'),
        (['-o', 'p', '--test', '0.5', '--validation', '0.5'], 'none is left to train on'),
        (['-o', 'p', '--test', '0.02'], 'has 20 rows, and --test 0.02 of them is less than half a row'),
        (['-o', 'p', '--group', 'h'], "has no column 'h' for --group; give its name in the header, or its number, from 1 to 3"),
        (['-o', 'p', '--group', 'g', '--in-order'], '--group, --in-order and --no-stratify cannot be combined; choose one'),
        (['-o', 'p', '--label', 'z'], "there is no column 'z' for --label"),
        (['-o', 'p', '--epochs', '3'], '--epochs is an option of train, not of split')):
    refused(part, 'split', 'data.csv', *words)
refused('p-train.csv: is the data itself; give another prefix', 'split',
        os.rename('data.csv', 'p-train.csv') or 'p-train.csv', '-o', 'p')
equal(read('p-train.csv'), DATA_ROWS, 'the data')
os.rename('p-train.csv', 'data.csv')
refused('is LIBSVM, which has no groups', 'split', 'some.svm', '-o', 'p', '--group', 'g')
write('two.csv', 'g,y\n' + 'a,1\nb,2\n' * 9)
refused('has 2 groups, too few for 3 parts', 'split', 'two.csv', '-o', 'p', '--group', 'g', '--validation', '0.1')
write('holes.csv', 'g,y\na,1\nb,2\n,1\nb,2\nc,1\n')
refused('holes.csv:4: the row has no value for --group', 'split', 'holes.csv', '-o', 'p', '--group', 'g')
equal(parsed(tlu('split', 'holes.csv', '-o', 'p', '--group', 'g', '--skip-bad', '--json'))['skipped'], 1, 'no group')
tlu('convert', 'data.csv', '-o', 'data.tlud', '-q')
refused('data.tlud: is a binary data file, which has no rows of text; give the text that it was made of', 'split',
        'data.tlud', '-o', 'p')
write('empty.csv', '')
refused('is empty', 'split', 'empty.csv', '-o', 'p')
write('header.csv', 'x,y\n')
refused('header.csv', 'split', 'header.csv', '--header', 'yes', '-o', 'p')
refused('cannot open', 'split', 'nowhere.csv', '-o', 'p')
refused('standard input', 'split', '-', '-o', 'p', stdin='')
write('long.svm', '1 1:1\n2 2:' + '1' * 3000 + '\n')
refused('long.svm:2: the row has more than 2000 bytes', 'split', 'long.svm', '-o', 'p', '--max-row', '2000')
done = subprocess.run(f'"{TLU}" split /dev/zero -o p', shell=True, capture_output=True, text=True)
equal(done.returncode, 2, '/dev/zero')

# A malformed row: its place; with --skip-bad it is in no part.
for name, row, place, options in (
        ('svm', '1 a:1', '3:3', []), ('csv', '1,2,3', '3:5', []), ('csv', '"1,2', '3:1', []),
        ('csv', '1,2 "x"', '3:5', []), ('vw', 'a b c', '3', ['--format', 'vw']), ('jsonl', '{"label": "a", x}', '3:16', []),
        ('ft', '__label__ x', '3', ['--format', 'fasttext'])):
    good = {'svm': ['1 1:1', '2 2:1'], 'csv': ['1,a', '2,b'], 'vw': ['1 | a', '2 | b'],
            'jsonl': ['{"label": "a", "x": 1}', '{"label": "b", "x": 2}'], 'ft': ['__label__a x', '__label__b y']}[name]
    rows = [*good, row, *(good * 4)]
    write(f'bad.{name}', ''.join(f'{row}\n' for row in rows))
    write('b-train.' + name, 'old')
    done = run('split', f'bad.{name}', '-o', 'b', '--test', '2', *options)
    if done.returncode == 0 and name == 'ft':
        continue # it is a word
    if done.returncode != 2 or f'bad.{name}:{place}' not in done.stderr:
        complain(f'{row}: {done.returncode} {done.stderr}')
    equal(read('b-train.' + name), 'old', f'{row}: the old file')
    report = parsed(tlu('split', f'bad.{name}', '-o', 'b', '--test', '2', '--skip-bad', '--json', *options))
    equal((report['rows'], report['skipped']), (10, 1), f'{row} --skip-bad')
    lines = sorted((read(f'b-train.{name}') + read(f'b-test.{name}')).splitlines())
    equal(lines, sorted(good * 5), f'{row} --skip-bad')

# ---- failures

ROWS = 'x,y\n' + ''.join(f'{i:0100d},{"ab"[i % 2]}\n' for i in range(3000))
write('rows.csv', ROWS)
write('tiny.csv', 'x,y\n' + '1,a\n2,b\n' * 10)


def old_files():
    for part in ('train', 'validation', 'test'):
        write(f'f-{part}.csv', 'old')


def left(what):
    """The number of files that were replaced."""
    here = [name for name in os.listdir('.') if name.startswith('.tlu')] + os.listdir('tmp')
    if here:
        complain(f'{what}: left {here}')
    return sum(read(f'f-{part}.csv') != 'old' for part in ('train', 'validation', 'test'))


WORDS = ['split', 'rows.csv', '-o', 'f', '--validation', '0.1', '-q']


def limited(limit, words, stdin=None):
    old_files()
    done = subprocess.run([TLU, *words], capture_output=True, text=True, stdin=stdin,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    what = f'{words} with at most {limit} bytes'
    if done.returncode != 3 or 'File too large' not in done.stderr:
        complain(f'{what}: {done.returncode}: {done.stderr}')
    equal(left(what), 0, what)


for limit in (0, 100, 20000, 100000, 200000):
    limited(limit, WORDS)
for limit in (0, 200000):
    reader, writer = os.pipe()
    with subprocess.Popen(['cat', 'rows.csv'], stdout=writer):
        os.close(writer)
        limited(limit, ['split', '-', '-o', 'f', '--validation', '0.1', '-q'], stdin=reader)
        os.close(reader)

SHIM = os.environ.get('TLU_SHIM')
CALLS = {'open': ('EIO', 'EACCES'), 'read': ('EIO',), 'write': ('ENOSPC', 'EIO'), 'fsync': ('ENOSPC',), 'rename': ('EIO',),
         'close': ('EIO',)}


def faulty(**settings):
    env = dict(os.environ, LD_PRELOAD=SHIM, FAIL_MARK=os.path.abspath('mark'), **settings)
    env['ASAN_OPTIONS'] = env.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0'
    if os.path.exists('mark'):
        os.remove('mark')
    old_files()
    with open('tiny.csv' if settings['FAIL_HOW'] == 'error' else 'rows.csv', 'rb') as file:
        if settings['FAIL_HOW'] == 'error':
            words = ['split', '-', '-o', 'f', '--validation', '3', '-q', '--threads', '1']
        else:
            words = WORDS + ['--threads', '1']
        done = subprocess.run([TLU, *words], env=env, capture_output=True, text=True, stdin=file)
    return done, os.path.exists('mark')


if SHIM and os.path.exists(SHIM):
    for call, errors in CALLS.items():
        for name in errors:
            for n in range(1, 100):
                number = getattr(errno, name)
                done, hit = faulty(FAIL_HOW='error', FAIL_CALL=call, FAIL_AT=str(n), FAIL_ERRNO=str(number))
                what = f'{call} number {n} fails with {name}: {done.returncode} {done.stderr}'
                new = left(what)
                if done.returncode == 0:
                    equal(new, 3, what)
                elif 'power cut' in done.stderr:
                    equal((done.returncode, new), (3, 3), what)
                elif done.returncode not in (2, 3) or os.strerror(number) not in done.stderr:
                    complain(what)
                elif call not in ('rename', 'close'):
                    equal(new, 0, what)
                if done.returncode == 0 and hit and call in ('write', 'fsync', 'rename'):
                    complain(what)
                if not hit:
                    break
    for n in range(1, 12):
        done, hit = faulty(FAIL_HOW='full', FAIL_CALL='write', FAIL_AT=str(n))
        what = f'the disk is full from write {n} on: {done.returncode} {done.stderr}'
        new = left(what)
        if hit and (done.returncode != 3 or os.strerror(errno.ENOSPC) not in done.stderr or new):
            complain(what)

# A folder of temporary files that is not there, which only a pipe needs.
env = dict(os.environ, TMPDIR='/no/such/folder')
done = subprocess.run([TLU, 'split', '-', '-o', 'f'], input=ROWS, env=env, capture_output=True, text=True)
equal((done.returncode, 'TMPDIR names another folder' in done.stderr), (3, True), 'no TMPDIR')
equal(subprocess.run([TLU, 'split', 'rows.csv', '-o', 'f', '-q'], env=env).returncode, 0, 'TMPDIR is not needed')

# Ctrl-C while it waits for a pipe.
old_files()
with subprocess.Popen([TLU, 'split', '-', '-o', 'f', '--validation', '0.1'], stdin=subprocess.PIPE,
                      stderr=subprocess.PIPE, text=True) as waiting:
    waiting.stdin.write(ROWS * 8)
    waiting.stdin.flush()
    for _ in range(100): # until the files have been begun
        if any(name.startswith('.tlu') for name in os.listdir('.')):
            break
        time.sleep(0.05)
    waiting.send_signal(signal.SIGINT)
    try:
        waiting.wait(20)
    except subprocess.TimeoutExpired:
        complain('still there after Ctrl-C')
        waiting.kill()
    message = waiting.stderr.read()
    try:
        waiting.stdin.close()
    except BrokenPipeError:
        pass
equal('interrupted: no file was written' in message, True, f'Ctrl-C: {message}')
equal(waiting.returncode in (3, 130), True, f'exit code after Ctrl-C: {waiting.returncode}')
equal(left('Ctrl-C'), 0, 'Ctrl-C')

# Memory does not grow with the rows: 5 million names, 35 MB of text.
if not SANITIZED:
    for name in ('words.txt', 'texts.csv'):
        with open(name, 'w') as file:
            file.write('text,label\n' if name == 'texts.csv' else '')
            for i in range(1000):
                text = f' {i:x}-'.join(f'{j:x}' for j in range(5000))
                file.write(f'"{text}",{i % 2}\n' if name == 'texts.csv' else f'{i % 2}\t{text}\n')
        pid = os.spawnl(os.P_NOWAIT, TLU, TLU, 'split', name, '-o', 'g', '-q', '--threads', '1')
        _, status, usage = os.wait4(pid, 0)
        equal(status, 0, name)
        if usage.ru_maxrss > 45000:
            complain(f'{name}: {usage.ru_maxrss} kB of memory for {os.stat(name).st_size} bytes')
PYTHON
