# A file size limit (ulimit -f) ends every verb that writes with exit code 3 and a message. No
# temporary file is left, a file that was there stays as it was, and rows that were answered are kept.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3
python3 - <<'PYTHON'
import glob
import resource
from prelude import *

XOR, TRAINING, TEST = 'a^b&c^d', f'{DATA}/digits-train.svm', f'{DATA}/digits-test.svm'

tlu('train', TRAINING, '-o', 'm.tlu', '--quiet', '--epochs', '1')
write('two.svm', ['+1 1:1 2:1\n', '-1 1:2\n', '+1 2:2\n', '-1 1:1\n'] * 50)
write('ones.svm', ['+1 1:1 2:1\n', '-1 1:1\n', '+1 2:1\n', '-1 3:1\n'] * 50)
tlu('train', 'two.svm', '-o', 'two.tlu', '--quiet')
tlu('train', 'ones.svm', '-o', 'ones.tlu', '--quiet', '--learner', 'perceptron')
tlu('separable', 'two.svm', '--proof', 'proof.txt')
write('net.txt', tlu('logic', XOR, '--as', 'text'))
with open('two.svm') as file:
    STREAM = file.read()


def limited(limit, words, to=None, stdin=None):
    """A run that may not write more than `limit` bytes into any file."""
    def set_limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    out = open(to, 'w') if isinstance(to, str) else to or subprocess.DEVNULL
    return subprocess.run([TLU, *words], input=stdin, stdout=out, stderr=subprocess.PIPE, text=True,
                          preexec_fn=set_limit)


def check(limit, words, to=None, target=None, stdin=None):
    if target:
        write(target, 'as it was')
    done = limited(limit, words, to, stdin)
    what = f'{" ".join(words)}{" > " + to if to else ""} with at most {limit} bytes'
    reasons = ('File too large', 'an earlier write failed')
    if done.returncode != 3 or not any(reason in done.stderr for reason in reasons):
        complain(f'{what}: exit code {done.returncode}: {done.stderr}')
    if target and open(target).read() != 'as it was':
        complain(f'{what}: {target} was changed')
    left = glob.glob('.tlu*') + glob.glob('*.tmp')
    if left:
        complain(f'{what}: left {left}')
        for name in left:
            os.remove(name)


# ---- what goes to a file of its own

FILES = [
    'train two.svm --quiet -o',
    'train two.svm --quiet --calibrate sigmoid -o',
    'tune two.svm --quiet --folds 2 --learners perceptron -o',
    'threshold two.tlu two.svm --quiet -o',
    f'predict m.tlu {TEST} -o',
    'convert two.svm --to binary -o',
    'convert two.svm --to csv -o',
    'generate blobs --rows 100 -o',
    'separable two.svm --proof',
    f'logic {XOR} -o',
    'logic --regex (ab)*c -o',
    'logic eval net.txt --as c -o',
    'logic from ones.tlu ones.svm -o',
    'eval two.tlu two.svm --curve roc',
]
PICTURES = ['plot two.svm two.tlu -o']
for words in FILES + PICTURES:
    words = words.split()
    names = ['picture.svg', 'picture.png'] if words[0] == 'plot' else ['target']
    for name in names:
        done = run(*words, name)
        if words[0] == 'plot' and 'cairo' in done.stderr:
            continue
        if done.returncode not in (0, 1):
            complain(f'{words} gives {done.returncode}: {done.stderr}')
            continue
        size = os.stat(name).st_size
        for limit in (0, size - 1):
            check(limit, words + [name], target=name)

# ---- standard output

PRINTS = [
    f'predict m.tlu {TEST}', 'eval two.tlu two.svm', 'cv two.svm --quiet', 'compare two.svm --quiet --learners perceptron,pa',
    'tune two.svm --quiet --folds 2 --learners perceptron', 'inspect two.tlu', 'explain two.tlu two.svm', 'trace two.svm',
    'separable two.svm', 'bound two.svm', 'check proof.txt two.svm', 'distance two.tlu two.svm', f'logic {XOR}',
    f'logic eval net.txt', 'logic from ones.tlu ones.svm', 'logic count 3', 'convert two.svm --to csv', 'generate blobs',
    'learners', 'help', '--man', '--reference', '--version', 'plot two.svm two.tlu --term',
]
for words in PRINTS:
    words = words.split()
    done = run(*words)
    if done.returncode not in (0, 1):
        complain(f'{words} gives {done.returncode}: {done.stderr}')
    for limit in (0, len(done.stdout.encode()) - 1):
        check(limit, words, to='out')

# ---- rows that are kept in a file for the second pass

check(1 << 20, f'train {TRAINING} --quiet -o target --memory 1 --epochs 2'.split(), target='target')

# ---- a stream: every row that was answered is learned from, and a later run goes on

ROWS = STREAM.splitlines(keepends=True)
tlu('stream', 'whole.tlu', '--quiet', stdin=STREAM)
for limit in (0, 7, 8, 100, 700, 1500):
    for name in glob.glob('s.tlu*'):
        os.remove(name)
    done = limited(limit, 'stream s.tlu --journal --quiet'.split(), stdin=STREAM, to=subprocess.PIPE)
    answered = done.stdout.count('\n')
    if done.returncode != 3 or 'File too large' not in done.stderr:
        complain(f'a stream with at most {limit} bytes: exit code {done.returncode}: {done.stderr}')
    if glob.glob('.tlu*'):
        complain(f'a stream with at most {limit} bytes: left {glob.glob(".tlu*")}')
    first = json.loads(run('stream', 's.tlu', '--journal', '--json', stdin='').stderr.splitlines()[0])
    if first['learned'] < answered:
        complain(f'a stream with at most {limit} bytes: {answered} rows answered, {first["learned"]} kept')
    tlu('stream', 's.tlu', '--journal', '--quiet', stdin=''.join(ROWS[first['learned']:]))
    if open('s.tlu', 'rb').read() != open('whole.tlu', 'rb').read():
        complain(f'a stream with at most {limit} bytes ends in another model')
check(100, 'stream answers.tlu --quiet'.split(), to='out', stdin=STREAM)
PYTHON
