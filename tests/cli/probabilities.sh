# Probabilities and thresholds of the command: as the second reader of models makes them, the same
# bytes with any number of threads and instructions, from a file or a pipe; what is refused, and why.
. "$TLU_SOURCE/tests/prelude.sh"
need python3

rows() # CLASSES: rows that are told apart more or less
{
    awk -v classes=$1 'BEGIN { srand(7); for (i = 0; i < 300; i++) {
        k = int(classes * rand()); printf "%s", classes == 2 ? (k ? "+1" : "-1") : "class" k
        for (j = 1; j < 9; j++) if (rand() < 0.6) printf " %d:%g", j, (1 + int(16 * (rand() + (j % classes == k) * 0.6))) / 16
        print "" } }'
}
rows 2 >two.svm
rows 3 >three.svm
# Several labels per row: the class, and whether feature 1 is above 1.
awk '{ large = 0; for (i = 2; i <= NF; i++) { split($i, pair, ":"); large += pair[1] == 1 && pair[2] > 1 }
    if (large) $1 = $1 == "class0" ? "large" : $1 ",large"; else if ($1 == "class0") $1 = ""; print }' three.svm >sets.svm

# ---- as the second reader has them

train() # NAME DATA OPTIONS...
{
    local name=$1 data=$2
    shift 2
    "$TLU" train $data -o $name.tlu --quiet --scale none "$@" || complain "train $*"
    "$TLU" predict $name.tlu $data --scores --probabilities --quiet >$name.txt || complain "predict $*"
    echo $name $data >>models
    TLU_SIMD=plain "$TLU" train $data -o again.tlu --quiet --scale none --threads 3 "$@"
    cmp $name.tlu again.tlu || complain "$*: other bytes with other threads and instructions"
}
for how in sigmoid isotonic temperature; do
    train two-$how two.svm --calibrate $how
    train kernel-$how two.svm --calibrate $how --learner perceptron --kernel poly:2 --positive -1
    train wta-$how three.svm --calibrate $how --multiclass wta
    train ovr-$how three.svm --calibrate $how --multiclass ovr --learner pa1
    train ovo-$how three.svm --calibrate $how --multiclass ovo
    [ $how = temperature ] || train sets-$how sets.svm --calibrate $how --multilabel
done
train own-two two.svm --learner logistic
train own-wta three.svm --learner logistic --multiclass wta
train own-ovr three.svm --learner logistic --multiclass ovr
train bayes three.svm --learner bernoulli-bayes --binarize
train threshold two.svm --calibrate isotonic
"$TLU" threshold threshold.tlu two.svm --for recall=0.9 --quiet || complain 'threshold'
"$TLU" predict threshold.tlu two.svm --scores --probabilities --quiet >threshold.txt
"$TLU" train two.svm -o score.tlu --quiet --scale none
echo score two.svm >>models
"$TLU" threshold score.tlu two.svm --for precision=0.8 --quiet || complain 'threshold of a score'
"$TLU" predict score.tlu two.svm --scores --quiet >score.txt
train sets-own sets.svm --learner logistic --multilabel
"$TLU" threshold sets-own.tlu sets.svm --for f1 --quiet || complain 'thresholds of labels'
"$TLU" predict sets-own.tlu sets.svm --scores --probabilities --quiet >sets-own.txt
train sets-bayes sets.svm --learner bernoulli-bayes --binarize --multilabel
cat >compare.py <<'END'
import io
import model_reader

for name, data in map(str.split, open("models")):
    second = io.BytesIO()
    model_reader.main(name + ".tlu", data, second, name != "score")
    ours, theirs = open(name + ".txt").read(), second.getvalue().decode()
    assert ours.count("\n") == theirs.count("\n") == 300, name
    for a, b in zip(ours.splitlines(), theirs.splitlines()):
        a, b = a.split("\t"), b.split("\t")
        assert a[0] == b[0] and len(a) == len(b), (name, a, b)
        for x, y in zip(map(float, a[1:]), map(float, b[1:])):
            assert abs(x - y) <= 1e-9 * max(1, abs(y)), (name, a, b)
        if name != "score" and data != "sets.svm":
            classes = 3 if data == "three.svm" else 2
            assert abs(sum(map(float, a[-classes:])) - 1) < 1e-14, (name, a)
END
python3 compare.py || complain 'the second reader'

# ---- from a pipe, and in cross-validation

"$TLU" train - -o pipe.tlu --quiet --scale none --calibrate isotonic <two.svm || complain 'from a pipe'
"$TLU" predict pipe.tlu two.svm --probabilities --quiet | cut -f 2- >pipe.txt
cut -f 3- two-isotonic.txt | cmp - pipe.txt || complain 'from a pipe: other probabilities'
"$TLU" cv two.svm --folds 3 --calibrate sigmoid >output.txt 2>&1 || complain "cv: $(cat output.txt)"

# ---- what the others print

"$TLU" inspect two-sigmoid.tlu | grep -q '^scores    calibrated by a sigmoid: slope [0-9.]*, offset ' ||
    complain 'inspect: sigmoid'
"$TLU" inspect two-isotonic.tlu | grep -q '^scores    calibrated by a curve of [0-9]* knots$' ||
    complain 'inspect: isotonic'
"$TLU" inspect wta-temperature.tlu | grep -q '^scores    calibrated by a temperature of ' ||
    complain 'inspect: temperature'
"$TLU" inspect ovr-sigmoid.tlu | grep -q '^scores    calibrated by sigmoid, class by class$' ||
    complain 'inspect: ovr'
"$TLU" inspect threshold.tlu | grep -q '^threshold 0\.[0-9]* on the probability$' ||
    complain 'inspect: threshold'
"$TLU" inspect threshold.tlu --json | python3 -c '
import json, sys
found = json.load(sys.stdin)
assert found["calibration"] == "isotonic" and found["threshold_on"] == "probability"
curve, = found["curves"]
assert len(curve["scores"]) == len(curve["probabilities"]) > 2' || complain 'inspect --json'
"$TLU" explain two-sigmoid.tlu two.svm --rows 1 --top 1 | head -n 1 >explained
read -r _ score negative positive < <(head -n 1 two-sigmoid.txt)
python3 - "$(cat explained)" $negative $positive <<'END' || complain "explain: $(cat explained)"
import sys
shown = float(sys.argv[1].split("probability ")[1])
assert abs(shown - max(map(float, sys.argv[2:]))) < 1e-5
END

# ---- thresholds: eval reaches what is promised, and the model is replaced or not

"$TLU" train two.svm -o model.tlu --quiet --learner logistic
cp model.tlu before.tlu
"$TLU" threshold model.tlu two.svm --for precision=0.9 -o other.tlu >promise || complain 'threshold -o'
cmp model.tlu before.tlu || complain 'threshold -o changes the model'
"$TLU" threshold other.tlu two.svm --for precision=0.9 --json -o again.tlu |
    python3 -c '
import json, subprocess, sys
found = json.load(sys.stdin)
assert found["precision"] >= 0.9 and found["on"] == "probability", found
rows = [line.split() for line in open("two-sigmoid.txt")]
labels = [line.split()[0] for line in open("two.svm")]
out = subprocess.run([sys.argv[1], "predict", "model.tlu", "two.svm", "--probabilities", "--threshold",
                      repr(found["threshold"])], capture_output=True, text=True, check=True).stdout
guesses = [line.split("\t") for line in out.splitlines()]
for guess in guesses:
    assert (guess[0] == "+1") == (float(guess[2]) >= found["threshold"]), guess
called = [label for guess, label in zip(guesses, labels) if guess[0] == "+1"]
assert len(called) == found["called_positive"] and called.count("+1") == found["true_positives"]
assert labels.count("+1") == found["positives"] and len(labels) == found["examples"]
# No lower threshold has this precision and a higher recall.
values = sorted({float(guess[2]) for guess in guesses})
for value in values:
    called = [label for guess, label in zip(guesses, labels) if float(guess[2]) >= value]
    if called.count("+1") / len(called) >= 0.9:
        assert called.count("+1") <= found["true_positives"], value
' "$TLU" || complain 'threshold: precision'
percent=$(sed -n 's/^precision \([0-9.]*\)%.*/\1/p' promise)
"$TLU" eval other.tlu two.svm | grep -q "^+1 .* $percent%" || complain "eval does not have the precision of $percent%"
"$TLU" predict model.tlu two.svm --threshold 1.1 | sort -u | cmp -s - <(echo -1) || complain 'none is above 1'
"$TLU" predict model.tlu two.svm --threshold 0 | sort -u | cmp -s - <(echo +1) || complain 'all are above 0'
echo '1:0.5 2:0.5' >row
"$TLU" threshold model.tlu two.svm --for cost --costs 1:1000 --quiet # all that can be
gives '+1' "$TLU" stream model.tlu --quiet <row
"$TLU" threshold model.tlu two.svm --for cost --costs 1000:1 --quiet
gives '-1' "$TLU" stream model.tlu --quiet <row

# ---- the aims, each by two spellings, and the one that is meant if none is said

while read -r short long; do
    "$TLU" threshold before.tlu two.svm -q -o short.tlu $short || complain "threshold $short"
    "$TLU" threshold before.tlu two.svm -q -o long.tlu --for $long || complain "threshold --for $long"
    cmp short.tlu long.tlu || complain "$short is not --for $long"
done <<'AIMS'
--f1 f1
--f1=no f1
--precision=0.95 precision=0.95
--recall=0.95 recall=0.95
--cost=1:7 cost --costs 1:7
--costs=1:7 cost --costs 1:7
--cost=1:1 cost
AIMS
"$TLU" threshold before.tlu two.svm --precision 0.95 --json -o short.tlu >told || complain 'threshold --precision'
grep -q '"precision": \(1\|0.9[5-9][0-9]*\),' told || complain "threshold --precision 0.95: $(cat told)"

# ---- and taken out again; what is no file is not replaced

"$TLU" threshold other.tlu --remove -o removed.tlu --quiet || complain 'threshold --remove'
cmp removed.tlu before.tlu || complain '--remove leaves something behind'
"$TLU" inspect other.tlu | grep -q '^threshold' || complain '--remove -o changes the model'
gives 'no threshold
model     other.tlu' "$TLU" threshold other.tlu --remove
cmp other.tlu before.tlu || complain '--remove does not replace the model'
refuses_with '--remove takes the threshold out' "$TLU" threshold other.tlu two.svm --remove
refuses_with '--remove takes the threshold out' "$TLU" threshold other.tlu --remove --for f1
refuses_with 'threshold needs DATA' "$TLU" threshold other.tlu
refuses 'a model needs a file: -o cannot be standard output' "$TLU" threshold other.tlu two.svm -o -
refuses 'a model needs a file: -o cannot be standard output' "$TLU" threshold other.tlu --remove -o -
refuses "'-' is not a file that the model can be saved to; give -o FILE" \
    "$TLU" threshold - two.svm <other.tlu
[ ! -e - ] || complain 'a file that is called -'
mkfifo pipe
refuses "'pipe' is not a file that the model can be saved to; give -o FILE" \
    timeout 5 "$TLU" threshold pipe two.svm
"$TLU" threshold - two.svm -o stdin.tlu --quiet <other.tlu || complain 'a model from standard input'
"$TLU" threshold other.tlu two.svm --quiet && cmp other.tlu stdin.tlu || complain 'another model from standard input'
"$TLU" threshold other.tlu two.svm --quiet -o /dev/null && [ -c /dev/null ] || complain '/dev/null'

# ---- what is refused

"$TLU" train two.svm -o plain.tlu --quiet
"$TLU" train three.svm -o three.tlu --quiet --learner logistic --multiclass ovo
own='the model has no probabilities: its scores are on a scale of their own; train it with --calibrate isotonic (or sigmoid, temperature), or with --learner logistic'
refuses "$own" "$TLU" predict plain.tlu two.svm --probabilities
refuses "$own" "$TLU" stream plain.tlu --probabilities
"$TLU" train three.svm -o own.tlu --quiet
refuses "$own --multiclass wta" "$TLU" predict own.tlu three.svm --probabilities
"$TLU" train three.svm -o own.tlu --quiet --learner logistic --multiclass wta
"$TLU" predict own.tlu three.svm --probabilities >/dev/null || complain 'what the refusal says'
refuses 'the model has no probabilities: its scores are votes of pairs of classes; train it with --multiclass wta, or with --calibrate isotonic' \
    "$TLU" predict three.tlu three.svm --probabilities
refuses_with 'a threshold is for two classes, or for each label of --multilabel, and the model has 3 classes' "$TLU" threshold three.tlu three.svm
refuses_with 'a threshold is for two classes, or for each label of --multilabel, and the model has 3 classes' "$TLU" predict three.tlu three.svm --threshold 1
printf '+1 1:1\n-1 1:1\n+1 1:1\n-1 1:1\n-1 1:1\n' >alike.svm
"$TLU" train alike.svm -o alike.tlu --quiet
refuses_with 'alike.svm: a precision of 0.9 is out of reach: the best is 0.4, with a recall of 1, at a threshold of' \
    "$TLU" threshold alike.tlu alike.svm --for precision=0.9
refuses "--for is f1, precision=P, recall=R or cost, P and R being numbers such as 0.95, not 'accuracy'" \
    "$TLU" threshold alike.tlu alike.svm --for accuracy
refuses_with "not 'precision'" "$TLU" threshold alike.tlu alike.svm --for precision
refuses_with "not 'f1=1'" "$TLU" threshold alike.tlu alike.svm --for f1=1
refuses 'a recall is above 0 and at most 1, not 2' "$TLU" threshold alike.tlu alike.svm --for recall=2
refuses_with '--costs is FP:FN' "$TLU" threshold alike.tlu alike.svm --for cost --costs 5
refuses '--costs cannot be combined with a threshold for f1; leave it out' "$TLU" threshold alike.tlu alike.svm --f1 --costs 1:5
refuses '--precision and --cost cannot be combined: a threshold has one aim; choose one' \
    "$TLU" threshold alike.tlu alike.svm --cost 1:5 --precision 0.9
refuses '--cost and --costs are the same; give one of them' \
    "$TLU" threshold alike.tlu alike.svm --cost 1:5 --costs 1:5
refuses "--precision is a number from 0 to 1, not '95%'; write 0.95" "$TLU" threshold alike.tlu alike.svm --precision 95%
refuses "--cost is FP:FN, two numbers such as 1:5, not '5'" "$TLU" threshold alike.tlu alike.svm --cost 5
refuses_with '--remove takes the threshold out' "$TLU" threshold alike.tlu --remove --recall 0.5
refuses_with 'costs are numbers of 0 or more' "$TLU" threshold alike.tlu alike.svm --for cost --costs 0:0
grep '^+1' alike.svm >positive.svm
refuses "positive.svm: has no row of class '-1'; give rows of both classes" \
    "$TLU" threshold alike.tlu positive.svm
head -n 4 alike.svm >four.svm
refuses 'four.svm: has 4 rows, too few for 5 parts of --calibrate' "$TLU" train four.svm -o none.tlu --calibrate sigmoid
[ ! -e none.tlu ] || complain 'a model of what was refused'
refuses '--calibrate is for files and does not apply to a stream' "$TLU" stream new.tlu --calibrate sigmoid
