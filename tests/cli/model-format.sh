# The model file as docs/model-format.md describes it: a second reader, written from that page, finds
# the weights that `tlu inspect --weights` prints, for models of several kinds; and the same training
# gives the same bytes.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3

# second NAME LEAST weights|rows: the second reader is to find in NAME.tlu what NAME.inspect has,
# LEAST of them at least; at the end, all at once. Weights are the same to the last digits but one.
second()
{
    echo "$@" >> seconds
}
cat > compare.py <<'END'
import io
import json
import sys
import model_reader

def read_weights(lines):
    weights = {}
    for line in lines:
        label, feature, weight = line.rstrip(b"\n").split(b"\t")
        if (label, feature) in weights:
            sys.exit("%s: %r is there twice" % (name, (label, feature)))
        weights[label, feature] = float(weight)
    return weights

def compare_weights(ours, theirs):
    a, b = read_weights(ours.splitlines()), read_weights(theirs.splitlines())
    largest = max(map(abs, a.values()))
    if len(a) < int(least):
        return "only %d weights" % len(a)
    for key in sorted(set(a) | set(b)):
        x, y = a.get(key, 0.0), b.get(key, 0.0)
        if abs(x - y) > 1e-14 * max(abs(x), abs(y)) + 1e-15 * largest:
            return "%r: inspect says %r, the second reader %r" % (key, x, y)

def rows(items):
    return sorted((str(label), int(line), float(alpha)) for label, line, alpha in items)

def compare_rows(ours, theirs):
    a = json.loads(ours)["examples_by_alpha"]
    a = rows((row["label"] or "", row["line"], row["alpha"]) for row in a)
    b = rows(line.split("\t") for line in theirs.decode().splitlines())
    if len(a) < int(least) or a != b:
        return "inspect has %d rows, the second reader %d: %s" % (
            len(a), len(b), [pair for pair in zip(a, b) if pair[0] != pair[1]][:3])

table = model_reader.Model("records.tlu").table
if table != {b"age": 5, b"colour": 6, b"in; come": 0, b"class": 2, b"note": 4, b"id": 3}:
    sys.exit("records: the columns are %r" % table)
for name, least, what in map(str.split, open("seconds")):
    second = io.BytesIO()
    model_reader.main(name + ".tlu", None, second)
    compare = compare_weights if what == "weights" else compare_rows
    wrong = compare(open(name + ".inspect", "rb").read(), second.getvalue())
    if wrong:
        sys.exit("%s: the readers differ: %s" % (name, wrong))
END

# check NAME LEAST DATA OPTIONS...: at least LEAST weights, the same for both readers
check()
{
    local name=$1 least=$2 data=$3
    shift 3
    "$TLU" train --learner perceptron "$data" -o "$name.tlu" "$@" 2> "$name.log" || { cat "$name.log"; exit 1; }
    "$TLU" inspect "$name.tlu" --weights > "$name.inspect"
    second "$name" "$least" weights
    # Once more, with another number of threads: not a byte differs.
    "$TLU" train --learner perceptron "$data" -o "$name-again.tlu" --threads 3 "$@" 2> "$name.log"
    cmp "$name.tlu" "$name-again.tlu"
}

awk 'BEGIN { srand(7); for (i = 0; i < 300; i++) {
    printf "%s", (i * 7 % 13 < 6) ? "+1" : "-1"
    for (j = 1; j < 40; j += 1 + int(8 * rand())) printf " %d:%.3f", j * j, rand() - (i % 2) * 0.3
    printf " %d:1\n", 3000000000 + i % 5 } }' > two.svm
awk 'BEGIN { srand(8); for (i = 0; i < 300; i++) {
    printf "c%d", i % 4
    for (j = 0; j < 30; j += 1 + int(9 * rand())) printf " %d:%d", j, (i + j) % 4 + 1
    printf "\n" } }' > four.svm
awk 'BEGIN { srand(9); print "age;colour;\"in; come\";class"
    split("red green blue", colour, " "); split("low mid high", label, " ")
    for (i = 0; i < 200; i++) { k = 1 + i % 3
        printf "%d;%s;%.2f;%s\n", 20 * k + 30 * rand(), colour[1 + int(3 * rand())],
            1000 * rand() + 100 * k, label[k] } }' > people.csv

check average 20 two.svm
check last 20 two.svm --decide last
check hashed 20 two.svm --hash 16
check hashed-csv 5 people.csv --hash 20
check other-side 20 two.svm --positive -1 --no-bias --rate 0.3
check scaled 20 two.svm --scale maxabs --decide last
check online 20 two.svm --scale online --epochs 1
check standard 20 two.svm --scale standard
check four 60 four.svm
check four-last 60 four.svm --decide last --holdout 0.2
check four-rest 60 four.svm --multiclass ovr
check four-pairs 60 four.svm --multiclass ovo --decide last
check four-states 60 four.svm --learner arow --multiclass ovo --scale standard
check two-shrunk 20 two.svm --learner romma --decide best
check two-live 20 two.svm --learner aromma
check four-live 60 four.svm --learner alma --multiclass ovr --decide last
check four-live-pairs 60 four.svm --learner romma --multiclass ovo
check four-decayed 60 four.svm --learner hinge --schedule sqrt --l2 0.1 --holdout 0.2
python3 -c '
import csv, json
for row in csv.DictReader(open("people.csv"), delimiter=";"):
    row["age"], row["note"] = float(row["age"]), "one of %(class)s or %(colour)s or less" % row
    print(json.dumps(dict(row, id=7)))' > people.jsonl
check people 15 people.csv
check records 15 people.jsonl --numeric 'in; come' --text note
check records-hashed 15 people.jsonl --hash 16 --categorical age
check people-scaled 15 people.csv --scale standard --epochs 3
awk '{ sub(/^c0/, ""); sub(/^c1/, "c1,c2"); sub(/^c3/, "c1,c2,c3"); print }' four.svm > sets.svm
check sets 60 sets.svm --multilabel
check sets-live 60 sets.svm --multilabel --learner romma --decide last --holdout 0.2
check sets-states 60 sets.svm --multilabel --learner arow --scale standard

# check_stream NAME LEAST DATA OPTIONS...: the same for a stream's model, in one run and in two; the weights in use
# must be those of WAY, if it is not empty
check_stream()
{
    local name=$1 least=$2 data=$3 way=$4
    shift 4
    "$TLU" stream "$name.tlu" --quiet "$@" < "$data" > "$name.log" || { cat "$name.log"; exit 1; }
    "$TLU" inspect "$name.tlu" --weights > "$name.inspect"
    second "$name" "$least" weights
    [ -z "$way" ] || "$TLU" inspect "$name.tlu" | grep -q "decision adaptive: now $way," ||
        { echo "$name: not decided by $way"; "$TLU" inspect "$name.tlu" | head -3; exit 1; }
    { head -n 150 "$data"; [ "$data" = people.csv ] && head -n 1 "$data"; tail -n +151 "$data"; } > "$name.rows"
    head -n 150 "$name.rows" | "$TLU" stream "$name-again.tlu" --quiet "$@" > "$name.log"
    tail -n +151 "$name.rows" | "$TLU" stream "$name-again.tlu" --quiet > "$name.log"
    cmp "$name.tlu" "$name-again.tlu"
}
# The last quarter says the opposite: what is recent, or last, is right.
awk '{ if (NR > 225) $1 = $1 == "+1" ? "-1" : "+1"; print }' two.svm > turned.svm
check_stream stream 20 two.svm ''
check_stream stream-turned 20 turned.svm ''
check_stream stream-none 20 two.svm '' --scale none --learner perceptron
check_stream stream-four 60 four.svm ''
check_stream stream-pairs 60 four.svm '' --multiclass ovo --learner romma
check_stream stream-rest 60 four.svm '' --multiclass ovr --learner alma
check_stream stream-decayed 60 four.svm '' --learner hinge --schedule sqrt --l2 0.1
check_stream stream-states 60 four.svm '' --learner arow --scale recent
check_stream stream-people 10 people.csv ''
check_stream stream-hashed 10 people.csv '' --hash 12
check_stream stream-sets 60 sets.svm '' --multilabel --format libsvm
check_stream stream-sets-live 60 sets.svm '' --multilabel --format libsvm --learner alma --label-separator ';'
# One feature that says what the label is, for as long as an average likes; then its opposite.
awk 'BEGIN { for (i = 0; i < 2000; i++) print (i % 2 ? "+1 1:1" : "-1 2:1")
    for (i = 0; i < 100; i++) print (i % 2 ? "-1 1:1" : "+1 2:1") }' > opposite.svm
check_stream stream-opposite 2 opposite.svm last --learner perceptron

# check_rows NAME LEAST DATA OPTIONS...: at least LEAST rows are kept, the same for both readers
check_rows()
{
    local name=$1 least=$2 data=$3
    shift 3
    "$TLU" train --learner perceptron "$data" -o "$name.tlu" "$@" 2> "$name.log" || { cat "$name.log"; exit 1; }
    "$TLU" inspect "$name.tlu" --examples 1000000 --json > "$name.inspect"
    second "$name" "$least" rows
}
check_rows kernel 50 two.svm --kernel rbf:0.5
check_rows kernel-pairs 50 four.svm --kernel poly:2 --multiclass ovo --decide last --epochs 3
check_rows vote 50 four.svm --decide vote --epochs 3
check_rows vote-states 50 four.svm --learner arow --decide vote --epochs 3
check_rows vote-sets 50 sets.svm --multilabel --decide vote --epochs 3
check_rows kernel-sets 50 sets.svm --multilabel --kernel rbf:0.5
check_rows vote-people 20 people.csv --decide random --kernel linear --scale standard --epochs 3

[ "$(wc -l < seconds)" = 45 ] || fail "the second reader has $(wc -l < seconds) models, not 45"
python3 compare.py || fail "a second reader of the file"

# Data in the place of the model, a cut model and a changed one are told apart.
refused()
{
    local status=0
    "$TLU" inspect "$1" > refused.out 2> refused.err || status=$?
    grep -qF "$2" refused.err && [ "$status" = 2 ] ||
        { echo "$1: status $status, expected: $2"; cat refused.err; exit 1; }
}
refused two.svm "two.svm: not a tlu model, but text, perhaps data; give a model that tlu train made"
head -c 100 average.tlu > cut.tlu
refused cut.tlu "cut.tlu: the model is cut short: it has 100 of"
{ head -c 200 average.tlu; printf 'x'; tail -c +202 average.tlu; } > changed.tlu
refused changed.tlu "changed.tlu: the model is damaged: its checksum is"
{ head -c 8 average.tlu; printf '\3'; tail -c +10 average.tlu; } > newer.tlu
refused newer.tlu "newer.tlu: the model was made by a newer version (format 3)"

# A device is written to, not replaced.
"$TLU" train --learner perceptron four.svm -o /dev/null 2> null.log
[ -c /dev/null ]
