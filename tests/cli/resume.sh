# tlu train --resume: a training that is interrupted at random moments, by SIGINT or SIGTERM, and gone
# on with until it is done leaves the same file, byte for byte, as one that was left alone.
. "$TLU_SOURCE/tests/prelude.sh"

# interrupted SIGNALS COMMAND...: sends the signals at a random moment; the exit code is in rc.
interrupted() {
    local signals=$1
    shift
    "$@" >out.txt 2>errors.txt &
    local pid=$! signal
    until is_listening "$pid" || ! kill -0 "$pid" 2>/dev/null; do
        sleep 0.01
    done
    sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
    for signal in $signals; do
        kill "-$signal" "$pid" 2>/dev/null
    done
    wait "$pid"
    rc=$?
}

# The second reader finds the place that the message tells, and the checksum of the rows as
# docs/model-format.md has it, for data whose features are small numbers and never scaled.
cat >second.py <<'END'
import re, struct, sys
sys.path.insert(0, sys.argv[1] + "/tests")
from model_reader import Model
run = Model(sys.argv[2]).paused
said = re.search(r"in pass (\d+) after ([\d,]+) example", open("errors.txt").read())
if (run["pass"], run["examples"]) != (int(said[1]), int(said[2].replace(",", ""))):
    sys.exit("%r is not what was said: %s" % (run, said[0]))
c = nonzeros = 0
def add(number):
    global c
    c = (c ^ number) * 0x9E3779B97F4A7C15 % 2**64
    c ^= c >> 29
def bits(text):
    return struct.unpack("<I", struct.pack("<f", float(text)))[0] << 32
labels = []
for row, line in enumerate(open(sys.argv[3])):
    label, *entries = line.split()
    if label not in labels:
        labels.append(label)
    if row >= run["rows"]:
        break
    nonzeros += len(entries)
    if row % run["every"]:
        continue
    add(labels.index(label) + bits(1))
    add(len(entries))
    for feature, value in (entry.split(":") for entry in entries):
        add(int(feature) + bits(value))
for label in labels[:run["classes"]]:
    add(len(label))
    for byte in label.encode():
        add(byte)
if (c, nonzeros) != (run["checksum"], run["nonzeros"]):
    sys.exit("%r: the checksum is %d, of %d non-zeros" % (run, c, nonzeros))
END

RANDOM=5
"$TLU" generate sparse --rows 30000 --features 3000 --nonzeros 60 --noise 0.2 -o data.svm
"$TLU" generate blobs --rows 20000 --classes 7 --features 30 -o blobs.svm
make_table table.csv ""
make_table sets.csv yes
times=0
n=0
while read -r data options; do
    n=$((n + 1))
    "$TLU" train $data -q -o whole.tlu $options || complain "$data $options"
    begin="$options"
    rm -f parts.tlu
    for ((i = 0; ; i++)); do
        signal=$( ((i % 2)) && echo TERM || echo INT)
        [ $i -ge 12 ] && signal=""
        interrupted "$signal" "$TLU" train $data -o parts.tlu --threads $((1 + i % 2)) $begin
        [ $rc -eq 0 ] && break
        [ $rc -eq $([ "$signal" = TERM ] && echo 143 || echo 130) ] ||
            complain "$data $options: exit code $rc: $(cat errors.txt)"
        grep -q '^tlu: interrupted before' errors.txt && continue # too early: what is there stays as it is
        grep -q '^tlu: interrupted in pass' errors.txt || complain "$data $options: $(cat errors.txt)"
        grep -qF "To continue: tlu train $data --resume -o parts.tlu" errors.txt ||
            complain "does not say how to go on: $(cat errors.txt)"
        "$TLU" inspect parts.tlu >/dev/null || complain "an interrupted model cannot be used"
        if [ "$begin" != --resume ] && [[ $data == *.svm ]] && command -v python3 >python; then
            python3 second.py "$TLU_SOURCE" parts.tlu $data || complain "$data $options: the second reader"
        fi
        times=$((times + 1))
        begin=--resume
    done
    cmp whole.tlu parts.tlu || complain "$data $options: another model after $i interruptions"
done <<'CASES'
data.svm --epochs 60
data.svm --epochs 30 --learner perceptron --rate 0.5:2 --shuffle all --decide last
data.svm --epochs 20 --learner logistic --holdout 0.2 --patience 50
blobs.svm --epochs 40 --learner alma --multiclass ovr --scale none
table.csv --epochs 200 --text note --tfidf --normalize --min-count 2
sets.csv --epochs 150 --text note --tfidf --multilabel --label-separator ; --missing median --holdout 0.2 --patience 500
data.svm --epochs 1
CASES
echo "$times interruptions"
[ $times -ge 3 ] || complain "there were only $times interruptions"

# Twice: the second signal ends it at once, and what is there is whole.
for ((i = 0; i < 5; i++)); do
    interrupted "INT INT" "$TLU" train data.svm -q -o twice.tlu --epochs 60
    [ $rc -eq 0 ] || [ $rc -eq 130 ] || complain "twice: exit code $rc"
    [ ! -e twice.tlu ] || "$TLU" inspect twice.tlu >/dev/null || complain "twice: the model is not whole"
done

"$TLU" stream stream.tlu -q <blobs.svm >/dev/null

# What is complete stays as it is.
cp parts.tlu before.tlu
"$TLU" train data.svm --resume -o parts.tlu 2>errors.txt || complain "a complete model: exit code $?"
grep -q 'nothing is left to do' errors.txt || complain "a complete model: $(cat errors.txt)"
cmp parts.tlu before.tlu || complain "a complete model was changed"

# More passes: as if they had been asked for at once. What the model does not tell is refused.
"$TLU" train data.svm -q --resume -o parts.tlu --epochs 5 || complain "more passes: exit code $?"
"$TLU" train data.svm -q -o whole.tlu --epochs 5
cmp parts.tlu whole.tlu || complain "more passes: another model"
"$TLU" train data.svm -q -o best.tlu --epochs 2 --decide best
cp best.tlu before.tlu
refuses_with 'train again with --epochs 5' "$TLU" train data.svm --resume -o best.tlu --epochs 5
refuses_with 'it has learned from a stream' "$TLU" train data.svm --resume -o stream.tlu --epochs 5
cmp best.tlu before.tlu || complain "a model was changed that could not go on"
refuses_with "there is no model 'none.tlu'" "$TLU" train data.svm --resume -o none.tlu
refuses_with 'not a tlu model' "$TLU" train blobs.svm --resume -o data.svm

# Other data and other options: refused, and the model is as it was.
begin="--epochs 9000000"
for ((i = 0; i < 20; i++)); do
    interrupted INT "$TLU" train data.svm -o long.tlu $begin
    [ $rc -eq 130 ] && [ -e long.tlu ] && break
done
cp long.tlu before.tlu
sed 1d data.svm >less.svm # in the first pass, later rows may be any
refuses_with 'is not the data of the run' "$TLU" train less.svm --resume -o long.tlu
refuses_with '--rate' "$TLU" train data.svm --resume -o long.tlu --rate 3
cmp long.tlu before.tlu || complain "a model was changed that could not go on"
