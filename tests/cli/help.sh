# What the command says about itself: --help, manual pages and completions are complete, well-formed
# and true. The options that must turn up are read off the tables in the source.
. "$TLU_SOURCE/tests/prelude.sh"

scratch=$(pwd)
mkdir -p bin
ln -sf "$TLU" bin/tlu
PATH=$scratch/bin:$PATH

verbs=$(tlu --verbs) || complain "tlu --verbs"
expected='train import stream predict eval threshold cv compare tune mix inspect explain plot trace separable bound check distance game approximate logic logic-eval logic-from logic-run logic-count split convert generate learners'
[ "$(echo $verbs)" = "$expected" ] || complain "verbs are '$verbs'"

# The names in the tables' rows of a group: {"epochs", "learning", ... or FLAG_OPTION("json", ...
options_of() # file, group
{
    tr '\n' ' ' <"$1" | grep -oE "(\{|OPTION\( *[A-Z0-9_]*,) *\"[A-Za-z0-9-]*\", *\"$2\"|_OPTION\( *\"[A-Za-z0-9-]*\"" | cut -d '"' -f 2
}

options_for() # verb
{
    local library=$TLU_SOURCE/src/base/options_table.h
    echo help
    options_of "$TLU_SOURCE/cli/${1//-/_}.c" command
    if grep -q SHARDS_OPTION "$TLU_SOURCE/cli/${1//-/_}.c"; then echo shards; fi
    if grep -q MIX_OPTIONS "$TLU_SOURCE/cli/${1//-/_}.c"; then printf "mix-every\nmix-weights\n"; fi
    case $1 in
    stream) # without what only a file has
        { options_of "$library" reading
          options_of "$library" data
          options_of "$library" learning
        } | grep -vxE 'epochs|shuffle|holdout|patience|kernel|ratchet|memory'
        ;;
    train | cv | trace | plot)
        echo no-shuffle
        options_of "$library" reading
        options_of "$library" data
        options_of "$library" learning
        [ $1 = trace ] || [ $1 = plot ] || options_of "$library" measuring
        ;;
    tune) # the learner is what it looks for
        echo no-shuffle
        options_of "$library" reading
        options_of "$library" data
        options_of "$library" learning | grep -vx learner
        options_of "$library" measuring
        ;;
    compare)
        options_of "$library" reading
        options_of "$library" data
        options_of "$library" measuring
        ;;
    convert)
        options_of "$library" reading
        options_of "$library" data | grep -vx scale
        ;;
    split) echo format delimiter header skip-bad threads max-row label multilabel label-separator seed ;;
    separable)
        options_of "$library" reading
        options_of "$library" data | grep -vxE 'scale|hash|memory'
        ;;
    bound) # of scaled rows too
        options_of "$library" reading
        options_of "$library" data | grep -vxE 'hash|memory'
        ;;
    eval)
        options_of "$library" reading
        options_of "$library" measuring
        ;;
    predict)
        options_of "$library" reading
        options_of "$library" output
        ;;
    explain | distance | threshold | logic-from) options_of "$library" reading ;;
    esac
}

for verb in $verbs; do
    tlu $verb --help >help.txt 2>errors.txt || complain "tlu $verb --help gives $?"
    [ -s errors.txt ] && complain "tlu $verb --help prints on standard error"
    tlu help $verb | cmp -s - help.txt || complain "tlu help $verb differs from tlu $verb --help"
    tlu $verb --help x y z | cmp -s - help.txt || complain "tlu $verb --help x y z prints no help"
    head -n 1 help.txt | grep -q "^usage: tlu ${verb//-/ } \[OPTIONS\]" || complain "$verb: no usage line"
    grep -q '^Exit status:' help.txt || complain "$verb: no exit status"
    [ "$(wc -L <help.txt)" -le 80 ] || complain "$verb: --help is wider than 80 columns"
    tlu --man $verb >page.1 || complain "tlu --man $verb gives $?"
    options_for $verb | tr ' ' '\n' | sort >wanted.txt
    sed -nE 's/^  (-[a-z], )?--([A-Za-z0-9-]+)( .*)?$/\2/p' help.txt | sort >found.txt
    cmp -s wanted.txt found.txt ||
        complain "$verb: --help has other options than the tables: $(diff wanted.txt found.txt)"
    sed -nE 's/^(.*, )?\\fB\\-\\-([A-Za-z0-9\\-]+)\\fR.*/\2/p' page.1 | tr -d '\\' | sort -u >manual.txt
    missing=$(comm -23 wanted.txt manual.txt)
    [ -z "$missing" ] || complain "$verb: the manual lacks $missing"
done
[ "$(options_for train | wc -l)" -ge 25 ] || complain "this test does not find the tables"

# Every example works as printed, in a fresh copy of examples/ for each verb.
for verb in $verbs ''; do
    rm -rf work
    mkdir work
    cp -r "$TLU_SOURCE/examples/data" "$TLU_SOURCE/examples/turing" work/
    tlu help $verb | sed -n 's/^  \$ //p' >examples.txt
    [ -s examples.txt ] || complain "$verb: no examples"
    if ! tlu --version | grep -q ' cairo.* giflib'; then # pictures on the terminal alone
        sed -i '/tlu plot/{/--term/!d}' examples.txt
    fi
    while IFS= read -r line; do
        (cd work && bash -e -o pipefail -c "$line") </dev/null >output.txt 2>&1 ||
            complain "$verb: '$line' gives $?: $(tail -n 3 output.txt)"
    done <examples.txt
done

# Help of the command itself.
tlu --help >all.txt || complain "tlu --help gives $?"
tlu help | cmp -s - all.txt || complain "tlu help differs from tlu --help"
for verb in $verbs; do
    grep -q "^  ${verb//-/ } " all.txt || complain "tlu --help does not mention $verb"
done
tlu >output.txt 2>errors.txt
[ $? -eq 2 ] || complain "tlu alone does not give 2"
[ -s output.txt ] && complain "tlu alone prints on standard output"
cmp -s errors.txt all.txt || complain "tlu alone prints no help"
version=$(sed -n 's/^#define TLU_VERSION "\(.*\)"/\1/p' "$TLU_SOURCE/include/tlu.h")
tlu --version >version.txt || complain "tlu --version gives $?"
[ "$(head -n 1 version.txt)" = "tlu $version" ] || complain "tlu --version: $(cat version.txt)"
grep -q '^features: ' version.txt && grep -q '^SIMD: .' version.txt ||
    complain "tlu --version names no features or SIMD routines"

# Options that most people need come first, five at most.
for verb in $verbs; do
    tlu $verb --help >help.txt
    common=$(sed -n '/^Common options:$/,/^$/p' help.txt | grep -cE '^  (-[a-z], )?--')
    all=$(grep -cE '^  (-[a-z], )?--' help.txt)
    [ "$common" -le 5 ] || complain "$verb has $common common options"
    [ "$common" -ge 2 ] || [ "$all" -le 15 ] || complain "$verb has $all options, and none is common"
    [ "$(grep -n '^[A-Z].*ptions.*:$' help.txt | head -n 1 | cut -d: -f 2)" = "Common options" ] ||
        [ "$common" = 0 ] || complain "$verb: the common options are not the first"
done

# Topics: every format, learner and metric of the tables, with examples that work.
for topic in formats learners metrics verbs; do
    tlu help $topic >$topic.txt || complain "tlu help $topic gives $?"
    [ "$(wc -L <$topic.txt)" -le 80 ] || complain "tlu help $topic is wider than 80 columns"
done
for name in $(grep -oE '^    ROW\([0-9]+, [A-Z]+, "[a-z]+"' "$TLU_SOURCE/src/data/formats.h" | cut -d '"' -f 2); do
    grep -qE "^  $name(,| )" formats.txt || complain "tlu help formats lacks $name"
done
[ "$(grep -cE '^  [a-z]+(,|  )' formats.txt)" -ge 6 ] || complain "tlu help formats: $(cat formats.txt)"
for name in $(tlu learners | grep -E '^[a-z]'); do
    grep -q "^  $name " learners.txt || complain "tlu help learners lacks $name"
done
for name in accuracy f1-micro roc-auc log-loss precision-at-K; do
    grep -q "^  $name " metrics.txt || complain "tlu help metrics lacks $name"
done
for verb in $verbs; do
    grep -q "^  ${verb//-/ } " verbs.txt || complain "tlu help verbs lacks $verb"
done
# The example of each format is one of this format, and can be trained on with a second row.
python3 - <<'PYTHON' || complain "an example of a format"
import re
import subprocess
from prelude import *

text = open('formats.txt').read()
for entry in re.split(r'\n\n', text)[1:-1]:
    name = re.match(r'  ([a-z]+)', entry).group(1)
    example = ''.join(line[18:] + '\n' for line in entry.split('\n') if line.startswith(' ' * 18))
    row = example.split('\n')[-2]
    other = {'libsvm': '-1 3:1', 'csv': '1.5,blue,no', 'vw': '2 |size length:1', 'fasttext': '__label__ham hello',
             'jsonl': '{"label": "no", "length": 1, "colour": "blue"}', 'text': 'ham\thello you'}[name]
    with open('example.txt', 'w') as file:
        file.write(example + other + '\n' + (row + '\n' + other + '\n') * 4)
    tlu('train', 'example.txt', '-o', 'example.tlu', '-q')
    found = json.loads(tlu('inspect', 'example.tlu', '--json'))
    equal(found['format'], name, 'format')
    equal(found['examples'], 10, name + ': rows')
PYTHON
cp -r "$TLU_SOURCE/examples/data" .
cat formats.txt metrics.txt | sed -n 's/^  \$ //p' >examples.txt
[ -s examples.txt ] || complain "the topics have no examples"
while IFS= read -r line; do
    bash -e -o pipefail -c "$line" </dev/null >output.txt 2>&1 || complain "'$line' gives $?"
done <examples.txt

# Mistakes get one sentence that helps, and 2.
refuses_in_a_line() # expected part of the message, words
{
    local part=$1
    shift
    tlu "$@" >output.txt 2>errors.txt </dev/null
    [ $? -eq 2 ] || complain "tlu $* does not give 2"
    [ -s output.txt ] && complain "tlu $* prints on standard output"
    [ "$(wc -l <errors.txt)" -eq 1 ] || complain "tlu $* prints more than a line, or none"
    grep -q '^tlu: ' errors.txt || complain "tlu $*: no 'tlu: ' in front"
    grep -qF -e "$part" errors.txt || complain "tlu $* says: $(cat errors.txt)"
}
refuses_in_a_line 'did you mean tlu train?' trian data.svm
refuses_in_a_line "the verb is now 'stream'" learn model
refuses_in_a_line '--classes is now --multiclass' train data.svm --classes ovr
refuses_in_a_line 'did you mean --epochs?' train data.svm --epoch 3
refuses_in_a_line 'did you mean --epochs?' train data.svm --epcohs=3
refuses_in_a_line 'did you mean --epochs?' train data.svm -epochs 3
refuses_in_a_line 'did you mean --json?' inspect --jsn model
refuses_in_a_line 'an option of train' predict --epochs 3 model data
refuses_in_a_line 'needs DATA' train
refuses_in_a_line 'tlu train --help' train
refuses_in_a_line 'needs DATA' predict model
refuses_in_a_line "does not take the argument 'c'" explain a b c
refuses_in_a_line 'needs a value' train data.svm --epochs
refuses_in_a_line "whole number, not 'many'" train data.svm --epochs many
refuses_in_a_line 'one of average|last' train data.svm --decide=first
refuses_in_a_line 'yes or no' eval model data --json=perhaps
refuses_in_a_line 'cannot be combined' inspect model --json --weights
refuses_in_a_line 'tlu help lists' xyzzy
refuses_in_a_line 'tlu help lists' help xyzzy
refuses_in_a_line 'bash, zsh' --completion fish
refuses_in_a_line 'from 1 to' explain model data --top 0

# Manual pages without warnings.
for verb in '' $verbs; do
    tlu --man $verb >page.1
    grep -q '^\.TH TLU' page.1 || complain "tlu --man $verb has no title"
    if command -v groff >/dev/null; then
        groff -man -ww -z page.1 >output.txt 2>&1
        [ -s output.txt ] && complain "groff warns about tlu --man $verb: $(head -n 3 output.txt)"
    fi
done

# Completions.
tlu --completion bash >complete.bash || complain "tlu --completion bash gives $?"
bash -n complete.bash || complain "the completion for bash is malformed"
tlu --completion zsh >_tlu || complain "tlu --completion zsh gives $?"
if command -v zsh >/dev/null; then
    zsh -n _tlu || complain "the completion for zsh is malformed"
fi
grep -q "^#compdef tlu" _tlu || complain "the completion for zsh names no command"
completes() # expected words, words of the command line (the last is to be completed)
{
    local expected=$1 got
    shift
    got=$(bash -c '. ./complete.bash
        compopt() { :; } # only allowed while completing
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tlu
        echo "${COMPREPLY[*]}"' bash "$@")
    [ "$got" = "$expected" ] || complain "completing '$*' gives '$got', not '$expected'"
}
completes 'train trace' tlu tr
completes 'explain' tlu ex
completes '--shards --shuffle' tlu train --sh
completes 'average last vote random best adaptive' tlu train data.svm --decide ''
completes 'last' tlu train data.svm --decide = l
completes 'average last vote random best adaptive' tlu train data.svm --decide =
completes '' tlu train da
completes '' tlu train data.svm --output ''
completes '' tlu train data.svm -o x
completes '' tlu train data.svm --epochs ''
completes 'margin moons' tlu generate m
completes 'libsvm csv' tlu generate line --format ''
completes 'predict' tlu help pr
completes '--json' tlu learners --j
