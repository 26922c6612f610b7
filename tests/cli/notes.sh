# docs/notes.md: every statement of the lecture notes holds, and the page is up to date. What the commands
# must print is in tests/notes/notes.list, worked out by hand or by tests/notes_reference.py.
. "$TLU_SOURCE/tests/prelude.sh"
need python3 awk
"$TLU" --version | grep -q 'gmp clp.*cairo' || {
    echo "skipped: built without GMP, Clp or cairo"
    exit 77
}
python3 "$TLU_SOURCE/scripts/notes" --tlu "$TLU" --check
