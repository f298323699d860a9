import type { NamedAttempt } from '../../../runner/facts/options.ts';

/** An attempt whose output is printed. */
export type PrintedJob = Pick<NamedAttempt, 'id' | 'attempt_id' | 'name'>;

/** Prints what jobs wrote, one after another in the order of their numbers, each when it and all before it have ended. */
export interface OrderedOutput {
  ended(job: PrintedJob): void;
  /** Nothing ends any more: prints the rest, without those that are not known. Answers the numbers of which nothing could be printed. */
  finish(elsewhere: readonly PrintedJob[]): Promise<number[]>;
  /** Numbers up to the highest that did not end here. */
  missing(): number[];
}

export interface OrderedOutputOptions {
  /** Jobs in all, numbered from 1. */
  readonly count: number;
  readonly numberOf: (job: PrintedJob) => number;
  /** Prints the output of one job; false where there is none. */
  readonly print: (job: PrintedJob) => Promise<boolean>;
}

export function createOrderedOutput({ count, numberOf, print }: OrderedOutputOptions): OrderedOutput {
  const waiting = new Map<number, PrintedJob>();
  const unprinted: number[] = [];
  let next = 1;
  let printing: Promise<void> | undefined;
  let failure: Error | undefined;

  const printNext = async () => {
    for (let job = waiting.get(next); job !== undefined; job = waiting.get(next)) {
      waiting.delete(next);
      if (!(await print(job))) unprinted.push(next);
      next += 1;
    }
  };
  const go = () => {
    printing ??= printNext()
      .catch((error: unknown) => {
        failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        printing = undefined;
        if (failure === undefined && waiting.has(next)) go();
      });
  };
  const settled = async () => {
    while (printing !== undefined) await printing;
  };
  const missing = () => {
    const gaps: number[] = [];
    for (let number = next; number <= count; number += 1) if (!waiting.has(number)) gaps.push(number);
    return gaps;
  };

  return {
    ended(job) {
      waiting.set(numberOf(job), job);
      if (failure === undefined) go();
    },
    missing,
    async finish(elsewhere) {
      await settled();
      for (const job of elsewhere) if (numberOf(job) >= next) waiting.set(numberOf(job), job);
      while (failure === undefined && waiting.size > 0) {
        if (!waiting.has(next)) next += 1;
        else {
          go();
          await settled();
        }
      }
      if (failure !== undefined) throw failure;
      return unprinted;
    },
  };
}
