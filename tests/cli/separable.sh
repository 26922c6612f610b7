# tlu separable: known answers, in words, as JSON and as proofs, which check_proof.py checks.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
case $("$TLU" --version) in
*gmp*clp*) ;;
*)
    echo "skipped: built without GMP or Clp"
    exit 77
    ;;
esac

settled() # CODE CLAIM DATA OPTION...: this exit code, and a proof of this claim that is right
{
    local code=$1 claim=$2 data=$3 status=0
    shift 3
    "$TLU" separable "$data" --proof proof.txt "$@" >output.txt 2>errors.txt || status=$?
    [ $status = "$code" ] || complain "$data $*: exit code $status, not $code: $(cat errors.txt)"
    if command -v python3 >/dev/null; then
        [ "$(python3 "$TLU_SOURCE/tests/check_proof.py" proof.txt "$data" 2>&1)" = "$claim" ] ||
            complain "$data $*: the proof is not one of $claim"
    fi
    "$TLU" check proof.txt "$data" >checked.txt || complain "$data $*: $(cat checked.txt)"
}

has() # PART: the last output has it
{
    grep -qF -e "$1" output.txt || complain "'$1' is missing: $(cat output.txt)"
}

# The sets of the notes.
printf '%s\n' '0 1:0 2:0' '1 1:0 2:1' '1 1:1 2:0' '0 1:1 2:1' >xor.svm
settled 1 not-separable xor.svm
has 'not separable: these 4 rows contradict each other'
has '  line 3 (1) times 1'
printf '%s\n' '1 1:1' '-1 1:2' '1 1:3' >line.svm
settled 1 not-separable line.svm
has 'these 3 rows'
has 'line 2 (-1) times 2'
printf '%s\n' x1,x2,y 0,0,no 0,1,yes 1,0,yes 1,1,yes >or.csv
settled 0 separable or.csv
has '0.707107 x1 + 0.707107 x2 - 0.353553 > 0 is yes'
has 'margin    0.353553391 to 0.353553391'
has 'supports  lines 2, 3, 4'
has 'classes   yes against no; label column y'
# (x, 1) is at most sqrt(3) long; the margin of (w, b) is 1/3.
has 'bound     a perceptron makes at most 27 mistakes'
printf '%s\n' x1,x2,y 0,0,no 0,1,no 1,0,no 1,1,yes >and.csv
settled 0 separable and.csv
has 'supports  lines 3, 4, 5'
settled 1 not-separable or.csv --no-bias # the row of zeros
has 'this row contradicts itself'
# Honavar notes: C1 = {(1,1), (1,-1), (0,-1)}, C2 = {(-1,-1), (-1,1), (0,1)}.
printf '%s\n' 'C1 1:1 2:1' 'C1 1:1 2:-1' 'C1 2:-1' 'C2 1:-1 2:-1' 'C2 1:-1 2:1' 'C2 2:1' >honavar.svm
settled 0 separable honavar.svm
settled 0 separable honavar.svm --no-bias

# Numbers of more than 32 bits: 2^32 + 1 and 2^32 - 1 are 2 apart; of three in a row the one in the
# middle is of another class.
printf '%s\n' '1 1:4294967297' '-1 1:4294967295' >wide.svm
settled 0 separable wide.svm
grep -q 'margin at least 1, at most 1' checked.txt || complain "wide: $(cat checked.txt)"
printf '%s\n' '1 1:4294967296' '-1 1:4294967297' '1 1:4294967298' >wide-line.svm
settled 1 not-separable wide-line.svm
has 'line 2 (-1) times 2'

# Several classes: the winner takes all. Of three on a line the one in the middle wins with a bias.
printf '%s\n' 'a 1:1' 'b 1:2' 'c 1:3' >three.svm
settled 0 separable three.svm
settled 1 not-separable three.svm --no-bias
has 'against'
settled 1 not-separable three.svm --positive b
settled 0 separable three.svm --only a,b
settled 0 separable three.svm --positive c

# Decimals as they are written, not the nearest floats or doubles: in them these are one point.
printf '%s\n' '1 1:0.1' '-1 1:0.10000000000000000000000000001' >near.svm
settled 0 separable near.svm
has 'to 5e-30'
printf '%s\n' '1 1:16777216' '-1 1:16777217' '1 1:16777218' >middle.svm
settled 1 not-separable middle.svm
has 'line 2 (-1) times 2'
printf '%s\n' '1 1:0.1' '-1 1:1e-1' >alike.svm
settled 1 not-separable alike.svm
has 'these 2 rows'
printf '%s\n' '1 1:1e-60' '-1 1:0' >tiny.svm
settled 0 separable tiny.svm
zeros=$(printf '%01200d' 0)
printf '%s\n' '1 1:0e5000' "1 1:1.$zeros" "1 1:0.${zeros}1e1201" "1 1:-0.${zeros}e-5000" '-1 1:1001e-1000' \
    "-1 1:-${zeros}2.50${zeros}" >spelled.svm # as long as one likes: 0, 1, 1 and 0; 1.001e-997 and -2.5
settled 1 not-separable spelled.svm
has 'line 5 (-1) with a share of 100%'
has 'line 6 (-1) with a share below 1e-06%'
printf '%s\n' 'a,"x, y",1' 'b,"x, y",+2' 'a,z,1.0' 'a,"x ""y""",1' 'b,?,2' >quoted.csv
settled 0 separable quoted.csv --missing indicator --categorical 1,2
refuses_with "too close to 0" "$TLU" separable <(printf '%s\n' '1 1:1e-99999' '-1 1:1') --format libsvm

# Of many weights the strongest: those of 20 features are as 1 to 20, with a length of sqrt(2870).
{ printf 'a'; printf ' %d:%d' $(seq 20 | sed 's/.*/& &/'); printf '\nb\n'; } >many.svm
settled 0 separable many.svm --positive a
has 'plane     0.373327 20 + 0.35466 19 + '
has ' + 0.167997 9 - 26.7862 and 8 more (--json has all) > 0 is a'
printf '%s\n' 'a 1:1 2:3' 'b 1:1 2:1' 'b 1:2' >few.svm
settled 0 separable few.svm --positive a
has 'plane     1 2 - 2 > 0 is a' # no more than there are

# Factors of many digits are shares: of one class 2/3 and 1/3, of the other all. JSON has them as they are.
printf '%s\n' 'a 1:0' 'b 1:0.3333333333333' 'a 1:1' >thirds.svm
settled 1 not-separable thirds.svm
has '  line 1 (a) with a share of 66.7%'
has '  line 2 (b) with a share of 100%'
has '  line 3 (a) with a share of 33.3%'
has '(The factors have up to 14 digits; '
"$TLU" separable thirds.svm --json >output.txt
has '"weight": "6666666666667"'
has '"weight": "10000000000000"'
printf '%s\n' 'a 1:0' 'b 1:0.33333333333' 'a 1:1' >thirds.svm
settled 1 not-separable thirds.svm
has '  line 2 (b) times 100000000000'

# What a proof cannot hold: a line end in a field, a line of more than 100,000 bytes.
printf '%s\n' 'x,y' '"one' 'two",a' 'three,b' >ends.csv
refuses_with "without line ends in fields" "$TLU" separable ends.csv --proof proof.txt
{ printf 'x,y\n'; printf '%0100000d' 0 | tr 0 x; printf ',a\nz,b\n'; } >long.csv
refuses_with "numbers of 100,000 bytes" "$TLU" separable long.csv --proof proof.txt

# The same rows in every format: 0.1 + 0.2 is 0.3, which it is not in floats.
same() # CODE FORMAT: the file `same` has this answer
{
    local status=0
    "$TLU" separable same --format $2 >output.txt 2>errors.txt || status=$?
    [ $status = $1 ] || complain "$2: exit code $status, not $1: $(cat errors.txt)"
}
printf '%s\n' 'a |n x:0.1 x:0.2' 'b |n x:0.3' >same
same 1 vw
has 'these 2 rows'
printf '%s\n' 'a |n:0.1 x:3' 'b |n x:0.3 y:0' >same
same 1 vw
printf '%s\n' 'a |n x:0.1 x:0.2 y:1 y:-1.0' 'b | z:0.5' 'b |n x:0.30000000000000001' >same
same 0 vw
has 'separable: 3 rows'
printf '%s\n' '{"label": "a", "features": {"x": 0.3}}' '{"label": "b", "features": {"x": 0.1, "y": [0, true]}}' \
    '{"label": "a", "features": {"x": 3e-1}}' '{"label": "b", "features": {"x": 0.3}}' >same
same 1 jsonl
has 'these 2 rows'
# A word adds to the feature of its name, text:x: 0.5 + 1 + 1 is 2.5.
printf '%s\n' '{"label": "a", "text": "x x", "features": {"text:x": 0.5}}' '{"label": "b", "features": {"text:x": 2.5}}' >same
same 1 jsonl
printf '%s\n' '{"label": "a", "text": "x x", "features": {"text:x": 0.5}}' '{"label": "b", "features": {"text:x": 2.50000001}}' >same
same 0 jsonl
refuses_with "has more than 18 digits" "$TLU" separable --format vw <(printf '%s\n' 'a | x:0.1234567890123456789' 'b | x:1')
"$TLU" convert xor.svm --to binary -o same >/dev/null || complain "convert"
"$TLU" separable same --quiet >output.txt
[ $? = 1 ] || complain "binary: $(cat output.txt)"

# Text: counts of words are exact; proofs are for LIBSVM and CSV.
printf '%s\n' '__label__a good film' '__label__b bad film' '__label__a good good' >text.txt
"$TLU" separable text.txt >output.txt || complain "text.txt"
has 'separable: 3 rows in 2 classes'
refuses_with "--proof is for LIBSVM and CSV data" "$TLU" separable text.txt --proof proof.txt

# What is wrong.
refuses_with "there is nothing to separate" "$TLU" separable <(printf 'a 1:1\na 1:2\n')
printf '%s\n' '-1 1:1' '-1 1:2' >one.svm # all rows on one side
settled 0 separable one.svm
settled 0 separable one.svm --no-bias
printf '%s\n' '1 1:1' '1 1:-2' >two-sided.svm
settled 0 separable two-sided.svm
settled 1 not-separable two-sided.svm --no-bias
# Three points on a line: one mistake, and the plane depends on x.
printf '%s\n' x,y -1,-1 0,1 1,-1 >middle.csv
settled 1 mistakes middle.csv --approximate
has 'a plane makes 1 mistake on 3 rows'
grep -q '^plane .* x .*> 0 is 1' output.txt || complain "w is 0: $(cat output.txt)"
refuses_with "--positive d: no row has that label" "$TLU" separable three.svm --positive d
refuses_with "--only d: no row has that label" "$TLU" separable three.svm --only a,d
refuses_with "--only leaves that label out" "$TLU" separable three.svm --only a,b --positive c
refuses_with "--scale changes the values" "$TLU" separable three.svm --scale maxabs
refuses_with "--hash makes one feature of several" "$TLU" separable three.svm --hash 12
refuses_with "no-such-file" "$TLU" separable no-such-file
refuses_with "expected a number" "$TLU" separable <(printf '1 1:1\n2 1:x\n') --format libsvm
refuses_with "three.svm" "$TLU" separable three.svm --proof three.svm

# A class for each row.
seq 40000 | sed 's/.*/l& 1:&/' >classes.svm
refuses_with "40000 rows of 40000 classes are too many to compare" "$TLU" separable classes.svm
settled 0 separable classes.svm --positive l1

# JSON, and time that is up.
"$TLU" separable xor.svm --json >output.txt
[ $? = 1 ] || complain "--json: the exit code"
python3 -c '
import json
answer = json.load(open("output.txt"))
assert answer["verdict"] == "not separable" and answer["examples"] == 4 and answer["margin_low"] is None
assert [(row["line"], row["weight"]) for row in answer["contradiction"]] == [(n, "1") for n in (1, 2, 3, 4)]
' || complain "--json: $(cat output.txt)"
"$TLU" generate margin --rows 2000 --features 40 --margin 0.0001 -o hard.svm
settled 4 below hard.svm --time 0.001
has 'not decided: if there is a margin, it is below'
has '(This is what 0.001 s were enough for; --time SECONDS gives more'

# The fewest mistakes: of xor one, and two rows that are alike twice over cost two.
settled 1 mistakes xor.svm --approximate
has 'a plane makes 1 mistake on 4 rows; none makes fewer, by 1 contradiction that shares no row'
printf '%s\n' 'a 1:1' 'b 1:1' 'a 1:1' 'b 1:1' 'b 1:1' 'a 1:2' >twice.svm
settled 1 mistakes twice.svm --approximate
has 'a plane makes 2 mistakes on 6 rows; none makes fewer'
settled 1 mistakes three.svm --approximate --no-bias
settled 0 separable or.csv --approximate
# Five points on a line, in turn: two mistakes, though no two contradictions share no row.
printf '%s\n' 'a 1:1' 'b 1:2' 'a 1:3' 'b 1:4' 'a 1:5' >turns.svm
settled 1 mistakes turns.svm --approximate
has 'a plane makes 2 mistakes on 5 rows; none makes fewer than 1, by 1 contradiction that shares no row; by search'
"$TLU" separable turns.svm --approximate --json >output.txt
python3 -c '
import json
answer = json.load(open("output.txt"))
assert (answer["mistakes"], answer["mistakes_least"], answer["fewest"]) == (2, 1, True)
' || complain "--approximate --json: $(cat output.txt)"

# However short the time, the contradiction that decided counts.
"$TLU" generate moons --rows 20000 -o moons.svm
for seconds in 0.3 1; do
    status=0
    "$TLU" separable moons.svm --approximate --time $seconds --json >output.txt || status=$?
    python3 -c '
import json
answer = json.load(open("output.txt"))
assert answer["verdict"] == "not decided" or answer["mistakes_least"] >= 1
' || complain "--approximate --time $seconds: $(head -c 300 output.txt)"
done
# Floats are no decimals, and tlu check does not read binary data.
"$TLU" convert or.csv -o or.tlud >/dev/null
status=0
"$TLU" separable or.tlud --proof binary.proof >output.txt 2>errors.txt || status=$?
[ $status = 2 ] && grep -q -e '--proof is for LIBSVM and CSV' errors.txt && [ ! -e binary.proof ] ||
    complain "a proof for binary data: $(cat errors.txt)"
"$TLU" separable or.tlud >output.txt
has 'supports  lines'

# Contradictions share no row, though a row that is gone stays in the basis of the linear program.
printf '%s\n' 'b 1:1e-1000 2:1e-300' 'a 1:123456789012345678901234567890 2:-1e30' 'a 1:1 2:1e38' \
    'b 1:1e-30 2:-1e-300' 'a 1:1e38 2:1e-30' 'a 1:-1e-300 2:1e38' 'b 2:1' 'a 1:-1e30 2:1e-1000' \
    'b 1:-1e-300 2:1' 'b 1:1 2:0.1' >gone.svm
settled 1 mistakes gone.svm --approximate --no-bias

# A margin that was planted: the best is at least that, and the ends agree to six digits.
for margin in 0.1 0.01 0.001; do
    "$TLU" generate margin --rows 300 --margin $margin -o planted.svm
    settled 0 separable planted.svm
    awk -v planted=$margin '/^margin/ { ok = $2 >= planted && $4 >= $2 && $4 - $2 < 1e-6 * $2 } END { exit !ok }' \
        output.txt || complain "planted margin $margin: $(grep margin output.txt)"
done

python3 "$TLU_SOURCE/tests/hard_proofs.py" >output.txt 2>&1 || complain "hard_proofs.py: $(tail -1 output.txt)"
