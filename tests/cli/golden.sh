# "Old models unreadable; models silently break." Models of every format that was released still load,
# with the weights and predictions that tests/golden/README.md works out by hand, and training makes
# the same model today.
. "$TLU_SOURCE/tests/prelude.sh"

same() # expected file, what, command...
{
    "${@:3}" >found.txt 2>errors.txt || complain "$2: gives $?: $(cat errors.txt)"
    cmp -s "$1" found.txt || complain "$2: $(diff "$1" found.txt | head -n 5)"
}

models=0
for options in "$TLU_SOURCE"/tests/golden/*.options; do
    golden=${options%.options}
    name=$(basename "$golden")
    for data in "$golden.svm" "$golden.csv" "$golden.jsonl"; do
        [ -e "$data" ] && break
    done
    read -ra words <"$options"
    "$TLU" train "$data" -o "$name.tlu" --quiet "${words[@]}" || complain "$name: train gives $?"
    if [ ! -e "$golden.tlu" ] && [ "${GOLDEN_MAKE:-}" ]; then
        cp "$name.tlu" "$golden.tlu"
    fi
    for model in "$golden.tlu" "$name.tlu"; do
        weights=$golden.weights
        # Words beside "features" have a prefix since version 0.2.
        [ "$model" != v1-mail.tlu ] || sed '/len/!s/\t/\ttext:/' "$weights" >now
        [ "$model" != v1-mail.tlu ] || weights=now
        same "$weights" "weights of $model" "$TLU" inspect "$model" --weights
        same "$golden.predictions" "predictions of $model" \
            "$TLU" predict "$model" "$golden.rows" --scores --quiet
    done
    # The same version and options give the same bytes, on any machine. (Models of before the default
    # learner changed do not have the perceptron among the options that were given.)
    if [ "$("$TLU" inspect "$golden.tlu" --json | grep -oE '"(version": "[^"]*"|options": \{[^}]*\})')" = \
        "$("$TLU" inspect "$name.tlu" --json | grep -oE '"(version": "[^"]*"|options": \{[^}]*\})')" ]; then
        cmp -s "$golden.tlu" "$name.tlu" || complain "$name.tlu is not the golden one, byte for byte"
    fi
    models=$((models + 1))
done
[ $models -ge 5 ] || complain "only $models golden models"

# ---- The journal of an earlier version, with three rows after the two that its model has: a stream
# goes on from it to the model of a stream that was never interrupted.
golden=$TLU_SOURCE/tests/golden/journal-3
rm -f whole.tlu # of a run before, with other instructions (kernels.sh)
cp "$golden.tlu" killed.tlu
cp "$golden.tlu.journal" killed.tlu.journal
says '3 rows of the journal learned again' "$TLU" stream killed.tlu --journal <<<"$(sed 2,6d "$golden.csv")"
"$TLU" stream whole.tlu --quiet --learner pa --format csv --missing refuse <"$golden.csv" >/dev/null || complain "learn gives $?"
cmp -s killed.tlu whole.tlu || complain "the journal of version 3 leads to another model"
