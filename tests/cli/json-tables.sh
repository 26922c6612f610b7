# A table as CSV, as JSON lines, as an array on one line or on many, and as objects one after the other:
# the same model and predictions; packed, from a pipe and as binary data, too. An array of one line takes
# no more memory than lines do.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
features=$("$TLU" --version | sed -n 's/^features: //p')

shapes() { python3 "$TLU_SOURCE/tests/json_shapes.py" "$1" || fail "$1: shapes"; }

# same NAME OPTIONS...: all shapes of NAME have the weights and predictions of NAME.csv, and the ids of
# rows in column `key`.
same()
{
    local name=$1 shape
    shift
    "$TLU" train "$name.csv" -o csv.tlu --quiet --learner perceptron "$@" || complain "$name.csv"
    "$TLU" inspect csv.tlu --weights >csv.weights
    "$TLU" predict csv.tlu "$name.csv" --quiet --scores --id key >csv.rows
    [ "$(wc -l <csv.weights)" -gt 20 ] || complain "$name: $(wc -l <csv.weights) weights"
    for shape in "$name.jsonl" "$name-line.json" "$name-pretty.json" "$name-objects.json"; do
        "$TLU" train "$shape" -o json.tlu --quiet --learner perceptron "$@" || complain "$shape"
        "$TLU" inspect json.tlu --weights | cmp -s - csv.weights || complain "$shape: other weights than CSV"
        "$TLU" predict json.tlu "$shape" --quiet --scores --id key | cmp -s - csv.rows ||
            complain "$shape: other predictions than CSV"
        cat "$shape" | "$TLU" predict json.tlu - --quiet --scores --id key | cmp -s - csv.rows ||
            complain "$shape: other predictions from a pipe"
        case " $* " in
            *' --hash '*) # of names of features, which are not kept
                refuses "$name.csv: is CSV, but the model was trained on JSON records, which are objects such as {\"length\": 7}; give --format if that is wrong" \
                    "$TLU" predict json.tlu "$name.csv"
                refuses "$shape: is JSON lines, but the model was trained on CSV; give --format if that is wrong" \
                    "$TLU" predict csv.tlu "$shape" ;;
            *) # a model of a table reads both
                "$TLU" predict json.tlu "$name.csv" --quiet --scores --id key | cmp -s - csv.rows ||
                    complain "$shape: other predictions of CSV"
                "$TLU" predict csv.tlu "$shape" --quiet --scores --id key | cmp -s - csv.rows ||
                    complain "$shape: other predictions of a model of CSV"
                cat "$shape" | "$TLU" predict csv.tlu - --quiet --scores --id key | cmp -s - csv.rows ||
                    complain "$shape: other predictions of a model of CSV from a pipe" ;;
        esac
    done
}

python3 -c '
import random
draw = random.Random(4)
words = "on in at by the a an old new red sea hill house road went came saw".split()
print("key,size,count,place,note,class")
for i in range(400):
    size, count, place = draw.random(), draw.randrange(9), draw.choice(["by the sea", "hill", "a \"b\""])
    note = " ".join(draw.choice(words) for _ in range(3 + draw.randrange(9)))
    label = "p" if size + len(note) / 50 + (place == "hill") > 1.4 else "q"
    print("r%d,%.3f,%d,\"%s\",\"%s\",%s" % (i, size, count, place.replace("\"", "\"\""), note, label))
' >table.csv
shapes table
same table --ignore key
same table --ignore key --text note,place --ngrams 2 --lowercase
same table --ignore key --categorical count,note --hash 16

# Numbers as they are written.
printf '%s\n' a,b,place,class 0.1,0.25,u,p 0.3,-1.125,v,q 0.7,2,u,p 0.30000000000000004,-1,v,q >exact.csv
shapes exact
for data in exact.csv exact.jsonl exact-pretty.json; do
    "$TLU" separable $data >output || complain "$data: separable"
    grep -v '^supports' output >"$data.plane" # which has lines
    cmp -s exact.csv.plane "$data.plane" || complain "$data: another plane than that of CSV"
done

# A value that is not there, as a feature of its own.
python3 -c '
print("key,size,place,class")
for i in range(60):
    print("r%d,%s,%s,%s" % (i, "" if i % 7 == 0 else i % 5, "" if i % 4 == 0 else "u%d" % (i % 9), "pq"[i % 3 == 0]))
' >holes.csv
shapes holes
"$TLU" train holes.jsonl -o json.tlu --quiet --ignore key || complain 'holes'
for name in 'size=(missing)' 'place=(missing)' size place=u1; do
    "$TLU" inspect json.tlu --weights | cut -f 2 | grep -qxF "$name" || complain "holes: no feature $name"
done

for model in csv json; do
    "$TLU" train holes.${model/json/jsonl} -o $model.tlu --quiet --ignore key || complain "holes: $model"
    for data in holes.csv holes.jsonl; do
        "$TLU" predict $model.tlu $data --quiet --scores >$model.$data.rows || complain "$model.tlu $data"
        cmp -s $model.$data.rows csv.holes.csv.rows || complain "holes: other predictions of $data by $model.tlu"
    done
done

# true and false: the number 1 in JSON, a category in CSV; pandas writes the index as a column without a name.
python3 -c '
import json
with open("truth.csv", "w") as csv, open("truth.jsonl", "w") as lines:
    print(",size,sweet,ripe,class", file=csv)
    for i in range(40):
        sweet, ripe = i % 3 == 0, i % 4 == 0
        print(i, i % 5, sweet, str(ripe).upper(), "pq"[sweet or ripe], sep=",", file=csv)
        print(json.dumps({"size": i % 5, "sweet": sweet, "ripe": ripe, "class": "pq"[sweet or ripe]}), file=lines)
'
tail -n +2 truth.csv | cut -d , -f 2- >plain.rows
(echo size,sweet,ripe,class; cat plain.rows) >plain.csv
"$TLU" train truth.jsonl -o json.tlu --quiet --label class || complain 'truth.jsonl'
"$TLU" predict json.tlu truth.jsonl --quiet --scores >json.rows
sed 's/TRUE/true/; s/FALSE/false/' truth.csv >lower.csv
"$TLU" predict json.tlu lower.csv --quiet --scores | cmp -s - json.rows || complain 'truth.csv by a model of JSON'
[ "$(cut -f 2 json.rows | sort -u | wc -l)" -gt 10 ] || complain 'truth: the scores are all alike'
"$TLU" train plain.csv -o csv.tlu --quiet || complain 'plain.csv'
"$TLU" predict csv.tlu plain.csv --quiet --scores >csv.rows
"$TLU" predict csv.tlu truth.jsonl --quiet --scores | cmp -s - csv.rows || complain 'truth.jsonl by a model of CSV'
refuses 'plain.rows:1:1: has no header, and the model was trained on JSON records, whose columns have names: add a header' \
    "$TLU" predict json.tlu plain.rows
sed '1s/size/weight/' plain.csv >renamed.csv
refuses "renamed.csv:1:1: the columns differ from those that the model was trained on: missing 'size'; new 'weight', 'sweet', 'ripe'; rename them, or give --header no if the first row is data" \
    "$TLU" predict json.tlu renamed.csv
sed '3s/,1,/,x,/' lower.csv >bad.csv
refuses "bad.csv:3:3: expected a number in column 'size', found 'x'" "$TLU" predict json.tlu bad.csv

# Packed, and with any number of threads.
python3 -c '
import json
rows = json.load(open("table-line.json"))
json.dump([dict(row, key="r%d" % i) for i, row in enumerate(rows * 40)], open("long.json", "w"), indent=1)'
"$TLU" train long.json -o one.tlu --quiet --ignore key --threads 1 || complain 'long.json: one thread'
"$TLU" train long.json -o three.tlu --quiet --ignore key --threads 3 || complain 'long.json: three threads'
cmp -s one.tlu three.tlu || complain 'long.json: the model depends on the threads'
"$TLU" predict one.tlu long.json --quiet --id key >long.rows || complain 'long.json: predict'
[ "$(wc -l <long.rows)" -eq 16000 ] || complain "long.json: $(wc -l <long.rows) rows"
if [[ $features == *gzip* ]]; then
    gzip -1 -c long.json >long.json.gz
    "$TLU" predict one.tlu long.json.gz --quiet --id key | cmp -s - long.rows || complain 'long.json.gz'
fi
"$TLU" stream stream.tlu --quiet --ignore key <long.json >long.answers || complain 'long.json: stream'
[ "$(wc -l <long.answers)" -eq 16000 ] || complain "long.json: $(wc -l <long.answers) answers"

# Binary data keeps what the members are.
"$TLU" convert table-pretty.json -o table.tlud --quiet --ignore key --text note || complain 'convert'
python3 "$TLU_SOURCE/tests/data_reader.py" table.tlud about | grep '^column' >found
printf 'column %s\n' '3 key' '5 size' '5 count' '6 place' '4 note' '2 class' | cmp -s - found ||
    complain "binary data: $(cat found)"
"$TLU" train table.tlud -o binary.tlu --quiet || complain 'train on binary data'
"$TLU" train table.jsonl -o json.tlu --quiet --ignore key --text note || complain 'train on JSON'
"$TLU" inspect json.tlu --weights >first
"$TLU" inspect binary.tlu --weights | cmp -s - first || complain 'binary data gives another model'
"$TLU" predict json.tlu table.jsonl --quiet >first
"$TLU" predict binary.tlu table-line.json --quiet | cmp -s - first || complain 'the model of binary data'
"$TLU" predict json.tlu table.tlud --quiet | cmp -s - first || complain 'prediction of binary data'
printf '__label__p on the hill\n__label__q by the sea\n' >words.ft
"$TLU" train words.ft -o words.tlu --quiet
refuses 'table.tlud: is JSON records, but the model was trained on fastText'"'"'s format' \
    "$TLU" predict words.tlu table.tlud

# Streams: rows that share a line are told apart when one of them is refused.
printf '[{"a":1,"label":"x"},{"a":3e38,"label":"y"},{"a":3e38,"label":"x"},{"a":2,"label":"y"},' >refused.json
"$TLU" stream first.tlu --journal --quiet --skip-bad --learner perceptron --scale none <refused.json >/dev/null ||
    complain 'refused rows'
"$TLU" stream first.tlu --journal --quiet </dev/null >/dev/null || complain 'after refused rows'
printf '{"a":1,"label":"x"}\n{"a":3e38,"label":"y"}\n{"a":3e38,"label":"x"}\n{"a":2,"label":"y"}\n' >refused.jsonl
"$TLU" stream second.tlu --journal --quiet --skip-bad --learner perceptron --scale none <refused.jsonl >/dev/null ||
    complain 'refused lines'
cmp -s first.tlu second.tlu || complain 'refused rows of an array give another model'
# A row that was answered is in the journal, whatever comes after it on its line.
rm -f first.tlu*
printf '[{"a":1,"label":"x"},{"a":2,"label":"y"},{"a":2,"lab' >cut.json
"$TLU" stream first.tlu --journal --quiet <cut.json >answers 2>errors && complain 'a stream that is cut'
grep -q '^tlu: standard input:1:49: this quote is never closed; add the closing one$' errors || complain "a cut stream: $(cat errors)"
[ "$(wc -l <answers)" -eq 2 ] || complain "a cut stream: $(wc -l <answers) answers"
"$TLU" inspect first.tlu | grep -q '^classes   2: x (1), y (1, positive)' || complain "a cut stream: $("$TLU" inspect first.tlu)"

# An array on one line, longer than a row may be, in little memory.
copies=300000 most=400000
endless() # COPIES
{
    printf '['
    yes '{"size": 1, "place": "sea", "class": "p"}, {"size": 2, "place": "hill", "class": "q"},' |
        head -n "$1" | tr -d '\n'
    printf '{"size": 3, "class": "p"}]'
}
if ! is_sanitized; then
    endless $copies | (ulimit -v $most && "$TLU" train - -o large.tlu --quiet --epochs 1 --max-row 64K --memory 1M --threads 2) ||
        complain 'a large array: train'
    [ ! "${TLU_LONG:-}" ] || copies=50000000 # 4 GB
    endless $copies | (ulimit -v $most && "$TLU" predict large.tlu - --quiet --max-row 64K) | wc -l >found
    [ "$(cat found)" -eq $((2 * copies + 1)) ] || complain "a large array: $(cat found) rows"
    endless $copies | head -c 9000000 | (ulimit -v $most && "$TLU" stream stream2.tlu --quiet --max-row 64K) >/dev/null 2>errors
    grep -q '^tlu: standard input:1:[0-9]*: ' errors || complain "a large array: stream: $(cat errors)"
fi
