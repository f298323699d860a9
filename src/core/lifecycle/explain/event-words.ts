import type { StreamEventType } from '../../contract/event.ts';
import { counted, someOf } from '../../quantity/count-text.ts';
import { timeText } from '../../quantity/time-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an event that was recorded says, as a sentence: its own message, or one of what it has. */
export function eventWords(data: unknown): string {
  const fields = fieldsIn(data);
  if (fields === undefined) return JSON.stringify(data) ?? '';
  const kind = textOf(fields['event_type']) || textOf(fields['category']);
  return wordsOf(kind, fields);
}

/** The same of an event of the stream, whose type stands beside it. */
export function streamEventWords(type: string, data: unknown): string {
  const fields = fieldsIn(data);
  if (fields === undefined) return sentence(`${underscored(type)}: ${JSON.stringify(data)}`);
  return wordsOf(type, fields);
}

const fieldsIn = (data: unknown): Fields | undefined =>
  typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Fields) : undefined;

function wordsOf(kind: string, fields: Fields): string {
  const { message } = fields;
  if (typeof message === 'string' && message !== '') return sentence(message);
  const words = (WORDS as Readonly<Record<string, (given: Fields) => string | undefined>>)[kind]?.(fields);
  return sentence(words ?? [underscored(kind), factsOf(fields)].filter((part) => part !== '').join(': '));
}

const jobOf = ({ job_name: name, job_id: id }: Fields): string =>
  textOf(name) === '' ? `job ${String(id)}` : `job ${textOf(name)} (${String(id)})`;
const codeOf = ({ return_code: code }: Fields): string =>
  typeof code === 'number' && code !== 0 ? ` with return code ${code}` : '';
const causeOf = ({ cause, reason }: Fields): string => {
  const text = textOf(cause) || textOf(reason);
  return text === '' ? '' : `: ${underscored(text)}`;
};
const nodeOf = ({ hostname, compute_node_id: id }: Fields): string =>
  textOf(hostname) === '' ? `compute node ${String(id)}` : `${textOf(hostname)} (compute node ${String(id)})`;
const jobsOf = ({ jobs, job_ids: ids, job_id: id }: Fields): string => {
  if (Array.isArray(ids)) return `${counted(ids.length, 'job')} (${someOf(ids.map(String))})`;
  if (Array.isArray(jobs))
    return `${counted(jobs.length, 'job')} (${someOf(jobs.map(({ job_name: name }: Fields) => textOf(name)))})`;
  return typeof jobs === 'number' ? counted(jobs, 'job') : `job ${String(id)}`;
};

/** The events of this program; undefined for one that has other facts than it should. */
const WORDS: Readonly<Record<Exclude<StreamEventType, Messaged> | Recorded, (fields: Fields) => string | undefined>> = {
  job_started: (job) => `${jobOf(job)} started on compute node ${String(job['compute_node_id'])}`,
  job_completed: (job) => `${jobOf(job)} completed${codeOf(job)}`,
  job_failed: (job) => `${jobOf(job)} failed${codeOf(job)}${causeOf(job)}`,
  job_canceled: (job) => `${jobOf(job)} was canceled${causeOf(job)}`,
  job_terminated: (job) => `${jobOf(job)} was terminated${codeOf(job)}${causeOf(job)}`,
  job_pending_failed: (job) => `${jobOf(job)} failed${codeOf(job)}, and waits for a decision`,
  job_retried: (job) => `${jobOf(job)} failed${codeOf(job)}, and runs again after attempt ${String(job['attempt_id'])}`,
  job_status_changed: ({ from, status, ...job }) =>
    `${jobOf(job)} was ${underscored(textOf(from))} and is ${underscored(textOf(status))}`,
  jobs_ready: ({ jobs }) => (typeof jobs === 'number' ? `${counted(jobs, 'job')} became ready` : undefined),
  jobs_claimed: (claim) => `compute node ${String(claim['compute_node_id'])} took ${jobsOf(claim)}`,
  jobs_returned: (claim) => `${jobsOf(claim)} can be taken again${causeOf(claim)}`,
  jobs_requeued: (lost) => `a runner is lost, and what it ran starts again: ${jobsOf(lost)}${causeOf(lost)}`,
  jobs_reset: ({ jobs, cause }) =>
    typeof jobs === 'number' ? `${counted(jobs, 'job')} became uninitialized${causeOf({ cause })}` : undefined,
  jobs_spawned: ({ jobs, job_id: by }) =>
    typeof jobs === 'number' ? `job ${String(by)} added ${counted(jobs, 'job')}` : undefined,
  jobs_deleted: ({ jobs }) => (typeof jobs === 'number' ? `${counted(jobs, 'job')} deleted` : undefined),
  attempts_canceled: (ended) => `runners end ${jobsOf(ended)}, which were canceled`,
  workflow_completed: () => 'the workflow ended',
  workflow_deleted: ({ name, user }) => `the workflow ${textOf(name)} of ${textOf(user)} was deleted`,
  run_started: ({ run_id: run }) => `run ${String(run)} began`,
  compute_node_started: ({ num_cpus: cpus, ...node }) =>
    `a runner started on ${nodeOf(node)} with ${counted(Number(cpus), 'CPU')}`,
  compute_node_stopped: ({ duration_seconds: seconds, running_jobs: running, ...node }) =>
    `the runner on ${nodeOf(node)} ended${typeof seconds === 'number' ? ` after ${timeText(seconds)}` : ''}${typeof running === 'number' ? `; ${counted(running, 'job')} still run in its name` : ''}`,
  scheduler_node_created: ({ scheduled_compute_node_id: id, scheduler_type: scheduler, scheduler_id: batch }) =>
    `allocation ${String(id)} of ${textOf(scheduler)} was created${Number(batch) > 0 ? ` as ${String(batch)}` : ''}`,
  stream_closed: (closed) => `the server ended the stream${causeOf(closed)}`,
  user_action({ action, user, ...facts }) {
    const words = factsOf(facts);
    return `${underscored(textOf(action))}, by ${textOf(user)}${words === '' ? '' : ` (${words})`}`;
  },
  runner_left({ hostname, reason, ready_jobs: ready, unclaimable_jobs: unclaimable }) {
    const left = Number(unclaimable) > 0 ? `; no runner can take ${Number(unclaimable)} of them` : '';
    return `the runner on ${textOf(hostname)} left: ${textOf(reason)}; ${counted(Number(ready), 'job')} ready${left}`;
  },
  output_cut: ({ hostname, count, lacking, folder, jobs }) =>
    `the output of ${counted(Number(count), 'job')} on ${textOf(hostname)} may be cut, as ${textOf(folder)} had no ${textOf(lacking)} left: ${textOf(jobs)}`,
};

/** Events that always have a message, and events that are recorded beside those of the stream. */
type Messaged = 'workflow_started' | 'workflow_reinitialized' | 'workflow_canceled' | 'task_completed' | 'log_pruned';
type Recorded = 'user_action' | 'runner_left' | 'output_cut';

const underscored = (text: string): string => text.replaceAll('_', ' ');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What has a column or a place in the sentence of its own. */
const SAID = new Set(['category', 'event_type', 'level', 'message']);

/** `failed only: yes, updated count: 3`, without what is not so. */
const factsOf = (facts: Fields): string =>
  Object.entries(facts)
    .filter(([name, value]) => !SAID.has(name) && value !== null && value !== undefined && value !== false)
    .map(([name, value]) => `${underscored(name)}: ${factOf(value)}`)
    .join(', ');

function factOf(value: unknown): string {
  if (value === true) return 'yes';
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((each) => typeof each !== 'object')
    ? value.join(' ')
    : JSON.stringify(value);
}

const sentence = (text: string): string =>
  text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
