/** What is marked of an attempt: a sum of these. */
export const [FAILED, RETRY] = [1, 2];

export interface ListedAttempt {
  readonly jobId: number;
  /** 0 while it runs. */
  readonly resultId: number;
  readonly runnerId: number;
  /** Unix seconds; NaN while it runs. */
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly marks: number;
}

/** Attempts as columns: a million are 37 MB, and three times as much as objects. */
export interface AttemptList {
  readonly length: number;
  readonly jobIds: Float64Array;
  readonly resultIds: Float64Array;
  /** Positions in `runnerIds`. */
  readonly runners: Uint32Array;
  readonly startSeconds: Float64Array;
  readonly endSeconds: Float64Array;
  readonly marks: Uint8Array;
  readonly runnerIds: readonly number[];
  /** The first start and the last end; `nowSeconds` ends what runs. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  readonly nowSeconds: number;
}

export interface AttemptListBuilder {
  add(attempt: ListedAttempt): void;
  finish(): AttemptList;
}

const FIRST_CAPACITY = 1024;

export function createAttemptList(nowSeconds: number): AttemptListBuilder {
  let length = 0;
  let columns = columnsOf(FIRST_CAPACITY);
  const [runnerIds, runnerOf] = [[] as number[], new Map<number, number>()];
  let [firstSeconds, lastSeconds] = [Infinity, -Infinity];
  const numberOf = (runnerId: number) => {
    let found = runnerOf.get(runnerId);
    if (found === undefined) runnerOf.set(runnerId, (found = runnerIds.push(runnerId) - 1));
    return found;
  };
  const grow = () => {
    const grown = columnsOf(2 * length);
    for (const name of Object.keys(columns) as (keyof typeof columns)[]) grown[name].set(columns[name]);
    columns = grown;
  };
  return {
    add({ jobId, resultId, runnerId, startSeconds, endSeconds, marks }) {
      if (length === columns.marks.length) grow();
      columns.jobIds[length] = jobId;
      columns.resultIds[length] = resultId;
      columns.runners[length] = numberOf(runnerId);
      columns.startSeconds[length] = startSeconds;
      columns.endSeconds[length] = endSeconds;
      columns.marks[length] = marks;
      length += 1;
      firstSeconds = Math.min(firstSeconds, startSeconds);
      lastSeconds = Math.max(lastSeconds, startSeconds, Number.isNaN(endSeconds) ? nowSeconds : endSeconds);
    },
    finish: () => ({ ...columns, length, runnerIds, firstSeconds, lastSeconds, nowSeconds }),
  };
}

const columnsOf = (length: number) => ({
  jobIds: new Float64Array(length),
  resultIds: new Float64Array(length),
  runners: new Uint32Array(length),
  startSeconds: new Float64Array(length),
  endSeconds: new Float64Array(length),
  marks: new Uint8Array(length),
});
