# Ambiguous rows, of predict and eval, counted by hand from the scores.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
exec python3 - <<'PYTHON'
from prelude import *

# One versus the rest, by hand: ambiguous where not exactly one score is above 0; one versus one where
# several classes have the most votes.
for scheme in ('ovr', 'ovo'):
    tlu('train', '--learner', 'perceptron', IRIS, '-o', 'a.tlu', '--quiet', '--multiclass', scheme, '--epochs', 2, '--decide', 'last')
    lines = [line.split('\t') for line in
             tlu('predict', 'a.tlu', IRIS, '--scores', '--ambiguous').splitlines()]
    expected = 0
    for number, (label, mark, *scores) in enumerate(lines, 1):
        scores = [float(score) for score in scores]
        unclear = sum(s > 0 for s in scores) != 1 if scheme == 'ovr' else \
            sum(s == max(scores) for s in scores) > 1
        expected += unclear
        equal(mark, '?' if unclear else '', f'{scheme}: the mark of row {number}')
    note = run('predict', 'a.tlu', IRIS, '--ambiguous').stderr
    if f'{expected} row' not in note:
        complain(f'{scheme}: {expected} rows are ambiguous, and it says: {note}')
    result = parsed(tlu('eval', 'a.tlu', IRIS, '--json'), 'eval')
    equal(result['ambiguous'], expected, f'{scheme}: ambiguous rows in eval')
    if f'({expected} of 150' not in tlu('eval', 'a.tlu', IRIS):
        complain(f'{scheme}: eval does not print {expected} ambiguous rows')
    if scheme == 'ovr' and expected == 0:
        complain('the example has no ambiguous rows')
PYTHON
