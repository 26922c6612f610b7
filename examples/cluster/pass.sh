#!/bin/sh
# pass.sh DATA K N PASS: one process's work in one pass: part K of N, starting from the last mixture.
set -eu
data=$1 part=$2 parts=$3 pass=$4
start=
if [ "$pass" -gt 1 ]; then
    start="--start cluster.tlu"
fi
# $start is two words or none.
# shellcheck disable=SC2086
exec "${TLU:-tlu}" train "$data" --part "$part/$parts" $start --learner perceptron --epochs 1 \
    --seed "$pass" --quiet -o "cluster-$part.tlu"
