# The bench runs through on tiny data, alone, and what it writes is whole. Its timings are looked at
# by nobody.
. "$TLU_SOURCE/tests/prelude.sh"
set -eo pipefail
need python3
programs=$(dirname "$TLU")/bench
[ -x "$programs/timed" ] || exit 77

# timed: the exit code is the command's, memory and seconds are believable, a limit ends it.
"$programs/timed" result.json 10 sh -c 'sleep 0.2; exit 5'
grep -q '"exit_code": 5' result.json || fail "exit code: $(cat result.json)"
python3 -c '
import json
result = json.load(open("result.json"))
assert 0.2 <= result["seconds"] < 10, result
assert 2**17 < result["memory"] < 2**30, result'
"$programs/timed" result.json 1 sleep 60
grep -q '"exit_code": -1' result.json || fail "limit: $(cat result.json)"

# read: counts as wc and the colons do.
"$TLU" generate sparse --rows 300 --features 500 --nonzeros 9 -o few.svm
"$programs/read" few.svm 2 >read.json
expected="{\"bytes\": $(wc -c <few.svm), \"rows\": 300, \"nonzeros\": $(tr -cd : <few.svm | wc -c),"
[[ $(cat read.json) == "$expected"* ]] || fail "read: $(cat read.json), expected $expected"

ROWS=200 ROUNDS=1 BENCH_PEERS=0 BENCH_BIG=0 BENCH_WORK=$PWD/work BENCH_OUT=$PWD/out \
    python3 -B "$TLU_SOURCE/bench/run" >printed 2>log || fail "bench/run: $(tail -n 5 log)"
python3 - <<'PYTHON'
import json
import re
import xml.etree.ElementTree

results = json.load(open('out/bench/results.json'))
for run in results['runs']:
    assert len(run['seconds_of_runs']) == 1, run
    assert not re.search(r'(^| )/', run['command']), 'a path of this machine: ' + run['command']
assert results['data']['rows'] == 200
# The sizes are of files that grow with the rows, and the held-out accuracy is a share.
sizes = [point['bytes'] for point in results['sizes']]
assert sizes == sorted(sizes) and len(set(sizes)) == len(sizes) > 3, sizes
# Every kind of file is measured; models do not depend on the instructions.
assert len({run['name'] for run in results['runs'] if run['group'] == 'formats'}) == 16
assert results['same_models'] is not False
accuracy = [run['accuracy'] for run in results['runs'] if run['group'] == 'train'][:5]
assert all(0 <= value <= 1 for value in accuracy), accuracy
for name in ('performance', 'performance-size'):
    assert xml.etree.ElementTree.parse(f'out/docs/{name}.svg').getroot().tag.endswith('svg')
page = open('out/docs/performance.md').read()
for mark in ('machine', 'formats', 'aims', 'earlier', 'tools', 'limits', 'instructions'):
    inside = re.search(f'<!-- {mark} -->(.*?)<!-- /{mark} -->', page, re.S)
    assert inside and len(inside.group(1)) > 20, mark
assert 'No other tool was measured' in open('out/README.md').read()
printed = open('printed').read()
assert 'tlu --epochs 5' in printed and 'tlu --epochs 5' in page
PYTHON

# The line through points that lie on one: 0.01 s and 2 s a GB.
python3 -B - "$TLU_SOURCE/bench" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
import picture
line = picture.fit([{'bytes': x, 'seconds': 0.01 + 2e-9 * x} for x in (1e7, 3e7, 5e8, 2e9)])
assert abs(line['start'] - 0.01) < 1e-9 and abs(line['slope'] - 2e-9) < 1e-15, line
assert abs(line['r2'] - 1) < 1e-9, line

# More than a tenth is too much; what is not committed yet is not compared.
import importlib.machinery
loader = importlib.machinery.SourceFileLoader('instructions', sys.argv[1] + '/instructions')
instructions = loader.load_module()
grown = instructions.growth({'a': 11.1, 'b': 10.9, 'c': 5, 'd': 7}, {'a': 10, 'b': 10, 'c': 10})
assert list(grown) == ['a'] and abs(grown['a'] - 1.11) < 1e-9, grown
PYTHON
echo "the bench runs through"
