# Ctrl-C or SIGTERM: training ends at once, also while it waits for a pipe that stays open, with exit code
# 130 or 143. The model so far is saved or, where nothing was learned yet, the old model stays.
. "$TLU_SOURCE/tests/prelude.sh"

pause=$(is_sanitized && echo 2 || echo 0.3) # seconds in which a file is read

# run SIGNAL SECONDS-BEFORE-IT COMMAND...: the exit code is in rc.
run() {
    local signal=$1 before=$2
    shift 2
    "$@" >out.txt 2>errors.txt &
    local pid=$!
    for ((i = 0; i < 500; i++)); do
        is_listening "$pid" && break
        sleep 0.02
    done
    sleep "$before"
    kill "-$signal" "$pid"
    for ((i = 0; i < 500; i++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.02
    done
    if kill -0 "$pid" 2>/dev/null; then
        complain "still there ten seconds after the signal: $*"
        kill -KILL "$pid"
    fi
    wait "$pid"
    rc=$?
}

# fed SIGNAL FILE LEARNER...: trains on a pipe that has the file and stays open.
fed() {
    local signal=$1 file=$2
    shift 2
    rm -f model.tlu
    {
        cat "$file"
        exec sleep 60
    } >open &
    local writer=$!
    run "$signal" $pause "$TLU" train open -o model.tlu --learner "$@"
    kill "$writer" 2>/dev/null
}

is_cut() # WHAT CODE PART...: the exit code, and a message that has these parts
{
    local what=$1 code=$2 part
    shift 2
    [ "$rc" = "$code" ] || complain "$what: exit code $rc: $(cat errors.txt)"
    for part; do
        grep -qF -e "$part" errors.txt || complain "$what does not say '$part': $(cat errors.txt)"
    done
}

is_early() # WHAT CODE: nothing was learned
{
    is_cut "$1" "$2" 'tlu: interrupted before ' 'no model is saved'
    [ ! -e model.tlu ] || complain "$1: there is a model"
}

"$TLU" generate sparse --rows 6000 --features 2000 --nonzeros 60 -o large.svm
mkfifo open

# Nothing has come: no model, and an old one stays as it is.
echo old >model.tlu
sleep 60 >open &
writer=$!
run INT $pause "$TLU" train --learner perceptron open -o model.tlu
kill "$writer" 2>/dev/null
is_cut 'without data' 130 "interrupted before anything was learned; no model is saved, and 'model.tlu' is left as it was"
[ "$(cat model.tlu)" = old ] || complain "the old model was touched"

# Several megabytes have come, and the pipe stays open: the model of the rows so far. It says how to go on.
# The last rows may wait for more of their chunk.
fed INT large.svm perceptron --epochs 1
is_cut 'the first pass' 130 'tlu: interrupted in pass 1 after ' 'model.tlu has the model so far. To continue: tlu train open --resume -o model.tlu'
"$TLU" predict model.tlu large.svm >labels.txt || complain "the model cannot be used"
[ "$(wc -l <labels.txt)" = 6000 ] || complain "the model does not predict every row"
fed TERM large.svm perceptron --epochs 1
is_cut SIGTERM 143 'tlu: interrupted in pass 1 after '
# Learners that need all rows: sums of those that came, or nothing.
for learner in rocchio multinomial-bayes; do
    fed INT large.svm $learner
    is_cut $learner 130 'tlu: interrupted; model.tlu has the model so far, from ' 'This training cannot be resumed'
    rows=$(sed -n 's/.*from \([0-9]*\) rows.*/\1/p' errors.txt)
    head -n "$rows" large.svm >some.svm
    "$TLU" train some.svm --learner $learner -o some.tlu -q
    "$TLU" inspect some.tlu --weights >some.txt
    "$TLU" inspect model.tlu --weights | cmp -s some.txt - || complain "$learner: not the model of $rows rows"
done
fed INT large.svm mlp
is_early 'mlp, reading' 130
fed TERM large.svm max-margin
is_early 'max-margin, reading' 143
"$TLU" convert large.svm --to csv -o large.csv
fed INT large.csv perceptron
is_early 'CSV, reading' 130

# A file: the model of the passes so far; in JSON, too. Silence with --quiet.
"$TLU" generate line --rows 5000 --noise 0.2 -o flipped.svm
options='--learner perceptron --epochs 900000 --shuffle all --class-weight 1=1.7 --rate 0.1:3'
run INT $pause "$TLU" train flipped.svm $options -o passes.tlu
is_cut 'a file' 130 'tlu: interrupted in pass ' 'To continue: tlu train flipped.svm --resume -o passes.tlu'
"$TLU" eval passes.tlu flipped.svm >/dev/null || complain "the model of an interrupted run cannot be used"
run INT $pause "$TLU" train flipped.svm $options --json -o passes.tlu
is_cut 'JSON' 130 'tlu: interrupted in pass '
grep -qF '"stopped": "interrupted"' out.txt || complain "JSON: $(cat out.txt)"
run TERM $pause "$TLU" train flipped.svm $options --quiet -o passes.tlu
is_cut 'quiet' 143
[ ! -s errors.txt ] || complain "--quiet: $(cat errors.txt)"
# A solver that would need a minute: the best solution so far, or none if it must separate the classes.
"$TLU" generate sparse --rows 30000 --features 20000 --nonzeros 60 -o noisy.svm
rm -f model.tlu
run INT $pause "$TLU" train noisy.svm --learner max-margin -o model.tlu
is_early max-margin 130
run INT $pause "$TLU" train noisy.svm --learner max-margin --C 1e6 -o model.tlu
is_cut 'max-margin --C' 130 'tlu: interrupted; model.tlu has the model so far, from 30000 rows. This training cannot be resumed'
"$TLU" inspect model.tlu >/dev/null || complain "max-margin: the model cannot be used"
