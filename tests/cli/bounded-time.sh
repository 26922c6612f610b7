# Small inputs that once took minutes, and searches that are ended by --time. The limits of CPU time
# are several times what is needed.
. "$TLU_SOURCE/tests/prelude.sh"

if is_sanitized; then exit 77; fi # which takes time of its own
within() # SECONDS COMMAND...: of CPU
{
    local seconds=$1
    shift
    (ulimit -t "$seconds" && "$@")
}

# ---- tlu logic --time: 65,536 values at random, for which no network is found
at_random() # VALUES
{
    awk -v n="$1" 'BEGIN { srand(7); for (i = 0; i < n; i++) printf "%d", rand() < 0.5; print "" }'
}
within 10 "$TLU" logic --table "$(at_random 65536)" --time 1 >told.txt 2>errors.txt
[ $? = 1 ] || complain "16 inputs: $(cat errors.txt)"
grep -q '^not a threshold function' told.txt || complain 'no verdict about 16 inputs'
grep -q '^note: no network of two layers was found in time' errors.txt ||
    complain "16 inputs: $(cat errors.txt)"
within 10 "$TLU" logic --table "$(at_random 65536)" --time 1 --output net.txt >told.txt 2>errors.txt
[ $? = 4 ] || complain "16 inputs as a network: $(cat errors.txt)"
grep -q '^not decided: no network' errors.txt || complain "16 inputs: $(cat errors.txt)"
[ ! -e net.txt ] || complain 'there is a network that was not found'

# The best so far is a network that is right.
within 20 "$TLU" logic --table "$(at_random 256)" --effort 1000 --time 2 --output net.txt --quiet ||
    complain "8 inputs: exit code $?"
"$TLU" logic eval net.txt | sed -n 's/.*| //p' | tail -n 256 | tr -d '\n' >values.txt
[ "$(cat values.txt)" = "$(at_random 256)" ] || complain '8 inputs: the network is wrong'
within 20 "$TLU" logic --table "$(at_random 256)" --effort 1000 --time 2 >told.txt
grep -q -- '--time ended the search: fewer may be possible' told.txt || complain "8 inputs: $(tail -n 3 told.txt)"

# With more rows than are checked between two looks at a clock, too: the parity of 11 inputs.
awk 'BEGIN { for (i = 0; i < 2048; i++) { n = 0; for (k = i; k > 0; k = int(k / 2)) n += k % 2; printf "%d", n % 2 } print "" }' >parity.txt
within 20 "$TLU" logic --table "$(cat parity.txt)" --effort 1000 --time 2 --output net.txt --quiet ||
    complain "11 inputs: exit code $?"
[ "$("$TLU" logic eval net.txt | sed -n 's/.*| //p' | tail -n 2048 | tr -d '\n')" = "$(cat parity.txt)" ] ||
    complain '11 inputs: the network is wrong'

# ---- as many classes as rows: a pass takes their square, so the passes are fewer. 20,000^2 scores
# take 13 passes to be above 5e9.
awk 'BEGIN { srand(5); print "a,b,label"; for (i = 0; i < 20000; i++) printf "%.3f,%.3f,c%d\n", rand(), rand(), i }' >classes.csv
within 30 "$TLU" train classes.csv -o classes.tlu --json >told.txt 2>errors.txt ||
    complain "20,000 classes: exit code $? $(cat errors.txt)"
grep -q '"epochs": 13,' told.txt || complain "20,000 classes: other passes"

# ---- values that no double holds the squares' sum of: the largest margin is not found, and no time
# is spent on it. 5 rows once took seconds, and 150 minutes.
awk 'BEGIN { srand(1); for (i = 0; i < 150; i++) { printf "%s", rand() < 0.5 ? "+1" : "-1"
    for (j = 1; j <= 4; j++) printf " %d:%s", j, rand() < 0.5 ? "1" : (rand() < 0.5 ? "-" : "") "3e38"
    print "" } }' >mixed.svm
within 15 "$TLU" train mixed.svm --learner max-margin --C 1 -o mixed.tlu >told.txt 2>errors.txt ||
    complain "mixed values: exit code $? $(cat errors.txt)"
grep -q 'only known to a relative gap of' errors.txt told.txt || complain "mixed values: $(cat errors.txt)"

# ---- a maximum margin of 200,000 rows, of which most are support vectors: half a second, not five
"$TLU" generate margin --rows 200000 --features 3 --noise 0.3 --seed 3 >overlap.svm
within 3 "$TLU" train overlap.svm --learner max-margin --C 1 -o overlap.tlu --json >told.txt 2>errors.txt ||
    complain "overlapping classes: exit code $? $(cat errors.txt)"
grep -q '"gap": [0-9.]*e-0[7-9]' told.txt || complain 'overlapping classes: not to the gap of 1e-6'
