"""How many jobs a second HyperQueue runs: `python3 hyperqueue-rate.py JOBS SLOTS WORD...`, with the PyPI package `hyperqueue`.

Its server and worker run here; each job keeps its output in two files, as it does by default and as ours do.
"""
import sys
import time

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

jobs, slots, words = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
with LocalCluster() as cluster:
    cluster.start_worker(WorkerConfig(cores=slots))
    client = cluster.client()
    job = Job()
    for _ in range(jobs):
        job.program(words)
    start = time.time()
    client.wait_for_jobs([client.submit(job)])
    print(f"jobs a second: {jobs / (time.time() - start):.1f}")
