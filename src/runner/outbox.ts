import type { Completion, ExchangeRequest, Retried, Start } from '../core/contract/exchange.ts';

/** What the server does not know yet. */
export type News = Required<{
  [P in 'started' | 'completed' | 'retried' | 'returned']: NonNullable<ExchangeRequest[P]>;
}>;

/**
 * What a runner has to tell, until it is acknowledged.
 *
 * A turn that got no answer is put back in front and told again: the server knows what it heard twice.
 */
export interface Outbox {
  started(start: Start): void;
  completed(completion: Completion): void;
  retried(retried: Retried): void;
  returned(jobIds: readonly number[]): void;
  readonly isEmpty: boolean;
  /** What a turn is to tell, of ends no more than the server takes in at once. */
  take(): News;
  /** What was taken is known to the server. */
  acknowledged(): void;
  putBack(news: News): void;
  /** Jobs of which something is left to tell that is not under way. */
  waiting(): number[];
  /** Ends that the server may not know, those that are under way among them. */
  untold(): Completion[];
}

/** Ends in one turn. More of them, after an outage, would hold up everybody else's turns. */
const MOST_ENDS = 500;

export function createOutbox(mostEnds = MOST_ENDS): Outbox {
  let started: Start[] = [];
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
      // The start of a job that has ended meanwhile goes without saying.
      const ended = new Set([...completed, ...retried].map(({ job_id: id }) => id));
      const news = {
        started: started.filter(({ job_id: id }) => !ended.has(id)),
        completed: completed.length > mostEnds ? completed.splice(0, mostEnds) : completed,
        retried,
        returned,
      };
      started = [];
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
      started = [...news.started, ...started];
      completed = [...news.completed, ...completed];
      retried = [...news.retried, ...retried];
      returned = [...news.returned, ...returned];
    },
    waiting: () => [...[...completed, ...retried].map(({ job_id: id }) => id), ...returned],
    untold: () => [...underWay, ...completed],
  };
}
