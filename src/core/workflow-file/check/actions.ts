import type { Draft, DraftRecords } from '../link/draft.ts';
import { PatternMalformed } from '../pattern/pattern.ts';
import type { Complain, ProblemCode } from '../problems/problems.ts';
import { sequence, type Sequence } from '../../lists/sequence.ts';
import { UNREAD } from '../shape/check.ts';
import type { ActionSpec, JobSpec } from '../shape/workflow.ts';
import { suggest } from '../problems/suggest.ts';

const TRIGGERS = [
  'on_workflow_start',
  'on_workflow_complete',
  'on_worker_start',
  'on_worker_complete',
  'on_jobs_ready',
  'on_jobs_complete',
  // Not of Torc, which refuses a file that has them.
  'on_first_failure',
  'on_stuck',
];
const ACTIONS = ['run_commands', 'schedule_nodes'];

/** The patterns that actions use; called before the selections are computed. */
export function announceActions({ spec, jobs }: Draft): void {
  for (const action of spec.actions ?? []) {
    for (const pattern of action.job_name_regexes ?? []) jobs.selections.numberOf(pattern);
  }
}

/** Checks the actions; returns the jobs of each, in order, if its trigger concerns jobs. */
export function checkActions(draft: Draft, complain: Complain): Int32Array[] {
  return (draft.spec.actions ?? []).map((action, index) => {
    const report: Report = (code, field, message, more = {}) =>
      complain({ code, message, path: ['actions', index, ...field], ...more });
    checkTrigger(action, report);
    if (action.action_type === 'run_commands') checkCommands(action, report);
    else if (action.action_type === 'schedule_nodes') checkScheduler(action, index, draft, report);
    else if (action.action_type !== UNREAD) {
      const suggestion = suggest(action.action_type, ACTIONS);
      report('ACTION_INCOMPLETE', ['action_type'], `Unknown action_type: ${action.action_type}`, {
        allowed: ACTIONS,
        ...(suggestion === undefined ? {} : { suggestion }),
      });
    }
    return jobsOf(action, index, draft.jobs, report);
  });
}

type Report = (
  code: ProblemCode,
  field: readonly (string | number)[],
  message: string,
  more?: {
    readonly echoes?: Sequence<string>;
    readonly creation?: string;
    readonly allowed?: readonly string[];
    readonly suggestion?: string;
  },
) => void;

function checkTrigger({ trigger_type: trigger, jobs, job_name_regexes: patterns }: ActionSpec, report: Report): void {
  if (trigger === UNREAD) return;
  if (!TRIGGERS.includes(trigger)) {
    const suggestion = suggest(trigger, TRIGGERS);
    const message = `action has unknown trigger_type '${trigger}'; valid trigger types are: ${TRIGGERS.join(', ')}`;
    report('ACTION_REFUSED', ['trigger_type'], message, {
      allowed: TRIGGERS,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  } else if (trigger.startsWith('on_jobs_') && (jobs ?? []).length === 0 && (patterns ?? []).length === 0) {
    const what = "must specify at least one job via 'jobs' or 'job_name_regexes'";
    report('ACTION_REFUSED', ['trigger_type'], `action with trigger_type '${trigger}' ${what}`);
  }
}

function checkCommands({ commands }: ActionSpec, report: Report): void {
  if ((commands ?? []).length > 0) return;
  report(
    'ACTION_INCOMPLETE',
    commands === undefined ? [] : ['commands'],
    "run_commands action requires 'commands' field",
  );
}

function checkScheduler(action: ActionSpec, index: number, { spec, damaged }: Draft, report: Report): void {
  const { scheduler, scheduler_type: type } = action;
  if (scheduler === undefined) report('ACTION_REFUSED', [], "schedule_nodes action requires 'scheduler' field");
  if (type === undefined) report('ACTION_REFUSED', [], "schedule_nodes action requires 'scheduler_type' field");
  if (type !== undefined && type !== 'slurm' && type !== 'local') {
    report('FIELD_IGNORED', ['scheduler_type'], `scheduler_type '${type}' is none of slurm, pbs and local`, {
      allowed: ['slurm', 'pbs', 'local'],
    });
  }
  if (type !== 'slurm' || scheduler === undefined || damaged.has('slurm_schedulers')) return;
  const names = (spec.slurm_schedulers ?? []).flatMap(({ name }) => (name === undefined ? [] : [name]));
  if (names.includes(scheduler)) return;
  const who = `Action #${index + 1} (schedule_nodes)`;
  const echoes = sequence(1, () => `${who} references non-existent slurm scheduler '${scheduler}'`);
  if (names.length === 0) {
    const message = 'schedule_nodes action with scheduler_type=slurm requires slurm_schedulers to be defined';
    report('ACTION_REFUSED', ['scheduler'], message, { echoes });
    return;
  }
  const suggestion = suggest(scheduler, names);
  const message = `schedule_nodes action references slurm_scheduler '${scheduler}' which does not exist`;
  report('ACTION_REFUSED', ['scheduler'], message, {
    echoes,
    allowed: names,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}

function jobsOf(action: ActionSpec, number: number, jobs: DraftRecords<JobSpec>, report: Report): Int32Array {
  const selected = new Set<number>();
  let isClear = true;
  const who = `Action #${number + 1} (${action.action_type})`;
  for (const [at, name] of (action.jobs ?? []).entries()) {
    const job = jobs.index.find(name);
    if (job >= 0) selected.add(job);
    else if (jobs.lost.mayHave(name)) isClear = false;
    else {
      isClear = false;
      const suggestion = suggest(name, firstNames(jobs));
      report('REFERENCE_UNKNOWN', ['jobs', at], `${who} references non-existent job '${name}'`, {
        creation: `Action references job '${name}' which does not exist`,
        ...(suggestion === undefined ? {} : { suggestion }),
      });
    }
  }
  for (const [at, text] of (action.job_name_regexes ?? []).entries()) {
    const pattern = jobs.selections.numberOf(text);
    if (pattern instanceof PatternMalformed) {
      isClear = false;
      const creation = `Invalid regex '${text}' for action: ${pattern.message}`;
      const message = `${who} has invalid job_name_regexes '${text}': ${pattern.message}`;
      report('PATTERN_MALFORMED', ['job_name_regexes', at], message, { creation });
    } else {
      if (jobs.lost.mayBegin(jobs.selections.prefixOf(pattern))) isClear = false;
      for (const job of jobs.selections.membersOf(pattern)) selected.add(job);
    }
  }
  const asks = (action.jobs ?? []).length + (action.job_name_regexes ?? []).length > 0;
  if (asks && isClear && selected.size === 0 && !jobs.selections.isTooMany) {
    report('ACTION_INCOMPLETE', ['job_name_regexes'], 'Action did not match any jobs');
  }
  return Int32Array.from(selected);
}

function* firstNames({ length, nameAt }: DraftRecords<JobSpec>): Generator<string> {
  for (let index = 0; index < Math.min(length, 10_000); index += 1) yield nameAt(index);
}
