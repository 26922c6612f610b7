# What newcomers ran into: options that did nothing, files that were emptied, formats and headers
# that were not understood, columns that became one feature.
. "$TLU_SOURCE/tests/prelude.sh"

features=$("$TLU" --version | sed -n 's/^features: //p')
printf '+1 1:1\n-1 2:1\n+1 1:2\n-1 2:3\n' >a.svm
printf 'a,b,label\n1,2,x\n2,1,y\n1,3,x\n3,1,y\n' >a.csv
"$TLU" train a.svm -o svm.tlu --quiet || complain 'train a.svm'
"$TLU" train a.csv -o csv.tlu --quiet || complain 'train a.csv'

# ---- An output file is written whole or not at all.
mkdir out
echo old >out/guesses
printf '+1 1:1\n-1 2:oops\n' >bad.svm
refuses "bad.svm:2:6: expected a number, found 'oops'" "$TLU" predict svm.tlu bad.svm -o out/guesses
[ "$(cat out/guesses)" = old ] || complain 'predict -o: bad data empties the old file'
[ "$(ls -A out)" = guesses ] || complain "predict -o leaves $(ls -A out)"
ln -s guesses out/link
chmod 640 out/guesses
"$TLU" predict svm.tlu a.svm -o out/link || complain 'predict -o to a link'
[ "$(cat out/guesses)" = "$("$TLU" predict svm.tlu a.svm)" ] || complain 'predict -o: other labels'
[ -L out/link ] || complain 'predict -o replaces a link'
[ "$(stat -c %a out/guesses)" = 640 ] || complain 'predict -o changes permissions'
[ "$(ls -A out)" = "$(printf 'guesses\nlink')" ] || complain "predict -o leaves $(ls -A out)"
"$TLU" generate line --rows 3 -o out/data && [ "$(wc -l <out/data)" -eq 3 ] || complain 'generate -o'
gives "$("$TLU" predict svm.tlu a.svm)" "$TLU" predict svm.tlu a.svm -o /dev/stdout
{ echo first; "$TLU" predict svm.tlu a.svm -o /dev/stdout; } >both.txt
[ "$(head -1 both.txt)" = first ] || complain '-o /dev/stdout overwrites what was written before'
gives "$("$TLU" predict svm.tlu a.svm)" bash -c "'$TLU' predict svm.tlu a.svm -o /dev/stderr 2>&1"
# Ended from outside in the middle, it leaves the old file and no other.
echo old >out/guesses
rm out/link out/data
"$TLU" predict svm.tlu - -o out/guesses < <(yes '+1 1:1') &
predicting=$!
for _ in $(seq 100); do
    [ "$(ls -A out | wc -l)" -eq 2 ] && break
    sleep 0.1
done
kill $predicting
wait $predicting
[ "$(ls -A out)" = guesses ] && [ "$(cat out/guesses)" = old ] || complain "kill leaves $(ls -A out)"

# The size of what is no file is nobody's business.
"$TLU" train a.svm -o /dev/stdout 2>errors.txt >/dev/null || complain 'train -o /dev/stdout'
"$TLU" train a.svm -o /dev/stdout 2>errors.txt | cat >/dev/null
grep -q '^model     /dev/stdout$' errors.txt || complain "-o /dev/stdout says $(grep ^model errors.txt)"

# ---- Options that have no effect are refused.
for option in '--label 1' '--categorical 1' '--numeric 1' '--ignore 1' '--text 1' '--delimiter ;' \
    '--header yes' '--missing zero'; do
    case $option in
        --delimiter* | --header*) what=CSV ;;
        *) what='tables (CSV, JSON records)' ;;
    esac
    refuses "a.svm: ${option%% *} is for $what, and this is LIBSVM by its looks; give --format if that is wrong" \
        "$TLU" train a.svm -o x.tlu $option
done
refuses 'a.svm: --header is for CSV, and this is LIBSVM' \
    "$TLU" train a.svm -o x.tlu --header no --format libsvm
refuses '--patience needs --holdout: it counts the passes in which the held-out rows do not improve' \
    "$TLU" train a.svm -o x.tlu --patience 3
refuses "a.csv: column 'b' is in --numeric and in --ignore; name it in only one of them" \
    "$TLU" train a.csv -o x.tlu --numeric a,b --ignore 2
refuses "a.csv: column 'a' is in --categorical and in --ignore; name it in only one of them" \
    "$TLU" train a.csv -o x.tlu --categorical a --ignore a
refuses "a.csv: there is nothing to learn from: no column is left besides the label 'label'; check --ignore" \
    "$TLU" train a.csv -o x.tlu --ignore 'a, b'
"$TLU" train a.csv -o x.tlu --ignore ' b ,' --quiet || complain '--ignore with blanks'
[ "$("$TLU" inspect x.tlu --weights | cut -f 2 | grep -vc bias)" -eq 1 ] || complain '--ignore " b "'
refuses "a.csv: there is no column 'LABEL' for --label; did you mean 'label'?" \
    "$TLU" train a.csv -o x.tlu --label LABEL

# ---- No two columns share a feature.
printf 'o,o=1,label\nred,1,x\n1,2,y\nblue,3,x\n' >shared.csv
refuses "shared.csv: columns 'o' and 'o=1' could give features of the same name; rename one, or leave one out with --ignore" \
    "$TLU" train shared.csv -o x.tlu
"$TLU" train shared.csv -o x.tlu --ignore o=1 --quiet || complain '--ignore does not settle it'
printf 'a,a=b,label\nb=c,c,x\nd,e,y\n' >shared.csv
refuses "shared.csv: columns 'a' and 'a=b' could give features of the same name; rename one, or leave one out with --ignore" \
    "$TLU" train shared.csv -o x.tlu
printf 'a,a=b,label\n1,2,x\n2,3,y\n' >numbers.csv
"$TLU" train numbers.csv -o x.tlu --quiet || complain 'columns of numbers cannot share a feature'
printf 'c,label\nred,x\n(missing),y\n,x\n' >shared.csv
refuses "shared.csv:3:1: the value '(missing)' in column 'c' means a missing value; leave the field empty, or spell it differently" \
    "$TLU" train shared.csv -o x.tlu --missing indicator
"$TLU" train shared.csv -o x.tlu --missing zero --quiet || complain "'(missing)' is a category"

# ---- Packed by others.
if [[ $features == *gzip* ]]; then
    gzip -c a.svm >padded.gz
    head -c 1000 /dev/zero >>padded.gz
    gives "$("$TLU" predict svm.tlu a.svm)" "$TLU" predict svm.tlu padded.gz
fi
if [[ $features == *zstd* ]] && command -v zstd >/dev/null; then
    { printf '\x53\x2A\x4D\x18\x04\0\0\0skip'; zstd -qc a.svm; } >skippable.zst
    gives "$("$TLU" predict svm.tlu a.svm)" "$TLU" predict svm.tlu skippable.zst
    long=31
    ! is_32_bit || long=30 # the most that zstd unpacks there
    zstd -qc --long=$long <a.svm >long.zst
    gives "$("$TLU" predict svm.tlu a.svm)" "$TLU" predict svm.tlu long.zst
fi

# ---- Another delimiter than in training is recognised.
tr , ';' <a.csv >semicolons.csv
gives "$("$TLU" predict csv.tlu a.csv)" "$TLU" predict csv.tlu semicolons.csv
gives "$("$TLU" predict csv.tlu a.csv)" "$TLU" predict csv.tlu <(tr , '\t' <a.csv | sed 1d)
refuses "semicolons.csv:1:1: expected 3 columns as in training, or 2 without the label, found 1" \
    "$TLU" predict csv.tlu semicolons.csv --delimiter ,
for verb in predict eval explain; do
    "$TLU" $verb --help | tr -s ' \n' ' ' >help.txt
    grep -q 'one of auto, mean, median, most-frequent, indicator, zero or refuse (default: that of the model)' help.txt ||
        complain "$verb --help: the default of --missing"
    grep -q '(default: that of the model, if it fits)' help.txt ||
        complain "$verb --help: the default of --delimiter"
done

# ---- A header after a #, as numpy.savetxt writes it.
gives "$("$TLU" inspect csv.tlu --weights)" \
    bash -c "sed '1s/^/# /' a.csv >numpy.csv && '$TLU' train numpy.csv -o numpy.tlu -q &&
             '$TLU' inspect numpy.tlu --weights"
gives "$("$TLU" predict csv.tlu a.csv)" "$TLU" predict csv.tlu numpy.csv
printf '# label,b,a\nx,2,1\ny,1,3\n' >turned.csv
gives "$(printf 'x\ny')" "$TLU" predict csv.tlu turned.csv
{ echo '# a remark, and more'; cat a.csv; } >remark.csv
gives "$("$TLU" inspect csv.tlu --weights)" \
    bash -c "'$TLU' train remark.csv -o x.tlu -q && '$TLU' inspect x.tlu --weights"
printf '# 9,9,x\n1,2,x\n2,1,y\n1,,x\n' >row.csv
refuses "row.csv:4:3: the value in column '2' is missing: the field is empty; --missing auto would replace it, --ignore leave the column out" \
    "$TLU" train row.csv -o x.tlu --missing refuse
printf '# a,b,label\n1,2,x\n2,1,y\n1,NA,x\n' >row.csv
refuses "row.csv:4:3: the value in column 'b' is missing: found 'NA'; --missing auto would replace it, --ignore leave the column out" \
    "$TLU" train row.csv -o x.tlu --missing refuse

# ---- What eval, inspect and explain say.
sed 's/,x$/,p/; s/,y$/,q/' a.csv >others.csv
refuses "others.csv: the model knows none of its labels: the first is 'p', and those of the model are 'x', 'y'; write labels as in training" \
    "$TLU" eval csv.tlu others.csv
cat a.csv >some.csv
tail -n +2 others.csv >>some.csv
"$TLU" eval csv.tlu some.csv >both.txt 2>&1 || complain 'eval with unknown labels'
note="4 rows have a label that the model does not know, the first is 'p'"
[ "$(tail -1 both.txt)" = "note: $note" ] || complain "eval says '$(tail -1 both.txt)' last"
[ "$(grep -c note: both.txt)" -eq 1 ] || complain 'eval says it twice'
"$TLU" eval csv.tlu some.csv --json | grep -qF "\"notices\": [\"$note\"]" || complain 'eval --json: notices'
"$TLU" eval csv.tlu a.csv --json | grep -qF '"notices": []' || complain 'eval --json: no notices'
"$TLU" generate blobs --rows 200 -o blobs.svm --seed 3
accuracy=$("$TLU" train blobs.svm --holdout 0.3 --epochs 4 -o held.tlu --json |
    sed 's/.*"held_out_accuracy": \[\([^]]*\)\].*"best_epoch": \([0-9]*\).*/\1 \2/' |
    awk '{split($0, a, /[, ]+/); print a[$NF]}')
"$TLU" inspect held.tlu --json | grep -qF "\"best_accuracy\": $accuracy, \"best_epoch\"" ||
    complain "inspect --json: the held-out accuracy is not $accuracy"
"$TLU" inspect held.tlu | grep -q "^held out  accuracy $(awk "BEGIN {printf \"%.2f\", 100 * $accuracy}")% on .* after pass" ||
    complain "inspect: $("$TLU" inspect held.tlu | grep '^held')"
printf 'a,b,label\n153.4,2,x\n2,1e-7,y\n' >floats.csv
"$TLU" train floats.csv -o floats.tlu -q
"$TLU" explain floats.tlu floats.csv --json >explained.txt
grep -q '"value": 153.4,' explained.txt || complain "explain --json: $(head -1 explained.txt)"
grep -q '"value": 1e-07,' explained.txt || complain "explain --json: $(tail -1 explained.txt)"

# Pushes add up to the score, also where means are subtracted and categories stand between numbers.
printf 'c,a,d,b,label\nred,1,p,5,x\nblue,2,q,7,y\nred,4,q,0,x\nblue,9,p,6,y\n' >mixed.csv
"$TLU" train mixed.csv -o mixed.tlu --scale standard --epochs 3 -q || complain 'train mixed.csv'
"$TLU" explain mixed.tlu mixed.csv --top 100 --json | sed 's/"push"/\n&/g' |
    awk -F'[:,}]' '/"score"/ { if (NR > 1) check(); sub(/.*"score": /, ""); score = $0 + 0; sum = 0 }
        /^"push"/ { sum += $2 }
        function check() { rows++; d = sum - score; if (d > 1e-9 || d < -1e-9) exit 1 }
        END { check(); exit !(rows >= 4) }' || complain 'explain: pushes do not add up to the score'
# Many columns take time in proportion.
awk 'BEGIN { for (r = 0; r < 60; r++) { s = ""; for (c = 0; c < 30000; c++) s = s (1 + (r * 7 + c * 3) % 9) ","
             print s (r % 2 ? "x" : "y") } }' >wide.csv
"$TLU" train wide.csv -o wide.tlu --scale standard --epochs 1 -q || complain 'train wide.csv'
timeout 8 "$TLU" explain wide.tlu wide.csv >/dev/null || complain 'explain takes for ever'

# ---- Words.
gives "$("$TLU" --version)" "$TLU" -v
gives "$("$TLU" --version)" "$TLU" version
for verb in predict eval explain; do
    refuses 'MODEL and DATA cannot both be standard input (-); name a file for one of them' "$TLU" $verb - - </dev/null
done
