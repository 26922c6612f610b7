#!/bin/bash
# What verbs do on a terminal and nowhere else: colours and animations of tlu plot --term, the prompt of
# tlu game, progress and Ctrl-C of tlu logic count.
. "$TLU_SOURCE/tests/prelude.sh"
need_terminal
"$TLU" generate line --rows 25 -o line.svm

python3 - <<'PYTHON'
import os
import pty
import re
import signal
import subprocess
import time

from prelude import *
from terminal import *


def shown(*words, **options):
    seen, code = on_terminal(*words, **options)
    return seen.decode(), code


# ---- tlu plot --term

plot = ('plot', 'line.svm', '--term')
text, code = shown(*plot)
equal(code, 0, 'on a terminal')
equal('\x1b[48;5;' in text and '\x1b[38;5;' in text, True, 'colours')
equal(all('\x1b' not in line or line.endswith('\x1b[0m') or line.count('\x1b[0m') for line in text.split('\n')), True,
      'colours end')
plain, _ = shown(*plot, NO_COLOR='1')
equal('\x1b' in plain, False, 'NO_COLOR')
equal(plain, tlu(*plot, '--size', '100x29'), 'as large as the terminal, less the line of the prompt')
equal(shown(*plot, TERM='dumb')[0], plain, 'TERM=dumb')
equal(shown(*plot, COLUMNS='60', LINES='21', NO_COLOR='1')[0], tlu(*plot, '--size', '60x20'), '$COLUMNS, $LINES')
equal(shown(*plot, COLUMNS='wide', NO_COLOR='1')[0], plain, '$COLUMNS that is no number')
light, _ = shown(*plot, COLORFGBG='0;15')
equal(light != text and light == shown(*plot, '--theme', 'light')[0], True, 'a light terminal')
equal(text, shown(*plot, '--theme', 'dark')[0], 'any other terminal')
equal(shown(*plot, '-o', 'line.txt')[0].count('\x1b'), 0, 'to a file')
equal('\x1b' in open('line.txt', encoding='utf-8').read(), False, 'a file has no colours')

# ---- a run: every frame where the last one was

film = ('plot', '--run', 'line.svm', '--learner', 'perceptron', '--term')
frames = parsed(tlu(*film, '--json'))['frames']
equal(frames > 3, True, f'{frames} frames')
played, code = shown(*film, '--fps', '50')
equal(code, 0, 'a run')
equal((played.count('\x1b[29A'), played.count('\n')), (frames - 1, 29 * frames), 'frames')
equal((played.startswith('\x1b[?25l'), played.endswith('\x1b[?25h')), (True, True), 'the cursor')
last = re.split('\x1b\\[29A\r', played)[-1]
equal([line.rstrip(' ') for line in without_sequences(last).split('\n')][:3],
      tlu(*film, '--size', '100x29').split('\n')[:3], 'the last frame is what is printed without a terminal')
begin, code = shown(*film, '--fps', '0.01', interrupt_after=29)
equal((code, begin.count('\x1b[29A'), begin.endswith('\x1b[?25h')), (0, 0, True), 'Ctrl-C')

# ---- tlu game: the prompt has v and u

here, there = pty.openpty()
os.write(here, b'0.6 0\n-\nquit\n')
done = subprocess.run([TLU, 'game'], stdin=there, capture_output=True, text=True)
for part in ('You are A: give the numbers', 'x> B says +1\nlabel> mistake 1',
             'v = (-0.6, 0), u = (-1, 0); x> 1 mistake in 1 round'):
    equal(part in done.stdout, True, f'{part} in {done.stdout}')

# ---- tlu logic count: a terminal sees how far it is; the first Ctrl-C ends it, soon

here, there = pty.openpty()
process = subprocess.Popen([TLU, 'logic', 'count', '9'], stdout=subprocess.PIPE, stderr=there, text=True)
os.close(there)
seen = b''
while b' classes' not in seen:
    seen += os.read(here, 4096)
process.send_signal(signal.SIGINT)
begin = time.time()
output = process.communicate(timeout=60)[0]
equal((process.returncode, output), (130, ''), 'Ctrl-C')
while b'interrupted' not in seen:
    seen += os.read(here, 4096)
equal(seen.decode().endswith('\x1b[Ktlu: the count was interrupted\r\n'), True, seen[-200:])
equal(time.time() - begin < 20, True, 'soon')
PYTHON
