# tlu tune: the command that it prints gives the model that it saves; the same outcome with a budget
# whatever the kernels and threads; scores are those of tlu cv; what is wrong is said.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
import os, shlex, signal, subprocess, time
from prelude import *

DIGITS = f'{DATA}/digits-train.svm'


def tune(*words, stdin=None):
    return parsed(tlu('tune', *words, '--json', stdin=stdin), 'tune')


def content(path):
    with open(path, 'rb') as file:
        return file.read()


# ---- the command line gives the model, the score is that of cv ----

with open('words.tsv', 'w') as file:
    for i in range(400):
        good, negated = i % 2, i // 2 % 2
        file.write(f'{"pos" if good ^ negated else "neg"}\tIt is {"not " * negated}{"Good" if good else "bad"} '
                   f'film {i % 7} of {i % 11}\n')
with open('two words.csv', 'w') as file:
    file.write('a b,c,y\n')
    file.writelines(f'{i % 17},{"u" if i % 5 else "v"},{"p" if i % 17 + 3 * (i % 3) > 9 else "q"}\n' for i in range(200))

for data, *options in ([IRIS], [WEATHER, '--class-weight', 'balanced'], ['words.tsv'], ['two words.csv', '--seed', 7],
                       ['words.tsv', '--learners', 'arow,scw1:C=1', '--hash', 12]):
    result = tune(data, *options, '--budget', 800, '-o', 'tuned.tlu')
    best = result['candidates'][0]
    equal((best['name'], best['score']), (result['pick'], result['score']), 'the pick')
    words = shlex.split(result['command'])
    equal(words[:2], ['tlu', 'train'], result['command'])
    words[words.index('-o') + 1] = 'again.tlu'
    tlu(*words[1:], '--quiet')
    if content('tuned.tlu') != content('again.tlu'):
        complain(f'another model by {result["command"]}')
    given = words[3:words.index('-o')] + words[words.index('-o') + 2:]
    cv = parsed(tlu('cv', data, '-k', 5, *given, '--json'))
    if best['folds'] == 5 and '--multiclass' not in given and len(options) < 3:
        near(best['score'], cv['accuracy'], f'score of {best["name"]}')
    if result['passes'] > 800:
        complain(f'{result["passes"]} passes of 800')

# "not good" is bad: only pairs of words tell.
if 'ngrams=2' not in tune('words.tsv', '--budget', 1000, '-o', 'w.tlu')['pick']:
    complain('pairs of words were not found to matter')

# ---- other metrics, of which lower may be better ----

for metric in ('balanced-accuracy', 'log-loss', 'cost'):
    options = ['--metric', metric] + (['--costs', '1:5'] if metric == 'cost' else [])
    result = tune('two words.csv', *options, '--learners', 'logistic,perceptron', '--budget', 100000, '--exhaustive',
                  '-o', 'tuned.tlu')
    measured = [c for c in result['candidates'] if c['folds']]
    scores = [c['score'] for c in measured]
    equal(result['metric'], metric, 'metric')
    equal(scores, sorted(scores, reverse=metric == 'balanced-accuracy'), f'order by {metric}')
    refusing = {c['name'].split(':')[0] for c in result['candidates'] if c['fate'] == 'refused'}
    equal(refusing, {'perceptron'} if metric == 'log-loss' else set(), f'those without {metric}')
    words = shlex.split(result['command'])
    given = words[3:words.index('-o')] + words[words.index('-o') + 2:]
    near(result['score'], parsed(tlu('cv', 'two words.csv', '-k', 5, *given, *options, '--json'))['mean'], metric)
    words[words.index('-o') + 1] = 'again.tlu'
    tlu(*words[1:], '--quiet')
    equal(content('tuned.tlu') == content('again.tlu'), True, f'the model by {metric}')
refused('did you mean f1', 'tune', IRIS, '--metric', 'f11')

# ---- the same everywhere ----

outcomes = set()
for kernels in ('plain', 'sse2', 'avx2', 'avx512'):
    os.environ['TLU_SIMD'] = kernels
    if run('--version').returncode != 0:
        continue  # this CPU lacks it
    for threads in (1, 3):
        result = tune(DIGITS, '--budget', 300, '--threads', threads, '-o', 'same.tlu')
        outcomes.add((content('same.tlu'), str([(c['name'], c['score'], c['folds'], c['fate'])
                                                for c in result['candidates']])))
del os.environ['TLU_SIMD']
equal(len(outcomes), 1, 'outcomes with other kernels and threads')

# ---- standard input, and the default name ----

with open(IRIS) as file:
    text = file.read()
tlu('tune', '-', '--budget', 500, '-o', 'piped.tlu', stdin=text)
tlu('tune', IRIS, '--budget', 500, '-o', 'named.tlu')
equal(tlu('predict', 'piped.tlu', IRIS, '--scores'), tlu('predict', 'named.tlu', IRIS, '--scores'), 'piped')
tlu('tune', '-', '--budget', 100, stdin=text)
equal(os.path.exists('model.tlu'), True, 'model.tlu')

# ---- the table for people ----

lines = tlu('tune', IRIS, '--budget', 500, '--top', 2, '-o', 'm.tlu').splitlines()
if not lines[0].startswith('candidate') or 'more: --top 0' not in lines[3]:
    complain(f'table: {lines}')
everything = tlu('tune', IRIS, '--budget', 500, '--top', 0, '-o', 'm.tlu')
for name in [c['name'] for c in tune(IRIS, '--budget', 500, '-o', 'm.tlu')['candidates']]:
    if f'{name} ' not in everything:
        complain(f'{name} is not in the table')
if lines[-1] != 'tlu train ' + shlex.quote(IRIS) + ' -o m.tlu' + lines[-1].split('m.tlu')[1]:
    complain(lines[-1])

# ---- the end before the time ----

for more, text in ((['--learners', 'alma:alpha=0.5,arow:r=1'], 'hardly change the choice'), (['--repeats', 2], 'neighbours of the best were tried\n'),
                   (['--exhaustive', '--learners', 'arow'], 'measured on all folds')):
    out = tlu('tune', WEATHER, '--time', 1e7, *more, '-o', 'm.tlu')
    if 'ended     before the time was over' not in out or text not in out or 'not tried' in out:
        complain(f'the end: {out}')
if 'ended' in tlu('tune', WEATHER, '--budget', 500, '-o', 'm.tlu'):
    complain('the end of a budget')

# ---- time, Ctrl-C ----

tlu('generate', 'sparse', '--rows', 60000, '--features', 5000, '--nonzeros', 30, '-o', 'large.svm')
limited = tune('large.svm', '--time', 3, '--exhaustive', '-o', 'large.tlu')
equal(limited['limit'], 3, 'limit')
if not any(c['folds'] < 5 for c in limited['candidates']) or limited['seconds'] > 30:
    complain(f'--time 3: {limited["seconds"]} s, {limited["stopped"]}')
process = subprocess.Popen([TLU, 'tune', 'large.svm', '--time', '1000', '--exhaustive', '-o', 'cut.tlu'],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
time.sleep(2.5)
process.send_signal(signal.SIGINT)
out, errors = process.communicate(timeout=60)
if process.returncode == 0:
    if 'interrupted' not in out or not os.path.exists('cut.tlu'):
        complain(f'after Ctrl-C: {out}')
elif process.returncode != 3 or os.path.exists('cut.tlu'):
    complain(f'after Ctrl-C: {process.returncode} {errors}')

# ---- what is wrong ----

with open('one.svm', 'w') as file:
    file.write('a 1:1\n' * 9)
refused('too few for 5 parts', 'tune', '-', stdin='a 1:1\nb 2:1\n')
refused('class', 'tune', 'one.svm', '-o', 'x.tlu')
refused('did you mean logistic?', 'tune', IRIS, '--learners', 'logistc')
refused('did you mean alma?', 'tune', IRIS, '--learners', 'perceptron,allma:alpha=0.5')
refused('--budget is a whole number of 1 or more', 'tune', IRIS, '--budget', 0)
refused('not enough for one training', 'tune', IRIS, '--budget', 3)
refused('--time is a number from 0.001', 'tune', IRIS, '--time', 0)
refused('--folds', 'tune', IRIS, '--folds', 1)
refused('cannot open', 'tune', 'absent.csv')
refused('cannot be standard output', 'tune', IRIS, '-o', '-')
refused('did you mean --learners?', 'tune', IRIS, '--learner', 'alma')
refused("--epochs is given, and 'arow:epochs=30' sets it, too; leave one of them out", 'tune', IRIS, '--epochs', 5,
        '--learners', 'alma,arow:epochs=30')
# A given option holds for all candidates, and no name says another value.
kernels = tune(IRIS, '--learners', 'alma', '--kernel', 'linear', '--budget', 1000, '-o', 'k.tlu')
if any('kernel' in candidate['name'] for candidate in kernels['candidates']):
    complain(f"--kernel linear: {[candidate['name'] for candidate in kernels['candidates']]}")
equal(os.path.exists('x.tlu'), False, 'a model of nothing')
PYTHON

# Costs alone mean that the cost is to be low.
"$TLU" tune "$TLU_SOURCE/examples/data/weather.csv" --costs 1:5 --budget 500 --json -o costs.tlu >costs.json || complain 'tune --costs'
python3 -c 'import json; assert json.load(open("costs.json"))["metric"] == "cost"' || complain 'tune --costs goes by another metric'
# A net makes as many passes as it takes, and --budget counts them.
"$TLU" tune "$TLU_SOURCE/examples/data/iris.csv" --learners mlp --budget 60 -o mlp.tlu 2>errors.txt
[ $? -eq 2 ] && grep -q 'is not enough for one training: mlp takes 533' errors.txt || complain "$(cat errors.txt)"
