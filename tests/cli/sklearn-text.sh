# Words, tf-idf, --normalize, --min-count, --stop-words, --chars and --missing against scikit-learn.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
python3 "$TLU_SOURCE/tests/sklearn_text.py"
