#!/usr/bin/env python3
"""Joins two network namespaces by a link with a delay, where the kernel has no netem: a device
`wire` in each, and this program, which passes packets from one to the other.

    delay.py NAMESPACE NAMESPACE MILLISECONDS

The delay is that of each direction. Writes a line when the devices are there; ends by a signal. Needs
root. The caller sets addresses and rates of the devices."""
import collections
import ctypes
import fcntl
import os
import select
import struct
import sys
import time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 1, 0x1000
PACKET_MAX = 65536


def device(namespace):
    """A new device in the namespace, as a file that does not block."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f'/var/run/netns/{namespace}') as file:
        if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f'cannot enter {namespace}')
    link = os.open('/dev/net/tun', os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(link, TUNSETIFF, struct.pack('16sH22x', b'wire', IFF_TUN | IFF_NO_PI))
    return link


def relay(links, delay):
    other = {links[0]: links[1], links[1]: links[0]}
    waiting = collections.deque()  # (time, link, packet), the earliest first
    poll = select.poll()
    for link in links:
        poll.register(link, select.POLLIN)
    while True:
        timeout = max(waiting[0][0] - time.monotonic(), 0) * 1000 if waiting else None
        # Milliseconds are too long: the last one is waited for by asking again.
        for link, _ in poll.poll(None if timeout is None else timeout if timeout >= 1 else 0):
            try:
                packet = os.read(link, PACKET_MAX)
            except BlockingIOError:
                continue
            waiting.append((time.monotonic() + delay, other[link], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, link, packet = waiting.popleft()
            try:
                os.write(link, packet)
            except OSError:
                pass  # the device is down, or its queue is full: the packet is lost


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    links = [device(name) for name in sys.argv[1:3]]
    print('ready', flush=True)
    relay(links, float(sys.argv[3]) / 1000)


if __name__ == '__main__':
    main()
