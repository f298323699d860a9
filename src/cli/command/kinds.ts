import { jobStatuses } from '../../core/job/job-statuses.ts';
import { formatDuration, parseDuration } from '../../core/quantity/duration.ts';
import { UsageError } from './failure.ts';

/** Records whose ids and names the server knows. */
export type CompletedKind =
  | 'workflow'
  | 'job'
  | 'file'
  | 'user-data'
  | 'requirements'
  | 'slurm-scheduler'
  | 'failure-handler'
  | 'access-group';

/** What a value on a command line is: how it is read, what a shell completes, and what a person would type. */
export interface TypedKind {
  /** Converts the text of an option; throws `UsageError`, which names the option. */
  readonly read?: (text: string, name: string) => unknown;
  readonly records?: CompletedKind;
  /** Names of files: with one of these endings, or all of them where the list is empty. */
  readonly files?: readonly string[];
  readonly folders?: true;
  readonly values?: readonly string[];
  /** In the example of a command. */
  readonly example?: string;
}

export const shells = ['bash', 'elvish', 'fish', 'powershell', 'zsh'] as const;

const REQUIREMENTS = { records: 'requirements', example: 'small' } as const;
const GROUP = { records: 'access-group', example: 'climate' } as const;
const SCHEDULER = { records: 'slurm-scheduler', example: 'small' } as const;
const SPEC_FILES = ['yaml', 'yml', 'json', 'json5', 'kdl'];

/**
 * The kinds of values by the names that stand for them: `<folder>` in `-o, --output-dir <folder>`, and `[workflow]` in `jobs list
 * [workflow]`. Where the name is of another kind, its option or command says which.
 */
const kinds = {
  'access-group': GROUP,
  action: { example: '3' },
  database: { files: ['db'] },
  duration: { read: durationOption },
  'failure-handler': { records: 'failure-handler', example: 'retry' },
  file: { files: [], example: 'sweep.yaml' },
  'file-or-workflow': { example: 'workers.txt' },
  folder: { folders: true },
  format: { values: ['table', 'json', 'csv'] },
  group: GROUP,
  host: { example: 'ada@node1' },
  id: { example: '7' },
  'is-archived': { values: ['true', 'false'], example: 'true' },
  job: { records: 'job', example: 'train_3' },
  'log-level': { values: ['debug', 'info', 'warn', 'error'] },
  name: { example: 'kestrel' },
  'output-dir': { example: 'torc_output' },
  path: { files: [] },
  pem: { files: ['pem', 'crt', 'cer'] },
  program: { files: [] },
  requirements: REQUIREMENTS,
  'resource-requirements': REQUIREMENTS,
  'ro-crate-entity': { example: 'table.csv' },
  run: { example: '2' },
  scheduler: SCHEDULER,
  shell: { values: shells, example: 'bash' },
  'slurm-scheduler': SCHEDULER,
  'spec-or-id': { files: SPEC_FILES, records: 'workflow', example: 'sweep.yaml' },
  statement: { example: '"select count(*) from job"' },
  status: { values: jobStatuses },
  statuses: { values: jobStatuses },
  url: { example: 'http://login1:8080/torc-service/v1' },
  user: { example: 'ada' },
  'user-data': { records: 'user-data', example: 'threshold' },
  'user-or-group': { records: 'access-group', example: 'ada' },
  workflow: { records: 'workflow', example: '1' },
  // Of these the name alone does not say it.
  'exported workflow': { files: ['json'] },
  'format of a configuration': { values: ['toml', 'json'] },
  'file record': { records: 'file' },
  'status of an allocation': {},
  'workflow file': { files: SPEC_FILES },
} as const satisfies Readonly<Record<string, TypedKind>>;

export type KindName = keyof typeof kinds;

/** The kind of a value by the name that stands for it, without the dots of one that may be repeated. */
export const kindNamed = (name: string): TypedKind => (Object.hasOwn(kinds, name) ? kinds[name as KindName] : {});

/** `2h`, `1d12h` and `90s`: the parts of an ISO 8601 duration without its letters P and T. */
const SHORT = /^(?=.)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/i;
const SECONDS = [86_400, 3_600, 60, 1];

/**
 * The ISO 8601 duration of an option such as `--time-limit`, which is also read as other programs take it: `2h`, `10m`, `90s`, `1d12h`.
 *
 * Only options are read so: files and requests have the durations of Torc 1.0.0, which other programs read, too.
 */
export function durationOption(text: string, name: string): string {
  const trimmed = text.trim();
  const parts = SHORT.exec(trimmed)?.slice(1);
  const iso =
    parts === undefined
      ? trimmed
      : formatDuration(parts.reduce((sum, part, at) => sum + Number(part ?? 0) * (SECONDS[at] ?? 0), 0));
  try {
    parseDuration(iso);
  } catch {
    throw new UsageError(`${name}: expected a duration such as 2h, 10m, 90s, 1d12h or PT2H, found "${text}"`);
  }
  return iso;
}
