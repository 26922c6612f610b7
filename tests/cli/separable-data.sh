# tlu separable on real data: each set is settled, with a proof that tlu check and check_proof.py accept.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
data=$TLU_SOURCE/../shared/data
[ -d "$data" ] || {
    echo "skipped: the data is not there"
    exit 77
}
case $("$TLU" --version) in
*gmp*clp*) ;;
*)
    echo "skipped: built without GMP or Clp"
    exit 77
    ;;
esac

settled() # CODE ROWS DATA OPTION...: this exit code, at most so many rows in a contradiction
{
    local code=$1 rows=$2 file=$data/$3 status=0
    shift 3
    "$TLU" separable "$file" --proof proof.txt --json "$@" >output.txt 2>errors.txt || status=$?
    [ $status = "$code" ] || complain "$file $*: exit code $status, not $code: $(cat errors.txt)"
    claim=separable
    [ "$code" = 0 ] || claim=not-separable
    "$TLU" check proof.txt "$file" >checked.txt || complain "$file $*: tlu check: $(cat checked.txt)"
    if [ "${TLU_LONG:-}" ] || [ "$(stat -c %s "$file")" -lt 500000 ]; then # Python takes its time
        found=$(python3 "$TLU_SOURCE/tests/check_proof.py" proof.txt "$file" 2>&1 | tail -1)
        [ "$found" = "$claim" ] || complain "$file $*: the proof: $found"
    fi
    python3 -c "
import json
answer = json.load(open('output.txt'))
if $code:
    assert len(answer['contradiction']) <= $rows, len(answer['contradiction'])
elif answer['classes'] == 2:
    low, high = answer['margin_low'], answer['margin_high']
    assert 0 < low <= high * (1 + 1e-15) and high - low <= 1e-6 * high, (low, high)
" || complain "$file $*: the answer"
}

# At most features + 2 rows contradict each other; with K classes, K (features + 1) + 1.
settled 0 0 iris/iris.csv --positive setosa
settled 1 6 iris/iris.csv --only versicolor,virginica
settled 1 16 iris/iris.csv
settled 0 0 sonar/sonar.csv
settled 0 0 wdbc/wdbc.data --label 2 --ignore 1
settled 1 12 small/breast-cancer_scale
settled 1 15 small/heart_scale
settled 1 6 small/svmguide1
settled 1 10 small/diabetes_scale
settled 1 4 small/fourclass
settled 1 122 small/vowel.scale
settled 0 0 mushrooms/mushrooms
settled 0 0 mushrooms/agaricus-lepiota.data --label 1 --missing indicator
settled 1 125 a9a/a9a
settled 0 0 rcv1-small/train.svm
settled 1 62063 news20/news20
