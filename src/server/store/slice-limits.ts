/** How much is done at a time. Tests make it small, so that small workflows take many slices too. */
export interface SliceLimits {
  /**
   * Milliseconds of work in one turn. Too long, and everybody else waits noticeably; too short, and work that would fit
   * into one commit needs two: creating 1,000 jobs takes 12 ms.
   */
  readonly turnMs: number;
  /** Milliseconds of a slice after the first. With half of it a deletion takes a quarter longer, for the commits. */
  readonly sliceMs: number;
  /** Dependants that are released by one statement: 256 take about 1 ms. */
  readonly page: number;
  /** Dependants that are released in the turn itself, however late it is: to queue a few costs more than to release them. */
  readonly atLeast: number;
  /** Jobs of a first window: small workflows have no second one. */
  readonly firstWindow: number;
  /** Jobs of a window, or rows of a statement, at most: how long they take may change from one to the next. */
  readonly largestWindow: number;
}

/** No job is asked for more dependants than these, which is the largest page. */
export const PAGE = 256;

export const usualLimits: SliceLimits = {
  turnMs: 20,
  sliceMs: 10,
  page: PAGE,
  atLeast: 512,
  firstWindow: 256,
  largestWindow: 4_096,
};
