import { type Goal, text, verdict as reached } from '../support/figures.ts';
import type { Verdict } from './judge.ts';
import { type Allocation, type Kill, type RunJob, VICTIMS } from './records.ts';
import type { Usage } from './usage.ts';

interface Run {
  readonly jobs: readonly RunJob[];
  readonly allocations: readonly Allocation[];
  readonly kills: readonly Kill[];
  /** Undefined if it was killed because it took too long. */
  readonly watchCode: number | undefined;
  readonly seconds: number;
}

const LEAST_USED = 85;

/** Prints faults and figures; answers whether every promise is kept. */
export function printRun(verdict: Verdict, usage: Usage, run: Run): boolean {
  const { jobs, allocations, kills } = run;
  for (const [part, lines] of Object.entries(verdict) as [keyof Verdict, readonly string[]][])
    for (const line of lines) console.log(`${NAMES[part]}: ${line}`);
  const attempts = jobs.reduce((sum, each) => sum + each.attempts.length, 0);
  const share = (part: number, whole = usage.paid) => (whole === 0 ? 0 : (part / whole) * 100);
  const used = share(usage.used, usage.withWork);
  note('time until all was over', run.seconds, 's');
  note('exit code of torc watch', run.watchCode ?? 137, '', { atMost: 0 });
  for (const victim of VICTIMS) note(`kills: ${victim}`, kills.filter((kill) => kill.victim === victim).length, '');
  note('allocations that started', allocations.length, '');
  note('attempts of jobs', attempts, '');
  note(NAMES.completed, jobs.length - verdict.open.length, 'jobs', { atLeast: jobs.length });
  for (const part of PROMISED) note(NAMES[part], verdict[part].length, 'jobs', { atMost: 0 });
  note(NAMES.unknowable, verdict.unknowable.length, 'attempts');
  note('paid for', usage.paid, 'core seconds');
  note('… of it while jobs could run', usage.withWork, 'core seconds');
  note('used by attempts that completed', usage.used, 'core seconds');
  note('… of what was paid', share(usage.used), '%');
  note('… of what was paid while jobs could run', used, '%', { atLeast: LEAST_USED });
  note('… the same without time after kills', share(usage.used, usage.withWork - usage.afterKill), '%');
  note('used, with lost attempts, of what was paid', share(usage.used + usage.lost), '%');
  for (const [part, words] of PARTS) note(words, share(usage[part]), '% of paid');
  const isSound = PROMISED.every((part) => verdict[part].length === 0) && verdict.open.length === 0;
  return isSound && run.watchCode === 0 && used >= LEAST_USED;
}

const note = (name: string, value: number, unit: string, goal?: Goal) =>
  console.log(`  ${name.padEnd(44)} ${text(value)} ${unit}${reached(value, goal)}`);

const PROMISED = ['falselyDone', 'twice', 'beside'] as const;

const NAMES = {
  completed: 'completed',
  open: 'not completed',
  falselyDone: 'falsely done',
  twice: 'done twice',
  unknowable: 'done again, its end met a kill',
  beside: 'two attempts at a time',
} as const;

const PARTS = [
  ['lost', '… lost in attempts that were killed'],
  ['afterKill', '… from a kill to the end of its allocation'],
  ['starting', '… from the start to the first job'],
  ['between', '… CPUs without a job between jobs'],
  ['tail', '… from the last job to the end'],
] as const;
