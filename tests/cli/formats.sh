# Random files in Vowpal Wabbit's format, fastText's, JSON and labelled text: one pass of the
# perceptron over the rows of tests/format_reader.py, a second reader, has the same weights.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
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
    python3 "$second" make "$form" "$seed" "$@" >data
    "$TLU" train --learner perceptron data -o model.tlu --format "${form/records/jsonl}" --epochs 1 --decide last --quiet "$@" 2>errors ||
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
    check records $seed --label kind
    for form in vw jsonl fasttext text; do
        check $form $seed --multilabel
    done
done
check records 4 --label kind --text place,code --numeric degree --ignore size --ngrams 2 --lowercase
check records 5 --label kind --categorical code,note,size --numeric count --missing zero
# All verbs, and the same model for any number of threads.
for form in vw jsonl fasttext text; do
    python3 "$second" make $form 9 >data
    "$TLU" train --learner perceptron data -o one.tlu --format $form --threads 1 --quiet || complain "$form: train"
    "$TLU" train --learner perceptron data -o two.tlu --format $form --threads 3 --quiet || complain "$form: train"
    cmp -s one.tlu two.tlu || complain "$form: the model depends on the threads"
    [ "$(grep -c . data)" -ge 150 ] || complain "$form: the file is short"
    [ "$("$TLU" predict one.tlu data --quiet --format $form | wc -l)" -eq 150 ] ||
        complain "$form: predict does not print one line per row"
    "$TLU" eval one.tlu data --format $form | grep -q '^accuracy .* of 150 rows' ||
        complain "$form: eval"
    "$TLU" cv data -k 3 --format $form --quiet >output 2>&1 || complain "$form: cv: $(cat output)"
    "$TLU" explain one.tlu data --format $form --rows 2 >output || complain "$form: explain"
    "$TLU" trace data --format $form --steps 3 >output || complain "$form: trace"
    "$TLU" inspect one.tlu --json | grep -q "\"format\": \"$form\"" || complain "$form: inspect"
done

# More than one chunk: numbering does not depend on how they are parsed.
awk 'BEGIN { srand(3); for (i = 0; i < 60000; i++) { printf "%d %g |n", i % 3, 1 + i % 2
    for (j = 0; j < 8; j++) printf " w%d", 100000 * rand() * rand(); print "" } }' >large.vw
"$TLU" train --learner perceptron large.vw -o one.tlu --epochs 1 --threads 1 --quiet || complain "large: one thread"
"$TLU" train --learner perceptron large.vw -o two.tlu --epochs 1 --threads 4 --quiet || complain "large: four threads"
cmp -s one.tlu two.tlu || complain "large: the model depends on the threads"

# Binary data is the same rows, with their weights, for the second reader of it and for training;
# so are rows that did not fit into memory.
for form in vw jsonl fasttext text; do
    python3 "$second" make $form 10 >data
    words=()
    [ $form = vw ] || words=(--ngrams 2 --lowercase)
    "$TLU" convert data -o data.tlud --format $form --quiet "${words[@]}" || complain "$form: convert"
    "$TLU" train --learner perceptron data -o one.tlu --format $form --quiet "${words[@]}" || complain "$form: train"
    "$TLU" train --learner perceptron data.tlud -o two.tlu --quiet || complain "$form: train on binary data"
    "$TLU" inspect one.tlu --weights >first
    "$TLU" inspect two.tlu --weights >second
    cmp -s first second || complain "$form: binary data gives another model"
    "$TLU" predict one.tlu data --quiet --scores --format $form >first
    "$TLU" predict two.tlu data.tlud --quiet --scores >second
    cmp -s first second || complain "$form: binary data gives other predictions"
    # Words are made as the data was converted.
    "$TLU" predict two.tlu data --quiet --scores --format $form >second
    cmp -s first second || complain "$form: the model has forgotten how words are made"
    "$TLU" train --learner perceptron data -o two.tlu --format $form --quiet "${words[@]}" --memory 1k ||
        complain "$form: train with a cache"
    "$TLU" inspect one.tlu --weights >first
    "$TLU" inspect two.tlu --weights >second
    cmp -s first second || complain "$form: the cache gives another model"
done
printf '1 | a\n-1 2.5 |n b:3 b\n| c\n' >small.vw
"$TLU" convert small.vw -o small.tlud --format vw --quiet || complain "small: convert"
python3 "$TLU_SOURCE/tests/data_reader.py" small.tlud >found
printf '1 a:1\n-1 n^b:4\n- c:1\n' | cmp -s - found || complain "small: $(cat found)"
python3 "$TLU_SOURCE/tests/data_reader.py" small.tlud about | grep -qx 'weights 1 2.5 1' ||
    complain "small: the weights are lost"
"$TLU" convert small.vw --to libsvm --format vw >output 2>errors && complain "small: weights in LIBSVM"
grep -q '^tlu: small.vw:2: the weight of a row cannot be written as libsvm' errors ||
    complain "small: $(cat errors)"
printf '1 | a\n-1 |n b:3 b\n' >small.vw
[ "$("$TLU" convert small.vw --to libsvm --format vw --quiet)" = $'1 1:1\n-1 2:4' ] ||
    complain "small: as LIBSVM"
[ "$("$TLU" convert small.vw --to csv --format vw --quiet)" = $'label,a,n^b\n1,1,0\n-1,0,4' ] ||
    complain "small: as CSV"

# Sets of labels in binary data.
printf '1,-1 | a\n-1 2.5 |n b:3 b\n| c\n2,1 | a\n1,-1 | c\n' >sets.vw
"$TLU" convert sets.vw -o sets.tlud --format vw --multilabel --quiet || complain "sets: convert"
python3 "$TLU_SOURCE/tests/data_reader.py" sets.tlud >found
printf '1,-1 a:1\n-1 n^b:4\n- c:1\n1,2 a:1\n1,-1 c:1\n' | cmp -s - found || complain "sets: $(cat found)"

# Several labels are an error without --multilabel.
printf '0,1 | a\n1 | b\n2,0 | c\n' | "$TLU" train --learner perceptron - --format vw -o labels.tlu 2>errors &&
    complain "several labels: $(cat errors)"
grep -q '^tlu: standard input:1:1: the row has several labels; give --multilabel to learn all of them$' errors ||
    complain "several labels: $(cat errors)"
[ $runs -eq 50 ] || complain "only $runs runs"
