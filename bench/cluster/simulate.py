#!/usr/bin/env python3
"""Simulates one mixture of weights among many processes: the sparse exchange that tlu uses (each
process sends changed cells to the owners of their features, then owners send the means to all),
and for comparison a binary tree that reduces and broadcasts all cells.

    simulate.py [--rate BITS_PER_SECOND] [--latency SECONDS] [--cells N] [--changed SHARE] [--check]

Each process has one full-duplex link of this rate; a message waits for its sender's link, and then
for its receiver's. --check compares the simulation with the closed forms of docs/cluster.md."""
import argparse
import math

CELL = 17   # bytes of a changed cell: a distance, a weight and the sum of its average
DENSE = 16  # bytes of a cell if all are sent


def phase(processes, size, rate, latency, ready):
    """Each process sends `size` bytes to each other one: when all have everything, per process."""
    seconds = 8 * size / rate
    out = list(ready)
    into = [0.0] * processes
    done = list(ready)
    for step in range(1, processes):
        for sender in range(processes):
            receiver = (sender + step) % processes
            start = max(out[sender], into[receiver] - latency)
            out[sender] = start + seconds
            into[receiver] = start + seconds + latency
            done[receiver] = max(done[receiver], into[receiver])
    return [max(a, b) for a, b in zip(done, out)]


def sparse(processes, changed, union, rate, latency):
    ready = phase(processes, CELL * changed / processes, rate, latency, [0.0] * processes)
    return max(phase(processes, CELL * union / processes, rate, latency, ready))


def tree(processes, cells, rate, latency):
    """Reduces along a binary tree and broadcasts back."""
    seconds = 8 * DENSE * cells / rate + latency
    ready = [0.0] * processes
    span = 1
    while span < processes:
        for low in range(0, processes - span, 2 * span):
            ready[low] = max(ready[low], ready[low + span]) + seconds
        span *= 2
    return 2 * ready[0]


def sparse_form(processes, changed, union, rate, latency):
    share = (processes - 1) / processes
    return 8 * CELL * (changed + union) * share / rate + 2 * latency


def tree_form(processes, cells, rate, latency):
    return 2 * math.ceil(math.log2(processes)) * (8 * DENSE * cells / rate + latency)


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--rate', type=float, default=10e9)
    options.add_argument('--latency', type=float, default=50e-6)
    options.add_argument('--cells', type=float, default=10e6)
    options.add_argument('--changed', type=float, default=0.1)
    options.add_argument('--check', action='store_true')
    given = options.parse_args()
    changed = given.cells * given.changed
    print('processes  sparse_s  dense_tree_s  sent_MB')
    for processes in (2, 4, 8, 16, 64, 256, 1000):
        union = given.cells * (1 - (1 - given.changed) ** processes)
        a = sparse(processes, changed, union, given.rate, given.latency)
        b = tree(processes, given.cells, given.rate, given.latency)
        sent = CELL * (changed + union) * (processes - 1) / processes / 1e6
        print(f'{processes:9}  {a:8.4f}  {b:12.4f}  {sent:7.1f}')
        if given.check:
            for simulated, form in (
                    (a, sparse_form(processes, changed, union, given.rate, given.latency)),
                    (b, tree_form(processes, given.cells, given.rate, given.latency))):
                if abs(simulated / form - 1) > 0.05:
                    raise SystemExit(f'{processes} processes: {simulated} s simulated, {form} s '
                                     'by the closed form')


if __name__ == '__main__':
    main()
