# Models of every kind, by way of their files: every learner, decision, scheme and kernel. A model
# predicts what a second load of its file predicts, and what a second reader, written from
# docs/model-format.md, works out of it. On whole numbers the dual form with the linear kernel is the
# primal one, to the last bit.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
data=$TLU_SOURCE/examples/data
iris=$data/iris.csv

# A part of the digits: ten classes, whole numbers.
head -n 200 "$data/digits-train.svm" > digits.svm
head -n 40 "$data/digits-test.svm" > digits-test.svm
# Two of the classes.
grep '^[38] ' "$data/digits-train.svm" | head -n 100 > two.svm
grep '^[38] ' "$data/digits-test.svm" > two-test.svm
# Several labels per row: what is true of the digit. Of 1 nothing is.
sets()
{
    awk '{ set = ""
        if ($1 % 2 == 0) set = set ",even"
        if ($1 == 2 || $1 == 3 || $1 == 5 || $1 == 7) set = set ",prime"
        if ($1 > 4) set = set ",large"
        $1 = substr(set, 2); print }' "$1"
}
sets digits.svm > sets.svm
sets digits-test.svm > sets-test.svm

# train NAME DATA OPTIONS...
train()
{
    local name=$1 from=$2
    shift 2
    "$TLU" train "$from" -o "$name.tlu" --scale none --learner perceptron "$@" 2> "$name.log" || fail "$name: $(cat "$name.log")"
}

# predict NAME DATA: scores to NAME.scores, twice from the file; from a copy and by way of a pipe
predict()
{
    "$TLU" predict "$1.tlu" "$2" --scores > "$1.scores" 2> "$1.log" || fail "$1: $(cat "$1.log")"
    cp "$1.tlu" copy.tlu
    "$TLU" predict copy.tlu - --scores < "$2" > copy.scores 2> copy.log ||
        fail "$1: $(cat copy.log)"
    cmp "$1.scores" copy.scores || fail "$1: a second load predicts something else"
    [ "$(wc -l < "$1.scores")" = "$(grep -vc '^sepal' "$2")" ] || fail "$1: rows are missing"
    if grep -qi nan "$1.scores"; then fail "$1: scores are not numbers"; fi
}

# check NAME DATA TEST OPTIONS...: trains and predicts; once more, with another number of threads,
# gives the same bytes
check()
{
    local name=$1 from=$2 test=$3
    shift 3
    train "$name" "$from" "$@"
    predict "$name" "$test"
    train "$name-again" "$from" "$@" --threads 3
    cmp "$name.tlu" "$name-again.tlu" || fail "$name: another number of threads, another model"
}

# second NAME DATA: the second reader is to find the same scores, up to rounding; at the end, all at
# once.
second()
{
    echo "$1 $2" >> seconds
}
cat > compare.py <<'END'
import io
import sys
import model_reader

def compare(ours, theirs, near):
    if len(ours) != len(theirs) or len(ours) < 20:
        return "%d rows and %d rows" % (len(ours), len(theirs))
    for n, (a, b) in enumerate(zip(ours, theirs), 1):
        x, y = [[float(score) for score in row[1:]] for row in (a, b)]
        largest = max(map(abs, x)) or 1
        same = len(x) == len(y) and all(abs(p - q) <= near * largest for p, q in zip(x, y))
        if not same or a[0] != b[0] and len(set(y)) == len(y) and len(x) > 1:
            return "row %d: tlu says %s, the second reader %s" % (n, a, b)

for name, data in map(str.split, open("seconds")):
    second = io.BytesIO()
    model_reader.main(name + ".tlu", data, second)
    text = second.getvalue().decode()
    wrong = compare([line.split("\t") for line in open(name + ".scores")],
                    [line.split("\t") for line in text.splitlines()],
                    1e-5 if "mlp" in name else 1e-10)  # a net computes in floats
    if wrong:
        sys.exit("%s: %s" % (name, wrong))
END

# ---- every learner that there is, on two classes and on ten --------------------------------------

learners=$("$TLU" learners --json | grep -o '"name": *"[^"]*"' | cut -d'"' -f4)
[ "$(echo "$learners" | wc -l)" -ge 17 ] || fail "only these learners: $learners"
for learner in $learners; do
    options=(--learner "$learner" --epochs 3)
    [ "$learner" != bernoulli-bayes ] || options+=(--binarize)
    [ "$learner" != max-margin ] || options+=(--C 1)
    [ "$learner" != mlp ] || options+=(--hidden 12,7)
    check "two-$learner" two.svm two-test.svm "${options[@]}"
    second "two-$learner" two-test.svm
    check "digits-$learner" digits.svm digits-test.svm "${options[@]}"
    second "digits-$learner" digits-test.svm
    if [ "$learner" != mlp ]; then
        check "sets-$learner" sets.svm sets-test.svm "${options[@]}" --multilabel
        second "sets-$learner" sets-test.svm
    fi
    train "iris-$learner" "$iris" "${options[@]}"
    predict "iris-$learner" "$iris"
done

# ---- decisions, schemes, kernels -----------------------------------------------------------------

# A third of the combinations, in which every pair of a decision, a kernel and a scheme is there,
# goes through the second reader and is tried on iris; with TLU_LONG all do.
turn=0
for decide in average last vote random best; do
    turn=$((turn + 1))
    for kernel in none linear poly:3,0.5 rbf:0.001; do
        turn=$((turn + 1))
        options=(--decide "$decide" --epochs 3)
        [ "$kernel" = none ] || options+=(--kernel "$kernel")
        train "two-$decide-$kernel" two.svm "${options[@]}"
        predict "two-$decide-$kernel" two-test.svm
        [ "$decide" = random ] || second "two-$decide-$kernel" two-test.svm
        train "sets-$decide-$kernel" sets.svm "${options[@]}" --multilabel
        predict "sets-$decide-$kernel" sets-test.svm
        [ "$decide" = random ] || second "sets-$decide-$kernel" sets-test.svm
        for classes in wta ovr ovo; do
            name=$decide-$kernel-$classes
            train "digits-$name" digits.svm "${options[@]}" --multiclass "$classes"
            predict "digits-$name" digits-test.svm
            turn=$((turn + 1))
            if [ $((turn % 3)) != 0 ] && [ ! "${TLU_LONG:-}" ]; then continue; fi
            [ "$decide" = random ] || second "digits-$name" digits-test.svm
            train "iris-$name" "$iris" "${options[@]}" --multiclass "$classes"
            predict "iris-$name" "$iris"
        done
    done
done

# Scaled rows, a bias left out, rates and weights that change, a learner that shrinks its weights.
check scaled digits.svm digits-test.svm --kernel rbf:0.05 --scale standard
check scaled-vote digits.svm digits-test.svm --decide vote --scale maxabs --multiclass ovr --epochs 3
check no-bias digits.svm digits-test.svm --decide vote --no-bias --epochs 3
check rates digits.svm digits-test.svm --decide vote --rate 0.5:1.5 --multiclass ovo --epochs 3
check weighted digits.svm digits-test.svm --kernel poly:2 --decide vote --class-weight balanced
check shrinking digits.svm digits-test.svm --learner romma --decide vote --epochs 3
check shrinking-dual two.svm two-test.svm --learner aromma --decide vote --kernel poly:2 --epochs 3
check states-wta digits.svm digits-test.svm --learner arow --decide vote --epochs 2
check states-ovr digits.svm digits-test.svm --learner scw1 --decide vote --multiclass ovr --no-bias
check states-ovo digits.svm digits-test.svm --learner scw2 --decide vote --multiclass ovo --scale standard
for name in states-wta states-ovr states-ovo; do
    second "$name" digits-test.svm
done
for name in scaled scaled-vote no-bias rates weighted shrinking; do
    second "$name" digits-test.svm
done
second shrinking-dual two-test.svm

# ---- the linear kernel is the primal form --------------------------------------------------------

# The sums of whole numbers are exact; so the scores are the same, digit by digit, but for the
# average, which is a quotient of such sums and here compared by its labels.
for decide in last vote random best; do
    for classes in wta ovr ovo; do
        cmp "digits-$decide-none-$classes.scores" "digits-$decide-linear-$classes.scores" ||
            fail "$decide $classes: the linear kernel is not the primal form"
    done
    for name in two sets; do
        cmp "$name-$decide-none.scores" "$name-$decide-linear.scores" ||
            fail "$name, $decide: the linear kernel is not the primal form"
    done
done
for classes in wta ovr ovo; do
    cut -f1 "digits-average-none-$classes.scores" > primal
    cut -f1 "digits-average-linear-$classes.scores" > linear
    cmp primal linear || fail "average $classes: the linear kernel is not the primal form"
done

# ---- the second reader ---------------------------------------------------------------------------

if command -v python3 > python; then
    [ "$(wc -l < seconds)" -ge 100 ] || fail "the second reader has only $(wc -l < seconds) models"
    python3 compare.py || fail "the second reader differs"
fi

# ---- what is in the file -------------------------------------------------------------------------

# A step of a vote takes a few bytes: the two models keep about the same rows.
train steps "$data/digits-train.svm" --decide vote --kernel linear --multiclass ovr --epochs 5
train rows "$data/digits-train.svm" --decide last --kernel linear --multiclass ovr --epochs 5
updates=$("$TLU" inspect steps.tlu --json | grep -o '"updates": *[0-9]*' | grep -o '[0-9]*$')
more=$(($(wc -c < steps.tlu) - $(wc -c < rows.tlu)))
[ "$updates" -gt 1000 ] && [ "$more" -le $((6 * updates)) ] ||
    fail "$updates updates take $more bytes"
