# The Titanic table as JSON: the model of CSV, and 82% in cross-validation.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
table=$TLU_SOURCE/../shared/data/titanic/titanic.csv
[ -e "$table" ] || {
    echo 'skipped: there is no shared/data/titanic'
    exit 77
}
cp "$table" titanic.csv
python3 "$TLU_SOURCE/tests/json_shapes.py" titanic || fail 'shapes'
# Some tickets are numbers: in CSV these are categories, too.
learn() # DATA: its weights and its predictions
{
    "$TLU" train "$1" -o model.tlu --quiet --learner perceptron --label Survived --ignore Ticket \
        --missing zero --scale none || complain "$1: train"
    "$TLU" inspect model.tlu --weights
    "$TLU" predict model.tlu "$1" --quiet --scores --id PassengerId
}
learn titanic.csv >expected
[ "$(wc -l <expected)" -gt 2000 ] || complain "only $(wc -l <expected) weights and predictions"
for shape in titanic.jsonl titanic-line.json titanic-pretty.json titanic-objects.json; do
    learn $shape | cmp -s - expected || complain "$shape: another model than that of CSV"
    "$TLU" cv $shape --label Survived >output 2>&1 || complain "$shape: cv: $(cat output)"
    accuracy=$(sed -n 's/^accuracy  \([0-9]*\)\..*/\1/p' output)
    [ "$accuracy" -ge 82 ] || complain "$shape: cv: $(cat output)"
done
