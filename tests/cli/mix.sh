# tlu mix and tlu train --start: a mixture by itself is what it was, the order of the models does not
# matter, averages are exact, classes and features that one model has, what cannot be mixed; parts of
# large files.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
set -e
data=$TLU_SOURCE/examples/data
head -700 "$data/digits-train.svm" > one.svm
tail -n +701 "$data/digits-train.svm" > two.svm
cat one.svm two.svm > both.svm

train() # NAME DATA OPTIONS...
{
    local name=$1 file=$2
    shift 2
    "$TLU" train "$file" -q -o "$name.tlu" "$@"
}

weights() # MODEL: in an order of their own
{
    "$TLU" inspect "$1" --weights | sort
}

for learner in perceptron pa1 romma aromma alma arow scw1 scw2 hinge logistic squared; do
    for decide in average last; do
        train a one.svm --learner $learner --decide $decide --epochs 2
        train b two.svm --learner $learner --decide $decide --epochs 2
        # By itself: weights and scores.
        "$TLU" mix a.tlu a.tlu a.tlu -q -o same.tlu
        weights a.tlu > a.weights
        weights same.tlu | cmp - a.weights || complain "$learner $decide: mixed by itself"
        "$TLU" predict a.tlu "$data/digits-test.svm" --scores > a.scores
        "$TLU" predict same.tlu "$data/digits-test.svm" --scores | cmp - a.scores ||
            complain "$learner $decide: scores"
        # The order of the models.
        train c both.svm --learner $learner --decide $decide --epochs 1
        "$TLU" mix a.tlu b.tlu c.tlu -q -o abc.tlu
        "$TLU" mix c.tlu a.tlu b.tlu -q -o cab.tlu
        cmp abc.tlu cab.tlu || complain "$learner $decide: the order matters"
        # One part after the other is the same as both at once.
        options="--learner $learner --decide $decide --epochs 1 --shuffle none --scale none"
        train first one.svm $options --multiclass wta
        train whole both.svm $options --multiclass wta
        "$TLU" train two.svm -q --start first.tlu --shuffle none -o second.tlu
        "$TLU" predict whole.tlu "$data/digits-test.svm" --scores > whole.scores
        "$TLU" predict second.tlu "$data/digits-test.svm" --scores | cmp - whole.scores ||
            complain "$learner $decide: --start"
    done
done

# More than 16 models are mixed one cell after the other, fewer several cells side by side.
for learner in pa1 arow; do
    train a one.svm --learner $learner --epochs 2
    train b two.svm --learner $learner --epochs 2
    for copies in 3 9; do
        models=$(for ((i = 0; i < copies; i++)); do echo a.tlu b.tlu; done)
        "$TLU" mix $models --weights equal -q -o mixed$copies.tlu
        weights mixed$copies.tlu > mixed$copies.weights
    done
    cmp mixed3.weights mixed9.weights || complain "$learner: 18 models are not mixed like 6"
done

# The weighted means and the average over all examples, computed by Python from the last weights:
# perceptrons on few rows, with a class and features that one part alone has.
cat > check.py <<'PYTHON'
import subprocess, sys
from fractions import Fraction
TLU = sys.argv[1]
PARTS = [[(1, {1: 1, 2: 3}), (-1, {1: 2}), (1, {3: 1}), (-1, {2: 1, 3: 2})],
         [(-1, {1: 1, 4: 1}), (1, {1: 3}), (-1, {5: 2})]]

def run(*words):
    return subprocess.run([TLU, *words], check=True, capture_output=True, text=True).stdout

def perceptron(rows, w, total, steps):
    """Mistakes at a margin of at most 0; returns w, the sum of w after each step, the steps."""
    for y, x in rows:
        x = {**x, 0: 1}
        if y * sum(w.get(f, 0) * v for f, v in x.items()) <= 0:
            for f, v in x.items():
                w[f] = w.get(f, 0) + y * v
        for f in w:
            total[f] = total.get(f, 0) + w[f]
        steps += 1
    return w, total, steps

def close(model, expected):
    found = {}
    for line in run('inspect', model, '--weights').splitlines():
        _, feature, weight = line.split('\t')
        found[0 if feature == '(bias)' else int(feature)] = float(weight)
    for f in {*found, *expected}:
        assert abs(found.get(f, 0) - float(expected.get(f, 0))) < 1e-12, (model, f, found, expected)

for decide in 'average', 'last':
    w, total, steps = {}, {}, Fraction(0)
    for number, rows in enumerate(PARTS):
        with open(f'{number}.svm', 'w') as file:
            for y, x in rows:
                print(y, *(f'{f}:{v}' for f, v in x.items()), file=file)
    for turn in range(4):
        parts = []
        for number, rows in enumerate(PARTS):
            parts.append(perceptron(rows, dict(w), dict(total), steps))
            start = ['--start', 'mixed.tlu', '--shuffle', 'none'] if turn else [
                '--learner', 'perceptron', '--decide', decide, '--epochs', '1', '--scale', 'none',
                '--shuffle', 'none']
            run('train', f'{number}.svm', '-q', '-o', f'{number}.tlu', *start)
        run('mix', '0.tlu', '1.tlu', '-q', '-o', 'mixed.tlu')
        features = {f for part in parts for f in part[0]}
        w = {f: sum(len(rows) * Fraction(part[0].get(f, 0)) for rows, part in zip(PARTS, parts)) / 7
             for f in features}
        total = {f: sum(Fraction(part[1].get(f, 0)) for part in parts) / 2 for f in features}
        steps = sum(part[2] for part in parts) / 2
        close('mixed.tlu', {f: total[f] / steps for f in features} if decide == 'average' else w)
    run('mix', '0.tlu', '1.tlu', '-q', '-o', 'equal.tlu', '--weights', 'equal')
    if decide == 'last':
        close('equal.tlu', {f: sum(Fraction(part[0].get(f, 0)) for part in parts) / 2 for f in features})

# The average over all examples of all parts and turns, by its definition.
w, sums, count = {}, {}, 0
for turn in range(4):
    parts = []
    for rows in PARTS:
        own, total, _ = perceptron(rows, dict(w), {}, 0)
        parts.append(own)
        for f, v in total.items():
            sums[f] = sums.get(f, 0) + v
        count += len(rows)
    w = {f: sum(len(rows) * Fraction(part.get(f, 0)) for rows, part in zip(PARTS, parts)) / 7
         for f in {f for part in parts for f in part}}
for turn in range(4):
    for number in range(2):
        start = ['--start', 'mixed.tlu', '--shuffle', 'none'] if turn else [
            '--learner', 'perceptron', '--decide', 'average', '--epochs', '1', '--scale', 'none',
            '--shuffle', 'none']
        run('train', f'{number}.svm', '-q', '-o', f'{number}.tlu', *start)
    run('mix', '1.tlu', '0.tlu', '-q', '-o', 'mixed.tlu')
close('mixed.tlu', {f: v / count for f, v in sums.items()})
PYTHON
python3 check.py "$TLU"

# A class and a name that one part alone has.
printf 'spam\toffer now\nham\tlunch soon\n' > names.tsv
printf 'ham\tlunch now\neggs\tbreakfast tomorrow\n' > more.tsv
train names names.tsv --format text
train more more.tsv --format text
"$TLU" mix names.tlu more.tlu -q -o united.tlu
test "$(printf '\toffer now\n\tbreakfast tomorrow\n\tlunch soon\n' |
    "$TLU" predict united.tlu - | tr '\n' ' ')" = 'spam eggs ham ' || fail "united classes"

# What cannot be mixed, with the reason; and what mixtures need.
for options in "--kernel linear --epochs 1" "--decide vote --epochs 1" "--learner svm" "--learner mlp --epochs 1" \
    "--learner bernoulli-bayes --binarize"; do
    train odd one.svm $options
    code=0
    "$TLU" mix odd.tlu odd.tlu -o out.tlu 2> refused || code=$?
    test $code = 2 || complain "$options: exit code $code"
    grep -q 'cannot be mixed: ' refused || complain "$options: $(cat refused)"
done
train a one.svm --learner perceptron --epochs 1
train b two.svm --learner pa1 --epochs 1
code=0
"$TLU" mix a.tlu b.tlu -o out.tlu 2> refused || code=$?
test $code = 2 || complain "two learners: exit code $code"
grep -q -e "--learner is 'perceptron' in one and 'pa1' in the other\|--learner is 'pa1' in one" refused ||
    complain "two learners: $(cat refused)"
test ! -e out.tlu || complain "a refused mixture was saved"

# A training that starts from a model reads all of its data, although the model read a part.
train half one.svm --part 1/2 --learner perceptron --epochs 1
"$TLU" mix half.tlu half.tlu -q -o mixed.tlu
"$TLU" train one.svm --start mixed.tlu -o on.tlu --json >on.json 2>errors
rows=$(grep -c . one.svm)
grep -q "\"examples\": $rows," on.json || complain "not all $rows rows: $(cat on.json errors)"

# A part of a file is read from its place on: here the last rows, behind a hole of a terabyte. Messages
# have lines of the whole file.
"$TLU" generate sparse --rows 25000 --features 2000 --nonzeros 30 --seed 8 -o long.svm
cp long.svm odd.svm
echo '1 3:x' >> odd.svm
code=0
"$TLU" train odd.svm --part 3/3 --learner perceptron -o out.tlu 2> refused || code=$?
test $code = 2 || complain "a malformed row of a part: exit code $code"
grep -q '^tlu: odd.svm:25001:5: ' refused || complain "a malformed row of a part: $(cat refused)"
python3 - <<'PYTHON'
import os
text = open('long.svm', 'rb').read()
size = 1 << 40
with open('hole.svm', 'wb') as file:
    try:
        file.write(text[:text.index(b'\n', 2 << 20) + 1])
        file.seek(size - len(text) // 2)
        file.write(text[len(text) - len(text) // 2:])
    except OSError: # the file system has no holes, or no files of this size
        os.unlink('hole.svm')
place = size * 999999 // 1000000 - (size - len(text)) # in the text
open('last.svm', 'wb').write(text[text.index(b'\n', place - 1) + 1:])
PYTHON
if [ -e hole.svm ]; then
    for learner in perceptron pa1; do
        train last last.svm --learner $learner --epochs 2
        timeout 20 "$TLU" train hole.svm --part 1000000/1000000 --learner $learner --epochs 2 -q -o hole.tlu ||
            complain "$learner: the last part of a terabyte"
        "$TLU" inspect last.tlu --weights | sort > last.weights
        "$TLU" inspect hole.tlu --weights | sort | cmp - last.weights || complain "$learner: the last part differs"
    done
    rm hole.svm
fi

# What a training takes from the model that it starts from, and what it says about the rest.
refused() # TEXT WORDS...: exit code 2 and a message with this text
{
    local text=$1 code=0
    shift
    "$TLU" "$@" 2> refused || code=$?
    test $code = 2 || complain "$*: exit code $code"
    grep -q -e "$text" refused || complain "$*: $(cat refused)"
}
train held one.svm --learner perceptron --holdout 0.2 --calibrate sigmoid
"$TLU" train two.svm --start held.tlu -o on.tlu --json > on.json
grep -q "\"examples\": $(grep -c . two.svm)," on.json || complain "--start inherits --holdout: $(cat on.json)"
grep -q -e '--holdout of the model' on.json ||
    complain "--start says nothing about --holdout"
grep -q 'the calibration and the threshold of the model' on.json || complain "--start says nothing about the calibration"
"$TLU" train two.svm --start held.tlu --holdout 0.1 -o on.tlu --json > on.json
grep -q '"held_out"' on.json || complain "--start --holdout"
printf '1 1:2\n-1 2:3\n' > pair.svm
train pair pair.svm --learner perceptron --multiclass wta
"$TLU" train pair.svm --start pair.tlu -o on.tlu 2> errors
if grep -q multiclass errors; then complain "--start: a note about an option that was not given"; fi

# Such models are not one run: it has no more passes.
train a one.svm --learner perceptron --epochs 2
train started two.svm --start a.tlu
"$TLU" mix a.tlu started.tlu -q -o mixed.tlu
for model in started mixed; do
    refused 'go on from it with --start' train one.svm --resume --epochs 9 -o $model.tlu
done
"$TLU" train one.svm --resume --epochs 9 -q -o a.tlu || complain "more passes of one run"

# Texts are weighted by the frequency of words in one part: the others start from its model.
python3 - <<'PYTHON'
import random
draw = random.Random(9)
for part in 1, 2:
    with open(f'texts-{part}.tsv', 'w') as file:
        for i in range(300):
            words = [f'w{draw.randrange(200)}' for _ in range(9)] + ['Offer' if i % 2 else 'Lunch']
            print('spam' if i % 2 else 'ham', ' '.join(words), sep='\t', file=file)
PYTHON
train t1 texts-1.tsv
train t2 texts-2.tsv
refused 'frequency of words.*--start' mix t1.tlu t2.tlu -o mixed.tlu
train t2 texts-2.tsv --start t1.tlu
"$TLU" mix t1.tlu t2.tlu -q -o mixed.tlu || complain "the remedy for --tfidf"
