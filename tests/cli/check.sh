#!/bin/bash
# tlu check: proofs that hold are accepted, all others rejected with the line that does not follow.
. "$TLU_SOURCE/tests/prelude.sh"
need python3
"$TLU" --version | grep -q gmp || {
    echo "skipped: built without GMP"
    exit 77
}
python3 "$TLU_SOURCE/tests/check_proofs.py"
