# tlu train --checkpoint: killed by SIGKILL at random moments and gone on with until it is done, a
# training leaves the same file, byte for byte, as one that was left alone and made no checkpoints.
. "$TLU_SOURCE/tests/prelude.sh"

milliseconds() {
    echo $(($(date +%s%N) / 1000000))
}

# killed MOST COMMAND...: kills it after at most so many milliseconds; the exit code is in rc.
killed() {
    local after=$((RANDOM % $1))
    shift
    "$@" >out.txt 2>errors.txt &
    local pid=$!
    sleep "$((after / 1000)).$(printf %03d $((after % 1000)))"
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    rc=$?
}

RANDOM=${KILL_SEED:-$$}
echo "seed ${KILL_SEED:-$$}"
"$TLU" generate sparse --rows 30000 --features 3000 --nonzeros 60 --noise 0.2 -o data.svm
"$TLU" generate blobs --rows 20000 --classes 7 --features 30 -o blobs.svm
make_table table.csv ""
make_table sets.csv yes
kills=0 resumed=0
while read -r data options; do
    start=$(milliseconds)
    "$TLU" train $data -q -o whole.tlu $options || complain "$data $options"
    most=$((($(milliseconds) - start) / 3 + 50))
    rm -f parts.tlu
    begin="$options"
    for ((i = 0; ; i++)); do
        words="$data -q -o parts.tlu --threads $((1 + i % 2)) --checkpoint 0.02 $begin"
        if [ $i -lt 12 ]; then
            killed $most "$TLU" train $words
        else
            "$TLU" train $words >out.txt 2>errors.txt
            rc=$?
        fi
        [ $rc -eq 137 ] || break
        kills=$((kills + 1))
        if [ -e parts.tlu ]; then # whole, and able to predict
            "$TLU" inspect parts.tlu >/dev/null || complain "$data $options: not a whole model"
            begin=--resume
            resumed=$((resumed + 1))
        else # before the first checkpoint
            refuses_with "started again without --resume" "$TLU" train $data -q -o parts.tlu --resume
        fi
    done
    [ $rc -eq 0 ] || complain "$data $options: exit code $rc: $(cat errors.txt)"
    cmp whole.tlu parts.tlu || complain "$data $options: another model after $i kills"
done <<'CASES'
data.svm --epochs 100
data.svm --epochs 60 --learner perceptron --rate 0.5:2 --shuffle all --decide last
data.svm --epochs 50 --learner logistic --holdout 0.2 --patience 500
blobs.svm --epochs 100 --learner alma --multiclass ovr --scale online
data.svm --epochs 60 --hash 12 --no-shuffle --learner arow
table.csv --epochs 200 --text note --tfidf --normalize --min-count 2
sets.csv --epochs 150 --text note --tfidf --multilabel --label-separator ; --missing median --holdout 0.2 --patience 500
CASES
echo "$kills kills, $resumed from a checkpoint"
[ $resumed -ge 10 ] || complain "only $resumed trainings went on from a checkpoint"

# What the kills have left is gone with the next save, once it is old.
ls -A >files.txt
echo "$(grep -c '^\.tlu-.*\.tmp$' files.txt) temporary files were left"
echo half >.tlu-1-0.tmp # or there was none
touch -d '2 minutes ago' .tlu-*.tmp
"$TLU" train blobs.svm -q -o small.tlu --epochs 1
for left in .tlu-*.tmp; do
    [ ! -e "$left" ] || complain "$left is left"
done

# Before the first checkpoint there is nothing to resume.
killed 300 "$TLU" train data.svm -q -o early.tlu --epochs 9000000 --checkpoint 1000
[ $rc -eq 137 ] || complain "early: exit code $rc"
refuses_with "started again without --resume" "$TLU" train data.svm -q -o early.tlu --resume

# Said before the work, not after it.
refuses_with '--max-features' "$TLU" train no-such.svm -o k.tlu --epochs 1 --max-features 9 --checkpoint 1
refuses_with '--checkpoint' "$TLU" train data.svm -o /dev/null --checkpoint 1

# Checkpoints that never come make no difference.
"$TLU" train data.svm -q -o plain.tlu --epochs 2
"$TLU" train data.svm -q -o never.tlu --epochs 2 --checkpoint 1e9
cmp plain.tlu never.tlu || complain "--checkpoint has changed the model"
