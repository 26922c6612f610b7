# The multilayer perceptron: exclusive or from every seed, the same bytes on every CPU and with any
# number of threads, going on where it was, holding out, explaining, what it refuses; with the data
# of MNIST, digits (make test-long).
. "$TLU_SOURCE/tests/prelude.sh"
need python3
digits=$TLU_SOURCE/examples/data

train() # MODEL DATA OPTIONS...
{
    local model=$1 data=$2
    shift 2
    "$TLU" train "$data" --learner mlp -o "$model" --quiet "$@" || complain "train $data $*"
}

# ---- no plane separates exclusive or; four hidden units do

printf 'a,b,xor\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n' >xor.csv
for seed in $(seq 1 20); do
    train xor.tlu xor.csv --hidden 4 --activation tanh --rate 0.01 --seed "$seed"
    gives $'no\nyes\nyes\nno' "$TLU" predict xor.tlu xor.csv --quiet
done
"$TLU" train xor.csv --learner logistic -o plane.tlu --epochs 1000 --quiet
[ "$("$TLU" predict plane.tlu xor.csv --quiet | tr '\n' ' ')" != 'no yes yes no ' ] || complain 'a plane does it'

# ---- the same bytes

levels=''
for level in plain sse2 avx2 avx512; do
    ! TLU_SIMD=$level "$TLU" --version >version.txt 2>&1 || levels+=" $level" # which this CPU has
done
for options in '--hidden 40,20 --batch 200' '--hidden 300 --batch 100 --scale none --activation tanh --l2 0.001' \
    '--hidden 9 --optimizer momentum --rate 0.05 --activation sigmoid'; do
    train one.tlu "$digits/digits-train.svm" --epochs 2 --threads 1 $options
    for kernels in $levels; do
        for threads in 1 2 5; do
            TLU_SIMD=$kernels train other.tlu "$digits/digits-train.svm" --epochs 2 --threads $threads $options
            cmp one.tlu other.tlu || complain "$kernels, $threads threads, $options: other bytes"
        done
    done
    for kernels in $levels; do
        TLU_SIMD=$kernels "$TLU" predict one.tlu "$digits/digits-test.svm" --scores --quiet >$kernels.scores
        cmp plain.scores $kernels.scores || complain "$kernels: other scores"
    done
done

# ---- going on: from checkpoints that a kill leaves, and with more passes

train whole.tlu "$digits/digits-train.svm" --hidden 30 --epochs 60 --holdout 0.2 --patience 60
"$TLU" train "$digits/digits-train.svm" --learner mlp --hidden 30 --epochs 60 --holdout 0.2 --patience 60 \
    --checkpoint 0.01 -o parts.tlu --quiet &
for i in $(seq 1 500); do
    [ ! -s parts.tlu ] || break
    sleep 0.01
done
kill -9 $! 2>errors.txt
wait $! 2>errors.txt
"$TLU" train "$digits/digits-train.svm" --resume -o parts.tlu --quiet 2>errors.txt ||
    grep -q 'the model is complete' errors.txt || complain "going on: $(cat errors.txt)"
cmp whole.tlu parts.tlu || complain 'a run that was killed ends in another model'
train more.tlu "$digits/digits-train.svm" --hidden 30 --epochs 2
"$TLU" train "$digits/digits-train.svm" --resume --epochs 5 -o more.tlu --quiet || complain 'more passes'
train five.tlu "$digits/digits-train.svm" --hidden 30 --epochs 5
cmp more.tlu five.tlu || complain '2 passes and 3 more are not 5'

# ---- as good as planes for each pair of classes are on digits, see the README

"$TLU" train "$digits/digits-train.svm" --learner mlp -o digits.tlu --quiet
"$TLU" eval digits.tlu "$digits/digits-test.svm" --json >eval.json
python3 -c 'import json; assert json.load(open("eval.json"))["accuracy"] >= 0.97' || complain "$(cat eval.json)"
"$TLU" cv "$digits/iris.csv" --learner mlp --json >cv.json
python3 -c 'import json; assert json.load(open("cv.json"))["accuracy"] >= 0.93' || complain "$(cat cv.json)"

# ---- weights of rows: a row of weight 3 counts as three do, if all rows are one minibatch

awk 'BEGIN { srand(5); for (i = 0; i < 60; i++)
    printf "%d %d | a:%.3f b:%.3f c:%.3f\n", i % 2 + 1, i % 3 + 1, rand() + i % 2, rand(), rand() - i % 2 }' >heavy.vw
awk '{ n = $2; $2 = 1; for (i = 0; i < n; i++) print }' heavy.vw >often.vw
train heavy.tlu heavy.vw --hidden 5 --epochs 50 --batch 1000 --scale none --rate 0.02
train often.tlu often.vw --hidden 5 --epochs 50 --batch 1000 --scale none --rate 0.02
"$TLU" predict heavy.tlu heavy.vw --scores --quiet >heavy.scores
"$TLU" predict often.tlu heavy.vw --scores --quiet >often.scores
train even.tlu heavy.vw --hidden 5 --epochs 50 --batch 1000 --scale none --rate 0.02 --class-weight 1=20
even=$("$TLU" predict even.tlu heavy.vw --quiet | grep -c '^1') light=$(grep -c '^1' heavy.scores)
[ "$even" -gt "$light" ] || complain "a class of weight 20 is predicted $even times, before $light times"
python3 - <<'END' || complain 'weights of rows'
import sys
a, b = ([float(line.split()[1]) for line in open(name + ".scores")] for name in ("heavy", "often"))
# Adam hardly sees the size of a gradient, which the mean over more rows makes smaller.
sys.exit(max(abs(x - y) for x, y in zip(a, b)) > 0.02)
END

# ---- explained: the pushes add up to the score, and a push is the slope times the value

"$TLU" explain digits.tlu "$digits/digits-test.svm" --rows 20 --top 1000 --json >explained.json
"$TLU" predict digits.tlu "$digits/digits-test.svm" --quiet --scores | head -20 >scores.txt
python3 - <<'END' || complain 'explanations'
import json
for line, scores in zip(open("explained.json"), open("scores.txt")):
    row, (label, *scores) = json.loads(line), scores.split()
    assert row["predicted"] == label
    assert abs(row["score"] - max(map(float, scores))) < 1e-6 * abs(row["score"])
    assert abs(sum(push["push"] for push in row["pushes"]) - row["score"]) < 1e-4 * abs(row["score"])
END
printf '1 1:1 2:0.5\n2 1:-1 2:0.25\n1 1:0.75 2:1\n2 1:-0.5 2:-1\n' >four.svm
train four.tlu four.svm --hidden 6 --activation tanh --rate 0.02 --scale none
printf '1 1:0.5 2:0.25\n1 1:0.501 2:0.25\n1 1:0.499 2:0.25\n' >near.svm
"$TLU" explain four.tlu near.svm --top 5 --json >near.json
python3 - <<'END' || complain 'slopes'
import json
at, above, below = map(json.loads, open("near.json"))
push, = [push["push"] for push in at["pushes"] if push["feature"] == "1"]
slope = (above["score"] - below["score"]) / 0.002
assert at["predicted"] == above["predicted"] == below["predicted"]
assert abs(push - slope * 0.5) < 1e-3 * abs(push) + 1e-5, (push, slope)
END

# ---- looked at

"$TLU" inspect digits.tlu | grep -q '^layers    [0-9]* inputs, 100 relu, 10 outputs: ' || complain 'inspect'
"$TLU" inspect digits.tlu --json | python3 -c '
import json, sys
layers = json.load(sys.stdin)["layers"]
assert layers[1:] == [100, 10], layers' || complain 'inspect --json'
refuses_with 'the model has layers' "$TLU" inspect digits.tlu --weights

# ---- OpenBLAS, if it is there: nearly the same numbers

if "$TLU" --version | grep -q openblas; then
    train blas.tlu "$digits/digits-train.svm" --hidden 20,20 --epochs 3 --blas yes
    train plain.tlu "$digits/digits-train.svm" --hidden 20,20 --epochs 3 --blas no
    "$TLU" predict blas.tlu "$digits/digits-test.svm" --scores --quiet >blas.scores
    "$TLU" predict plain.tlu "$digits/digits-test.svm" --scores --quiet >plain.scores
    python3 - <<'END' || complain 'OpenBLAS'
for a, b in zip(open("blas.scores"), open("plain.scores")):
    a, b = ([float(x) for x in line.split()[1:]] for line in (a, b))
    assert max(abs(x - y) for x, y in zip(a, b)) < 0.02 * max(map(abs, b)), (a, b)
END
    "$TLU" inspect blas.tlu | grep -q 'blas yes' || complain 'inspect: no word of OpenBLAS'
else
    refuses_with '--blas yes: this tlu was built without OpenBLAS' \
        "$TLU" train xor.csv --learner mlp --blas yes -o x.tlu
fi

# ---- refused

for hidden in '' 0 1,,2 , 2, -3 x 1e3 99999999999999999999 1,1,1,1,1,1,1,1,1; do
    refuses_with '--hidden' "$TLU" train xor.csv --learner mlp --hidden "$hidden" -o x.tlu
done
refuses_with 'does not work with a kernel' "$TLU" train xor.csv --learner mlp --kernel poly:2 -o x.tlu
refuses_with 'decides by last' "$TLU" train xor.csv --learner mlp --decide vote -o x.tlu
refuses_with 'takes several classes by wta' "$TLU" train xor.csv --learner mlp --multiclass ovo -o x.tlu
refuses_with 'cannot be combined with a trace' "$TLU" trace xor.csv --learner mlp
refuses_with 'cannot be combined with --learner mlp' "$TLU" train xor.csv --learner mlp --scale online -o x.tlu
refuses_with 'cannot be combined with a stream' "$TLU" stream new.tlu --learner mlp <xor.csv
refuses_with 'a model with layers cannot go on with a stream' "$TLU" stream digits.tlu <xor.csv
refuses_with 'has no option --hidden' "$TLU" train xor.csv --hidden 3 -o x.tlu
says '--momentum has no effect with mlp, which goes by --optimizer adam' \
    "$TLU" train xor.csv --learner mlp --momentum 0.5 -o x.tlu

# Numbers that grow too large end in a sentence, not in a model.
refuses_with 'a smaller --rate' "$TLU" train "$digits/iris.csv" --learner mlp --optimizer momentum --rate 1e20 -o nan.tlu
printf '1 1:3e38\n2 1:-3e38\n1 1:2e38\n' >huge.svm
refuses_with 'a smaller --rate' "$TLU" train huge.svm --learner mlp --scale none --rate 1e5 -o nan.tlu
[ ! -e nan.tlu ] || complain 'a model of numbers that are none'
printf 'a 1:1 2:1\nb 1:-1 3:1\nb 2:3\n' >small.svm
train small.tlu small.svm --hidden 8,8 --scale none
printf 'a 1:1\na 1:3e38 2:3e38\n' >huge.svm
for verb in predict eval explain; do
    refuses_with 'huge.svm:2: the score of this row overflows' "$TLU" $verb small.tlu huge.svm --json
done

# ---- MNIST

mnist=$TLU_SOURCE/../shared/data/mnist
[ "${TLU_LONG:-}" ] || exit 0
[ -e "$mnist/train.svm.gz" ] || { echo 'skipped: MNIST is not there'; exit 0; }
train mnist.tlu "$mnist/train.svm.gz" --hidden 300
"$TLU" eval mnist.tlu "$mnist/test.svm.gz" --json >mnist.json
python3 -c 'import json; assert json.load(open("mnist.json"))["accuracy"] >= 0.98' || complain "$(cut -c 1-80 mnist.json)"

# On few rows it makes many short passes: with --holdout it does not give up after three of them.
"$TLU" train "$TLU_SOURCE/examples/data/iris.csv" --learner mlp --holdout 0.2 --json -o held.tlu >held.json 2>errors.txt ||
    complain "--holdout: $(cat errors.txt)"
python3 -c 'import json
told = json.load(open("held.json"))
assert told["epochs"] > 50 and max(told["held_out_accuracy"]) > 0.85, told' || complain '--holdout gives up too early'
