#!/usr/bin/env python3
"""dask_train.py DATA PARTS PASSES [--learner NAME] [--scheduler ADDRESS]: mixes models of Dask's workers
after every pass. Without an address it starts PARTS worker processes on this machine. Workers read DATA
by its path and send models, so only the data has to be on a shared folder."""
import argparse
import os

import tlu
from dask.distributed import Client, LocalCluster


def learn(data, learner, part, number, mixture):
    """A model of one pass over a part of the data, from the last mixture on."""
    return tlu.train(data, part=part, start=mixture, learner=learner, epochs=1, seed=number, threads=1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument('data')
    arguments.add_argument('parts', type=int)
    arguments.add_argument('passes', type=int)
    arguments.add_argument('--learner', default='perceptron')
    arguments.add_argument('--scheduler')
    given = arguments.parse_args()
    data = os.path.abspath(given.data)
    cluster = given.scheduler or LocalCluster(n_workers=given.parts, threads_per_worker=1,
                                              dashboard_address=None)
    with Client(cluster) as client:
        mixture = None
        for number in range(1, given.passes + 1):
            sent = client.scatter(mixture, broadcast=True) if mixture else None
            models = [client.submit(learn, data, given.learner, f'{part}/{given.parts}', number, sent,
                                    pure=False)
                      for part in range(1, given.parts + 1)]
            mixture = tlu.mix(client.gather(models))
    mixture.save('cluster.tlu')


if __name__ == '__main__':
    main()
