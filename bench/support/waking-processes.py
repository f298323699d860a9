"""Many processes that sleep until they are asked to use a little more memory.

`waking-processes.py COUNT` prints `ready`. For each line `RUN REPLACE` on its input, REPLACE processes end and others
start, then RUN processes use 64 KiB more, and it prints `done`. A process that uses more memory looks to a sampler like one that
ran: its size in /proc/PID/stat is another one.
"""

import os
import signal
import sys

count = int(sys.argv[1])
done_read, done_write = os.pipe()


def start():
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(read)
        return pid, write
    for _, other in processes:
        os.close(other)
    os.close(write)
    kept = []
    while os.read(read, 1):
        kept.append(bytearray(b"x") * 65536)
        os.write(done_write, b"d")
    os._exit(0)


processes = []
for _ in range(count):
    processes.append(start())
print("ready", flush=True)
at = 0
for line in sys.stdin:
    run, replace = map(int, line.split())
    for _ in range(replace):
        pid, write = processes.pop(0)
        os.kill(pid, signal.SIGKILL)
        os.close(write)
        os.waitpid(pid, 0)
    for _ in range(replace):
        processes.append(start())
    for index in range(run):
        os.write(processes[(at + index) % count][1], b"r")
    at += run
    left = run
    while left:
        left -= len(os.read(done_read, left))
    print("done", flush=True)
