# predict, explain and distance answer the rows of a pipe as soon as no more input is waiting, and
# how the rows arrive does not change the answers.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import gzip
import os
import random
import select
import subprocess
import time
from prelude import *

PATIENCE = 30  # seconds


def start(*words):
    return subprocess.Popen([os.environ['TLU'], *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def send(process, piece):
    process.stdin.write(piece)
    process.stdin.flush()


def answer(process, what):
    """What is printed while the pipe stays open, up to the end of a line."""
    got = b''
    end = time.monotonic() + PATIENCE
    while not got.endswith(b'\n'):
        ready, _, _ = select.select([process.stdout], [], [], max(0, end - time.monotonic()))
        part = os.read(process.stdout.fileno(), 1 << 16) if ready else b''
        if not part:
            process.kill()
            complain(f'{what}: no answer while the pipe is open; {process.communicate()[1]}')
            return None
        got += part
    return got


def converse(words, pieces, what):
    """pieces: (bytes, the answer that they have to get, or None if there is none yet)."""
    process = start(*words)
    for piece, expected in pieces:
        send(process, piece)
        if expected is None:
            time.sleep(0.02)  # so that it is read alone
        else:
            got = answer(process, what)
            equal(got, expected, f'{what}: {piece}')
            if got is None:
                return
    output, errors = process.communicate()
    equal((process.returncode, output, errors), (0, b'', b''), f'{what}: the end')


# Labels that follow from one word or one value, so that each answer is known.
write('a.csv', 'colour,size,label\nred,1,stop\ngreen,1,go\nred,2,stop\ngreen,2,go\n')
write('a.svm', '1 2:1\n-1 3:1\n1 2:1 4:1\n-1 3:1 4:1\n')
write('a.fast', '__label__stop red light\n__label__go green light\n' * 2)
write('a.text', 'stop\tred light\ngo\tgreen light\n' * 2)
write('a.vw', '1 |w red light\n-1 |w green light\n' * 2)
write('a.jsonl', '{"label": "stop", "text": "red light"}\n{"label": "go", "text": "green light"}\n' * 2)
write('one.csv', 'x,label\n1,up\n-1,down\n2,up\n-2,down\n')
for name in ('a.csv', 'a.svm', 'a.fast', 'a.text', 'a.vw', 'a.jsonl', 'one.csv'):
    tlu('train', name, '-o', name + '.tlu', '--quiet', '--learner', 'perceptron')

for threads in ('1', '2'):
    for name, pieces in (
            ('a.csv', [(b'size,colour\n', None), (b'1,red\n', b'stop\n'), (b'1,gr', None), (b'een\n', b'go\n'),
                       (b'1,"re', None), (b'd"\n2,"green"\n3,', b'stop\ngo\n'), (b'red\n', b'stop\n')]),
            ('a.csv', [(b'red,1\n', b'stop\n'), (b'green,1\r\n', b'go\n')]),
            ('a.csv', [(b'\xEF\xBB\xBFcolour,size\n\n', None), (b'red,1\n', b'stop\n')]),
            ('a.csv', [(b'# made by hand\n', None), (b'# size,colour\n', None), (b'1,red\n', b'stop\n'),
                       (b'1,green\n', b'go\n')]),
            ('a.svm', [(b'2:1\n', b'1\n'), (b'-1 3:1\n', b'-1\n'), (b'# none\n', None), (b'1 2:1\n', b'1\n')]),
            ('a.fast', [(b'a red one\n', b'stop\n'), (b'__label__go green\n', b'go\n')]),
            ('a.fast', [(b'{"text": "red"}\n', b'stop\n'), (b'{"text": "green"}\n', b'go\n')]),
            ('a.text', [(b'a red one\n', b'stop\n'), (b'go\tgreen\n', b'go\n')]),
            ('a.text', [(b'stop\tred\n', b'stop\n'), (b'green\n', b'go\n')]),
            ('a.vw', [(b'1 |w red\n', b'1\n'), (b'|w green\n', b'-1\n')]),
            ('a.jsonl', [(b'{"text": "red"}\n', b'stop\n'), (b'{"text":', None), (b' "green"}\n', b'go\n')]),
            ('one.csv', [(b'5\n', b'up\n'), (b'-1\n', b'down\n'), (b'\n', None), (b'1\n', b'up\n')])):
        words = ['predict', name + '.tlu', '-', '--threads', threads]
        converse(words, pieces, f'{name}, {threads} threads')

# The first byte of a row may be that of a compressed file.
write('p.csv', 'c,label\nP,up\n(,down\nP,up\n(,down\n')
tlu('train', 'p.csv', '-o', 'p.tlu', '--quiet', '--learner', 'perceptron')
converse(['predict', 'p.tlu', '-'], [(b'P\n', b'up\n'), (b'(\n', b'down\n')], 'P')

# The names of columns come with the first answer, explain and distance answer, too.
converse(['predict', 'a.csv.tlu', '-', '--column-names'],
         [(b'red,1\n', b'label\nstop\n'), (b'green,1\n', b'go\n')], '--column-names')
for verb in ('explain', 'distance'):
    process = start(verb, 'a.svm.tlu', '-')
    send(process, b'1 2:1\n')
    answer(process, verb)
    process.communicate()

# The same answers however the rows arrive.
rows = ['size,colour,label'] + [f'{i % 7},{random.Random(i).choice(("red", "green"))},go' for i in range(300)]
rows[50] = '5,"gr""\n\n,een",go'
write('rows.csv', '\n'.join(rows) + '\n')
write('rows.svm', ''.join(f'{i % 2} {2 + i % 5}:{i % 3} 9:1\n' for i in range(300)))
write('rows.txt', ''.join(f'{("go", "stop")[i % 2]}\tred | {i % 9} green light\n' for i in range(300)))
for model, name in (('a.csv', 'rows.csv'), ('a.svm', 'rows.svm'), ('a.text', 'rows.txt'), ('a.fast', 'rows.txt')):
    expected = tlu('predict', model + '.tlu', name, '--scores')
    with open(name, 'rb') as file:
        data = file.read()
    for seed in range(4):
        process = start('predict', model + '.tlu', '-', '--scores', '--threads', '1' if seed % 2 else '2')
        at = 0
        pick = random.Random(seed)
        while at < len(data):
            step = pick.choice((1, 7, 100, 1000))
            send(process, data[at:at + step])
            at += step
            if pick.random() < 0.3:
                time.sleep(0.0005)
        equal(process.communicate()[0].decode(), expected, f'{model} and {name} in pieces, seed {seed}')

# Binary data and compressed rows from a pipe that is written in pieces.
tlu('convert', 'rows.svm', '--to', 'binary', '-o', 'rows.bin')
with open('rows.bin', 'rb') as file:
    binary = file.read()
with open('rows.svm', 'rb') as file:
    packed = gzip.compress(file.read())
for data in (binary, packed):
    process = start('predict', 'a.svm.tlu', '-', '--scores')
    for at in range(0, len(data), 7):
        send(process, data[at:at + 7])
    equal(process.communicate()[0].decode(), tlu('predict', 'a.svm.tlu', 'rows.svm', '--scores'), 'packed data')
PYTHON
