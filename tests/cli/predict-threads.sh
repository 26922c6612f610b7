# predict and eval with several threads: the same bytes, the same errors, in the same order.
. "$TLU_SOURCE/tests/prelude.sh"

# Some megabytes, so that there are several chunks; two classes, several, and words.
"$TLU" generate sparse --rows 5000 --features 3000 --nonzeros 60 -o two.svm || complain generate
"$TLU" generate blobs --rows 9000 --features 30 --classes 4 --noise 0.2 -o four.svm ||
    complain generate
awk 'BEGIN {
    print "size,word,label"
    for (i = 0; i < 150000; i++)
        print (i * 7919) % 1000 / 8 ",w" (i * 31) % 97 "," (i % 3 ? "in\tner" : i % 4 ? "up" : "low")
}' >words.csv
# What is written comes from the rows themselves: a model of one feature says the sign of its value.
awk 'BEGIN {
    for (i = 0; i < 300000; i++)
        print (i % 2 ? "+1 1:" : "-1 1:-") 1 + i % 50
}' >sign.svm
printf '%s\n' '+1 1:1' '-1 1:-1' >tiny.svm
"$TLU" train tiny.svm -o sign.tlu --no-bias --quiet || complain 'train tiny.svm'
"$TLU" train two.svm -o two.tlu --epochs 1 --quiet || complain 'train two.svm'
"$TLU" train four.svm -o four.tlu --epochs 1 --multiclass ovr --quiet || complain 'train four.svm'
"$TLU" train words.csv -o words.tlu --epochs 1 --quiet || complain 'train words.csv'
head -300 two.svm >some.svm
"$TLU" train some.svm -o vote.tlu --epochs 1 --decide vote --quiet || complain 'train --decide vote'
cut -d' ' -f1 sign.svm >signs

for threads in 1 2 3 8; do
    "$TLU" predict sign.tlu sign.svm --threads $threads >out || complain "sign: exit code $?"
    cmp -s out signs || complain "$threads threads: not the signs of the values"
    "$TLU" predict sign.tlu - --threads $threads <sign.svm >out || complain "sign: exit code $?"
    cmp -s out signs || complain "$threads threads: not the signs of the values from a pipe"
    for case in 'two.tlu two.svm' 'four.tlu four.svm' 'words.tlu words.csv' 'vote.tlu two.svm'; do
        name=${case%% *}
        "$TLU" predict $case --scores --ambiguous --threads $threads >out 2>notes ||
            complain "predict $case: exit code $?"
        "$TLU" eval $case --json --threads $threads >json || complain "eval $case: exit code $?"
        [ $threads -eq 1 ] && mv out $name.out && mv json $name.json && mv notes $name.notes &&
            continue
        cmp -s out $name.out || complain "predict $case: other bytes with $threads threads"
        cmp -s notes $name.notes || complain "predict $case: other notes with $threads threads"
        cmp -s json $name.json || complain "eval $case: another result with $threads threads"
    done
done
[ "$(wc -l <two.tlu.out)" -eq 5000 ] && [ "$(wc -l <words.tlu.out)" -eq 150000 ] ||
    complain 'predict: not one line per row'
cut -f1 words.tlu.out | sort -u | grep -qFx 'in\tner' || complain 'a tab in a label is not written \t'

# A bad row: what is written are rows from the start, as many for every number of threads.
awk 'NR == 200000 { sub(":", ";") } 1' sign.svm >bad.svm
for threads in 1 2 3 8; do
    "$TLU" predict sign.tlu bad.svm --threads $threads >out 2>errors
    [ $? -eq 2 ] || complain "$threads threads: a bad row does not give 2"
    grep -q '^tlu: bad.svm:200000:' errors || complain "$threads threads: says '$(cat errors)'"
    [ $threads -eq 1 ] && mv out first.out && mv errors first.errors && continue
    cmp -s out first.out || complain "$threads threads: other rows before the bad one"
    cmp -s errors first.errors || complain "$threads threads: another message"
done
rows=$(wc -l <first.out)
[ "$rows" -gt 0 ] && [ "$rows" -lt 200000 ] || complain "$rows rows before the bad one"
head -n "$rows" signs | cmp -s - first.out || complain 'other rows than the first before the bad one'

# A full disk, and a reader that goes away.
for threads in 1 3; do
    "$TLU" predict sign.tlu sign.svm --threads $threads >/dev/full 2>errors
    [ $? -eq 3 ] || complain "$threads threads: a full disk does not give 3"
    [ "$(cat errors)" = 'tlu: cannot write standard output: No space left on device' ] ||
        complain "$threads threads: a full disk says '$(cat errors)'"
    [ "$("$TLU" predict sign.tlu sign.svm --threads $threads | head -n 2)" = "$(printf -- '-1\n+1')" ] ||
        complain "$threads threads: a reader that goes away"
    (trap '' PIPE; "$TLU" predict sign.tlu sign.svm --threads $threads 2>errors; echo $? >code) | :
    [ "$(cat code)" -eq 3 ] || complain "$threads threads: a broken pipe gives $(cat code)"
done
