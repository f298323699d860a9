/** A job and another record that it depends on, reads or writes. */
interface Edge {
  readonly jobId: number;
  readonly otherId: number;
}

/** Relationships that are held back at most: 2 MB. With fewer, the pages of the index are written more often. */
const MOST = 32_768;
/** Relationships that are written between two steps: about 1 ms. */
const A_FEW = 256;

/**
 * Relationships of many jobs, returned in the order of the other record.
 *
 * The table has them in the order of the jobs, its index in the order of the others. Written job by job, 1,000 jobs that
 * each wait for the same 1,000 change each page of the index 1,000 times, and each time it goes into the log of SQLite: 4 GB
 * for a million relationships. Written in blocks, in the order of the others, they change each page 30 times.
 */
export class EdgeBlock {
  private jobsOf = new Map<number, number[]>();
  private length = 0;

  get isFull(): boolean {
    return this.length >= MOST;
  }

  /** Jobs come in the order of their ids; what a job names twice counts once. */
  add(jobId: number, otherId: number): void {
    const jobs = this.jobsOf.get(otherId);
    if (jobs === undefined) this.jobsOf.set(otherId, [jobId]);
    else if (jobs.at(-1) === jobId) return;
    else jobs.push(jobId);
    this.length += 1;
  }

  /** All relationships, a few at a time; after that the block is empty. */
  *take(): Generator<Edge[]> {
    const jobsOf = this.jobsOf;
    this.jobsOf = new Map();
    this.length = 0;
    let edges: Edge[] = [];
    for (const otherId of Float64Array.from(jobsOf.keys()).toSorted()) {
      for (const jobId of jobsOf.get(otherId) ?? []) {
        edges.push({ jobId, otherId });
        if (edges.length < A_FEW) continue;
        yield edges;
        edges = [];
      }
    }
    if (edges.length > 0) yield edges;
  }
}
