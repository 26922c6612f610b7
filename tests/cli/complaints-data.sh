# What users of such tools complain about, as far as it is about data: each complaint is quoted, and
# what follows shows that tlu has it right.
. "$TLU_SOURCE/tests/prelude.sh"

# Trains in file order, quietly: data, model, options.
train()
{
    "$TLU" train --learner perceptron "$1" -o "$2" --no-shuffle --quiet "${@:3}" || complain "train $* gives $?"
}

# same_models A B: but for the name of the data, the models are one.
same_models()
{
    cmp -s <("$TLU" inspect "$1" --weights) <("$TLU" inspect "$2" --weights) ||
        complain "$1 and $2 have other weights"
}

field() # of train --json
{
    sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p"
}

# "A malformed row is silently learned from; blank lines become examples."
printf '+1 1:1\n-1 2:1\n+1 1:high\n-1 2:2\n1:5 2:1\n+1 1:2\n' >bad.svm
refuses "bad.svm:3:6: expected a number, found 'high'" "$TLU" train --learner perceptron bad.svm -o bad.tlu
[ -e bad.tlu ] && complain 'a model of malformed rows'
"$TLU" train --learner perceptron bad.svm -o bad.tlu --skip-bad --no-shuffle >output.txt 2>errors.txt ||
    complain 'train --skip-bad fails'
grep -q '4 rows.*; 2 malformed left out' errors.txt || complain "--skip-bad says $(cat errors.txt)"
sed -e 3d -e 5d bad.svm >good.svm
train good.svm good.tlu
same_models bad.tlu good.tlu
[ "$("$TLU" train --learner perceptron bad.svm -o bad.tlu --skip-bad --json | field skipped)" = 2 ] ||
    complain '--skip-bad: the count in --json'
printf 'a,b,label\n1,2,x\n1,2"2,y\n2,1,y\n"3,1,x\n4,1,x\n1,4\n5,2,y\n' >bad.csv
refuses 'bad.csv:3:4: a quote in the middle of a field; put the whole field in quotes and write each quote inside it twice' \
    "$TLU" train --learner perceptron bad.csv -o bad.tlu
train bad.csv bad.tlu --skip-bad
sed -e 3d -e 5d -e 7d bad.csv >good.csv
train good.csv good.tlu
same_models bad.tlu good.tlu
gives "$("$TLU" predict good.tlu good.csv)" "$TLU" predict good.tlu bad.csv --skip-bad
grep -q '^note: 3 malformed rows left out$' errors.txt || complain "predict --skip-bad: $(cat errors.txt)"
[ "$("$TLU" eval good.tlu bad.csv --skip-bad --json | field examples)" = 4 ] ||
    complain 'eval --skip-bad counts otherwise'
printf '\n# a comment\n+1 1:1\n\n  \n-1 2:1 # another\n#\n\n' >blank.svm
[ "$("$TLU" train --learner perceptron blank.svm -o blank.tlu --json | field examples)" = 2 ] ||
    complain 'blank lines or comments are examples'
[ "$("$TLU" predict blank.tlu blank.svm | wc -l)" -eq 2 ] || complain 'blank lines are predicted'

# "Errors carry no line, or a line and no reason."
refuses 'standard input:2:4: expected an index and a value such as 3:0.5, found '"'x:1'" \
    "$TLU" train --learner perceptron - -o x.tlu < <(printf -- '-1 1:1\n+1 x:1\n')

# "0- or 1-based? Must indices be sorted? A crash if not."
printf '+1 0:1 2:1\n-1 1:2\n+1 0:3 1:1\n-1 2:1\n' >zero.svm
printf '+1 1:1 3:1\n-1 2:2\n+1 1:3 2:1\n-1 3:1\n' >one.svm
printf '+1 3:1 1:1\n-1 2:2\n+1 2:1 1:3\n-1 3:1\n' >unsorted.svm
train zero.svm zero.tlu
train one.svm one.tlu
train unsorted.svm unsorted.tlu
same_models one.tlu unsorted.tlu
"$TLU" inspect zero.tlu --weights | awk -F '\t' -v OFS='\t' '$2 != "(bias)" { $2++ } { print }' |
    cmp -s - <("$TLU" inspect one.tlu --weights) || complain 'counting from 0 gives another model'
printf '+1 1:1 1:1\n-1 2:1\n' >twice.svm
refuses 'twice.svm:1:8: index 1 occurs twice in this row; write it once' "$TLU" train --learner perceptron twice.svm -o x.tlu

# "Is the bias added? By whom?"
train one.svm bias.tlu --decide last --epochs 1
# (1, 0, 1) b 1; then -2 - 1: wrong, (1, -2, 1) b 0; 3 - 2 right; 1: wrong, (1, -2, 0) b -1
gives "$(printf '+1\t(bias)\t-1\n+1\t1\t1\n+1\t2\t-2')" "$TLU" inspect bias.tlu --weights
"$TLU" inspect bias.tlu | grep -q 'bias -1' || complain 'inspect does not show the bias'
train one.svm bias.tlu --decide last --epochs 1 --no-bias
# (1, 0, 1); 0: wrong, (1, -2, 1); 3 - 2 right; 1: wrong, (1, -2, 0)
gives "$(printf '+1\t1\t1\n+1\t2\t-2')" "$TLU" inspect bias.tlu --weights

# "Sparse and dense input give different models."
"$TLU" generate blobs --rows 60 --features 5 --classes 3 --seed 4 >blobs.svm
awk '{ n = split("", x); for (i = 2; i <= NF; i++) { split($i, e, ":"); x[e[1]] = e[2] }
       row = ""; for (i = 1; i <= 5; i++) row = row (i in x ? x[i] : 0) ","; print row $1 }' blobs.svm >dense.csv
awk '{ n = split("", x); for (i = 2; i <= NF; i++) { split($i, e, ":"); x[e[1]] = e[2] }
       row = $1; for (i = 1; i <= 5; i++) row = row " " i ":" (i in x ? x[i] : 0); print row }' blobs.svm >dense.svm
awk '{ row = $1; for (i = NF; i > 1; i--) row = row " " $i; print row }' blobs.svm >reversed.svm
for data in blobs.svm dense.csv dense.svm reversed.svm; do
    "$TLU" train --learner perceptron $data -o $data.tlu --quiet || complain "train $data"
    same_models blobs.svm.tlu $data.tlu
done
[ "$("$TLU" inspect dense.csv.tlu --weights | wc -l)" -ge 15 ] || complain 'hardly any weights'
printf '+1 1:1 3:1\n-1 2:1\n+1 1:1 2:1 3:1\n-1 2:1 3:1\n' >ones.svm # no values are stored for ones
printf '1,0,1,+1\n0,1,0,-1\n1,1,1,+1\n0,1,1,-1\n' >ones.csv
train ones.svm ones.svm.tlu
train ones.csv ones.csv.tlu
same_models ones.svm.tlu ones.csv.tlu

# "0/1, -1/+1, 1/2, strings: rejected, or the sign depends on which came first."
rows='HIGH 1:1 2:1
LOW 2:1
HIGH 1:2
LOW 3:1 1:-1'
weights=('' '')
for labels in '-1 +1' '0 1' '1 2' '2 10' 'ham spam' '-0.5 0.5' '9 ten' 'A B'; do
    read -r low high <<<"$labels"
    for order in 0 1; do # which class comes first in the file
        sed "s/^LOW/$low/; s/^HIGH/$high/" <<<"$rows" >labels.svm
        [ $order = 1 ] && sed -n '2p;1p;3,4p' labels.svm >swapped.svm && mv swapped.svm labels.svm
        train labels.svm labels.tlu
        "$TLU" inspect labels.tlu --json >labels.json
        grep -qF "\"positive\": \"$high\"" labels.json || complain "labels $labels: $high is not the positive one"
        grep -qF "\"classes\": [\"$low\", \"$high\"]" labels.json || complain "labels $labels: not in their order"
        found=$("$TLU" inspect labels.tlu --weights | cut -f 2-)
        [ "$found" = "${weights[$order]:-$found}" ] || complain "labels $labels: other weights"
        weights[$order]=$found
        # The sign means the class, not what came first.
        gives "$high" "$TLU" predict labels.tlu - < <(echo '1:5')
        gives "$low" "$TLU" predict labels.tlu - < <(echo '3:5 2:5')
    done
done
train good.csv positive.tlu --positive x
"$TLU" inspect positive.tlu --json | grep -qF '"positive": "x"' || complain '--positive'
printf '+1 1:1\n-1 2:1\n1 1:2\n1.0 1:3\n-1.0 2:1\n' >spelled.svm
train spelled.svm spelled.tlu
gives "$(printf '+1\n-1')" "$TLU" predict spelled.tlu - < <(printf '1 1:1\n-1 2:1\n')

# "CSV is off by default or missing; no stdin."
cp "$TLU_SOURCE/examples/data/iris.csv" iris.csv
train iris.csv iris.tlu
"$TLU" predict iris.tlu iris.csv >expected.txt || complain 'predict iris.csv'
[ "$(wc -l <expected.txt)" -eq "$(($(wc -l <iris.csv) - 1))" ] || complain 'not a label a row'
"$TLU" train --learner perceptron - -o stdin.tlu --no-shuffle --quiet <iris.csv || complain 'train from standard input'
same_models iris.tlu stdin.tlu
cat iris.csv | "$TLU" predict iris.tlu - | cmp -s - expected.txt || complain 'predict from a pipe'
tr ',' '\t' <iris.csv >iris.tsv
train iris.tsv tsv.tlu
same_models iris.tlu tsv.tlu
features=$("$TLU" --version)
if [[ $features == *gzip* ]] && command -v gzip >/dev/null; then
    gzip -c iris.csv >packed.csv # by content, whatever the name
    train packed.csv packed.tlu
    same_models iris.tlu packed.tlu
    (head -n 50 iris.csv | gzip -c && tail -n +51 iris.csv | gzip -c) | "$TLU" predict iris.tlu - |
        cmp -s - expected.txt || complain 'gzip in two members'
fi
if [[ $features == *zstd* ]] && command -v zstd >/dev/null; then
    zstd -q -c iris.csv >packed.csv
    train packed.csv packed.tlu
    same_models iris.tlu packed.tlu
    (head -n 50 iris.csv | zstd -q -c && tail -n +51 iris.csv | zstd -q -c) |
        "$TLU" predict iris.tlu - | cmp -s - expected.txt || complain 'zstd in two frames'
fi

# "One NaN or huge value ruins the weights."
for value in nan inf -inf 1e39 1e400; do
    printf '+1 1:1\n-1 2:1\n+1 1:%s\n' $value >huge.svm
    "$TLU" train --learner perceptron huge.svm -o huge.tlu 2>errors.txt && complain "$value is learned from"
    grep -q "^tlu: huge.svm:3:6: the value $value is" errors.txt || complain "$value: $(cat errors.txt)"
    printf '1,x\n2,y\n%s,x\n' $value >huge.csv
    "$TLU" train --learner perceptron --missing refuse huge.csv -o huge.tlu 2>errors.txt && complain "$value is learned from in CSV"
    grep -q '^tlu: huge.csv:3:1: the value' errors.txt || complain "$value: $(cat errors.txt)"
done

# "32-bit counts of non-zeros, 70 GB models, builds that fail."
printf '+1 4294967297:1 9223372036854775807:2\n-1 3:1\n' >large.svm
train large.svm large.tlu --decide last --epochs 1
gives "$(printf '+1\t3\t-1\n+1\t4294967297\t1\n+1\t9223372036854775807\t2')" \
    "$TLU" inspect large.tlu --weights
[ "$(stat -c %s large.tlu)" -lt 2000 ] || complain 'two scattered indices make a large model'
gives "$(printf '+1\n-1')" "$TLU" predict large.tlu - < <(printf '9223372036854775807:1\n3:1\n')
