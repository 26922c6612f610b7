# The columns of predict: their names, and the best classes of --top.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
from prelude import *


def lines(*words):
    return [line.split('\t') for line in tlu('predict', *words).splitlines()]


# Planes whose values are known: x, y and x + y - 1; of equal ones the first class is best.
tlu('import', '--plane', 'A: x', '--plane', 'B: y', '--plane', 'C: x + y - 1', '-o', 'three.tlu', '--quiet')
tlu('import', '--plane', '2 x + y - 1 > 0', '--labels', 'no,yes', '-o', 'two.tlu', '--quiet')
write('xy.csv', 'name,x,y\nfirst,3,1\nsecond,1,5\nthird,2,2\n')
data = 'xy.csv'

equal(lines('three.tlu', data), [['A'], ['B'], ['C']], 'labels')
equal(lines('three.tlu', data, '--column-names'), [['label'], ['A'], ['B'], ['C']], 'label')
equal(lines('three.tlu', data, '--column-names', '--scores'),
      [['label', 'score:A', 'score:B', 'score:C'], ['A', '3', '1', '3'], ['B', '1', '5', '5'], ['C', '2', '2', '3']],
      'scores')
equal(lines('three.tlu', data, '--column-names', '--scores', '--id', 'name', '--ambiguous'),
      [['id', 'label', 'ambiguous', 'score:A', 'score:B', 'score:C'], ['first', 'A', '?', '3', '1', '3'],
       ['second', 'B', '?', '1', '5', '5'], ['third', 'C', '', '2', '2', '3']], 'all columns')

equal(lines('three.tlu', data, '--top', '2', '--column-names'),
      [['label_1', 'score_1', 'label_2', 'score_2'], ['A', '3', 'C', '3'], ['B', '5', 'C', '5'],
       ['C', '3', 'A', '2']], '--top 2')
equal(lines('three.tlu', data, '--top', '1'), [['A', '3'], ['B', '5'], ['C', '3']], '--top 1')
everything = lines('three.tlu', data, '--top', '3')
equal(everything, [['A', '3', 'C', '3', 'B', '1'], ['B', '5', 'C', '5', 'A', '1'], ['C', '3', 'A', '2', 'B', '2']],
      '--top 3')
equal(lines('three.tlu', data, '--top', '1000', '--scores'), everything, 'more than there are')
equal(lines('three.tlu', data, '--top', '2', '--id', 'name', '--ambiguous', '--column-names')[:2],
      [['id', 'label_1', 'ambiguous', 'score_1', 'label_2', 'score_2'], ['first', 'A', '?', '3', 'C', '3']],
      '--top, the id and the mark')
equal([parsed(line) for line in tlu('predict', 'three.tlu', data, '--top', '2', '--json').splitlines()][1],
      {'label': 'B', 'score': 5, 'top': [{'label': 'B', 'score': 5}, {'label': 'C', 'score': 5}]}, 'JSON')

# Two classes: the column of scores is that of the positive class; the other has the negative.
equal(lines('two.tlu', data, '--column-names', '--scores')[:2], [['label', 'score:yes'], ['yes', '6']], 'two classes')
equal(lines('two.tlu', data, '--top', '2')[0], ['yes', '6', 'no', '-6'], 'two classes, --top')
# The predicted class is first, also if a threshold decides.
equal(lines('two.tlu', data, '--top', '2', '--threshold', '6.5'),
      [['no', '-6', 'yes', '6'], ['no', '-6', 'yes', '6'], ['no', '-5', 'yes', '5']], 'a threshold')

# Probabilities: those of --probabilities, in another order; labels with tabs are escaped.
write('tab.jsonl', (json.dumps({'label': ('a', 'b\tc', 'd')[i % 3], 'features': {'x': i % 3, 'y': i % 2}}) + '\n'
                    for i in range(60)))
tlu('train', 'tab.jsonl', '--learner', 'logistic', '--multiclass', 'wta', '-o', 'tab.tlu', '--quiet')
labels = ['a', 'b\\tc', 'd']
names, *rows = lines('tab.tlu', 'tab.jsonl', '--column-names', '--scores', '--probabilities')
equal(names, ['label', *('score:' + label for label in labels), *('probability:' + label for label in labels)],
      'names with tabs')
best_names, *best = lines('tab.tlu', 'tab.jsonl', '--column-names', '--probabilities', '--top', '2')
equal(best_names, ['label_1', 'probability_1', 'label_2', 'probability_2'], 'names of probabilities')
both_names, *both = lines('tab.tlu', 'tab.jsonl', '--column-names', '--probabilities', '--scores', '--top', '3')
equal(both_names, [f'{what}_{k}' for k in (1, 2, 3) for what in ('label', 'score', 'probability')], 'both')
for row, found, all_three in zip(rows, best, both):
    order = sorted(range(3), key=lambda k: -float(row[1 + k]))
    equal(found, [text for k in order[:2] for text in (labels[k], row[4 + k])], 'the best two')
    equal(all_three, [text for k in order for text in (labels[k], row[1 + k], row[4 + k])], 'all three')
if len({tuple(row) for row in rows}) < 3:
    complain('the rows are alike')

refused('--top is a whole number from 1 to 1000000', 'predict', 'two.tlu', data, '--top', '0')
refused('cannot be combined with --json', 'predict', 'two.tlu', data, '--column-names', '--json')
refused('has no probabilities', 'predict', 'two.tlu', data, '--top', '2', '--probabilities')
PYTHON
