#!/bin/sh
# slurm.sh DATA PARTS PASSES: a Slurm array per pass, each followed by a mixture. The folder must be
# one that all machines share. Without Slurm the same steps run one after the other.
set -eu
data=$1 parts=$2 passes=$3
here=$(cd "$(dirname "$0")" && pwd)
models=$(seq -f 'cluster-%g.tlu' "$parts" | tr '\n' ' ')
after=
for pass in $(seq "$passes"); do
    mix="${TLU:-tlu} mix $models -o cluster.tlu"
    if command -v sbatch >/dev/null; then
        # $after is one word or none.
        # shellcheck disable=SC2086
        array=$(sbatch --parsable $after --array="1-$parts" \
            --wrap "sh $here/pass.sh $data \$SLURM_ARRAY_TASK_ID $parts $pass")
        mixture=$(sbatch --parsable --dependency="afterok:$array" --wrap "$mix")
        after="--dependency=afterok:$mixture"
    else
        for part in $(seq "$parts"); do
            sh "$here/pass.sh" "$data" "$part" "$parts" "$pass"
        done
        $mix
    fi
done
