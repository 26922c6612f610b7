# The command against the second implementation of the lecture notes on random small sets, more of
# them in the long run (tests/notes_random.py).
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q 'gmp clp' || {
    echo "skipped: built without GMP or Clp"
    exit 77
}
python3 "$TLU_SOURCE/tests/notes_random.py"
