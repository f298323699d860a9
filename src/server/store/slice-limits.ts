/** How much is done at a time. Tests make it small, so that small workflows take many slices too. */
export interface SliceLimits {
  /**
   * Milliseconds of work in one event-loop iteration. Too long, and other requests wait noticeably; too short, and work
   * that would fit into one commit needs two: creating 1,000 jobs takes 12 ms.
   */
  readonly turnMs: number;
  /**
   * Milliseconds of a slice after the first. With half of it a deletion takes a quarter longer, because of the commits.
   */
  readonly sliceMs: number;
  /** Dependents that one statement releases: 256 take about 1 ms. */
  readonly page: number;
  /**
   * Dependents that are released in the first slice regardless of its time: queueing a few costs more than releasing
   * them.
   */
  readonly atLeast: number;
  /** Jobs of a first window: small workflows have no second one. */
  readonly firstWindow: number;
  /** The maximum jobs of a window, or rows of a statement: the time may change from one to the next. */
  readonly largestWindow: number;
}

/** Not more than this many dependents of a job are counted; this is the largest page. */
export const LARGEST_PAGE = 256;

export const usualLimits: SliceLimits = {
  turnMs: 20,
  sliceMs: 10,
  page: LARGEST_PAGE,
  atLeast: 512,
  firstWindow: 256,
  largestWindow: 4_096,
};
