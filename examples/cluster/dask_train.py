#!/usr/bin/env python3
"""dask_train.py DATA PARTS PASSES [--scheduler ADDRESS]: mixes models of Dask's workers after every
pass. Without an address it starts PARTS worker processes on this machine. Workers read DATA by its
path and send their models as bytes, so only the data has to be on a shared folder."""
import argparse
import os
import subprocess
import tempfile

from dask.distributed import Client, LocalCluster

TLU = os.environ.get('TLU', 'tlu')


def learn(data, part, parts, number, mixture):
    """One pass over a part of the data, from the last mixture on: the bytes of a model."""
    with tempfile.TemporaryDirectory() as folder:
        model = f'{folder}/model.tlu'
        command = [TLU, 'train', data, '--part', f'{part}/{parts}', '--learner', 'perceptron',
                   '--epochs', '1', '--seed', str(number), '--threads', '1', '--quiet', '-o', model]
        if mixture is not None:
            with open(f'{folder}/start.tlu', 'wb') as file:
                file.write(mixture)
            command += ['--start', f'{folder}/start.tlu']
        run = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if run.returncode:
            raise RuntimeError(run.stderr.strip())
        with open(model, 'rb') as file:
            return file.read()


def mix(models):
    """The mean of models, as bytes."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i, model in enumerate(models):
            names.append(f'{folder}/{i}.tlu')
            with open(names[-1], 'wb') as file:
                file.write(model)
        subprocess.run([TLU, 'mix', *names, '-o', f'{folder}/mix.tlu'], check=True,
                       stdout=subprocess.DEVNULL)
        with open(f'{folder}/mix.tlu', 'rb') as file:
            return file.read()


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument('data')
    arguments.add_argument('parts', type=int)
    arguments.add_argument('passes', type=int)
    arguments.add_argument('--scheduler')
    given = arguments.parse_args()
    data = os.path.abspath(given.data)
    cluster = given.scheduler or LocalCluster(n_workers=given.parts, threads_per_worker=1,
                                              dashboard_address=None)
    with Client(cluster) as client:
        mixture = None
        for number in range(1, given.passes + 1):
            sent = client.scatter(mixture, broadcast=True) if mixture else None
            models = [client.submit(learn, data, part, given.parts, number, sent, pure=False)
                      for part in range(1, given.parts + 1)]
            mixture = mix(client.gather(models))
    with open('cluster.tlu', 'wb') as file:
        file.write(mixture)


if __name__ == '__main__':
    main()
