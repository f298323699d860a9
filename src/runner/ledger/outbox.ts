import type { Completion, ExchangeRequest, Retried, Start } from '../../core/contract/exchange.ts';

/** The entries that the server does not know yet. */
export type News = Required<{
  [P in 'started' | 'completed' | 'retried' | 'returned']: NonNullable<ExchangeRequest[P]>;
}>;

/** A start: its time is made into text when it is reported, as most short jobs have ended before. */
export interface Begun extends Omit<Start, 'start_time'> {
  /** Unix milliseconds. */
  readonly atMs: number;
}

/**
 * The entries that a runner has to report, until they are acknowledged.
 *
 * Entries of an exchange without a reply are put back in front and sent again; the server recognises repeated entries.
 */
export interface Outbox {
  started(start: Begun): void;
  completed(completion: Completion): void;
  retried(retried: Retried): void;
  returned(jobIds: readonly number[]): void;
  readonly isEmpty: boolean;
  /** The entries of the next exchange, with at most as many ends as the server accepts at once. */
  take(): News;
  /** The server knows the entries that were taken. */
  acknowledged(): void;
  putBack(news: News): void;
  /** Jobs with unreported entries that are not in flight. */
  waiting(): number[];
  /** Ends that the server may not know, including those in flight. */
  unreported(): Completion[];
}

/** Ends in one exchange. More of them, after an outage, would delay exchanges of other runners. */
const MOST_ENDS = 500;

export function createReportOutbox(mostEnds = MOST_ENDS): Outbox {
  let started: Begun[] = [];
  let completed: Completion[] = [];
  let retried: Retried[] = [];
  let returned: number[] = [];
  let underWay: readonly Completion[] = [];
  return {
    started: (start) => void started.push(start),
    completed: (completion) => void completed.push(completion),
    retried: (each) => void retried.push(each),
    returned(jobIds) {
      for (const id of jobIds) returned.push(id);
    },
    get isEmpty() {
      return started.length + completed.length + retried.length + returned.length === 0;
    },
    take() {
      // The start of a job that has ended meanwhile is implied by its end.
      const ended = new Set([...completed, ...retried].map(({ job_id: id }) => id));
      const isCut = completed.length > mostEnds;
      const news = {
        // A start may follow from an end that has to wait for the next turn: then it waits, too.
        started: isCut ? [] : started.filter(({ job_id: id }) => !ended.has(id)).map(startOf),
        completed: isCut ? completed.splice(0, mostEnds) : completed,
        retried,
        returned,
      };
      if (!isCut) started = [];
      retried = [];
      if (news.completed === completed) completed = [];
      returned = [];
      underWay = news.completed;
      return news;
    },
    acknowledged() {
      underWay = [];
    },
    putBack(news) {
      underWay = [];
      started = [...news.started.map(begunOf), ...started];
      completed = [...news.completed, ...completed];
      retried = [...news.retried, ...retried];
      returned = [...news.returned, ...returned];
    },
    waiting: () => [...[...completed, ...retried].map(({ job_id: id }) => id), ...returned],
    unreported: () => [...underWay, ...completed],
  };
}

const startOf = ({ atMs, ...start }: Begun): Start => ({ ...start, start_time: new Date(atMs).toISOString() });
const begunOf = ({ start_time: time, ...start }: Start): Begun => ({ ...start, atMs: Date.parse(time) });
