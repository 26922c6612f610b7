# --holdout: the share that was asked for, to the row and class by class, whatever the file looks
# like and however it is read; models of versions that held out other rows do not go on.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
data=$TLU_SOURCE/examples/data
old=$TLU_SOURCE/tests/data/old

# held FILE OPTIONS...: rows held out of FILE
held()
{
    local file=$1
    shift
    "$TLU" train "$file" -o held.tlu --json "$@" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["held_out"])'
}

# Iris has 50 rows of each class, sorted: 30% are 45, and 15 of each.
test "$(held "$data/iris.csv" --holdout 0.3)" = 45 || fail "iris"
grep . "$data/iris.csv" | (read -r header; echo "$header"; sort -t, -k2,2n) > mixed.csv
test "$(held mixed.csv --holdout 0.3 --seed 9)" = 45 || fail "iris, mixed"
test "$(held "$data/iris.csv" --holdout 0.3 --learner rocchio)" = 45 || fail "iris, rocchio"
test "$(cat "$data/iris.csv" | held - --holdout 0.1)" = 15 || fail "iris, from a pipe"

# The model is the same with any number of threads, from a pipe, with rows in a file for want of
# memory, and interrupted and resumed (tests/cli/resume.sh).
awk 'BEGIN { srand(5); for (i = 0; i < 30000; i++) { c = i < 20000 ? i % 2 : 2
    printf "c%d %d:1 %d:%d\n", c, 1 + int(900 * rand()), 1000 + int(50 * rand()) + 40 * c, c + 1 } }' \
    > three.svm
"$TLU" train three.svm --holdout 0.2 --epochs 3 --threads 1 -o one.tlu -q
"$TLU" train three.svm --holdout 0.2 --epochs 3 --threads 4 -o four.tlu -q
"$TLU" train - --holdout 0.2 --epochs 3 -o pipe.tlu -q < three.svm
"$TLU" train three.svm --holdout 0.2 --epochs 3 --memory 10K -o little.tlu -q
cmp one.tlu four.tlu
cmp one.tlu little.tlu
"$TLU" inspect one.tlu --weights > one.weights
"$TLU" inspect pipe.tlu --weights | cmp - one.weights
test "$("$TLU" inspect one.tlu --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["held_out"])')" = 6000 ||
    fail "not 6000 of 30000"

# The held-out rows chose the pass, unless there was one alone.
says 'so their accuracy is optimistic; tlu split' "$TLU" train three.svm --holdout 0.2 --epochs 3 -o held.tlu
says 'so their f1-macro is optimistic; tlu split' "$TLU" train three.svm --holdout 0.2 --epochs 3 --metric f1-macro -o held.tlu
keeps_silent_about 'tlu split' "$TLU" train three.svm --holdout 0.2 --epochs 1 -o held.tlu
keeps_silent_about 'tlu split' "$TLU" train three.svm --epochs 3 -o held.tlu

# Models of earlier versions predict, but other rows were held out for them.
for model in holdout-paused holdout-complete; do
    cp "$old/$model.tlu" old.tlu
    "$TLU" inspect old.tlu > inspect.log
    grep -q '^held out' inspect.log || fail "$model: $(cat inspect.log)"
    code=0
    "$TLU" train "$old/holdout.svm" --resume --epochs 20 -o old.tlu 2> refused.log || code=$?
    test $code = 2 || fail "$model: exit code $code"
    grep -q 'cannot be resumed; start it again: it is of an earlier version' refused.log ||
        fail "$model: $(cat refused.log)"
    cmp old.tlu "$old/$model.tlu"
done

# The figure of the best of several passes is optimistic; that of a single pass is not.
optimistic='optimistic, because these rows also chose the pass; tlu split sets test rows aside'
"$TLU" train "$TLU_SOURCE/examples/data/iris.csv" --holdout 0.3 --shuffle all -o figure.tlu >told.txt 2>&1 ||
    complain "train: exit code $?"
[ "$(grep -c 'optimistic' told.txt)" = 1 ] || complain "train: $(cat told.txt)"
"$TLU" inspect figure.tlu >told.txt || complain "inspect: exit code $?"
grep -A1 '^held out ' told.txt | grep -qF "          $optimistic" || complain "inspect: $(cat told.txt)"
keeps_silent_about 'optimistic' "$TLU" train "$TLU_SOURCE/examples/data/iris.csv" --holdout 0.3 --epochs 1 -o one.tlu
keeps_silent_about 'optimistic' "$TLU" inspect one.tlu
keeps_silent_about 'optimistic' "$TLU" train "$TLU_SOURCE/examples/data/iris.csv" -o none.tlu
