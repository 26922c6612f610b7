# Disk full, I/O error, read-only: each system call of tlu stream and tlu train fails in turn.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need python3
export TMPDIR=$PWD
python3 "$TLU_SOURCE/tests/fail_calls.py" "$TLU" "$TLU_SHIM"

# ---- a folder that cannot be written to: root may, so that there the shim says no
mkdir folder
printf '+1 1:1\n-1 2:1\n' >rows
"$TLU" stream folder/m.tlu --quiet <rows >/dev/null
cp folder/m.tlu old.tlu
chmod a-w folder
refused() { # ENVIRONMENT... -- OPTION...
    status=0
    env "$@" <rows >out 2>message || status=$?
    [ $status = 3 ]
    grep -Eq 'Permission denied|Read-only file system' message
    cmp folder/m.tlu old.tlu
    [ "$(ls -A folder)" = m.tlu ]
}
if touch folder/file 2>/dev/null; then
    rm folder/file
    preload="LD_PRELOAD=$TLU_SHIM FAIL_CALL=open FAIL_ERRNO=30 ASAN_OPTIONS=verify_asan_link_order=0"
    # In turn: the model for its lock, the journal, the model, the temporary file.
    refused $preload FAIL_AT=4 "$TLU" stream folder/m.tlu --quiet
    refused $preload FAIL_AT=2 "$TLU" stream folder/m.tlu --quiet --journal
    [ ! -s out ] # nothing is acknowledged that cannot be kept
else
    refused "$TLU" stream folder/m.tlu --quiet
    refused "$TLU" stream folder/m.tlu --quiet --journal
    [ ! -s out ]
fi
chmod u+w folder

# ---- a standard output that another program set not to wait has no room at times
env LD_PRELOAD="$TLU_SHIM" FAIL_CALL=write FAIL_ERRNO=11 FAIL_AT=1 FAIL_MARK="$PWD/no-room" \
    ASAN_OPTIONS=verify_asan_link_order=0 "$TLU" stream room.tlu --quiet <rows | cat >out
[ -e no-room ]
[ "$(cat out)" = "$(printf '?\n+1')" ]
