# --hash: slots, rows and collisions are those of tests/hash_reference.py, a second implementation;
# and a model of hashed names is the model of its slots.
set -u
command -v python3 >python || exit 77
failures=0
complain()
{
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}
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
    "$TLU" train data --format "$form" --hash "$3" --threads 4 -o four.tlu 2>summary ||
        complain "$what: train: $(cat summary)"
    grep -qF "$(cat counts)" summary || complain "$what: $(grep hashed summary), expected $(cat counts)"
    "$TLU" train data --format "$form" --hash "$3" --threads 1 -o hashed.tlu --quiet
    cmp four.tlu hashed.tlu || complain "$what: the model depends on the threads"
    # Whole numbers and quarters: every sum is exact, in whatever order.
    "$TLU" train expected --format libsvm -o plain.tlu --quiet || complain "$what: train the slots"
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

# A fold never hears of the other rows: with the names of one fold alone the counts differ.
python3 "$second" make vw 5 10 >data
"$TLU" cv data --format vw --hash 10 --folds 3 --json >first || complain "cv"
"$TLU" cv expected --format libsvm --folds 3 --json >other
[ "$(grep -o '"accuracy": [0-9.]*' first | head -1)" = \
    "$(grep -o '"accuracy": [0-9.]*' other | head -1)" ] || complain "cv: another accuracy"

"$TLU" inspect hashed.tlu --top 3 | grep -q '#[0-9]' || complain "inspect shows no slot"
"$TLU" explain hashed.tlu data --format fasttext 2>&1 | grep -q '#[0-9]' || complain "explain shows no slot"

refused() # SENTENCE COMMAND...
{
    local sentence=$1
    shift
    "$TLU" "$@" >output 2>&1
    [ $? = 2 ] || complain "$*: exit code"
    grep -q -- "$sentence" output || complain "$*: $(cat output)"
}
refused "from 10 to 30" train data --hash 9 -o x.tlu
refused "from 10 to 30" train data --hash 31 -o x.tlu
refused "written as libsvm" convert data --format vw --hash 12 --to csv
refused "no names to be written" convert data --format vw --hash 12 --to libsvm --names names
refused "binary data has them numbered" train data.tlud --hash 12 -o x.tlu
refused "without it" trace data --format vw --hash 12
exit $((failures > 0))
