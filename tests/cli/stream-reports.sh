# A stream without a labelled row leaves the model as it is; --report-every, also across a restart and a
# kill, and what tlu plot --progress makes of it.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import signal
import time
from prelude import *


def state(path):
    about = os.stat(path)
    with open(path, 'rb') as file:
        return file.read(), about.st_ino, about.st_mtime_ns


# ---- nothing to learn

tlu('train', WEATHER, '-o', 'weather.tlu', '--quiet', '--learner', 'perceptron', '--epochs', '3')
report = tlu('inspect', 'weather.tlu', '--json')
before = state('weather.tlu')
row = 'rainy,mild,high,true,\n'
for words in ([], ['--journal'], ['--json'], ['--checkpoint', '0.01']):
    for text in ('', row, 'outlook,temperature,humidity,windy,play\n' + 3 * row):
        answers = tlu('stream', 'weather.tlu', '--quiet', *words, stdin=text)
        equal(len(answers.splitlines()), text.count(row), f'answers with {words}')
        equal(state('weather.tlu'), before, f'the model after {text!r} with {words}')
# A row that is refused is not learned from, either.
done = run('stream', 'weather.tlu', '--quiet', stdin=row + 'rainy,mild\n')
equal((done.returncode, state('weather.tlu')), (2, before), 'a malformed row')
# A signal that asks for a save, and one that ends.
for number in (signal.SIGHUP, signal.SIGTERM):
    process = subprocess.Popen([TLU, 'stream', 'weather.tlu', '--quiet'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    process.stdin.write(row.encode())
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(number)
    process.communicate()
    equal((process.returncode, state('weather.tlu')), (0, before), f'{number}')
equal(tlu('inspect', 'weather.tlu', '--json'), report, 'the training report')
tlu('stream', 'weather.tlu', '--quiet', stdin='rainy,mild,high,true,no\n')
if state('weather.tlu')[0] == before[0]:
    complain('a labelled row does not change the model')

# ---- --report-every

rows = [f'{i % 2} {1 + i % 2}:1\n' for i in range(1000)]


def reports(path):
    return [parsed(line) for line in open(path)]


def places(path):
    return [(report['examples'], report['learned']) for report in reports(path)]


tlu('stream', 'a.tlu', '--report-every', '30', '--log', 'a.log', '--quiet', stdin=''.join(rows[:100]))
equal(places('a.log'), [(0, 0), (30, 30), (60, 60), (90, 90), (100, 100)], 'reports')
# Rows without a label do not count; the end has no report of its own if the last row had one.
tlu('stream', 'a.tlu', '--report-every', '2', '--log', 'a.log', '--quiet',
    stdin='1:1\n'.join(rows[100:104]) + '1:1\n' + ''.join(rows[104:106]))
equal(places('a.log')[5:], [(0, 100), (2, 102), (4, 104), (6, 106)], 'reports of the second run')
equal([report['rows'] for report in reports('a.log')[5:]], [0, 3, 7, 10], 'rows of the second run')
lines = run('stream', 'b.tlu', '--report-every', '1', stdin=''.join(rows[:3])).stderr.splitlines()
equal([line.split()[1] for line in lines], ['labelled', '1', '2', '3'], 'a table')
equal(len(run('stream', 'c.tlu', stdin=''.join(rows[:9])).stderr.splitlines()), 6, '1, 2, 4, 8 and the end')
refused('--report-every is a whole number of 1 or more', 'stream', 'a.tlu', '--report-every', '0', stdin='')

# A kill: the next run goes on with what the journal has.
process = subprocess.Popen([TLU, 'stream', 'k.tlu', '--report-every', '50', '--log', 'k.log', '--quiet', '--journal'],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
process.stdin.write(''.join(rows[:120]))
process.stdin.flush()
for i in range(120):
    process.stdout.readline()
process.kill()
process.communicate()
tlu('stream', 'k.tlu', '--report-every', '50', '--log', 'k.log', '--quiet', '--journal', stdin=''.join(rows[120:220]))
equal(places('k.log'), [(0, 0), (50, 50), (100, 100), (0, 120), (50, 170), (100, 220)], 'reports across a kill')
picture = parsed(tlu('plot', '--progress', 'k.log', '--term', '--json'))
for name, value in (('runs', 2), ('reports', 4), ('examples', 100), ('learned', 220), ('logarithmic', 0)):
    equal(picture['figures'][name], value, f'plot: {name}')
if '2 runs' not in picture['caption']:
    complain(picture['caption'])
# Four reports at 50, 100, 170 and 220 of 220: their dots are there, on both curves.
tlu('plot', '--progress', 'k.log', '--size', '100x24', '-o', 'k.txt', '--quiet')
lines = open('k.txt', encoding='utf-8').read().split('\n')
axis = next(line for line in lines if '└' in line)
left, width = axis.index('└') + 1, len(axis.split('└')[1].rstrip())
area = [line[left:left + width] for line in lines[:lines.index(axis)]]
found = sorted({i for line in area for i, letter in enumerate(line) if letter in '●■'})
for place in (50, 100, 170, 220):
    if not any(abs(i - place * width / 220) <= 1 for i in found):
        complain(f'no dot at {place}: {found} of {width}')
PYTHON
