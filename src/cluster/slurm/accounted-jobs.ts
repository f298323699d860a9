import { queueStateOf, type QueueState } from '../../core/lifecycle/slurm-state.ts';
import { parseTime } from './allocation.ts';

/** What the controller or the accounting says of a job. */
export interface AccountedJob {
  readonly jobId: number;
  readonly state: QueueState;
  /** Slurm's word: `NODE_FAIL`, `CANCELLED by 1000`. */
  readonly word: string;
  /** When its present run began, in Unix milliseconds, as far as the controller says. */
  readonly startedAtMs?: number | undefined;
}

/**
 * The rows of `sacct -X -n -P --format JobIDRaw,State,ExitCode,End` and of `squeue -o '%i|%T|%S|'`, one a job.
 *
 * A requeued job has one row, that of its last run. Lines that are cut off are passed over.
 */
export const parseAccountedJobs = (text: string): AccountedJob[] =>
  text.split('\n').flatMap((line) => {
    const [id = '', word = '', ...more] = line.split('|');
    if (!/^\d+$/.test(id) || word === '' || more.length < 2) return [];
    const startedAtMs = parseTime(more[0] ?? '');
    return [
      { jobId: Number(id), state: queueStateOf(word), word, ...(startedAtMs === undefined ? {} : { startedAtMs }) },
    ];
  });
