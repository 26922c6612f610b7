# tlu stream --journal killed without warning at random moments: nothing acknowledged is lost, and
# the model is that of an undisturbed run, bit for bit.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3

run() { # NAME KIND KILLS [OPTION...]
    mkdir "$1"
    (cd "$1" && shift && python3 "$TLU_SOURCE/tests/kill_stream.py" "$TLU" "$@")
    rm -r "$1"
}

times=4
[ ! "${TLU_LONG:-}" ] || times=10
run libsvm libsvm $((10 * times))
run text text $((25 * times / 10)) --learner arow --format text
run csv csv $((15 * times / 10)) --learner pa
run objects objects $((10 * times / 10))
words='--text note --tfidf --normalize'
run table table $((10 * times / 10)) --learner pa $words --min-count 2
run records records $((10 * times / 10)) $words --missing mean
run sets sets $((10 * times / 10)) $words --multilabel --label-separator ';'
run array array $((10 * times / 10)) --learner pa
