#!/bin/bash
# What comes from data, and is not printable, does not reach a terminal or a message: labels, names of
# columns and features, categories, file names. Into files and pipes it goes as it is.
. "$TLU_SOURCE/tests/prelude.sh"
need_terminal
exec python3 - <<'PYTHON'
import os
import re
import subprocess
import unicodedata

from prelude import *
from terminal import *

# ESC and BEL; U+009B, which starts a command as ESC [ does, in UTF-8 and as a byte alone; U+202E, which
# reverses what follows.
EVIL = b'\x1b\x07\xc2\x9b\x9b\xe2\x80\xae'
ESCAPED = '\\x1B\\x07\\u{9B}\\x9B\\u{202E}'
AS_JSON = '\x1b\x07\x9b\ufffd\u202e'

pictures = ' cairo' in tlu('--version')
proofs = ' gmp' in tlu('--version') and ' clp' in tlu('--version')


def put(name, *lines):
    with open(name, 'wb') as file:
        file.write(b''.join(line + b'\n' for line in lines))
    return name


good, bad = b'good' + EVIL, b'bad' + EVIL
rows = [(1, 2, good), (2, 1, good), (3, 3, good), (-1, -2, bad), (-2, -1, bad), (-3, -3, bad)]
head = b'one' + EVIL + b',two' + EVIL + b',class' + EVIL
data = put(b'data' + EVIL + b'.csv', head, *(b'%d,%d,%s' % row for row in rows))
words = put(b'words' + EVIL + b'.vw', *(b'%d | word%s:%d' % (1 if x > 0 else -1, EVIL, x) for x, _, _ in rows))
kinds = put(b'kinds' + EVIL + b'.csv', b'colour' + EVIL + b',class', *(b'%s,%s' % (
    (b'red' if x > 0 else b'blue') + EVIL, label) for x, _, label in rows))
mixed = put(b'mixed' + EVIL + b'.csv', head, *(b'%d,%d,%s' % row for row in rows), b'1,2,' + bad, b'-1,-2,' + good)
strange = put(b'strange' + EVIL + b'.csv', head, b'1,2,other' + EVIL, b'nothing' + EVIL + b',3,' + good)
letters = put(b'letters' + EVIL + b'.txt', b'a' + EVIL, b'b')
symbol = b'x' + EVIL
turing = put(b'turing' + EVIL + b'.tm', b'q%s %s %s R halt' % (EVIL, symbol, symbol))
model, trained, named = (name + EVIL + b'.tlu' for name in (b'model', b'kinds', b'words'))
proof = b'proof' + EVIL + b'.txt'
for source, made in ((data, model), (kinds, trained), (words, named)):
    subprocess.run([TLU, 'train', source, '-o', made, '-q'], check=True)
if proofs:
    subprocess.run([TLU, 'separable', mixed, '--proof', proof, '-q'], stdout=subprocess.DEVNULL)


def is_safe(text, own):
    """Only printable characters, ends of lines, tabs and sequences of the command's own."""
    text = re.sub(own, '', text)
    return all(c in '\n\t' or unicodedata.category(c) not in ('Cc', 'Cf', 'Cs', 'Co', 'Zl', 'Zp') for c in text)


PROGRESS = '\r|\x1b\\[K'
DRAWING = '\r|\x1b\\[[0-9;?]*[A-Za-z]'
seen_whole = 0


def shows(*command, own=PROGRESS, codes=(0,), stdin=None):
    """Runs on a terminal, standard error too, and returns what it shows."""
    global seen_whole
    if stdin is not None:
        stdin = open(put(b'input', *stdin))
    seen, code = on_terminal(*command, stderr=subprocess.STDOUT, stdin=stdin)
    equal(code in codes, True, f'{command} gives {code}: {seen}')
    try:
        text = seen.decode()
    except UnicodeDecodeError as error:
        complain(f'{command}: {error}: {seen}')
        return ''
    if not is_safe(text, own):
        complain(f'{command} shows {text!r}')
    seen_whole += ESCAPED in text
    return text


def pipes(*command):
    """The bytes of standard output into a pipe."""
    return subprocess.run([TLU, *command], capture_output=True).stdout


def same_json(*command, codes=(0,)):
    """The JSON on a terminal is that of a pipe."""
    equal([parsed(line) for line in shows(*command, codes=codes).splitlines() if line[:1] in '{['],
          [parsed(line) for line in pipes(*command).decode().splitlines()], f'{command}')


# ---- each verb, with hostile labels, names and file names

shown = {}
commands = {
    'train': (data, '-o', b'again' + EVIL + b'.tlu'),
    'eval': (model, mixed, '--errors', '5'),
    'predict': (model, data, '--scores', '--ambiguous', '--id', b'one' + EVIL),
    'explain': (model, data),
    'inspect': (model,),
    'distance': (model, data, '--all'),
    'threshold': (model, data, '--for', 'f1', '-o', b'cut' + EVIL + b'.tlu'),
    'cv': (mixed, '--folds', '2'),
    'compare': (mixed, '--test', mixed, '--learners', 'perceptron,pa'),
    'trace': (data, '--steps', '3'),
    'separable': (mixed,),
    'bound': (data,),
    'convert': (data, '--to', 'csv'),
    'plot': (data, '-o', b'picture' + EVIL + b'.svg'),
}
codes = {'separable': (0, 1)}
if not proofs:
    del commands['separable'], commands['bound']
if not pictures:
    del commands['plot']
for verb, words_after in commands.items():
    shown[verb] = shows(verb, *words_after, codes=codes.get(verb, (0,)))
for verb in ('train', 'eval', 'explain', 'inspect', 'distance', 'threshold', 'separable', 'bound', 'convert', 'predict'):
    if verb in commands:
        equal(ESCAPED in shown[verb], True, f'{verb} shows {shown[verb]}')
equal(shown['predict'].splitlines()[0].startswith('1\tgood' + ESCAPED + '\t\t'), True, shown['predict'])
shows('inspect', model, '--weights')
shows('inspect', trained)
shows('inspect', named)
shows('explain', trained, kinds)
for form in ('text', 'markdown', 'csv', 'latex'):
    shows('trace', data, '--steps', '2', '--as', form)
shows('eval', model, strange, '--skip-bad', codes=(2,))
shows('tune', mixed, '-o', b'tuned' + EVIL + b'.tlu', '--folds', '2', '--learners', 'perceptron')
equal('good' + ESCAPED in shows('stream', b'live' + EVIL + b'.tlu', '--format', 'csv', '--label', b'class' + EVIL,
                                '--header', 'yes', stdin=(head, *(b'%d,%d,%s' % row for row in rows))), True, 'stream')
if proofs:
    shows('check', proof, mixed, codes=(0, 1))
    shows('check', proof, data, codes=(1, 2))
shows('plot', data, '--term', own=DRAWING)
shows('plot', '--run', data, '--learner', 'perceptron', '--term', '--fps', '50', own=DRAWING)
shows('plot', '--confusion', mixed, model, '--term', own=DRAWING)
shows('logic', b'"a%s" & b' % EVIL, codes=(0, 2))
shows('logic', '--table', '0110', '--names', b'a%s,b' % EVIL, codes=(0, 1, 2))
shows('logic', '--regex', b'a\x1b\xc2\x9b*', codes=(0, 1, 2))
shows('logic', '--automaton', letters, codes=(2,))
shows('logic', '--turing', turing)
shows('logic', '--turing', turing, '--as', 'text')
shows('logic', 'run', '--turing', turing, '--tape', symbol)
shows('logic', 'run', '--turing', turing, '--tape', b'y' + EVIL, codes=(2,))
shows('generate', b'ring' + EVIL, codes=(2,))
shows('game', '--u', EVIL, codes=(2,))
shows('help', b'train' + EVIL, codes=(2,))
shows('learners', b'x' + EVIL, codes=(2,))
equal(seen_whole > 10, True, f'{seen_whole} commands show the escaped name')

# ---- a name never ends a line, and a printed command can be pasted

lines = b'two\nlines\t' + EVIL
for command in (('train', data, '-o', lines + b'.tlu'), ('threshold', model, data, '--for', 'f1', '-o', lines + b'.tlu')):
    text = shows(*command)
    equal('\nmodel     two\\x0Alines\\x09' + ESCAPED in text, True, f'{command} shows {text}')
command = shown['compare'].splitlines()[-1]
equal(command.startswith("tlu train $'mixed\\x1B\\x07\\xC2\\x9B\\x9B\\xE2\\x80\\xAE.csv' -o "), True, command)
subprocess.run(['bash', '-c', command.replace('tlu', '"$TLU"', 1) + ' --quiet'], check=True)
equal(os.path.exists(b'mixed' + EVIL + b'.tlu'), True, f'{command} makes the model')

# ---- columns are as wide as what they hold

lines = [line for line in shown['eval'].splitlines() if line.startswith(('good\\x1B', 'bad\\x1B')) and '%' in line]
equal((len(lines), len({len(line) for line in lines})), (2, 1), f'{lines}')

# ---- JSON on a terminal says the same, by \\uXXXX

for command in (('predict', model, data, '--json'), ('inspect', model, '--json'), ('eval', model, mixed, '--json'),
                ('explain', model, data, '--json'), ('distance', model, data, '--json'),
                ('trace', data, '--steps', '2', '--as', 'json')):
    same_json(*command)
equal(parsed(pipes('predict', model, data, '--json').splitlines()[0])['label'], 'good' + AS_JSON, 'the label in JSON')
equal(r'good\u001b\u0007\u009b\ufffd\u202e' in
      shows('predict', model, data, '--json').replace('�', r'\ufffd'), True, 'JSON on a terminal')

# ---- pipes and files have the bytes of the data

for line in pipes('predict', model, data).splitlines():
    equal(line in (good, bad), True, f'{line} in a pipe')
on_terminal('predict', model, data, '-o', 'guesses.txt')
equal(set(open('guesses.txt', 'rb').read().splitlines()), {good, bad}, 'a file')
for part in (b'one' + EVIL, good):
    equal(part in pipes('inspect', model, '--weights'), True, f'{part} in a pipe')
equal(head in pipes('convert', data, '--to', 'csv'), True, 'convert into a pipe')

# A path that is a terminal, too.
here, there = pty.openpty()
subprocess.run([TLU, 'predict', model, data, '-o', os.ttyname(there)], check=True)
os.close(there)
equal(os.read(here, 4096).decode().startswith('good' + ESCAPED), True, 'a terminal by its path')

# ---- messages are escaped wherever they go

for verb, words_after in (('train', (b'no' + EVIL,)), ('predict', (b'no' + EVIL, data)), ('eval', (model, b'no' + EVIL)),
                          ('predict', (model, strange)), ('train', (b'--' + EVIL, data)), (b'verb' + EVIL, ()),
                          ('train', (data, '-o', b'no' + EVIL + b'/x')), ('train', (data, '--label', EVIL)),
                          ('predict', (model, data, '-o', b'no' + EVIL + b'/x')), ('logic', ('--pla', b'no' + EVIL)),
                          ('train', (data, '--learner', EVIL)), ('trace', (data, '--as', EVIL)),
                          ('plot', (data, '-o', b'picture.' + EVIL)), ('separable', (b'no' + EVIL,))):
    done = subprocess.run([TLU, verb, *words_after], capture_output=True)
    equal(done.returncode, 2, f'{verb} {words_after}: {done.stderr}')
    message = done.stderr.decode('utf-8', 'surrogateescape')
    equal(is_safe(message, 'x{0}') and message.count('\n') == 1, True, f'{verb} {words_after} says {message!r}')
    equal('\\x1B' in message, True, f'{verb} {words_after} says {message!r}')

# ---- pictures: no control reaches the file, no override reorders text

if pictures:
    for form in ('svg', 'pdf', 'png'):
        subprocess.run([TLU, 'plot', data, '-o', f'picture.{form}', '-q'], check=True)
    drawn = open('picture.svg', encoding='utf-8').read()
    equal(' on data' in drawn, True, 'the name of the file in the title')
    equal([hex(ord(c)) for c in drawn if unicodedata.category(c) in ('Cc', 'Cf') and c != '\n'], [], 'picture.svg')
PYTHON
