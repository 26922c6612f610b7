# What users of such tools complain about, as far as it is about models: each complaint is quoted,
# and what follows shows that tlu has it right.
. "$TLU_SOURCE/tests/prelude.sh"

has() # what, file: text that must be in the file
{
    grep -qF -e "$1" "$2" || complain "no '$1' in $2: $(head -c 600 "$2")"
}

# "Another OS, libc, version or number of threads, another model." (golden.sh has the golden models)
"$TLU" generate sparse --rows 30000 --features 40000 --nonzeros 15 --seed 3 >sparse.svm
"$TLU" generate blobs --rows 60000 --features 6 --classes 4 --format csv --seed 3 >blobs.csv
[ "$(stat -c %s sparse.svm)" -gt 2500000 ] || complain 'sparse.svm has too few chunks for threads'
[ "$(stat -c %s blobs.csv)" -gt 2500000 ] || complain 'blobs.csv has too few chunks for threads'
for data in sparse.svm blobs.csv; do
    for threads in 1 2 4; do
        "$TLU" train --learner perceptron $data -o $threads.tlu --threads $threads --epochs 2 --quiet ||
            complain "train with $threads threads"
        cmp -s 1.tlu $threads.tlu || complain "$data: $threads threads make another model"
        "$TLU" predict 1.tlu $data --threads $threads --scores >$threads.txt
        cmp -s 1.txt $threads.txt || complain "$data: $threads threads predict otherwise"
    done
done

# "The locale breaks number parsing."
comma=$(locale -a 2>/dev/null | grep -i -m 1 -E '^(de_DE|fr_FR|es_ES|it_IT|nl_NL)')
if [ -z "$comma" ] && localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >localedef.log 2>&1; then
    export LOCPATH=$PWD
    comma=de_DE.UTF-8
fi
if [ "$comma" ]; then
    # printf asks the locale: is it what it should be?
    [ "$(LC_ALL=$comma printf %.1f 1,5)" = 1,5 ] || complain "$comma has no decimal comma"
    head -n 2000 blobs.csv >few.csv
    "$TLU" train --learner perceptron few.csv -o c.tlu --quiet
    LC_ALL=$comma "$TLU" train --learner perceptron few.csv -o comma.tlu --quiet || complain "train in $comma"
    cmp -s c.tlu comma.tlu || complain "$comma makes another model"
    for verb in 'predict --scores' 'eval --json' 'explain --json --rows 20' 'eval'; do
        LC_ALL=C "$TLU" ${verb%% *} c.tlu few.csv ${verb#${verb%% *}} >c.txt
        LC_ALL=$comma "$TLU" ${verb%% *} c.tlu few.csv ${verb#${verb%% *}} | cmp -s - c.txt ||
            complain "$comma: another output of $verb"
    done
    LC_ALL=$comma "$TLU" inspect c.tlu --weights | cmp -s - <("$TLU" inspect c.tlu --weights) ||
        complain "$comma: other weights"
    LC_ALL=$comma "$TLU" train --learner perceptron few.csv -o rate.tlu --rate 0.5 --quiet || complain "$comma: --rate 0.5"
else
    echo 'no locale with a decimal comma here, and none could be made: not tested'
fi
unset LOCPATH

# "Old models unreadable; models silently break; who trained this?"
printf 'outlook,wind,label\nrainy,3.5,no\nsunny,1,yes\nrainy,7,no\nsunny,2,yes\nsunny,9,no\n' >play.csv
"$TLU" train --learner perceptron play.csv -o play.tlu --epochs 7 --rate 0.5 --seed 42 --no-shuffle --quiet
"$TLU" inspect play.tlu --json >play.json || complain 'inspect --json'
version=$("$TLU" --version | sed -n '1s/^tlu //p')
for part in "\"version\": \"$version\"" '"learner": "perceptron"' '"decision": "average"' \
    '"epochs": "7"' '"rate": "0.5"' '"seed": "42"' '"shuffle": "none"' '"data": "play.csv"' \
    '"format": "csv"' '"examples": 5' '"features": 3' '"class_examples": [3, 2]' '"skipped": 0' \
    '"classes": ["no", "yes"]'; do
    has "$part" play.json
done
"$TLU" inspect play.tlu >play.txt || complain 'inspect'
has "made by tlu $version" play.txt
has 'play.csv (csv): 5 rows, 3 features' play.txt

# "Hostile model files overflow, over-allocate, read out of bounds." (fuzz_model has the rest)
size=$(stat -c %s play.tlu)
for cut in 0 1 7 8 19 20 24 $((size / 2)) $((size - 1)); do
    head -c $cut play.tlu >cut.tlu
    "$TLU" inspect cut.tlu >output.txt 2>errors.txt
    [ $? -eq 2 ] || complain "a model cut to $cut bytes: exit code, $(cat errors.txt)"
    grep -q '^tlu: cut.tlu: ' errors.txt || complain "a model cut to $cut bytes: $(cat errors.txt)"
    [ -s output.txt ] && complain "a model cut to $cut bytes: prints"
done
for at in 0 9 13 25 60 $((size / 2)) $((size - 2)); do
    cp play.tlu hit.tlu
    byte=$(od -An -tu1 -j $at -N 1 play.tlu)
    printf "\\x$(printf %x $((byte ^ 255)))" | dd of=hit.tlu bs=1 seek=$at conv=notrunc 2>/dev/null
    cmp -s play.tlu hit.tlu && complain 'the byte has not changed'
    "$TLU" predict hit.tlu play.csv >output.txt 2>errors.txt
    [ $? -eq 2 ] || complain "byte $at changed: $(cat errors.txt)"
    [ -s output.txt ] && complain "byte $at changed: predicts"
done

# "To see weights with names needs a retrain; hash collisions."
"$TLU" inspect play.tlu --weights | cut -f 2 | sort | tr '\n' ' ' >names.txt
[ "$(cat names.txt)" = '(bias) outlook=rainy outlook=sunny wind ' ] || complain "names $(cat names.txt)"
"$TLU" explain play.tlu play.csv --rows 1 >explain.txt || complain 'explain'
has 'outlook=rainy' explain.txt
has 'wind = 3.5' explain.txt

# "Raw scores and probabilities."
printf '+1 1:1 2:0.5\n-1 2:1\n' >two.svm
"$TLU" train --learner perceptron two.svm -o two.tlu --no-shuffle --epochs 1 --decide last --quiet
# (1, 0.5) b 1; then 1.5: wrong, (1, -0.5) b 0
gives "$(printf '+1\t0.75\n-1\t-0.5\n+1\t0')" "$TLU" predict two.tlu --scores - < <(cat two.svm; echo '1:1 2:2')

# "Class and instance weights; 'balanced' refused in a stream."
printf '+1 1:1\n-1 2:1\n' >weighed.svm
"$TLU" train --learner perceptron weighed.svm -o w.tlu --no-shuffle --epochs 1 --decide last --class-weight +1=3 --quiet
# 3 (1, 0) b 3; then 3: wrong, (3, -1) b 2
gives "$(printf '+1\t(bias)\t2\n+1\t1\t3\n+1\t2\t-1')" "$TLU" inspect w.tlu --weights
printf '+1 1:1\n-1 2:1\n-1 3:1\n' >weighed.svm
"$TLU" train --learner perceptron weighed.svm -o w.tlu --no-shuffle --epochs 1 --decide last --class-weight balanced --quiet
# 3 rows of 2 classes: 3 / (2 1) = 1.5 for +1, 3 / (2 2) = 0.75 for -1; the bias is 1.5 - 0.75 - 0.75
gives "$(printf '+1\t1\t1.5\n+1\t2\t-0.75\n+1\t3\t-0.75')" "$TLU" inspect w.tlu --weights

# "When did it stop and why? Hidden hold-out."
"$TLU" generate margin --rows 500 --features 5 --seed 2 >margin.svm
"$TLU" train --learner perceptron margin.svm -o m.tlu --epochs 1000 --json >train.json || complain 'train margin'
has '"examples": 500' train.json # every row, none held out
has '"converged": true, "stopped": "converged"' train.json
"$TLU" train --learner perceptron margin.svm -o m.tlu --epochs 1000 2>train.txt
has 'the last made no mistake' train.txt
"$TLU" generate xor --rows 400 --seed 2 >xor.svm
"$TLU" train --learner perceptron xor.svm -o x.tlu --epochs 3 --json >train.json
has '"converged": false, "stopped": "epochs"' train.json
has '"examples": 400' train.json
"$TLU" train --learner perceptron xor.svm -o x.tlu --epochs 3 2>train.txt
has '3 passes (the limit of --epochs)' train.txt
"$TLU" train --learner perceptron xor.svm -o x.tlu --epochs 100 --holdout 0.25 --patience 2 --json >train.json
has '"stopped": "patience"' train.json
examples=$(sed -n 's/.*"examples": \([0-9]*\).*/\1/p' train.json)
held_out=$(sed -n 's/.*"held_out": \([0-9]*\).*/\1/p' train.json)
[ $((examples + held_out)) -eq 400 ] && [ "$held_out" -gt 50 ] || complain "held out: $(cat train.json)"

# "70 GB models": where the model goes, and nothing else.
"$TLU" train --learner perceptron two.svm -o /dev/null --quiet || complain '-o /dev/null'
[ -c /dev/null ] || complain '/dev/null is no device any more'
rm -rf folder && mkdir folder && cp two.svm play.csv folder/
(cd folder && "$TLU" train --learner perceptron two.svm --quiet && "$TLU" train play.csv -o p.tlu --quiet &&
    "$TLU" predict p.tlu play.csv >/dev/null && "$TLU" eval p.tlu play.csv >/dev/null 2>&1 &&
    "$TLU" train --learner perceptron two.svm --quiet && "$TLU" inspect two.tlu >/dev/null)
"$TLU" train --learner perceptron folder/none.svm -o folder/none.tlu 2>/dev/null && complain 'there is no none.svm'
[ "$(cd folder && echo *)" = 'p.tlu play.csv two.svm two.tlu' ] || complain "left behind: $(ls folder)"
[ -z "$(find folder -name '.*' -type f)" ] || complain 'hidden files left behind'
