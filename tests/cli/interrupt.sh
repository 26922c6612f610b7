# Ctrl-C while tlu waits for a pipe that stays open: it ends at once, with the model so far or, where
# nothing was learned yet, with a sentence and without touching the old model.
. "$TLU_SOURCE/tests/prelude.sh"

# run SECONDS-BEFORE-THE-SIGNAL COMMAND...: the command reads the pipe `open`; its exit code is in rc.
run() {
    local before=$1
    shift
    "$@" >out.txt 2>errors.txt &
    local pid=$!
    for ((i = 0; i < 100; i++)); do
        is_listening "$pid" && break
        sleep 0.1
    done
    sleep "$before"
    kill -INT "$pid"
    for ((i = 0; i < 100; i++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    if kill -0 "$pid" 2>/dev/null; then
        complain "still there ten seconds after the signal: $*"
        kill -KILL "$pid"
    fi
    wait "$pid"
    rc=$?
}

"$TLU" generate blobs --rows 400 --classes 2 -o small.svm
"$TLU" generate sparse --rows 6000 --features 2000 --nonzeros 60 -o large.svm
mkfifo open

# Nothing has come: no model, and an old one stays as it is.
echo old >model.tlu
sleep 60 >open &
writer=$!
run 1 "$TLU" train --learner perceptron open -o model.tlu
kill "$writer" 2>/dev/null
[ "$rc" = 3 ] || complain "exit code $rc without data"
grep -q 'interrupted before anything was learned' errors.txt || complain "says: $(cat errors.txt)"
[ "$(cat model.tlu)" = old ] || complain "the old model was touched"

# Several megabytes have come, and the pipe stays open: the model so far.
rm -f model.tlu
{
    cat large.svm
    exec sleep 60
} >open &
writer=$!
run 4 "$TLU" train --learner perceptron open --epochs 1 -o model.tlu
kill "$writer" 2>/dev/null
if [ "$rc" = 0 ]; then
    grep -q interrupted errors.txt || complain "does not say that it was interrupted"
    "$TLU" predict model.tlu large.svm >labels.txt || complain "the model cannot be used"
    [ "$(wc -l <labels.txt)" = 6000 ] || complain "the model does not predict every row"
elif [ "$rc" != 3 ] || [ -e model.tlu ]; then
    complain "exit code $rc: $(cat errors.txt)"
fi

# A file: the model of the passes so far.
run 1 "$TLU" train --learner perceptron small.svm --epochs 9000000000000 --shuffle all --class-weight 1=1.7 --rate 0.1:3 -o passes.tlu
if grep -q 'the last made no mistake' errors.txt; then
    : # separable after all: it was over before the signal
else
    [ "$rc" = 0 ] || complain "exit code $rc on a file: $(cat errors.txt)"
    "$TLU" eval passes.tlu small.svm >/dev/null || complain "the model of an interrupted run cannot be used"
fi
