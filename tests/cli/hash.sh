# --hash: slots, rows and collisions are those of tests/hash_reference.py, a second implementation;
# and a model of hashed names is the model of its slots.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
second=$TLU_SOURCE/tests/hash_reference.py

python3 "$second" vectors "$TLU_SOURCE/docs/formats.md" || complain "the test vectors in docs/formats.md"

check() # FORMAT SEED BITS
{
    local form=$1 what="$1 $2 $3"
    python3 "$second" make "$form" "$2" "$3" >data || complain "$what: no data"
    "$TLU" convert data --format "$form" --hash "$3" --to libsvm -o rows.svm --quiet ||
        complain "$what: convert"
    cmp rows.svm expected || complain "$what: the rows"
    # In chunks of many threads or of one, the same.
    "$TLU" train --learner perceptron data --format "$form" --hash "$3" --threads 4 -o four.tlu 2>summary ||
        complain "$what: train: $(cat summary)"
    grep -qF "$(cat counts)" summary || complain "$what: $(grep hashed summary), expected $(cat counts)"
    "$TLU" train --learner perceptron data --format "$form" --hash "$3" --threads 1 -o hashed.tlu --quiet
    cmp four.tlu hashed.tlu || complain "$what: the model depends on the threads"
    # From binary data, whose names are numbers: the same model, slots and collisions.
    mkdir -p binary
    "$TLU" convert data --format "$form" --to binary -o binary/data --quiet
    "$TLU" convert binary/data --hash "$3" --to libsvm -o rows.svm --quiet
    cmp rows.svm expected || complain "$what: the rows of binary data"
    "$TLU" train --learner perceptron binary/data --hash "$3" --threads 4 -o binary.tlu 2>summary
    grep -qF "$(cat counts)" summary || complain "$what: binary data: $(grep hashed summary)"
    cmp binary.tlu hashed.tlu || complain "$what: another model from binary data"
    # Whole numbers and quarters: every sum is exact, in whatever order.
    "$TLU" train --learner perceptron expected --format libsvm -o plain.tlu --quiet || complain "$what: train the slots"
    "$TLU" predict --scores hashed.tlu data --format "$form" >first || complain "$what: predict"
    "$TLU" predict --scores plain.tlu expected --format libsvm >other
    cmp first other || complain "$what: the scores"
    # Names that training has not met.
    python3 "$second" make "$form" "$(($2 + 1000))" "$3" >data
    "$TLU" predict --scores hashed.tlu data --format "$form" --quiet >first || complain "$what: others"
    "$TLU" predict --scores plain.tlu expected --format libsvm --quiet >other
    cmp first other || complain "$what: the scores of other rows"
    "$TLU" eval hashed.tlu data --format "$form" --json >first
    "$TLU" eval plain.tlu expected --format libsvm --json >other
    [ "$(grep -o '"accuracy": [0-9.]*' first | head -1)" = \
        "$(grep -o '"accuracy": [0-9.]*' other | head -1)" ] || complain "$what: eval"
    [ "$form" = csv ] && return # its files have columns, which must be those of the model
    "$TLU" convert data --format "$form" --to binary -o data.tlud --quiet
    "$TLU" predict --scores hashed.tlu data.tlud --quiet >first || complain "$what: binary"
    "$TLU" predict --scores hashed.tlu data --format "$form" --quiet >other
    cmp first other || complain "$what: the scores of binary data"
}
for form in libsvm csv vw jsonl fasttext; do
    check "$form" 1 10
    check "$form" 2 12
    check "$form" 3 24
done

# A stream of names is the stream of their slots, and goes on from its model with the same bits.
stream() # FORMAT OPTIONS...
{
    local form=$1
    shift
    rm -f whole.tlu halves.tlu
    "$TLU" stream whole.tlu --format "$form" --scores --quiet "$@" <data >first || complain "learn $form"
    head -n 200 data | "$TLU" stream halves.tlu --format "$form" --scores --quiet "$@" >halves
    { [ "$form" = csv ] && head -n 1 data; tail -n +201 data; } |
        "$TLU" stream halves.tlu --format "$form" --scores --quiet >>halves
    cmp first halves || complain "learn $form $*: answers in two halves"
    cmp whole.tlu halves.tlu || complain "learn $form $*: a model in two halves"
}
for form in libsvm csv vw; do
    python3 "$second" make "$form" 7 10 >data
    stream "$form" --hash 10
    stream "$form" --hash 10 --learner perceptron --decide average --scale none # whose sums are exact
    rm -f plain.tlu
    "$TLU" stream plain.tlu --format libsvm --scores --quiet --learner perceptron --decide average --scale none \
        <expected >other
    cmp first other || complain "learn $form: not the stream of its slots"
    stream "$form" --hash 10 --scale online
    stream "$form" --scale maxabs --learner arow
    stream "$form" --max-features 200
    if [ "$form" != libsvm ]; then # where few features are names
        [ "$("$TLU" inspect whole.tlu --json | grep -o '"features": [0-9]*' | head -1 | tr -dc 0-9)" -le 200 ] ||
            complain "learn $form --max-features: more than 200 names"
    fi
done
"$TLU" stream whole.tlu --format vw --hash 12 <data >output 2>&1 && complain "another --hash was taken"
grep -q "was made with --hash" output || complain "another --hash: $(cat output)"

# A fold never hears of the other rows: with the names of one fold alone the counts differ.
python3 "$second" make vw 5 10 >data
"$TLU" cv data --format vw --hash 10 --folds 3 --json >first || complain "cv"
"$TLU" convert data --format vw --to binary -o data.tlud --quiet
"$TLU" cv data.tlud --hash 10 --folds 3 --json >other || complain "cv of binary data"
[ "$(grep -o '"accuracy": [0-9.]*' first)" = "$(grep -o '"accuracy": [0-9.]*' other)" ] ||
    complain "cv: binary data differs"
"$TLU" cv expected --format libsvm --folds 3 --json >other
[ "$(grep -o '"accuracy": [0-9.]*' first | head -1)" = \
    "$(grep -o '"accuracy": [0-9.]*' other | head -1)" ] || complain "cv: another accuracy"

"$TLU" inspect hashed.tlu --top 3 | grep -q '#[0-9]' || complain "inspect shows no slot"
"$TLU" explain hashed.tlu data --format fasttext 2>&1 | grep -q '#[0-9]' || complain "explain shows no slot"

refuses_with "from 10 to 30" "$TLU" train data --hash 9 -o x.tlu
refuses_with "from 10 to 30" "$TLU" train data --hash 31 -o x.tlu
refuses_with "written as libsvm" "$TLU" convert data --format vw --hash 12 --to csv
refuses_with "no names to be written" "$TLU" convert data --format vw --hash 12 --to libsvm --names names
refuses_with "or --hash BITS" "$TLU" train data.tlud --max-features 100 --epochs 1 -o x.tlu
refuses_with "cannot be combined with a trace" "$TLU" trace data --format vw --hash 12

# ---- a row without a label, or one that is looked at twice, does not keep a name from its weight
rm -f plain.tlu asked.tlu whole.tlu cut.tlu
printf 'a\tw29\nb\tw4\na\tw29\nb\tw4\n' >labelled.tsv
"$TLU" stream plain.tlu --quiet --format text --hash 10 <labelled.tsv >/dev/null
{ printf '\tw4 w29\n'; cat labelled.tsv; } | "$TLU" stream asked.tlu --quiet --format text --hash 10 >/dev/null
cmp plain.tlu asked.tlu || complain "a row without a label changes the model"
printf '1e-30,x,a\n2e-30,y,b\n1e-30,x,a\n2e-30,y,b\n1,z,a\n2,z,b\n1,w,a\n' >guard.csv
"$TLU" stream whole.tlu --quiet --hash 12 --learner arow --format csv --header no <guard.csv >/dev/null
head -n 2 guard.csv | "$TLU" stream cut.tlu --quiet --hash 12 --learner arow --format csv --header no >/dev/null
tail -n 5 guard.csv | while read -r line; do
    echo "$line" | "$TLU" stream cut.tlu --quiet --header no >/dev/null
done
cmp whole.tlu cut.tlu || complain "a model in many parts"
