# Random files in Vowpal Wabbit's format, fastText's, JSON lines and labelled text: one pass of the
# perceptron over the rows of tests/format_reader.py, a second reader, has the same weights.
set -u
command -v python3 >python || exit 77
failures=0
complain()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
second=$TLU_SOURCE/tests/format_reader.py

cat >compare.py <<'END'
import sys
def read(path, escaped):
    weights = {}
    for line in open(path, "rb").read().split(b"\n"):
        if line:
            label, feature, weight = (line.replace(b"\\\\", b"\\") if escaped else line).split(b"\t")
            assert (label, feature) not in weights, feature
            if float(weight):
                weights[label, feature] = float(weight)
    return weights
a, b = read(sys.argv[1], True), read(sys.argv[2], False)
for key in sorted(set(a) | set(b)):
    if a.get(key) != b.get(key):
        sys.exit("%r: tlu has %r, the second reader %r" % (key, a.get(key), b.get(key)))
if len(a) < 20:
    sys.exit("only %d weights" % len(a))
END

runs=0
check() # FORMAT SEED OPTIONS...
{
    local form=$1 seed=$2
    shift 2
    python3 "$second" make "$form" "$seed" >data
    "$TLU" train data -o model.tlu --format "$form" --epochs 1 --decide last --quiet "$@" 2>errors ||
        { complain "$form $seed: $(cat errors)" && return; }
    "$TLU" inspect model.tlu --weights >first 2>errors || complain "$form $seed: inspect: $(cat errors)"
    python3 "$second" learn "$form" data "$@" >second || complain "$form $seed: the second reader"
    python3 compare.py first second 2>errors || complain "$form $seed $*: $(cat errors)"
    runs=$((runs + 1))
}

for seed in 1 2 3 4; do
    check vw $seed
    check jsonl $seed
    check fasttext $seed
    check text $seed
    check jsonl $seed --ngrams 2 --lowercase
    check text $seed --ngrams 3
    check fasttext $seed --lowercase
done
[ $runs -eq 28 ] || complain "only $runs runs"
[ $failures -eq 0 ]
