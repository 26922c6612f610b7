#!/bin/bash
# tlu import, decimal weights of networks, and Kesler's construction, by hand.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 - <<'PYTHON'
from prelude import *

# 2 x + y - 1 at (2, 1) is 4; (0, 1) and (1/2, 0) are on the line.
write('points.csv', 'x,y,class\n2,1,1\n0,1,-1\n0.5,0,-1\n0,0,-1\n')
for relation, tie in (('>', '-1'), ('>=', '1')):
    tlu('import', '--plane', f'2 x + y {relation} 1', '-o', 'a.tlu', '--quiet')
    equal(tlu('predict', 'a.tlu', 'points.csv', '--scores'), f'1\t4\n{tie}\t0\n{tie}\t0\n-1\t-1\n', relation)
tlu('import', '--plane', '1/2 "a b" - 3 * c < 1.5', '--labels', 'in,out', '-o', 'b.tlu', '--quiet')
equal(tlu('inspect', 'b.tlu', '--weights'), 'out\t(bias)\t1.5\nout\ta b\t-0.5\nout\tc\t3\n', 'the negated plane')

# An order that agrees with all classes: x1 before x2 (C), both before x3.
table = 'A\tx1\t0.10000000000000001\nA\tx3\t1\nB\tx2\t1\nB\tx3\t1\nC\t(bias)\t2\nC\tx1\t1\nC\tx2\t-1\n'
write('table.tsv', table)
tlu('import', '--weights', 'table.tsv', '-o', 'c.tlu', '--quiet')
equal(tlu('inspect', 'c.tlu', '--weights'), table, 'the table')

for wrong, place in (('2 x + (y', 'plane:1:7'), ('', 'plane:1:1'), ('x + > 0', 'plane:1:5'), ('3/0 x', 'plane:1:3'),
                     ('"a x', 'plane:1:1'), ('2 3 x', 'plane:1:3'), ('A: x > 0', 'plane:1:6'), ('1e300 x', 'plane:1:1')):
    refused(place, 'import', '--plane', wrong, '-o', 'z.tlu')
for wrong, place in (('A\tx\n', 'bad.tsv:1:4'), ('A\tx\t1\t2\n', 'bad.tsv:1:6'), ('A\tx\tone\n', 'bad.tsv:1:5'),
                     ('A\tx\t1\nA\tx\t2\n', 'bad.tsv:2:1'), ('\tx\t1\n', 'bad.tsv:1:1')):
    write('bad.tsv', wrong)
    refused(place, 'import', '--weights', 'bad.tsv', '-o', 'z.tlu')

refused("--numeric: there is no feature 'z'", 'import', '--plane', 'x > 0', '--numeric', 'z', '-o', 'z.tlu')
write('and.net', 'inputs a b\nunit u = 0.5 a + 0.50 b >= 0.75\noutput y = u\n')
equal(tlu('logic', 'eval', 'and.net', '--as', 'text'), 'inputs a b\nunit u = 2 a + 2 b >= 3\noutput y = u\n', 'whole')
write('big.net', 'inputs a\nunit u = 4000000000000000000 a >= 1.25\noutput y = u\n')
refused('big.net:2:10', 'logic', 'eval', 'big.net')

write('wta.csv', 'x,class\n1,A\n2,B\n3,C\n')
equal(tlu('convert', 'wta.csv', '--kesler', '--no-bias', '--to', 'libsvm', '--quiet'),
      '1 1:1 2:-1\n1 1:1 3:-1\n1 1:-2 2:2\n1 2:2 3:-2\n1 1:-3 3:3\n1 2:-3 3:3\n', "E'")
refused('--no-bias', 'convert', 'wta.csv', '--no-bias', '--to', 'csv')
PYTHON
