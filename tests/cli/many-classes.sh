# Many classes and indices that are far apart: memory and time follow the features and classes that
# are there, not the largest index. Each class has a feature of its own, so that every right answer
# is known; 300 MB and a few seconds must do, for all verbs. A sanitizer is no measure of either.
. "$TLU_SOURCE/tests/prelude.sh"

if is_sanitized; then exit 77; fi
most=300000
within() # COMMAND...: with so many kB of addresses and 20 s of CPU
{
    (ulimit -v $most && ulimit -t 20 && "$@") 2>errors
}

# CLASSES ROWS HIGHEST: row i is of class i modulo CLASSES, whose feature is that far below HIGHEST.
rows()
{
    awk -v n="$1" -v rows="$2" -v top="$3" \
        'BEGIN { for (i = 0; i < rows; i++) printf "%d %.0f:1\n", i % n, top - i % n }'
}
check() # NAME OPTIONS...: of NAME.svm, every verb
{
    local name=$1
    shift
    cut -d ' ' -f 1 "$name.svm" >labels
    within "$TLU" train "$name.svm" "$@" -o "$name.tlu" || complain "$name: train: $(cat errors)"
    within "$TLU" predict "$name.tlu" "$name.svm" >answers || complain "$name: predict: $(cat errors)"
    cmp answers labels || complain "$name: predict: other labels"
    within "$TLU" eval "$name.tlu" "$name.svm" --json >evaluation || complain "$name: eval: $(cat errors)"
    grep -q '"accuracy": 1[,.]' evaluation || complain "$name: eval: $(grep accuracy evaluation)"
    within "$TLU" inspect "$name.tlu" >inspected || complain "$name: inspect: $(cat errors)"
}

# 100 classes one versus one: 4,950 columns.
rows 100 100 1048575 >pairs.svm
check pairs --multiclass ovo --learner perceptron
check pairs --multiclass ovo --learner arow
check pairs --multiclass ovo --learner rocchio
check pairs --multiclass ovo --learner max-margin

# As small as these numbers are, their model is one of indices 1, 2, 3, ... but for the indices.
rows 500 1000 1048575 >many.svm
rows 500 1000 500 >small.svm
for learner in perceptron pa romma; do
    check many --learner "$learner"
    check small --learner "$learner"
    for name in many small; do
        "$TLU" predict --scores "$name.tlu" "$name.svm" >"$name.scores"
    done
    cmp many.scores small.scores || complain "$learner: other scores where indices are large"
done

# 5,000 classes, and 3,000 with indices at the top of 32 bits and around 2^20. With a feature each
# these are 25 million cells; with all indices below 2^20 they would be five billion.
most=2000000
rows 5000 5000 1048575 >more.svm
check more --learner perceptron --decide last --epochs 3
{ rows 1500 1500 4294967295; rows 3000 3000 1049000 | tail -n 1500; } >high.svm
check high --learner perceptron --decide last --epochs 3

most=300000

# A stream, cut in two, is the stream in one.
within "$TLU" stream whole.tlu <many.svm >whole.answers || complain "learn: $(cat errors)"
head -n 300 many.svm | within "$TLU" stream cut.tlu >cut.answers || complain "learn: $(cat errors)"
tail -n +301 many.svm | within "$TLU" stream cut.tlu >>cut.answers || complain "learn: $(cat errors)"
cmp whole.tlu cut.tlu || complain "learn: cut in two, the model is another"
cmp whole.answers cut.answers || complain "learn: cut in two, the answers are others"

# More passes over a complete model come to the same as all of them at once.
within "$TLU" train many.svm --learner pa --epochs 2 -o two.tlu || complain "train: $(cat errors)"
within "$TLU" train many.svm --resume --epochs 4 -o two.tlu || complain "resume: $(cat errors)"
within "$TLU" train many.svm --learner pa --epochs 4 -o four.tlu || complain "train: $(cat errors)"
cmp two.tlu four.tlu || complain "resume: another model"

within "$TLU" cv many.svm --folds 2 --epochs 2 --json >cv.json || complain "cv: $(cat errors)"

# Slots of hashed names are far apart as well.
within "$TLU" train many.svm --hash 22 --learner perceptron -o hashed.tlu || complain "hash: $(cat errors)"
within "$TLU" predict hashed.tlu many.svm >answers || complain "hash: $(cat errors)"
cut -d ' ' -f 1 many.svm | cmp - answers || complain "hash: other labels"

# However many slots there are, it is those with a name that take time. (Not address space.)
! is_32_bit || exit 0
rows 2 200 100 >two.svm
for classes in two many; do
    (ulimit -t 1 && "$TLU" train $classes.svm --hash 28 --epochs 1 -o hashed.tlu) 2>errors ||
        complain "2^28 slots, $classes classes: $(cat errors)"
done
