# tlu stream: predictions at once, learning, checkpoints, signals, the journal.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
data=$TLU_SOURCE/examples/data

# ---- one row in, one answer out, at once, while the stream stays open
mkfifo in out
"$TLU" stream live.tlu --quiet <in >out &
learner=$!
exec 3>in 4<out
ask() { printf '%s\n' "$1" >&3; IFS= read -r -t 10 answer <&4; }
ask '+1 1:1 2:0.5'
[ "$answer" = '?' ] # no label was met before it
ask '-1 2:1'
[ "$answer" = '+1' ] # the only label there is
for i in 1 2 3 4 5; do ask '+1 1:1'; ask '-1 2:1'; done
ask '1:1' # without a label: predicted, not learned from
[ "$answer" = '+1' ]
ask '2:1'
[ "$answer" = '-1' ]
ask '2:1 7777:3' # an unknown feature counts for nothing
[ "$answer" = '-1' ]

# ---- a new class and a new feature turn up
for i in 1 2 3 4 5 6; do ask 'third 9:1'; done
ask '9:1'
[ "$answer" = 'third' ]

# ---- SIGHUP saves and goes on, SIGTERM saves and ends
kill -HUP $learner
for i in $(seq 100); do [ -f live.tlu ] && break; sleep 0.05; done
"$TLU" inspect live.tlu >inspected
grep -q 'third' inspected
ask '1:1'
[ "$answer" = '+1' ]
kill -TERM $learner
wait $learner
exec 3>&- 4<&-

# ---- it goes on where it stopped: as if the stream had never been cut
head -n 700 "$data/digits-train.svm" >first
tail -n +701 "$data/digits-train.svm" >second
"$TLU" stream whole.tlu --quiet <"$data/digits-train.svm" >whole.out
"$TLU" stream parts.tlu --quiet <first >parts.out
"$TLU" stream parts.tlu --quiet <second >>parts.out
cmp whole.tlu parts.tlu
cmp whole.out parts.out
[ "$(wc -l <whole.out)" = "$(wc -l <"$data/digits-train.svm")" ]

# ---- the answers are those of the model before each row: counted again by hand
cut -d' ' -f1 "$data/digits-train.svm" | paste - whole.out | awk '$1 == $2' | wc -l >right
"$TLU" stream again.tlu --json <"$data/digits-train.svm" 2>report >/dev/null
tail -n 1 report | grep -Eq "\"correct\": ?$(cat right),"

# ---- a model of tlu train goes on
"$TLU" train first --epochs 1 -o trained.tlu --quiet
"$TLU" stream trained.tlu --quiet <second >/dev/null
"$TLU" eval trained.tlu "$data/digits-test.svm" >/dev/null

# ---- options that contradict the model, a row that cannot be read
status=0
"$TLU" stream trained.tlu --learner pa <second >/dev/null 2>message || status=$?
[ $status = 2 ]
grep -q -- '--learner' message
status=0
printf '+1 1:1\n-1 2:1\n+1 3:x\n' | "$TLU" stream bad.tlu >bad.out 2>message || status=$?
[ $status = 2 ]
[ "$(wc -l <bad.out)" = 2 ]
grep -q ':3:6: expected a number' message
"$TLU" inspect bad.tlu >/dev/null # what came before it was learned and saved
printf '+1 1:1\n-1 2:1\n+1 3:x\n-1 1:2\n' | "$TLU" stream skip.tlu --skip-bad --quiet >skip.out
[ "$(wc -l <skip.out)" = 3 ]

# ---- the reader of the answers goes away: the model is saved, and the exit code says so
for i in $(seq 40); do cat "$data/digits-train.svm"; done >many
{ status=0; "$TLU" stream gone.tlu --quiet <many 2>message || status=$?; echo $status >gone; } | head -n 1 >/dev/null
[ "$(cat gone)" = 3 ]
grep -q 'cannot write to standard output' message
"$TLU" inspect gone.tlu >/dev/null

# ---- signals are heard even if there is always something to read, and all that was read is answered
mkfifo hose
yes '+1 1:1
-1 2:1' >hose 2>/dev/null &
"$TLU" stream fire.tlu --quiet <hose >fire.out &
learner=$!
until_true() { for i in $(seq 200); do "$@" && return; sleep 0.05; done; kill -KILL $learner; false; }
has_ended() { ! kill -0 $learner; }
until_true [ -s fire.out ]
kill -HUP $learner
until_true [ -f fire.tlu ]
"$TLU" inspect fire.tlu >/dev/null
kill -TERM $learner
until_true has_ended 2>/dev/null
wait $learner
"$TLU" stream fire.tlu --json </dev/null 2>report >/dev/null
head -n 1 report | grep -Eq "\"learned\": ?$(wc -l <fire.out),"

# ---- nobody reads the answers: signals are heard and save; what is left is still answered, or
# dropped at the second signal
mkfifo slow
for signals in one two; do
    rm -f slow.tlu
    "$TLU" stream slow.tlu --quiet --checkpoint 0 <many >slow &
    learner=$!
    exec 4<slow
    sleep 1 # the pipe is full
    kill -HUP $learner
    until_true [ -f slow.tlu ]
    rm slow.tlu
    kill -TERM $learner
    until_true [ -f slow.tlu ]
    [ $signals = one ] || kill -TERM $learner
    [ $signals = two ] || cat <&4 >slow.out
    until_true has_ended 2>/dev/null
    status=0
    wait $learner || status=$?
    exec 4<&-
    "$TLU" stream slow.tlu --json </dev/null 2>report >/dev/null
    if [ $signals = one ]; then
        [ $status = 0 ]
        head -n 1 report | grep -Eq "\"learned\": ?$(wc -l <slow.out),"
    else
        [ $status = 143 ]
    fi
done

# ---- --hash: the slots that names share, as training counts them
"$TLU" train "$data/digits-train.svm" --hash 10 --json -o slots.tlu >trained.json
"$TLU" stream hashed.tlu --hash 10 --json <"$data/digits-train.svm" 2>report >/dev/null
"$TLU" stream hashed2.tlu --hash 10 <"$data/digits-train.svm" 2>table >/dev/null
used=$(grep -Eo '"slots_used": ?[0-9]+' trained.json | grep -Eo '[0-9]+$')
shared=$(grep -Eo '"slots_shared": ?[0-9]+' trained.json | grep -Eo '[0-9]+$')
[ "$used" -gt 50 ] && [ "$shared" -gt 0 ]
tail -n 1 report | grep -Eq "\"slots\": ?1024, ?\"slots_used\": ?$used, ?\"slots_shared\": ?$shared,"
head -n 1 table | grep -q 'collisions$'
[ "$(tail -n 1 table | awk '{print $NF}')" = "$shared" ]
"$TLU" stream hashed.tlu --json </dev/null 2>report >/dev/null # it is the model that is hashed
grep -Eq '"slots": ?1024' report

# ---- reports after 1, 2, 4, ... labelled rows, though they come in one read, and at
# the end; in JSON, at the start too
printf '+1 1:1\n1:1\n-1 2:1\n+1 1:1\n-1 2:1\n+1 1:1\n1:1\n' | "$TLU" stream due.tlu --json 2>report >/dev/null
grep -Eo '"rows": ?[0-9]+, ?"examples": ?[0-9]+' report | grep -Eo '[0-9]+' | paste -sd' ' >due
[ "$(cat due)" = '0 0 1 1 3 2 5 4 7 5' ]

# ---- one class alone makes no model, and says so
status=0
printf '+1 1:1\n' | "$TLU" stream one.tlu >/dev/null 2>message || status=$?
[ $status = 2 ]
grep -q 'two classes' message
[ ! -e one.tlu ]

# ---- with a journal it is not lost, and the next run goes on with it
printf '+1 1:1\n' | "$TLU" stream early.tlu --journal >/dev/null 2>message
grep -q 'not made yet' message
[ ! -e early.tlu ]
printf '%s\n' '-1 2:1' | "$TLU" stream early.tlu --journal --quiet >/dev/null
printf '+1 1:1\n-1 2:1\n' | "$TLU" stream late.tlu --quiet >/dev/null
cmp early.tlu late.tlu

# ---- what cannot be saved is told before the first row
for bad in '' . /dev/null no/such/folder.tlu; do
    status=0
    printf '+1 1:1\n' | "$TLU" stream "$bad" >said 2>message || status=$?
    [ $status = 2 ] || { [ $status = 3 ] && [ "$bad" = no/such/folder.tlu ]; }
    [ ! -s said ] && [ -s message ]
done

# ---- a log that cannot be written is told once, and learning goes on
if [ -w /dev/full ]; then
    "$TLU" stream logged.tlu --log /dev/full --quiet <first >logged.out 2>message
    [ "$(grep -c 'lacks reports' message)" = 1 ]
    [ "$(wc -l <logged.out)" = 700 ]
fi

# ---- nor into the model or the journal
for log in logs.tlu ./logs.tlu.journal; do
    status=0
    "$TLU" stream logs.tlu --journal --log $log <first >said 2>message || status=$?
    [ $status = 2 ] && grep -q -- '--log' message
    [ ! -s said ] && [ ! -e logs.tlu ] && [ ! -e logs.tlu.journal ]
done

# ---- three bytes are a stream
[ "$(printf 'n\n\n' | "$TLU" stream three.tlu --format fasttext --quiet)" = '?' ]

# ---- while another process learns with a journal, nobody else does
mkfifo busy
"$TLU" stream taken.tlu --journal --quiet <busy >busy.out &
learner=$!
exec 3>busy
printf '+1 1:1\n-1 2:1\n' >&3
until_true [ -s busy.out ]
kill -HUP $learner # the journal is empty then
until_true [ -f taken.tlu ]
for how in '' --journal; do
    status=0
    printf '+1 1:1\n' | "$TLU" stream taken.tlu $how >said 2>message || status=$?
    [ $status = 2 ] && grep -q 'in use by another process' message
done
exec 3>&-
wait $learner

# ---- what was guessed is told; a header alone is no stream
status=0
printf 'spam\twin a prize\n' | "$TLU" stream head.tlu >said 2>message || status=$?
[ $status = 2 ] && grep -q 'no rows, taken for TSV' message
printf 'ham\tok\nspam\tno\nham\tok\n' | "$TLU" stream guess.tlu 2>message >/dev/null
grep -q "taken for TSV with the label in column" message
status=0
gzip -c first | "$TLU" stream packed.tlu 2>message >/dev/null || status=$?
[ $status = 2 ] && grep -q 'zcat' message
printf '+1 1:1\n-1 2:1\n+1 3:x\n' | "$TLU" stream left.tlu --skip-bad 2>message >/dev/null
grep -q '1 malformed row left out' message

# ---- other formats: text, CSV with a header, Vowpal Wabbit's, JSON lines
printf 'spam\tbuy now\nham\tsee you\nspam\tbuy it\nham\tsee him\n' >mails
for i in 1 2 3 4 5; do cat mails; done | "$TLU" stream mail.tlu --format text --quiet >/dev/null
status=0
"$TLU" stream mail.tlu --lowercase <mails >/dev/null 2>message || status=$?
[ $status = 2 ] && grep -q -- "made with --lowercase 'no'" message
printf '\tbuy\n' | "$TLU" predict mail.tlu - >guess
[ "$(cat guess)" = spam ]
"$TLU" stream iris.tlu --quiet <"$data/iris.csv" >iris.out 2>/dev/null || true
printf 'spam |w buy now\nham |w see you\n |w buy\n' | "$TLU" stream vw.tlu --quiet >vw.out
[ "$(wc -l <vw.out)" = 3 ]
printf '{"label":"a","features":{"x":1}}\n{"label":"b","features":{"y":1}}\n{"features":{"y":1}}\n' |
    "$TLU" stream json.tlu --quiet >json.out
[ "$(tail -n 1 json.out)" = b ]

# ---- the journal: killed without warning, nothing that was answered is lost
mkfifo jin jout
"$TLU" stream kept.tlu --journal --quiet <jin >jout &
learner=$!
exec 3>jin 4<jout
for i in 1 2 3; do ask '+1 1:1'; ask '-1 2:1'; done
kill -KILL $learner
wait $learner 2>/dev/null || true
exec 3>&- 4<&-
[ ! -e kept.tlu ]
cp kept.tlu.journal harmed.tlu.journal # a wrong size in the first record: all is there, and stays
printf '\377' | dd of=harmed.tlu.journal bs=1 seek=13 conv=notrunc 2>/dev/null
cp harmed.tlu.journal harmed
code=0
"$TLU" stream harmed.tlu --journal </dev/null 2>message || code=$?
[ $code = 2 ]
grep -q 'harmed.tlu.journal is damaged at byte 8' message
cmp harmed harmed.tlu.journal
[ ! -e harmed.tlu ]
code=0
"$TLU" stream kept.tlu <"$data/digits-test.svm" 2>message >refused.out || code=$? # not without these rows
[ $code = 2 ]
grep -q 'kept.tlu.journal has rows that were answered' message
[ ! -s refused.out ]
"$TLU" stream kept.tlu --journal </dev/null 2>message
grep -q '6 rows of the journal learned again' message
for i in 1 2 3; do printf '+1 1:1\n-1 2:1\n'; done | "$TLU" stream plain.tlu --quiet >/dev/null
cmp kept.tlu plain.tlu
[ "$(wc -c <kept.tlu.journal)" = 8 ]
printf '1:1\n' | "$TLU" stream kept.tlu --quiet >/dev/null # it is in the way no longer

# ---- what was never saved begins again as it began, whatever is said now
"$TLU" stream csv.tlu --journal --quiet --label 1 --header no --learner pa <jin >jout &
learner=$!
exec 3>jin 4<jout
for i in 1 2 3; do ask 'red,1,2'; ask 'blue,2,5'; done
kill -KILL $learner
wait $learner 2>/dev/null || true
exec 3>&- 4<&-
status=0
"$TLU" stream csv.tlu --journal --learner arow </dev/null 2>message || status=$?
[ $status = 2 ]
grep -q "the journal was made with --learner 'pa', not 'arow'" message
"$TLU" stream csv.tlu --journal --quiet </dev/null
for i in 1 2 3; do printf 'red,1,2\nblue,2,5\n'; done |
    "$TLU" stream plaincsv.tlu --quiet --label 1 --header no --learner pa >/dev/null
cmp csv.tlu plaincsv.tlu

# ---- the journal of another model that has learned from as many rows is told apart
for name in one two; do
    tail -n +"$([ $name = one ] && echo 1 || echo 101)" "$data/digits-train.svm" | head -n 100 |
        "$TLU" stream $name.tlu --quiet >/dev/null
done
cp one.tlu one.copy
"$TLU" stream one.tlu --journal --quiet --checkpoint 0 <jin >jout &
learner=$!
exec 3>jin 4<jout
ask '3 1:1'
kill -KILL $learner
wait $learner 2>/dev/null || true
exec 3>&- 4<&-
cp two.tlu one.tlu
status=0
"$TLU" stream one.tlu --journal </dev/null 2>message || status=$?
[ $status = 2 ]
grep -q 'of another model' message
cp one.copy one.tlu
"$TLU" stream one.tlu --journal </dev/null 2>message
grep -q '1 row of the journal learned again' message

# ---- what a new user meets first
status=0
"$TLU" stream file.tlu rows.csv 2>message || status=$?
[ $status = 2 ]
grep -q 'stream reads standard input: tlu stream file.tlu <rows.csv' message
for i in $(seq 60); do echo "id$i,1,$i"; done | "$TLU" stream ids.tlu --label 1 2>message >/dev/null
grep -q 'there are 60 different labels in 60 rows' message
"$TLU" inspect ids.tlu >about
grep -q '^data      a stream: 60 rows' about
grep -q '^training  1 pass over the stream' about
status=0
printf 'a,room,y\n1,,p\n2,,q\n3,C85,p\n' |
    "$TLU" stream room.tlu --missing zero --quiet 2>message >/dev/null || status=$?
[ $status = 2 ]
grep -q "expected a number in column 'room', found 'C85'; start a new stream with --categorical room" message
# What a missing value means is the model's, whether it comes from a file or from a stream.
printf 'a,b,y\n1,u,p\n,v,q\n2,,p\n3,u,q\n' >gaps.csv
for how in zero indicator; do
    "$TLU" train gaps.csv --missing $how -o gaps.tlu --quiet
    "$TLU" stream gaps.tlu --quiet <gaps.csv >untold
    "$TLU" stream gaps.tlu --quiet <gaps.csv >again
    [ "$(wc -l <again)" = 4 ]
    "$TLU" train gaps.csv --missing $how -o told.tlu --quiet
    "$TLU" stream told.tlu --missing $how --quiet <gaps.csv | cmp - untold
done
status=0
"$TLU" stream gaps.tlu --missing refuse --quiet <gaps.csv 2>message >/dev/null || status=$?
[ $status = 2 ]
grep -q "standard input:3:1: the value in column 'a' is missing" message
# --scale auto is what a stream does by itself, also when it goes on.
printf 'a,b,y\n1,2000,p\n2,-900,q\n' >scale.csv
"$TLU" stream itself.tlu --quiet <scale.csv >/dev/null
"$TLU" stream auto.tlu --scale auto --quiet <scale.csv >/dev/null
cmp itself.tlu auto.tlu
"$TLU" stream auto.tlu --scale auto --quiet <scale.csv >/dev/null
printf '1 1:1 2:3\n2 2:0.5\n3 1:2\n' >auto.svm
for i in 1 2; do "$TLU" stream classes.tlu --multiclass auto --scale auto --quiet <auto.svm >/dev/null; done

# ---- what a new stream chooses by its first row, it chooses by the journal's too: all learners
printf '1,-2.5,a\n3,8.5,a\n-300,0.5,b\n2,7.5,a\n-100,3.5,b\n' >first.csv
for learner in perceptron pa pa1 pa2 romma aromma alma arow scw1 scw2 hinge logistic squared; do
    rm -f journalled.tlu* whole.tlu
    "$TLU" stream whole.tlu --quiet --header no --format csv --learner $learner <first.csv >/dev/null
    head -n 2 first.csv | "$TLU" stream journalled.tlu --quiet --journal --header no --format csv \
        --learner $learner >/dev/null 2>&1 # one class: the journal is all there is
    tail -n 3 first.csv | "$TLU" stream journalled.tlu --quiet --journal --header no >/dev/null
    cmp whole.tlu journalled.tlu
done
