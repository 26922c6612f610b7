# Processes of tlu train under mpirun are killed at 50 random moments, and one is stopped for 30 s.
. "$TLU_SOURCE/tests/prelude.sh"
set -e
need mpirun python3
[ -e "$(dirname "$TLU")/tlu-mpi.so" ] || {
    echo "skipped: tlu was built without MPI"
    exit 77
}
is_sanitized && {
    echo "skipped: a sanitizer cannot look into MPI"
    exit 77
}
python3 "$TLU_SOURCE/tests/kill_mpi.py" "$TLU" 50
