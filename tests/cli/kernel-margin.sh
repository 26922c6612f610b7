# max-margin with a kernel: against svm-train (libsvm-tools), where it is there; schemes, formats,
# memory, interruption and messages.
. "$TLU_SOURCE/tests/prelude.sh"

"$TLU" generate moons --rows 400 --noise 0.3 --seed 2 >moons.svm
"$TLU" generate blobs --rows 300 --features 3 --classes 4 --seed 4 >blobs.svm

# The same predictions from every format, and after the model was saved and loaded.
"$TLU" train moons.svm --learner max-margin --kernel rbf:1 --C 1 -o moons.tlu --quiet ||
    complain 'no model of moons'
"$TLU" predict moons.tlu moons.svm >expected.txt 2>/dev/null
"$TLU" convert moons.svm -o moons.csv
"$TLU" train moons.csv --label label --learner max-margin --kernel rbf:1 --C 1 -o table.tlu --quiet
"$TLU" predict table.tlu moons.csv >found.txt 2>/dev/null
cmp -s expected.txt found.txt || complain 'a table gives other predictions'

# The model does not depend on the memory or the threads.
for more in '--memory 64K' '--threads 1' '--threads 3'; do
    "$TLU" train moons.svm --learner max-margin --kernel rbf:1 --C 1 $more -o other.tlu --quiet
    "$TLU" predict other.tlu moons.svm --scores >found.txt 2>/dev/null
    "$TLU" predict moons.tlu moons.svm --scores >scores.txt 2>/dev/null
    cmp -s scores.txt found.txt || complain "$more changes the scores"
done

# Schemes, verbs and probabilities.
for scheme in ovo ovr; do
    "$TLU" train blobs.svm --learner max-margin --kernel poly:2 --C 1 --multiclass $scheme \
        --calibrate sigmoid -o blobs.tlu --quiet || complain "no model by $scheme"
    "$TLU" eval blobs.tlu blobs.svm >/dev/null || complain "no evaluation by $scheme"
    "$TLU" predict blobs.tlu blobs.svm --probabilities >/dev/null || complain 'no probabilities'
done
"$TLU" train blobs.svm --learner max-margin --kernel rbf:1 --C 1 -o blobs.tlu --quiet
"$TLU" inspect blobs.tlu | grep -q 'scheme ovo' || complain 'the scheme is not ovo by default'
"$TLU" inspect blobs.tlu --examples 3 >/dev/null || complain 'no examples'
"$TLU" cv moons.svm --learner max-margin --kernel rbf:1 --C 1 --folds 4 >/dev/null ||
    complain 'no cross-validation'
"$TLU" plot moons.svm --learner max-margin --kernel rbf:1 --C 1 -o moons.svg >told.txt
grep -q 'Dashed: the margins' told.txt || complain "no margins: $(cat told.txt)"

# Interrupted, it saves the weights so far, which cannot be resumed; killed, it leaves the old model.
"$TLU" generate moons --rows 6000 --noise 0.4 --seed 3 >hard.svm
long='--learner max-margin --kernel rbf:30 --C 100000 -o hard.tlu --quiet'
for signal in KILL INT; do
    cp moons.tlu hard.tlu
    "$TLU" train hard.svm $long >out.txt 2>&1 &
    pid=$!
    sleep 1
    kill -$signal $pid
    wait $pid 2>/dev/null
    code=$?
    if [ $signal = KILL ]; then
        [ $code = 137 ] || complain "SIGKILL: exit code $code"
        cmp -s moons.tlu hard.tlu || complain 'SIGKILL: the old model has changed'
        continue
    fi
    [ $code = 130 ] || complain "SIGINT: exit code $code: $(cat out.txt)"
    "$TLU" inspect hard.tlu | grep -q '^supports  *[1-9]' || complain 'SIGINT: no support vectors'
    [ "$("$TLU" predict hard.tlu hard.svm 2>/dev/null | sort -u | wc -l)" = 2 ] ||
        complain 'SIGINT: every row gets the same class'
done

# Refusals.
refused() # pattern, options
{
    pattern=$1
    shift
    "$TLU" train "$@" --learner max-margin -o none.tlu >out.txt 2>&1
    [ $? = 2 ] || complain "$*: exit code"
    grep -q -- "$pattern" out.txt || complain "$*: '$(cat out.txt)'"
}
refused 'use --multiclass ovo' blobs.svm --kernel rbf:1 --multiclass wta
refused 'in the feature space of the kernel' moons.svm --kernel linear
"$TLU" train moons.svm --learner max-margin --kernel rbf:1 --C 1 --checkpoint 1 -o none.tlu >out.txt 2>&1
[ $? = 2 ] && grep -q 'no checkpoints' out.txt || complain "--checkpoint: $(cat out.txt)"
printf '+1 1:1e30\n-1 1:2\n' >huge.svm
refused 'scale the data' huge.svm --kernel poly:3 --C 1 --scale none

# svm-train solves the same problem: the same predictions but for rows next to the border.
if command -v svm-train >/dev/null && command -v svm-predict >/dev/null; then
    for kernel in 'rbf:1 -t 2 -g 1' 'poly:3 -t 1 -d 3 -g 1 -r 1' 'linear -t 0'; do
        for C in 0.1 10; do
            "$TLU" train moons.svm --learner max-margin --kernel ${kernel%% *} --C $C -o moons.tlu --quiet
            svm-train -q ${kernel#* } -c $C -e 0.00001 moons.svm moons.model
            "$TLU" predict moons.tlu moons.svm >ours.txt 2>/dev/null
            svm-predict -q moons.svm moons.model theirs.txt
            differing=$(paste ours.txt theirs.txt | awk '$1 + 0 != $2 + 0' | wc -l)
            [ "$differing" -le 1 ] || complain "$kernel, C = $C: $differing predictions differ"
            ours=$("$TLU" inspect moons.tlu | awk '$1 == "supports" { print $2 }')
            theirs=$(awk '$1 == "total_sv" { print $2 }' moons.model)
            [ "$ours" -le $((theirs + 3)) ] && [ "$ours" -ge $((theirs - 3)) ] ||
                complain "$kernel, C = $C: $ours support vectors, svm-train $theirs"
        done
    done
fi
