# Typical mistakes on the command line, of people who come from other tools or have mistyped: each
# message names the remedy, and the corrected command, as the message says it, succeeds.
. "$TLU_SOURCE/tests/prelude.sh"
cp "$TLU_SOURCE"/examples/data/* .
"$TLU" train iris.csv -q -o iris.tlu
"$TLU" train digits-train.svm -q -o digits.tlu --epochs 2
"$TLU" train weather.csv -q -o weather.tlu
cut -d, -f1-4 iris.csv >nolabel.csv
tail -n +2 iris.csv >nohead.csv
printf '__label__spam win a prize now\n__label__ham see you at noon\n' >mail.txt

mistake() # REMEDY ARGUMENTS...: exit code 2, and the message has the remedy
{
    local remedy=$1 status=0
    shift
    "$TLU" "$@" </dev/null >output.txt 2>errors.txt || status=$?
    [ $status = 2 ] || complain "tlu $*: exit code $status"
    [ "$(wc -l <errors.txt)" = 1 ] || complain "tlu $*: $(cat errors.txt)"
    grep -qF -e "$remedy" errors.txt || complain "tlu $*: '$(cat errors.txt)' lacks '$remedy'"
}
then_works() # ARGUMENTS...: what the message leads to
{
    "$TLU" "$@" </dev/null >output.txt 2>errors.txt || complain "tlu $* gives $?: $(tail -n 1 errors.txt)"
}

# Misspelt verbs, options, values, files.
mistake 'did you mean tlu train?' trian iris.csv
mistake 'did you mean --learner?' train iris.csv --learnr perceptron
mistake 'did you mean svm?' train iris.csv --learner svn
mistake 'rbf:GAMMA' train iris.csv --kernel rfb
then_works train iris.csv --learner perceptron --kernel rbf:1 -o x.tlu -q
mistake 'one of auto|libsvm|csv' train iris.csv --format cvs
mistake "did you mean 'iris.csv'?" train iris.cvs
mistake "did you mean './iris.tlu'?" eval ./iris.tul iris.csv
mistake "did you mean 'species'?" train iris.csv --label Species
then_works train iris.csv --label species -o x.tlu -q
mistake "whole number, not 'ten'" train iris.csv --epochs=ten
# Texts with commas, for a model of a table with one column of texts and for one of JSON objects with a text.
printf 'label,message\n%s%s' "$(printf 'spam,"win, a prize"\nham,see you at noon\n%.0s' 1 2 3 4 5 6)" >mail.csv
"$TLU" train mail.csv --text message -q -o texts.tlu
printf 'win it, prize\n' >one-comma
printf 'you, a prize, noon\n' >two-commas
printf '"win it, prize"\n' >quoted
mistake 'put the text in quotes, or give --format text' predict texts.tlu one-comma
mistake 'put the text in quotes, or give --format text' predict texts.tlu two-commas
then_works predict texts.tlu two-commas --format text
gives "$("$TLU" explain texts.tlu quoted)" "$TLU" explain texts.tlu one-comma --format text
printf '{"label": "%s", "text": "%s"}\n' spam 'win, a prize' ham 'see you at noon' >mail.jsonl
"$TLU" train mail.jsonl -q -o objects.tlu
printf '{"text": "win, prize"}\n' >object
gives "$("$TLU" explain objects.tlu object)" "$TLU" explain objects.tlu one-comma
# Files in the wrong place or format.
mistake "eval needs MODEL and DATA, and 'iris.csv' is not a model" eval iris.csv
mistake 'needs DATA' eval iris.tlu
printf '+1 1:1 2:1\n-1 1:1\n' >short.svm
mistake 'looks like LIBSVM: leave out --format' train short.svm --format csv
then_works train short.svm -o x.tlu -q
mistake 'give another --format, or none' train iris.csv --format libsvm
printf 'text,label\n"win, a prize",spam\nsee you, at noon,ham\n' >unquoted.csv
mistake 'unquoted.csv:3:18: expected 2 fields as in the first row, found 3; put a field that contains the delimiter in quotes' \
    train unquoted.csv
mistake 'tlu inspect MODEL lists the strongest features' eval iris.tlu iris.csv --importance
then_works inspect iris.tlu
# Quantities as labels: fares, but not the digits, 26 numbered letters, ratings in halves or years with rows enough.
labels() # EXPRESSION: rows whose label is that of i = 0, ..., 699
{
    python3 -c "print('a,label'); [print(f'{i % 7},{$1}') for i in range(700)]" >quantities.csv
    "$TLU" train quantities.csv --epochs 1 --label label -o x.tlu 2>&1 | grep -c 'are they classes?' || true
}
gives 1 labels 'i % 20 + 0.25'
gives 1 labels 'i % 150'
gives 0 labels 'i % 10'
gives 0 labels 'i % 26 + 1'
gives 0 labels 'i % 10 / 2'
gives 0 labels '1950 + i % 70'
# Words of scikit-learn, LIBLINEAR, LIBSVM, Vowpal Wabbit and fastText.
mistake 'did you mean tlu train?' fit iris.csv
mistake 'did you mean logistic?' train iris.csv --learner LogisticRegression
mistake 'did you mean --epochs?' train iris.csv --max_iter 100
mistake 'tlu split DATA --test 0.2 -o PREFIX' train iris.csv --test-size 0.2
then_works split iris.csv --test 0.2 -o parts
mistake 'did you mean --metric f1-macro?' cv iris.csv --scoring f1_macro
mistake 'did you mean f1-macro?' cv iris.csv --metric f1_macro
then_works cv iris.csv --metric f1-macro
mistake 'give --learner svm or --learner logistic' train digits-train.svm -s 2
then_works train digits-train.svm --learner svm -o x.tlu -q
mistake 'give --kernel rbf:GAMMA' train iris.csv -t 2 -g 0.5
mistake 'did you mean --epochs?' train digits-train.svm --passes 5
mistake 'did you mean tlu train?' supervised -input mail.txt -output mail
mistake 'give the name of the file without an option' train -input mail.txt -output mail
then_works train mail.txt -o mail.tlu -q
# Data, models and outputs in each other's place.
mistake 'comes first: tlu predict MODEL DATA' predict iris.csv iris.tlu
then_works eval iris.tlu nohead.csv
mistake 'write -o out.svm if it is the output' convert iris.csv out.svm
then_works convert iris.csv -o out.csv
mistake 'as in tlu train iris.csv' iris.csv
mistake 'was trained on CSV' predict iris.tlu digits-test.svm
mistake "make the folder 'models' first" train iris.csv -o models/iris.tlu
mistake "make the folder 'out/put' first" predict iris.tlu iris.csv -o out/put/labels.txt
mistake 'needs DATA' eval iris.tlu
mistake 'tlu train DATA -o MODEL makes one' plot iris.csv --confusion -o c.svg
mistake 'expected an ending .svg, .png' plot iris.csv -o c.jpg
# Data that is not as expected.
mistake 'no labelled rows' eval iris.tlu nolabel.csv
mistake 'is it really LIBSVM?' train iris.csv --format libsvm -o x.tlu
then_works train nohead.csv -o x.tlu
grep -q 'label column 5, the last one (--label COLUMN chooses another)' errors.txt || complain "$(cat errors.txt)"
then_works eval x.tlu nohead.csv
then_works train nolabel.csv -o x.tlu
grep -q 'label column petal_width, the last one (--label COLUMN chooses another)' errors.txt || complain "$(cat errors.txt)"
sed 's/^1 /99 /' digits-test.svm >unseen.svm
then_works eval digits.tlu unseen.svm
grep -q "a label that the model does not know, the first is '99'" errors.txt || complain "$(cat errors.txt)"
# Percentages and units where a share or a plain number is expected.
mistake 'write 0.2' train iris.csv --holdout 20%
mistake 'write 0.2' train iris.csv --holdout 20
then_works train iris.csv --holdout 0.2 -o x.tlu
mistake 'write 0.2' split iris.csv --test 20% -o parts
mistake 'write 0.95' threshold weather.tlu weather.csv --precision 95
mistake 'write 10' tune iris.csv --time 10s
mistake 'of 1 or more' trace iris.csv --steps all
mistake 'at least 1' train iris.csv --epochs 0
mistake "size such as 500M" train iris.csv --memory 2Gigabyte
# Options of another verb, or of another tool.
mistake 'give --test 0.2' split iris.csv --train 0.8 -o parts
then_works split iris.csv --test 0.2 -o parts
mistake 'tlu cv DATA -k 5' train iris.csv -k 5
then_works cv iris.csv -k 5
mistake 'tlu threshold MODEL DATA' eval weather.tlu weather.csv --threshold 0.5
then_works threshold weather.tlu weather.csv -o x.tlu
mistake 'did you mean --rows?' generate moons -n 100
then_works generate moons --rows 100
mistake 'did you mean --learners?' compare iris.csv --models alma,arow
then_works compare iris.csv --learners alma,arow
mistake 'did you mean --probabilities?' predict iris.tlu iris.csv --proba
mistake 'train it with --calibrate' predict iris.tlu iris.csv --probabilities
then_works train iris.csv --calibrate sigmoid -o x.tlu
then_works predict x.tlu iris.csv --probabilities
mistake 'max-margin --kernel' train iris.csv --learner SVC
mistake 'use --learner max-margin' train iris.csv --learner svm --kernel rbf:1
then_works train iris.csv --learner max-margin --C 1 --kernel rbf:1 -o x.tlu -q
mistake 'did you mean roc-auc?' eval iris.tlu iris.csv --metric AUC
then_works eval iris.tlu iris.csv --metric roc-auc
mistake 'did you mean --tfidf?' train mail.txt --tf-idf
then_works train mail.txt --tfidf -o x.tlu
mistake 'progress is shown on a terminal' train iris.csv -v
# Labels, columns and addresses.
mistake "the labels are 'yes', 'no'" train weather.csv --positive Yes
then_works train weather.csv --positive yes -o x.tlu
mistake 'LABEL=W' train weather.csv --class-weight yes:5
then_works train weather.csv --class-weight yes=5 -o x.tlu
mistake '--text COLUMN names one' train weather.csv --ngrams 2
mistake 'curl -sL https://example.com/iris.csv |' train https://example.com/iris.csv
mistake 'expected DATA first, then MODEL' plot --confusion iris.tlu iris.csv -o c.svg
mistake 'reads examples from standard input' game 0.5 0.3
mistake '--to libsvm, csv, tsv or binary' convert iris.csv -o iris.json
mistake 'there are line, sparse' generate two-moons

# More: values of other tools, arguments without an option, topics of help.
printf '1,2,a\n3,4,b\n5,6,a\n' >numbers.csv
printf 'x,y,l\n1,2,a\n3,4,b\n' >named.csv
"$TLU" train numbers.csv -q -o numbers.tlu
mistake 'did you mean tlu help formats?' help format
then_works help formats
mistake 'did you mean tlu help metrics?' metrics
then_works help metrics
mistake 'did you mean --metric f1-macro?' cv iris.csv --scoring f1_macro
then_works cv iris.csv --metric f1-macro -q
mistake 'did you mean --metric roc-auc?' cv weather.csv --scoring=roc_auc
then_works cv weather.csv --metric roc-auc -q
mistake 'give --header yes' predict numbers.tlu named.csv
then_works predict numbers.tlu named.csv --header yes
# A later row does not name the columns, not even if a reader begins there.
printf '1,20000000,a\n1,no,a\n' >late.csv
mistake "late.csv:2:3: expected a number in column '2', found 'no'" predict numbers.tlu late.csv --part 2/2
grep -q 'found .no.$' errors.txt || complain "a later row is taken for a header: $(cat errors.txt)"
mistake 'did you mean maxabs?' train iris.csv --scale minmax
then_works train iris.csv --scale maxabs -o m.tlu -q
mistake 'did you mean no?' train iris.csv --header=false
then_works train nohead.csv --header no -o m.tlu -q
mistake 'did you mean yes?' train iris.csv --no-bias=true
then_works train iris.csv --no-bias=yes -o m.tlu -q
mistake 'did you mean all?' train iris.csv --shuffle true
then_works train iris.csv --shuffle all -o m.tlu -q
mistake 'did you mean libsvm?' train digits-train.svm --format svmlight
then_works train digits-train.svm --format libsvm -o m.tlu -q
mistake 'did you mean relu?' train iris.csv --learner mlp --activation ReLU
then_works train iris.csv --learner mlp --activation relu -o m.tlu -q
mistake 'did you mean sigmoid?' train iris.csv --calibrate Platt
then_works train iris.csv --calibrate sigmoid -o m.tlu -q
mistake 'did you mean ovr?' train iris.csv --multiclass one_vs_rest
then_works train iris.csv --multiclass ovr -o m.tlu -q
mistake 'did you mean dark?' plot iris.csv --theme black --term
then_works plot iris.csv --theme dark --term
mistake 'did you mean --delimiter?' train iris.csv --seperator ,
then_works train iris.csv --delimiter , -o m.tlu -q
mistake "echo 'rainy,mild,high,true' | tlu predict weather.tlu -" predict weather.tlu rainy,mild,high,true
echo 'rainy,mild,high,true' | "$TLU" predict weather.tlu - -q >/dev/null || complain 'a row in a pipe'
mistake 'did you mean --test 0.2?' split iris.csv 0.2
then_works split iris.csv --test 0.2 -o parts -q
mistake 'did you mean --rows 100?' generate moons 100
then_works generate moons --rows 100
mistake "as in tlu logic 'a xor b'" logic a xor b
"$TLU" logic 'a xor b' >output.txt || [ $? = 1 ] || complain 'an expression in quotes' # 1: no threshold function
mistake 'did you mean --learners?' compare iris.csv --learner pa,arow
then_works compare iris.csv --learners pa,arow -q
mistake 'compare models by tlu eval MODEL DATA' compare iris.tlu weather.tlu
then_works eval iris.tlu iris.csv
mistake 'give a model that tlu train made' inspect iris.csv
then_works inspect iris.tlu
mistake 'tlu train --learner svm --help' learners svm
then_works train --learner svm --help
mistake 'give weights with --weights FILE' import weights.txt
"$TLU" inspect weather.tlu --weights >weights.txt
then_works import --weights weights.txt --labels no,yes -o m.tlu
mistake 'without an option' eval iris.tlu iris.csv --confusion-matrix
then_works eval iris.tlu iris.csv
mistake '--learners pa1:C=0.1,pa1:C=1' tune iris.csv --param C=0.1,1
then_works tune iris.csv --learners pa1:C=0.1,pa1:C=1 --budget 200 -o m.tlu -q
mistake 'did you mean --names?' logic --table 0111 --vars a,b
then_works logic --table 0111 --names a,b
mistake 'did you mean --checkpoint?' stream s.tlu --checkpoint-every 100
then_works stream s.tlu --checkpoint 100
mistake 'see tlu plot --help' plot iris.csv --tsne
then_works -V
# What a reader of the output could take for something else.
printf 'a,b,label\n0,0,no\n0,1,yes\n1,0,yes\n1,1,no\n' >xor.csv
"$TLU" trace xor.csv 2>&1 | grep -q 'stopped at the limit of --epochs, not converged' || complain 'trace does not say why it stopped'
"$TLU" train weather.csv -o x.tlu 2>&1 | grep -q 'last pass: .*, wrong while learning' || complain 'train: the last pass'
"$TLU" threshold x.tlu weather.csv | grep -q '^f1 .*, the highest$' || complain 'threshold does not name its aim'
"$TLU" threshold x.tlu weather.csv --recall 0.9 | grep -q 'the highest' && complain 'threshold --recall names F1 as its aim'
true
# A text model divides rows by their length: it has no plane.
mistake '--points draws the rows alone' plot mail.csv --text message -o x.svg
then_works plot mail.csv --text message --points -o x.svg
then_works plot mail.csv --text message --learner hinge -o x.svg
"$TLU" stream --help | grep -q 'auto: for' && complain 'stream --help explains a learner that is not its default'
"$TLU" train --help | grep -q 'auto: for' || complain 'train --help does not explain the default learner'
true
