# What the command says where a user meant something else: labels, words of other tools, a model for
# data, data for a model.
. "$TLU_SOURCE/tests/prelude.sh"

# ---- Labels that are not there: those that are, the nearest first.
printf 'spam 1:1\nham 2:1\nspam 1:2\nham 2:2\n' >mails.svm
refuses "--positive: no row has the label 'Spam'; the labels are 'spam', 'ham'" \
    "$TLU" train mails.svm --positive Spam -o x.tlu
refuses "--positive: no row has the label 'hm'; the labels are 'ham', 'spam'" \
    "$TLU" train mails.svm --positive hm -o x.tlu
refuses "--class-weight: no row has the label 'span'; the labels are 'spam', 'ham'" \
    "$TLU" train mails.svm --class-weight span=2 -o x.tlu
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "c$i $i:1"; done >many.svm
refuses "--class-weight: no row has the label 'c99'; the labels are 'c9', 'c1', 'c10', 'c11', 'c12', 'c2', 'c3', 'c4' and 4 more" \
    "$TLU" train many.svm --class-weight c99=2 -o x.tlu

# ---- Words of other tools.
for pair in lr:rate learning-rate:rate learning_rate:rate eta:rate eta0:rate passes:epochs \
    iterations:epochs max-iter:epochs max_iter:epochs cost:C lambda:l2 n_jobs:threads \
    random_state:seed batch_size:batch hidden_layer_sizes:hidden y:label save:output; do
    refuses "train has no option '--${pair%%:*}'; did you mean --${pair##*:}?" \
        "$TLU" train mails.svm "--${pair%%:*}" 1
done
refuses "train has no option '-c'; did you mean --C?" "$TLU" train mails.svm -c 1
refuses "train has no option '--epoch'; did you mean --epochs?" "$TLU" train mails.svm --epoch 1
refuses "predict has no option '--lr'; see tlu predict --help" "$TLU" predict x.tlu mails.svm --lr 1
for pair in evaluate:eval test:eval fit:train classify:predict cross-validate:cv cross_validate:cv \
    crossval:cv show:inspect algorithms:learners tran:train score:eval grid_search:tune; do
    refuses "there is no verb '${pair%%:*}'; did you mean tlu ${pair##*:}?" "$TLU" "${pair%%:*}" x
done
refuses "predict has no option '--proba'; did you mean --probabilities?" "$TLU" predict x.tlu mails.svm --proba
refuses "cv has no option '--n-folds'; did you mean --folds?" "$TLU" cv mails.svm --n-folds 3
# What is not there at all, or by another verb: what there is instead.
while IFS='|' read -r words part; do
    refuses_with "$part" "$TLU" $words
done <<'WORDS'
serve mails.tlu|tlu is not a server: tlu predict MODEL - answers
export mails.tlu|models cannot be exported to other tools: tlu inspect MODEL --weights
validate mails.svm|tlu cv DATA cross-validates a learner, and tlu eval MODEL DATA measures a model
save mails.tlu|tlu train saves the model itself: -o FILE
perceptron mails.svm|a learner is an option: tlu train DATA --learner perceptron
predict_proba mails.tlu|tlu predict MODEL DATA --probabilities
regress mails.svm|tlu classifies
train mails.svm --proba|tlu predict MODEL DATA --probabilities prints probabilities
train mails.svm --test 0.2|tlu split DATA --test 0.2 -o PREFIX makes a test file
train mails.svm --test-size 0.2|tlu split DATA --test 0.2 -o PREFIX makes a test file
train mails.svm --l1 1|L1 regularisation is not available; --l2 is
train mails.svm --penalty l2|the only penalty is L2
train mails.svm --n-folds 5|cross-validation is a verb: tlu cv DATA -k 5
train mails.svm --folds 5|cross-validation is a verb: tlu cv DATA -k 5
train mails.svm --tol 0.1|there is no tolerance
WORDS
# Learners and metrics, in every place that takes them.
iris=$TLU_SOURCE/examples/data/iris.csv
while IFS='|' read -r name answer; do
    for words in "train mails.svm --learner" "compare $iris --learners" "tune $iris --learners"; do
        refuses "there is no learner '$name'; $answer" "$TLU" $words "$name"
    done
done <<'LEARNERS'
SVC|svm is a linear SVM, and max-margin --kernel one with a kernel
logistic_regression|did you mean logistic?
naive-bayes|multinomial-bayes is for counts, bernoulli-bayes for features that are 0 or 1
random_forest|trees and boosting are not available; mlp, and --kernel with the perceptron, are not linear
perceptrn|did you mean perceptron?
nothing-like-it|tlu learners lists them
LEARNERS
for pair in auc:roc-auc AUC:roc-auc mcc:matthews f1_score:f1 acc:accuracy pr_auc:average-precision; do
    refuses "there is no metric '${pair%%:*}'; did you mean ${pair##*:}?" "$TLU" cv mails.svm --metric "${pair%%:*}"
done
refuses_with 'matthews allows for chance, too' "$TLU" cv mails.svm --metric kappa
for name in $(sed -n 's/.*"did you mean \(.*\)?".*/\1/p' "$TLU_SOURCE/src/base/foreign_names.c"); do
    { "$TLU" learners --json | grep -qF "\"name\": \"$name\""; } || grep -qF "\`$name\`" "$TLU_SOURCE/docs/metrics.md" ||
        complain "there is neither a learner nor a metric '$name'"
done
# Whatever is suggested is there.
for verb in $(sed -n '/ verbs\[\] = {/,/^};/s/.*{"\([a-z]*\)", .*/@\1/p' \
    "$TLU_SOURCE/cli/synonyms.c" | sed -n 's/^@//p' | sort -u); do
    "$TLU" --verbs | grep -qx "$verb" || complain "a synonym of '$verb', which is no verb"
done
for option in $(sed -n '/ options\[\] = {/,/^};/s/.*{"\([A-Za-z0-9-]*\)", .*/\1/p' \
    "$TLU_SOURCE/cli/synonyms.c" | sort -u); do
    for verb in train predict cv stream generate compare logic; do "$TLU" $verb --help; done | grep -q -e "--$option\b" ||
        complain "a synonym of '--$option', which is no option"
done

# ---- A model for data, and data for a model.
"$TLU" train mails.svm -o mails.tlu -q || complain 'train mails.svm'
for verb in train cv compare trace convert; do
    refuses 'mails.tlu: is a tlu model, not data: predict, eval, explain, plot, inspect and stream take it as MODEL' \
        "$TLU" $verb mails.tlu $([ $verb != convert ] || echo --to csv)
done
refuses 'mails.tlu: is a tlu model, not data: predict, eval, explain, plot, inspect and stream take it as MODEL' \
    "$TLU" eval mails.tlu mails.tlu
for verb in predict eval explain; do
    refuses "'mails.tlu' is the model and comes first: tlu $verb MODEL DATA" \
        "$TLU" $verb mails.svm mails.tlu
done
refuses 'mails.svm: not a tlu model, but text, perhaps data; give a model that tlu train made' \
    "$TLU" predict mails.svm mails.svm

# ---- Labels that the model does not know.
sed 's/^\([a-z]*\)/\1./' mails.svm >dotted.svm
refuses "dotted.svm: the model knows none of its labels: the first is 'spam.', and 'spam' in the model; write labels as in training" \
    "$TLU" eval mails.tlu dotted.svm
refuses "dotted.svm: the model knows none of its labels: the first is 'spam.', and 'spam' in the model; write labels as in training" \
    "$TLU" eval mails.tlu dotted.svm --json
sed 's/^[a-z]*/quite-another/' mails.svm >others.svm
refuses "others.svm: the model knows none of its labels: the first is 'quite-another', and those of the model are 'ham', 'spam'; write labels as in training" \
    "$TLU" eval mails.tlu others.svm
cat mails.svm dotted.svm >some.svm
says "note: 4 rows have a label that the model does not know, the first is 'spam.'; the model knows 'spam'" \
    "$TLU" eval mails.tlu some.svm
adult=$TLU_SOURCE/../shared/data/adult
if [ -r "$adult/adult.test" ]; then
    head -n 3000 "$adult/adult.data" >adult.csv
    grep '50K' "$adult/adult.test" | head -n 500 >adult-test.csv
    "$TLU" train adult.csv -o adult.tlu -q --missing indicator || complain 'train adult'
    refuses "adult-test.csv: the model knows none of its labels: the first is '<=50K.', and '<=50K' in the model; write labels as in training" \
        "$TLU" eval adult.tlu adult-test.csv
else
    echo 'skipped: the adult data is not there'
fi

# ---- Several labels in a LIBSVM row.
printf '1,2 1:1\n1 2:1\n2 3:1\n1,2,3 4:1\n' >several.svm
refuses 'several.svm:1:1: the row has several labels; give --multilabel to learn all of them' \
    "$TLU" train several.svm -o x.tlu
sed 's/1,2/red,dark/' several.svm | head -n 3 >named.svm
keeps_silent_about 'label' "$TLU" train named.svm -o x.tlu

# ---- Outputs that would be one file.
printf 'a,b,label\nred,1,x\nblue,2,y\n' >some.csv
mkdir -p folder
for names in out.svm ./out.svm folder/../out.svm; do
    refuses "the data and the names would both go to '$names'; give --names another file" \
        "$TLU" convert some.csv -o out.svm --names $names
    [ ! -e out.svm ] || complain 'out.svm was written'
done
: >out.svm
ln -f out.svm hard.svm
refuses "the data and the names would both go to 'hard.svm'; give --names another file" \
    "$TLU" convert some.csv -o out.svm --names hard.svm
refuses "the data and the names would both go to '-'; give --names another file" \
    "$TLU" convert some.csv --to libsvm --names -
says 'converted 2 rows' "$TLU" convert some.csv -o out.svm --names folder/out.svm
ln -f some.csv link.csv
refuses "the output 'link.csv' would overwrite the input; name another file" "$TLU" convert some.csv -o link.csv
refuses "the output 'link.csv' would overwrite the input; name another file" "$TLU" train some.csv -o link.csv
cp mails.svm data.svm
for out in data.svm ./data.svm mails.tlu; do
    refuses "the output '$out' would overwrite the input; name another file" "$TLU" predict mails.tlu data.svm -o $out
done

# ---- Options that change nothing, by data and verb.
says 'note: --multiclass has no effect on two classes' "$TLU" train mails.svm --multiclass ovo -o x.tlu
keeps_silent_about 'no effect' "$TLU" train many.svm --multiclass ovo -o x.tlu
keeps_silent_about 'no effect' "$TLU" train mails.svm --learner max-margin -o x.tlu
says 'note: --max-features has no effect: it is for names of features, and the data has numbers alone' \
    "$TLU" train mails.svm --max-features 10 --epochs 1 -o x.tlu
says 'note: --missing has no effect: it is for CSV, which the model does not read' \
    "$TLU" predict mails.tlu mails.svm --missing zero
says 'note: --delimiter has no effect' "$TLU" explain mails.tlu mails.svm --delimiter ';'
"$TLU" eval mails.tlu mails.svm --header no --json | grep -qF '"notices": ["--header has no effect' ||
    complain 'eval --json: the notice'
says 'note: --top has no effect with --weights' "$TLU" inspect mails.tlu --weights --top 3

# ---- Rows that change with time: what is right turns round every hundred rows.
python3 - <<'END'
import random
random.seed(3)
rows = []
for block in range(20):
    for i in range(100):
        x = [random.choice((-1, 1)) for _ in range(3)]
        rows.append(f"{x[0] if block % 2 else -x[0]} " + " ".join(f"{k + 1}:{v}" for k, v in enumerate(x)) + "\n")
open("drift.svm", "w").writelines(rows)
random.shuffle(rows)
open("mixed.svm", "w").writelines(rows)
END
says 'rows seem to change with time' "$TLU" train drift.svm -o x.tlu
keeps_silent_about 'change with time' "$TLU" train drift.svm --shuffle all -o x.tlu
keeps_silent_about 'change with time' "$TLU" train mixed.svm -o x.tlu
keeps_silent_about 'change with time' "$TLU" train drift.svm --epochs 1 -o x.tlu
