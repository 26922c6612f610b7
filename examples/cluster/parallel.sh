#!/bin/sh
# parallel.sh DATA PARTS PASSES: mixes models of PARTS processes of GNU parallel after every pass.
set -eu
data=$1 parts=$2 passes=$3
here=$(dirname "$0")
models=$(seq -f 'cluster-%g.tlu' "$parts")
for pass in $(seq "$passes"); do
    seq "$parts" | parallel --will-cite --halt now,fail=1 -j "$parts" \
        sh "$here/pass.sh" "$data" '{}' "$parts" "$pass"
    # shellcheck disable=SC2086
    "${TLU:-tlu}" mix $models -o cluster.tlu
done
