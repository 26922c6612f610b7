# tlu plot: options and arguments that a kind of picture does not take, notices of trainings, pictures on
# standard output.
. "$TLU_SOURCE/tests/prelude.sh"
data=$TLU_SOURCE/examples/data
"$TLU" generate line --rows 25 --seed 2 --format csv >line.csv
"$TLU" train line.csv --learner logistic -o line.tlu --quiet
"$TLU" generate xor --rows 20 --format csv >xor.csv

plot_refuses() # MESSAGE WORDS...
{
    local message=$1
    shift
    refuses "$message" "$TLU" plot "$@" --term
}

# ---- arguments
plot_refuses "line.tlu is a model, and line.csv is not: expected DATA first, then MODEL" line.tlu line.csv
plot_refuses "line.tlu is a model, and line.csv is not: expected DATA first, then MODEL" --roc line.tlu line.csv
plot_refuses "line.tlu is a model, not data: tlu plot DATA line.tlu draws its predictions on data, tlu plot --weights \
line.tlu draws its strongest features" line.tlu
plot_refuses "line.csv: not a tlu model, but text, perhaps data; give a model that tlu train made" line.csv line.csv
plot_refuses "--truth generates its rows; remove 'line.csv'" --truth line line.csv
for kind in run curve bounds weight-space growth centroids; do
    plot_refuses "--$kind takes only DATA; remove 'line.tlu'" --$kind line.csv line.tlu
    plot_refuses "--$kind needs DATA; see tlu plot --help" --$kind
done
plot_refuses "--game takes only DATA; remove 'line.tlu'" --game line.csv line.tlu
plot_refuses "--progress takes only the log of tlu stream --log; remove 'line.tlu'" --progress stream.log line.tlu
plot_refuses "--weights takes only MODEL; remove 'line.tlu'" --weights line.csv line.tlu
plot_refuses "--image needs MODEL; see tlu plot --help" --image 2x1
plot_refuses "a picture of data needs DATA (or --truth KIND); see tlu plot --help"
for kind in roc pr confusion calibration; do
    plot_refuses "--$kind needs DATA and MODEL; see tlu plot --help" --$kind
    plot_refuses "--$kind needs a model: --$kind DATA MODEL; tlu train DATA -o MODEL makes one" \
        --$kind line.csv
done
plot_refuses "--points draws no model; remove 'line.tlu' or --points" line.csv line.tlu --points
plot_refuses "--run and --curve are different kinds of pictures; choose one" --curve --run line.csv

# ---- options of the command
for option in --fps --frames; do
    plot_refuses "$option applies to --run or --game or --weight-space, not to a picture of data" line.csv $option 3
    plot_refuses "$option applies to --run or --game or --weight-space, not to --truth" --truth line $option 3
done
for option in --rows --seeds --noise; do
    plot_refuses "$option applies to --truth, not to a picture of data" line.csv $option 3
    plot_refuses "$option applies to --truth, not to --bounds" --bounds line.csv $option 3
done
plot_refuses "--x applies to a picture of data or --sphere or --run, not to --weights" --weights line.tlu --x x1
plot_refuses "--learners applies to --curve or --learning-curve, not to --run" --run line.csv --learners perceptron
plot_refuses "--top applies to --weights, not to --roc" --roc line.csv line.tlu --top 3
plot_refuses "--points applies to a picture of data, not to --curve" --curve line.csv --points
plot_refuses "both axes show the feature 'x1': expected two features" line.csv --x x1 --y x1
plot_refuses "--size takes width and height, such as 80x24, not '100'" line.csv --size 100
refuses "--size takes width and height, such as 720x480, not '100'" "$TLU" plot line.csv --size 100 -o x.svg
plot_refuses "--image takes width and height, such as 28x28, not '28'" --image 28 line.tlu
refuses "--fps applies to animations (.gif or --term): a .svg has small pictures side by side" \
    "$TLU" plot --run line.csv --fps 3 -o x.svg

# ---- options of the library
for kind in '--weights line.tlu' '--image 2x1 line.tlu' '--roc line.csv line.tlu' '--confusion line.csv line.tlu'; do
    plot_refuses "--epochs cannot be combined with ${kind%% *}: the model is already trained" $kind --epochs 3
done
plot_refuses "--label cannot be combined with --weights: the model is already trained" --weights line.tlu --label 1
plot_refuses "--learner cannot be combined with MODEL: the model is already trained" line.csv line.tlu --learner pa
plot_refuses "--learner cannot be combined with --points: no model is trained" line.csv --points --learner pa
plot_refuses "--header cannot be combined with --truth: its rows are generated" --truth line --header yes
plot_refuses "--seed cannot be combined with --progress: the log is drawn as it is" --progress stream.log --seed 3

# ---- messages
plot_refuses "line.csv:1:1: not a log of tlu stream --log: expected '{', found 'x1'" --progress line.csv
refuses_with "did you mean 'outlook=sunny'?" "$TLU" plot "$data/weather.csv" --x outlook --term

# ---- what does go: how many threads there are, whatever is drawn
for words in '--weights line.tlu' '--truth line --scale standard' '--roc line.csv line.tlu --header yes' \
    'line.csv --points --label label' 'line.csv line.tlu --delimiter ,'; do
    keeps_silent_about tlu "$TLU" plot $words --threads 1 --term
done

# ---- notes of a training are those of tlu train, once
note='note: the file is sorted by class'

for words in "$data/iris.csv" "--run $data/iris.csv --epochs 2" "--curve $data/iris.csv --epochs 2 --shuffle none --holdout 0"; do
    says "$note" "$TLU" plot $words --term
    [ $(grep -c "$note" errors.txt) = 1 ] || complain "$words: the note is there $(grep -c "$note" errors.txt) times"
    keeps_silent_about note: "$TLU" plot $words --term --quiet
    keeps_silent_about note: "$TLU" plot $words --term --json
    grep -q '"notices": \["the file is sorted by class[^"]*"\]' output.txt || complain "$words: $(cat output.txt)"
done
keeps_silent_about note: "$TLU" plot "$data/iris.csv" --points --term
keeps_silent_about note: "$TLU" plot line.csv --term
says 'note: --multiclass has no effect on two classes' "$TLU" plot --truth line --multiclass ovo --term

# ---- standard output
unsaid='standard output needs a format; use -o svg:- (or png:-, pdf:-, gif:-, txt:-)'
for output in - jpg:- :- svgz:-; do
    refuses "$unsaid" "$TLU" plot line.csv -o $output
done
refuses "-o svg:- and --json cannot both have standard output; choose one" "$TLU" plot line.csv -o svg:- --json
"$TLU" plot line.csv --size 60x20 -o file.txt --quiet
"$TLU" plot line.csv --size 60x20 -o txt:- >output.txt
cmp file.txt output.txt || complain "txt:- is not what a file gets"
"$TLU" --version | grep -q ' cairo' || {
    echo "without cairo: the rest is left out"
    exit
}
for format in svg png; do
    "$TLU" plot --run line.csv -o file.$format --quiet
    "$TLU" plot --run line.csv -o $format:- >output.$format
    cmp file.$format output.$format || complain "$format:- is not what a file gets"
    [ ! -e $format:- ] || complain "there is a file $format:-"
done

# ---- --title '', --no-caption and --aspect free, in every kind of picture
"$TLU" train line.csv --learner mlp --epochs 2 -o layers.tlu --quiet
"$TLU" stream stream.tlu --log stream.log --report-every 10 --quiet <line.csv >answers.txt
bare() # KIND WORDS...: texts are left out of the picture, not out of its description
{
    "$TLU" plot "$@" -o full.svg >full.txt 2>errors.txt || complain "tlu plot $*: $(cat errors.txt)"
    "$TLU" plot "$@" --title '' --no-caption -o bare.svg >bare.txt 2>errors.txt ||
        complain "tlu plot $* --title '' --no-caption: $(cat errors.txt)"
    sed 's/full.svg/bare.svg/' full.txt | cmp - bare.txt || complain "tlu plot $*: another description"
    local letters
    letters=$(grep -A 2 '^shows' bare.txt | tr -dc '[:alnum:]' | wc -c) # of the caption, and more in the title
    [ $(($(grep -o '<use' full.svg | wc -l) - $(grep -o '<use' bare.svg | wc -l))) -gt $((letters / 2)) ] ||
        complain "tlu plot $*: the title or the caption is drawn"
}
free() # as `bare`: another picture if both axes have a unit, otherwise a refusal
{
    "$TLU" plot "$@" --aspect equal -o equal.svg --quiet
    "$TLU" plot "$@" --aspect free -o free.svg --quiet
    ! cmp -s equal.svg free.svg || complain "tlu plot $* --aspect free changes nothing"
}
sed -i '2,$s/^/3/' line.csv # elongated
"$TLU" train line.csv --learner logistic -o line.tlu --quiet
for words in 'line.csv' 'line.csv line.tlu' '--run line.csv' '--points line.csv' '--centroids line.csv' '--truth moons'; do
    bare $words
    free $words
done
"$TLU" generate line --rows 25 --seed 2 --format csv >line.csv
for words in '--curve line.csv' '--learning-curve line.csv' '--confusion line.csv line.tlu' '--roc line.csv line.tlu' \
    '--pr line.csv line.tlu' '--calibration line.csv line.tlu' '--weights line.tlu' '--image 2x1 line.tlu' \
    '--net layers.tlu' '--progress stream.log' '--game --adversary' '--weight-space line.csv --no-bias' \
    '--growth line.csv' '--sphere line.csv' '--bounds line.csv'; do
    bare $words
    refuses "--aspect applies to a picture of data or --run or --truth or --centroids, not to ${words%% *}" \
        "$TLU" plot $words --aspect free -o free.svg
done
