# The second implementation of the lecture notes (tests/notes_reference.py) against values that were
# worked out by hand. The command is not run here: cli/notes-random.sh compares it with the reference.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 "$TLU_SOURCE/tests/notes_reference.py"
