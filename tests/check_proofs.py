"""tests/cli/check.sh: what tlu check says about proofs that hold, that do not, and that are damaged."""

import os
import random
import re
import string

import check_proof
from proofs import *
from prelude import *

OR = [(-1, (0, 0)), (1, (0, 1)), (1, (1, 0)), (1, (1, 1))]
XOR = [(-1, (0, 0)), (1, (0, 1)), (1, (1, 0)), (-1, (1, 1))]
SIGN = {1: '+1', -1: '-1'}


def check(proof, data, name='proof'):
    """(accepted or not, the line and the reason of a rejection)."""
    write('data.txt', data)
    write(name, proof)
    done = run('check', name, 'data.txt')
    if not proof.startswith('tlu proof '):  # a wrong argument
        if done.returncode != 2 or 'is not a proof' not in done.stderr or done.stdout:
            complain(f'tlu check gives {done.returncode}: {done.stderr} of\n{proof}')
        return False, done.stderr.strip()
    if done.returncode not in (0, 1) or done.stderr:
        complain(f'tlu check gives {done.returncode}: {done.stderr} of\n{proof}')
    return done.returncode == 0, done.stdout.strip()


def accepted(lines, data, part):
    ok, said = check(sealed(lines), data)
    if not ok or part not in said:
        complain(f'{said}, expected {part}: {lines}')


def rejected(lines, data, part, what):
    ok, said = check(sealed(lines) if isinstance(lines, list) else lines, data)
    if ok or part not in said:
        complain(f'{what}: {said}, expected {part}')


def labelled(rows):
    return libsvm([(SIGN[y], x) for y, x in rows])


def cited(rows, coefficients):
    """Lines `row` for two classes."""
    return [f'row {c} {i + 1} ' + ('1 2 1' if rows[i][0] > 0 else '2 1 1')
            for i, c in sorted(coefficients.items())]


# The OR of the notes: w = (2, 2), b = -1 has the margin 1 / sqrt(8), which is half the distance
# between (0, 0) and the line through (0, 1) and (1, 0): sqrt(1/2) / 2.
OR_PROOF = head(4) + ['claim separable', 'offset -1 1', 'weight 2 1 1', 'weight 2 1 2', 'low 1/8',
                      'high 1/8', *cited(OR, {0: 2, 1: 1, 2: 1})]
XOR_PROOF = head(4) + ['claim not-separable', *cited(XOR, {i: 1 for i in range(4)})]
WRONG = 'rejected: proof:'
accepted(OR_PROOF, labelled(OR), 'separable, 4 rows of 2 classes, margin at least 0.35355339')
accepted(XOR_PROOF, labelled(XOR), 'accepted: not separable')
equal((ratio(margin_low(OR, (2, 2), -1)), ratio(margin_high(OR, {0: 2, 1: 1, 2: 1}))),
      ('1/8', '1/8'), 'the margin by fractions')

# Without a bias three points on a line contradict each other in pairs.
LINE = [(1, (1,)), (-1, (2,))]
accepted(head(2, bias=0) + ['claim not-separable', 'row 2 1 1 2 1', 'row 1 2 2 1 1'], labelled(LINE),
         'not separable')
rejected(head(2) + ['claim not-separable', 'row 2 1 1 2 1', 'row 1 2 2 1 1'], labelled(LINE),
         'do not add up to 0 in set, class and feature 1', 'the bias counts')

# Fewest mistakes: XOR takes one; with w = (2, 2), b = -1 it is the last row.
accepted(head(4) + ['claim mistakes 1 1', 'offset -1 1', 'weight 2 1 1', 'weight 2 1 2',
                    *cited(XOR, {i: 1 for i in range(4)})], labelled(XOR), 'from 1 to 1, 4 rows')
rejected(head(4) + ['claim mistakes 1 2', 'offset -1 1', 'weight 2 1 1', 'weight 2 1 2',
                    *cited(XOR, {i: 1 for i in range(4)})], labelled(XOR),
         WRONG + '6: the weights make another number', 'more mistakes than there are')
rejected(head(4) + ['claim mistakes 2 1', 'offset -1 1', 'weight 2 1 1', 'weight 2 1 2',
                    *(line[:-1] + str(1 + i // 2) for i, line in
                      enumerate(cited(XOR, {i: 1 for i in range(4)})))], labelled(XOR),
         'do not add up to 0', 'a set cut in two')

# Three classes, winner takes all: points at 0, 1 and 2 on a line are separated by the parabola
# 2 k x - k^2; in the order 0, 2, 1 of classes with two rows each they are not.
THREE = 'a 1:0\nb 1:1\nc 1:2\n'
ABC = ('1 a', '2 b', '3 c')
accepted(head(3, 3, labels=ABC) + ['claim separable', 'offset -1 2', 'offset -4 3', 'weight 2 2 1',
                                   'weight 4 3 1'], THREE, 'separable, 3 rows of 3 classes')
rejected(head(3, 3, labels=ABC) + ['claim separable', 'offset -1 2', 'offset -4 3', 'weight 2 2 1',
                                   'weight 3 3 1'], THREE, 'data.txt:3: the weights do not put',
         'a tie between classes')
TWICE = 'a 1:0\nb 1:1\na 1:2\nc 1:5\n'
accepted(head(4, 3, labels=ABC) + ['claim not-separable', 'row 1 1 1 2 1', 'row 2 2 2 1 1',
                                   'row 1 3 1 2 1'], TWICE, 'not separable, 4 rows of 3')

# CSV: columns of numbers and of categories, a header, quotes, missing values, a label left out.
CSV = ('# made by hand\nsize;shape;label\n1.5;round;apple\n7;"long; ""bent""";banana\n\n'
       ' 2 ;round;apple\n?;round;pear\n')
FRUIT = ['tlu proof 1', 'data csv 59 1 z ncl', 'question 1 1 3 2', 'label 0 pear', 'label 1 apple',
         'label 2 banana', 'claim separable', 'weight 1 1 2=round', 'weight -1 1 2=long; "bent"',
         'low 1/2']
accepted(FRUIT, CSV, 'separable, 3 rows of 2 classes, margin at least 0.7071')
# What the proof leaves out is said: of XOR with a third column that would separate it, that column.
accepted(FRUIT, CSV, ', 1 label left out')
accepted(head(4, bias=0, data='csv 44 0 r nnil') +
         ['claim not-separable', *(f'row 1 {line} {"2112"[line - 1]} {"1221"[line - 1]} 1' for line in (1, 2, 3, 4))],
         '0,0,0,-1\n0,1,1,+1\n1,0,1,+1\n1,1,0,-1\n', ', 4 rows of 2 classes, without a bias, 1 column left out')
rejected([line.replace(' z ', ' r ') for line in FRUIT], CSV, 'data.txt:7: a missing value', 'refuse')
rejected([line.replace('59 1', '59 0') for line in FRUIT], CSV, 'data.txt:2: expected a number',
         'the header as a row')
rejected([line.replace('question 1', 'question 0') for line in FRUIT], CSV,
         'data.txt:3: more digits after the point than the proof says', 'too few digits')
rejected(['label 0 plum' if line == 'label 0 pear' else line for line in FRUIT], CSV,
         'data.txt:7: the proof does not have the label pear', 'a label without a line')
rejected(FRUIT[:4] + ['label 0 plum'] + FRUIT[4:], CSV, WRONG + '5: no row of the data has the label',
         'a line without a label')
rejected([line.replace('59 1 z ncl', '59 1 z nnl') for line in FRUIT], CSV, 'expected a number',
         'a column of another kind')
# A header that hides a row: it would make XOR separable.
HIDDEN = '0,0,-1\n0,1,+1\n1,0,+1\n1,1,-1\n'
for hidden in HIDDEN, '?' + HIDDEN[1:]:
    rejected(['tlu proof 1', 'data csv 44 1 r nnl', 'question 0 1 3 2', 'label 1 +1', 'label 2 -1',
              'claim separable', 'offset 3 1', 'weight -2 1 1', 'weight -2 1 2'], hidden,
             'data.txt:1: the header would be an example', 'a hidden row')

# The example of the page: the command writes it (cli/readme), and this reader accepts it.
page = open(f'{SOURCE}/docs/proof-format.md').read()
data = re.search(r"printf -- '(.*)' >xor.svm", page)[1].replace('\\n', '\n')
answer, proof = re.search(r'^\$ tlu check xor.proof xor.svm && cat xor.proof\n(.*)\n((?:.*\n)*?)```$', page, re.M).groups()
equal(check(proof, data), (True, answer), 'docs/proof-format.md')

# What an attacker would try.
def changed(lines, old, new):
    if old not in lines:
        complain(f'no line {old}')
    return [new if line == old else line for line in lines]


for old, new, part in (
        ('row 2 1 2 1 1', 'row -2 1 2 1 1', '12: expected a coefficient'),
        ('row 2 1 2 1 1', 'row 0 1 2 1 1', 'expected a coefficient above 0'),
        ('row 2 1 2 1 1', 'row 2 1 1 2 1', 'data.txt:1: the proof has another class'),
        ('row 2 1 2 1 1', 'row 2 1 2 2 1', 'no such class'),
        ('row 2 1 2 1 1', 'row 2 1 2 3 1', 'no such class'),
        ('row 2 1 2 1 1', 'row 2 1 2 1 2', 'no such set'),
        ('row 2 1 2 1 1', 'row 3 1 2 1 1', 'do not add up to 0 in set, class and feature 1 1'),
        ('row 1 3 1 2 1', 'row 1 2 1 2 1', 'ascending order'),
        ('row 1 3 1 2 1', 'row 1 9 1 2 1', '14: this line of the data is not an example'),
        ('row 1 3 1 2 1', 'row 1 4 1 2 1', 'another margin follows than 1/8'),
        ('high 1/8', 'high 1/9', '11: another margin'), ('high 1/8', 'high 2/16', '11: another margin'),
        ('low 1/8', 'low 1/7', '10: another margin'), ('low 1/8', 'low 1/0', '10: another margin'),
        ('low 1/8', 'low x', '10: another margin'), ('low 1/8', 'low', 'expected'),
        ('weight 2 1 1', 'weight 0 1 1', 'a weight that is 0'),
        ('weight 2 1 1', 'weight 2 1 2', '9: a weight that is 0 or there already'),
        ('weight 2 1 1', 'weight 2 2 1', 'no such class'),
        ('weight 2 1 1', 'weight 2/1 1 1', "expected 'end'"),
        ('weight 2 1 1', 'weight  2 1 1', "expected 'end'"), ('weight 2 1 1', 'weight2 1 1', "expected 'end'"),
        ('weight 2 1 1', 'weight +2 1 1', "expected 'end'"), ('low 1/8', 'low  1/8', '10: another margin'),
        ('question 0 1 4 2', 'question 0 1 4 -2', "expected 'question'"),
        ('weight 2 1 1', 'weight 2 1 ', 'expected'), ('weight 2 1 1', '# nothing', 'data.txt:3: the w'),
        ('question 0 1 4 2', 'question 0 1 3 2', '3: the data has another number of rows'),
        ('question 0 1 4 2', 'question 0 1 5 2', '3: the data has another number of rows'),
        ('question 0 1 4 2', 'question 0 0 4 2', "7: expected 'end'"),
        ('question 0 1 4 2', 'question 1001 1 4 2', 'out of range'),
        ('question 0 1 4 2', 'question 0 2 4 2', 'out of range'),
        ('question 0 1 4 2', 'question 0 1 4 3', "expected 'label'"),
        ('question 0 1 4 2', 'question 0 1 4 1', 'out of range'),
        ('label 1 +1', 'label 1 -1', 'a label twice'), ('label 1 +1', 'label 1 1', 'not have the label'),
        ('label 1 +1', 'label 0 +1', 'another class'),
        ('label 2 -1', 'label 0 -1', 'classes come one after'),
        ('claim separable', 'claim unseparable', "expected 'claim'"),
        ('claim separable', 'claim not-separable', "expected 'row'"),
        ('claim separable', 'claim below', "expected 'high'"),
        ('data libsvm', 'data csv 44 0 r nnl', 'data.txt:1: fewer fields'),
        ('data libsvm', 'data csv 34 0 r nnl', 'out of range'),
        ('data libsvm', 'data csv 44 0 r nnll', 'one of them the label'),
        ('data libsvm', 'data csv 44 0 r', 'expected'), ('tlu proof 1', 'tlu proof 2', "'tlu proof 1'")):
    rejected(changed(OR_PROOF, old, new), labelled(OR), part, f'{new} instead of {old}')
rejected(head(4) + ['claim separable'], labelled(OR), 'data.txt:1: the weights do not', 'no weights')
rejected(head(4) + ['claim not-separable'], labelled(XOR), "expected 'row'", 'no rows')
rejected(head(4) + ['claim below', 'high 0'], labelled(XOR), "expected 'row'", 'a margin of nothing')
rejected(head(0), '', "expected 'claim'", 'no data')
rejected(OR_PROOF + ['row 1 4 1 2 1'], labelled(OR), 'do not add up', 'one row too many')
rejected(sealed(OR_PROOF) + '# more\n', labelled(OR), "after the line 'end'", 'more after the end')
rejected(sealed(OR_PROOF)[:-1], labelled(OR), "expected 'tlu proof 1'", 'no last newline')
rejected('', labelled(OR), 'is not a proof', 'an empty proof')
rejected(sealed(OR_PROOF).replace('low', 'l\0w'), labelled(OR), 'a NUL', 'a NUL')
rejected(OR_PROOF, labelled(OR) + '+1 1:1 1:2\n', 'data.txt:5: an index twice', 'an index twice')
rejected(OR_PROOF, labelled(OR) + '+1 1:1e3001\n', 'data.txt:5: a number with too many digits', 'a huge number')
rejected(OR_PROOF, labelled(OR) + '+1 1:1e-99999999999999999999\n', 'data.txt:5: more digits after the point',
         'a tiny number')
rejected(OR_PROOF, labelled(OR).replace(':1', ':0x1'), 'expected a number', 'hexadecimal')
rejected(OR_PROOF[:8] + ['weight ' + '9' * 100001 + ' 1 3'] + OR_PROOF[8:], labelled(OR), 'too long',
         'a number that is too long')
accepted(OR_PROOF, labelled(OR) + '\n# the end\n', 'separable')
# A nought is whole however it is written, and no row ends the data.
accepted(OR_PROOF, labelled(OR).replace(':0', ':-0.00e-5'), 'separable')
rejected(OR_PROOF, labelled(OR) + '+1 1:-0e-5\n-1 1:1\n', 'data.txt:5: the weights do not put',
         'a nought with a sign')

# Any single number changed is rejected: by what follows, or by the checksum. The same with a new
# checksum: then what is accepted must still be true, which for OR is tried here by fractions.
generator = random.Random(5)


def mutations(text):
    for match in re.finditer(r'-?\d+', text):
        old = match.group()
        for new in {str(int(old) + 1), str(int(old) - 1), '-' + old.lstrip('-'), '0', old + '0'} - {old}:
            yield match.start(), text[:match.start()] + new + text[match.end():]


for lines, data in ((OR_PROOF, labelled(OR)), (XOR_PROOF, labelled(XOR)), (FRUIT, CSV)):
    text = sealed(lines)
    for place, mutant in mutations(text):
        ok, said = check(mutant, data)
        if ok:
            complain(f'accepted with a number changed at {place}:\n{mutant}')

for place, mutant in mutations(''.join(line + '\n' for line in OR_PROOF)):
    lines = mutant.splitlines()
    ok, said = check(sealed(lines), labelled(OR))
    if not ok:
        continue
    weights = {f: int(n) for n, f in re.findall(r'^weight (-?\d+) 1 (\d+)$', mutant, re.M)}
    offset = int((re.findall(r'^offset (-?\d+) 1$', mutant, re.M) or [0])[0])
    if set(weights) - {'1', '2'} == set() and all(
            y * (weights.get('1', 0) * x[0] + weights.get('2', 0) * x[1] + offset) > 0 for y, x in OR):
        continue
    complain(f'accepted, though it is not true:\n{mutant}')

# Damaged proofs: never a crash, and what is accepted is what it was.
texts = [(sealed(OR_PROOF), labelled(OR)), (sealed(XOR_PROOF), labelled(XOR)), (sealed(FRUIT), CSV)]
for trial in range(1000 if os.environ.get('TLU_LONG') else 150):
    text, data = generator.choice(texts)
    damaged = text
    for _ in range(generator.randint(1, 3)):
        at = generator.randrange(len(damaged) + 1)
        kind = generator.randrange(4)
        piece = ''.join(generator.choice(string.digits + ' \n-/:#') for _ in range(generator.randint(1, 4)))
        if kind == 0:
            damaged = damaged[:at]
        elif kind == 1:
            damaged = damaged[:at] + piece + damaged[at:]
        elif kind == 2:
            damaged = damaged[:at] + piece + damaged[at + len(piece):]
        else:
            lines = damaged.splitlines(keepends=True)
            generator.shuffle(lines)
            damaged = ''.join(lines)
    ok, said = check(damaged, data)
    if ok and damaged != text:
        complain(f'accepted though damaged:\n{damaged}')

# A folder of small proofs about OR, one per way to go wrong; only good.proof holds.
folder = f'{SOURCE}/tests/data/proofs'
for name in sorted(os.listdir(folder)):
    if name == 'empty.proof':
        refused('is not a proof', 'check', f'{folder}/{name}', f'{folder}/or.svm')
    elif name.endswith('.proof'):
        done = run('check', f'{folder}/{name}', f'{folder}/or.svm')
        equal((done.returncode, done.stdout.split(':')[0]),
              (0, 'accepted') if name == 'good.proof' else (1, 'rejected'), name)

# Proofs of tlu separable about random sets: accepted; with any number changed, rejected; and with a
# new checksum after that, accepted only if the other checker, in Python, accepts it too.
def second_opinion(text):
    write('mutant', text)
    try:
        return check_proof.check('mutant', 'data.txt')
    except (AssertionError, ValueError, KeyError, IndexError, ZeroDivisionError, TypeError):
        return None


if 'clp' in run('--version').stdout:
    survivors = 0
    for trial in range(400 if os.environ.get('TLU_LONG') else 40):
        width, classes = generator.randint(1, 3), generator.choice((2, 2, 3))
        labels = list(range(classes)) + [generator.randrange(classes) for _ in range(generator.randint(1, 6))]
        rows = libsvm([(str(k), [generator.choice(('0', '1', '-1', '2', '0.5', '1e1')) for _ in range(width)])
                       for k in labels])
        write('random.svm', rows)
        options = generator.choice(((), ('--no-bias',), ('--approximate',)))
        done = run('separable', 'random.svm', '--proof', 'random.proof', '--quiet', *options)
        if done.returncode not in (0, 1):
            complain(f'tlu separable gives {done.returncode}: {done.stderr}')
            continue
        text = open('random.proof').read()
        ok, said = check(text, rows)
        if not ok or not second_opinion(text):
            complain(f'{said}: {second_opinion(text)} of\n{rows}{text}')
        for place, mutant in generator.sample(list(mutations(text)), 6):
            if check(mutant, rows)[0]:
                complain(f'accepted with a number changed at {place}:\n{rows}{mutant}')
            again = sealed(mutant.splitlines()[:-1])
            ok, said = check(again, rows)
            survivors += ok
            if ok and not second_opinion(again):
                complain(f'{said}, which the other checker rejects:\n{rows}{again}')
    print(survivors, 'changed proofs are other proofs that hold')
