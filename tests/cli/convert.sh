# tlu convert, and binary data in the place of text: the same rows, the same models to the byte, the
# same predictions, from a file and from a pipe, for every verb; a second reader finds the same rows.
. "$TLU_SOURCE/tests/prelude.sh"

refused() # code, message, words...
{
    local code=$1 message=$2 status=0
    shift 2
    "$TLU" "$@" >refused.out 2>refused.err || status=$?
    [ $status -eq "$code" ] && grep -qF -e "$message" refused.err ||
        complain "$*: status $status, expected $code and '$message', found '$(cat refused.err)'"
}
mkdir text data

# Data of several kinds; large.svm has more than one block.
awk 'BEGIN { srand(3); print "# a comment\n"; for (i = 0; i < 30000; i++) {
    printf "%s", (i * 7 % 13 < 6) ? "+1" : "-1"; if (i % 97 == 0) printf " qid:%d", i
    for (j = 1; j < 90; j += 1 + int(12 * rand())) printf " %d:%.3g", j * j, rand() - (i % 2) * 0.3
    if (i % 3) printf " %.0f:1", 3000000000 + i % 500; printf "\n"; if (i % 50 == 0) printf "\n" } }' >large.svm
awk 'BEGIN { srand(4); for (i = 0; i < 400; i++) {
    printf "c%d", int(i / 90); for (j = 0; j < 60; j += 1 + int(9 * rand())) printf " %d:1", j; printf "\n" } }' >ones.svm
awk 'BEGIN { srand(9); print "age;colour;\"in; come\";id;class"
    split("red green blue \"dark;\"\"red\"\"\"", colour, " "); split("low mid high", label, " ")
    for (i = 0; i < 300; i++) { k = 1 + i % 3
        printf "%d;%s;%.2f;%d;%s\n", 20 * k + 30 * rand(), colour[1 + int(4 * rand())],
            1000 * rand() + 100 * k, i, label[k] } }' >people.csv
awk 'BEGIN { srand(5); for (i = 0; i < 200; i++)
    printf "%s,%s,%.4f,%d\n", i % 7 ? (i % 2 ? "a" : "b") : "", i % 5 ? rand() : "NA", rand() / 1000, i % 2 }' >holes.csv

awk 'BEGIN { srand(6); print "a,b,c,d,label"; for (i = 0; i < 500; i++)
    printf "%.3f,%d,%.2f,%d,%d\n", 1 + rand(), 1 + i % 9, 1 + rand(), i + 1, i % 3 }' >dense.csv # all rows alike

# same DATA "OPTIONS OF READING" OPTIONS OF LEARNING...: text and binary give one model
same()
{
    local data=$1 reading=$2
    shift 2
    cp "$data" text/d
    "$TLU" convert $reading -q "$data" --to binary -o data/d || complain "$data: cannot convert"
    "$TLU" train text/d $reading "$@" -q -o text.tlu || complain "$data: cannot train on text"
    "$TLU" train data/d "$@" -q -o data.tlu || complain "$data: cannot train on binary data"
    cmp -s text.tlu data.tlu || complain "$data $reading $*: the models differ"
}
for threads in 1 3; do
    same large.svm "--threads $threads" --epochs 3 --threads $threads
    same large.svm "" --epochs 1 --threads $threads
done
same large.svm "" --epochs 3 --memory 100K
same large.svm "" --epochs 2 --holdout 0.3 --shuffle all
same large.svm "" --epochs 2 --scale maxabs --memory 1M
same large.svm "" --epochs 2 --learner arow --decide last
same ones.svm "" --scale standard
same ones.svm "" --kernel rbf:0.1 --epochs 3
same ones.svm "" --decide vote --epochs 2 --multiclass ovo
same people.csv "--ignore id --categorical age" --epochs 4
same people.csv "--label colour --ignore 4,class" --scale standard --epochs 4
same dense.csv "" --epochs 3
same dense.csv "" --epochs 3 --scale standard --memory 1
same dense.csv "" --kernel linear --epochs 2
same holes.csv "--missing indicator --header no"
same holes.csv "--missing zero --skip-bad"

# Packed, from a pipe, from standard input: as the file itself.
cp large.svm text/d
"$TLU" convert large.svm -o large.tlud -q || complain "large.tlud"
cp large.tlud data/d
"$TLU" train text/d -q -o text.tlu --epochs 2
features=$("$TLU" --version)
if [[ $features == *gzip* ]]; then
    gzip -c large.tlud >data/d
    "$TLU" train data/d -q -o data.tlu --epochs 2
    cmp -s text.tlu data.tlu || complain "packed binary data gives another model"
fi
"$TLU" train - -q -o text.tlu --epochs 2 <large.svm
"$TLU" train - -q -o data.tlu --epochs 2 <large.tlud
cmp -s text.tlu data.tlu || complain "binary data on standard input gives another model"
cat large.tlud | "$TLU" train - -q -o data.tlu --epochs 2 --memory 300K
cmp -s text.tlu data.tlu || complain "binary data in a pipe gives another model"
"$TLU" convert - --to binary -q <large.svm | cmp -s - large.tlud || complain "a pipe converts otherwise"
"$TLU" convert large.tlud --to binary -q | cmp -s - large.tlud || complain "binary to binary differs"

# Every verb reads it as the text. The model knows half of the rows, and some of the labels and names.
head -n 150 people.csv >half.csv
head -n 15000 large.svm | sed 's/ 300000000.:1//' >half.svm
head -n 180 ones.svm >half-ones.svm
for pair in half.csv:people.csv half.svm:large.svm half-ones.svm:ones.svm; do
    model=${pair%:*} data=${pair#*:}
    "$TLU" convert "$data" -o other.tlud -q
    "$TLU" train "$model" -o model.tlu -q --epochs 2
    for words in "predict model.tlu FILE --scores" "eval model.tlu FILE" "eval model.tlu FILE --json" \
        "explain model.tlu FILE --rows 20" "trace FILE --epochs 1 --steps 50"; do
        "$TLU" ${words/FILE/$data} >expected 2>expected.err || complain "$words: $data: $(cat expected.err)"
        "$TLU" ${words/FILE/other.tlud} >found 2>found.err || complain "$words: binary $data: $(cat found.err)"
        cmp -s expected found && cmp -s expected.err found.err || complain "$words: $data and its binary form differ"
        cat other.tlud | "$TLU" ${words/FILE/-} >found 2>found.err
        cmp -s expected found || complain "$words: $data and its binary form in a pipe differ"
    done
    for words in "cv FILE -k 3 --epochs 2 --json" "compare FILE --limit 60 --epochs 1 --json"; do
        case $words:$data in compare*.svm) continue ;; esac # that takes long
        plain='s/"[a-z_]*\(seconds\|bytes\)[a-z_]*": [^,}]*//g; s/"command": "[^"]*"//'
        # Binary data does not tell how its columns were chosen.
        plain+='; s/"label_reason": [a-z"]*, //; s/"notices": [[][^]]*[]]//'
        "$TLU" ${words/FILE/$data} 2>expected.err | sed "$plain" >expected
        "$TLU" ${words/FILE/other.tlud} 2>found.err | sed "$plain" >found
        [ -s found ] && cmp -s expected found || complain "$words: $data and its binary form differ: $(cat found.err)"
        cat other.tlud | "$TLU" ${words/FILE/-} 2>found.err | sed "$plain" >found
        cmp -s expected found || complain "$words: a pipe of $data differs: $(cat found.err)"
    done
done
# Columns by name in another order, and by place under other names.
awk -F';' -v OFS=';' '{ print $5, $3, $2, $1 }' <<<'age;colour;income;x;class
30;red;100;1;low
50;purple;900;2;high
40;green;500;3;mid' >shuffled.csv
awk 'NR > 1' people.csv | grep -v dark >plain.csv
sed 's/"in; come"/income/; 1!{/dark/d}' people.csv >named.csv
"$TLU" train named.csv --ignore id -o named.tlu -q
"$TLU" predict named.tlu shuffled.csv --scores >expected 2>&1
"$TLU" convert shuffled.csv -o shuffled.tlud -q
"$TLU" predict named.tlu shuffled.tlud --scores >found 2>&1
cmp -s expected found || complain "columns by name differ: $(diff expected found)"
"$TLU" predict named.tlu plain.csv --scores >expected 2>&1
"$TLU" convert plain.csv --header no -o plain.tlud -q
"$TLU" predict named.tlu plain.tlud --scores >found 2>&1
cmp -s expected found || complain "columns by place differ: $(diff expected found | head -n 3)"

# Between texts. Values come back as they were, and CSV as it was.
"$TLU" convert large.tlud -o back.svm -q
"$TLU" convert back.svm --to binary -q >again.tlud
"$TLU" convert again.tlud -o again.svm -q
cmp -s back.svm again.svm || complain "LIBSVM does not survive"
"$TLU" convert ones.svm -q -o ones.csv
[ "$(head -n 1 ones.csv)" = "label,$(seq -s , 0 59 | sed 's/,*$//')" ] || complain "header of ones.csv: $(head -n 1 ones.csv)"
"$TLU" convert ones.csv -q --to libsvm | awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = a[1] - 1 ":" a[2] } print }' |
    cmp -s - ones.svm || complain "ones.svm does not come back from CSV"
printf 'a b,size,"say ""hi""",label\n" x ",1.5,"p,q",yes\ny,0,r,no\n"#z",-3e-7,"two\nlines",no\n' >odd.csv
"$TLU" convert odd.csv --to binary -q | "$TLU" convert - --to csv -q >odd.back
printf 'a b,size,"say ""hi""",label\n" x ",1.5,"p,q",yes\ny,0,r,no\n"#z",-3e-07,"two\nlines",no\n' | cmp -s - odd.back ||
    complain "odd.csv: $(cat odd.back)"
"$TLU" convert odd.csv --to tsv -q | "$TLU" convert - --to csv -q | cmp -s - odd.back || complain "TSV does not survive"
printf 'shape,size,colour,label\nround,1,red,a\nlong,0,blue,b\nround,2.5,blue,b\n' >few.csv
"$TLU" convert few.csv -o few.svm --names few.names 2>summary || complain "few.csv"
[ "$(cat summary)" = "converted 3 rows, 5 features, 2 classes" ] || complain "summary: $(cat summary)"
printf 'a 1:1 2:1 3:1\nb 4:1 5:1\nb 1:2.5 2:1 5:1\n' | cmp -s - few.svm || complain "few.svm: $(cat few.svm)"
printf '1\tsize\n2\tshape=round\n3\tcolour=red\n4\tshape=long\n5\tcolour=blue\n' | cmp -s - few.names ||
    complain "few.names: $(cat few.names)"
printf '1:2 3:1\nqid:1\n+1 2:1\n' | "$TLU" convert - --to libsvm -q >unlabelled.svm
printf '1:2 3:1\n1:0\n+1 2:1\n' | cmp -s - unlabelled.svm || complain "unlabelled: $(cat unlabelled.svm)"
"$TLU" convert unlabelled.svm -q -o unlabelled.tlud

# The second reader.
if command -v python3 >/dev/null; then
    for data in back.svm ones.svm few.csv unlabelled.svm; do
        "$TLU" convert $data -q -o second.tlud
        python3 "$TLU_SOURCE/tests/data_reader.py" second.tlud >found || complain "$data: second reader"
        case $data in
        few.csv) printf 'a shape=round:1 size:1 colour=red:1\nb shape=long:1 colour=blue:1\nb shape=round:1 size:2.5 colour=blue:1\n' ;;
        unlabelled.svm) printf -- '- 1:2 3:1\n-\n+1 2:1\n' ;;
        *) awk '{ for (i = 2; i <= NF; i++) { split($i, a, ":"); $i = a[1] ":" sprintf("%.9g", a[2]) } print }' $data ;;
        esac >expected
        # awk has doubles where the data has floats
        python3 - expected found <<'END' || complain "$data: the second reader finds other rows"
import struct, sys
def rows(path):
    for line in open(path):
        label, *entries = line.split()
        pairs = [entry.rsplit(":", 1) for entry in entries]
        yield label, [(name, struct.pack("f", float(value))) for name, value in pairs]
a, b = (list(rows(path)) for path in sys.argv[1:])
sys.exit(not a or a != b)
END
    done
    printf '\n# x\na 1:1\n\nb 2:1\n' | "$TLU" convert - --to binary -q >second.tlud
    python3 "$TLU_SOURCE/tests/data_reader.py" second.tlud about | grep -qx 'lines 3 5' || complain "lines"
    "$TLU" convert few.csv --to binary --categorical size --ignore colour -q >second.tlud
    python3 "$TLU_SOURCE/tests/data_reader.py" second.tlud about >found
    printf 'column 1 shape\ncolumn 1 size\ncolumn 3 colour\ncolumn 2 label\nsetting categorical size\nsetting ignore colour\nlines 2 3 4\n' |
        cmp -s - found || complain "about: $(cat found)"
fi

# Refused.
refused 2 "unlabelled.tlud: the row of line 1 of the text has no label; add one" train unlabelled.tlud -o x.tlu
refused 2 "large.tlud: --label is for tables (CSV, JSON records), and this is LIBSVM" train large.tlud --label 3 -o x.tlu
"$TLU" convert few.csv -o few.tlud -q
refused 2 "few.tlud: --categorical was settled when the data was converted; give it to tlu convert" \
    train few.tlud --categorical size -o x.tlu
"$TLU" train ones.svm -o ones.tlu -q
refused 2 "few.tlud: is CSV, but the model was trained on LIBSVM" predict ones.tlu few.tlud
"$TLU" train few.csv -o few.tlu -q --categorical size
refused 2 "column 'size' was converted as numbers, and the model takes it as categories; convert the data again with --categorical size" \
    predict few.tlu few.tlud
refused 2 "lacks the column 'shape' that the model was trained on; convert data that has it" predict few.tlu <(printf 'size,colour,label\n1,red,a\n2,red,b\n' | "$TLU" convert - --to binary -q)
refused 2 "convert needs a format; give --to" convert few.csv
refused 2 "convert needs a format; give --to" convert few.csv -o few.xyz
refused 2 "convert does not compress" convert few.csv -o few.svm.gz
refused 2 "would overwrite the input" convert few.csv -o few.csv
refused 2 "--names is for libsvm" convert few.csv -o few.tlud --names x
refused 2 "the label 'a b' cannot be written in LIBSVM" convert <(printf 'x,label\n1,a b\n2,c\n') --to libsvm
refused 2 "expected an index and a value" convert <(echo '1 2:1 x') --to csv
refused 2 "--memory is a size such as 500M or 2G, not '12X'" train few.tlud --memory 12X -o x.tlu
refused 2 "--scale is an option of train, not of convert" convert few.csv --scale none
refused 2 "--id is an option of predict, not of convert" convert few.csv --id 1
[ ! -e x.tlu ] && [ ! -e few.svm.gz ] || complain "something was written"

# A cache that cannot be: the machine is to blame.
TMPDIR=$PWD/nowhere refused 3 "the cache file in $PWD/nowhere cannot be written: No such file or directory" \
    train large.svm --memory 1 -o x.tlu
(failures=0; ulimit -f 100; trap '' XFSZ; TMPDIR=$PWD refused 3 "cannot be written: File too large" train large.svm --memory 1 -o x.tlu
    exit $failures) || complain "a full disk"
[ -z "$(ls -A | grep tlu-temporary)" ] || complain "a cache file is left"
refused 3 "cannot write /dev/full: No space left on device" convert large.svm --to csv -o /dev/full
