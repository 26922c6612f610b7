# scripts/compare-builds finds no difference between a build and itself, and finds another seed, other
# reports and a refusal.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
compare=$TLU_SOURCE/scripts/compare-builds
only='^(space two.svm --learner (pa|arow) |stream two.svm 3 .*pa1|journal mail.vw|generate moons)'

other() # SCRIPT: a build that does this before the command; "$@" are its words
{
    printf '#!/bin/bash\n%s\nexec "%s" "$@"\n' "$1" "$TLU" >other
    chmod +x other
}

finds() # PART SCRIPT: a difference
{
    local status=0
    other "$2"
    "$compare" "$TLU" ./other --only "$only" >found.txt 2>&1 || status=$?
    [ $status = 1 ] || complain "$2: status $status"
    grep -q -- "$1" found.txt || complain "$2: $(tail -n 3 found.txt)"
}

other ''
"$compare" "$TLU" ./other --only "$only" >found.txt 2>&1 || complain "a build differs from itself: $(cat found.txt)"
grep -q '^5[0-9] cases, .*: 0 cases differ' found.txt || complain "$(cat found.txt)"
finds 'mistakes' '[ "$1" != train ] || set -- "$@" --seed 2'
finds 'window' '[ "$1" != stream ] || set -- "$@" --window 3'
finds 'exit status 0, now 2' '[ "$1" != generate ] || exit 2'
