#!/bin/bash
# tlu logic count: the numbers of threshold functions (OEIS A000609), in text and JSON; what it refuses.
# How they are counted is unit/logic/test_count.c's; progress on a terminal is cli/terminal.sh's.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
gives 14 "$TLU" logic count 2 -q
gives "functions  65536 = 2^(2^4)
threshold  1882, a share of 0.028717041
bound      65536 = 2^(4^2)
classes    27 under permuting and negating inputs
           they come from 7 classes of self-dual functions of 5 inputs" "$TLU" logic count 4
refuses "N is the number of inputs, a whole number from 0 to 9, not '-1'" "$TLU" logic count -- -1
refuses "N is the number of inputs, a whole number from 0 to 9, not '2.5'" "$TLU" logic count 2.5
refuses "the threshold functions of 10 inputs are too many to go through, even by classes; the most is 9" \
    "$TLU" logic count 10
python3 - <<'PYTHON'
from prelude import *

counts = [2, 4, 14, 104, 1882, 94572, 15028134, 8378070864, 17561539552946]
for inputs, threshold in enumerate(counts[:8]):
    said = parsed(tlu('logic', 'count', inputs, '--json'))
    number = lambda value: value if value < 2**53 else str(value)
    equal((said['inputs'], said['functions'], said['threshold'], said['bound']),
          (inputs, number(2**2**inputs), number(threshold), number(2**inputs**2)), f'{inputs} inputs')
PYTHON
