import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { SubmissionFailed } from '../batch/batch-system.ts';
import { HelperFailed } from '../helper-failed.ts';
import { makeFolder } from '../make-folder.ts';
import { asUser } from '../umask.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { PbsRecord } from './dsv.ts';
import { jobOfPbsId } from './ids.ts';
import { type AskPbs, failed, isPbsAway, type PbsAnswer } from './programs.ts';
import { directivesIn } from './submission-script.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Beside the scripts, with what PBS writes of its own about their jobs. */
const PBS_FOLDER = 'pbs';

/**
 * The number of the job that qsub makes of a script. Throws `SubmissionFailed`.
 *
 * PBS runs a script as the child of a login shell, which dies of the first signal and takes the job with it. So bash is submitted as a
 * program (`qsub -- bash SCRIPT`): the runner takes its place, and has the time until `kill_delay`. PBS keeps no copy of such a script, and no
 * variables: `qsub -v` changes values and everybody may read them. So a private copy stays beside the script, with the variables, the folder
 * and the umask of the user, until the job has ended, and removes itself then.
 */
export async function submitPbsScript(ask: AskPbs, environment: Environment, script: string): Promise<number> {
  const text = readFileSync(script, 'utf8');
  const copy = copyOf(script);
  makeFolder(dirname(copy), 0o700);
  writeFileSync(copy, withSurroundings(text, environment), { mode: 0o600 });
  // `-f` leaves no process behind that looks as if it still submitted.
  const answer = await ask('qsub', ['-f', ...directivesIn(text), '--', '/bin/bash', copy]).catch((error: unknown) => {
    if (!(error instanceof HelperFailed)) throw error;
    if (error.isMissing) rmSync(copy, { force: true });
    throw new SubmissionFailed(error.message, error.isMissing ? 'refused' : 'unclear');
  });
  const lines = answer.stdout.trimEnd().split('\n');
  const job = jobOfPbsId(lines.at(-1) ?? '');
  if (answer.code === 0 && typeof job === 'number') return job;
  const kind = kindOf(answer);
  if (kind !== 'unclear') rmSync(copy, { force: true });
  const words =
    answer.code === 0
      ? `Failed to parse job ID from qsub output: ${JSON.stringify(answer.stdout.trim())}`
      : withAdvice(failed('qsub', answer).message);
  throw new SubmissionFailed(words, kind);
}

/** Where the script lies that the job runs. */
const copyOf = (script: string): string => join(dirname(resolve(script)), PBS_FOLDER, basename(script));

/** The copy that a job runs, if it is one of Torc's: the last argument of bash. */
export const scriptIn = ({ fields }: PbsRecord): string | undefined =>
  new RegExp(`-- /bin/bash (/.*/${PBS_FOLDER}/[^/]+[.]sh)$`).exec(fields.get('Submit_arguments') ?? '')?.[1];

/** Exit codes of qsub: its error numbers modulo 256. Source: pbs_error.h. */
const FULL = 38;
/** Connection refused, and a credential that the daemon of the site gave out too late. */
const AWAY: ReadonlySet<number> = new Set([162, 171]);
/** The answer was cut off: the server may have the job. */
const CUT_OFF = 183;

function kindOf({ code, stderr }: PbsAnswer): SubmissionFailed['kind'] {
  // It was killed, or its answer is no id: the job may exist.
  if (code === 0 || code > 255 || code === CUT_OFF) return 'unclear';
  if (code === FULL || /would exceed .*limit/i.test(stderr)) return 'full';
  return AWAY.has(code) || isPbsAway(stderr) ? 'away' : 'refused';
}

const ADVICE: readonly (readonly [RegExp, advice: string])[] = [
  [/Unknown queue/i, 'the queues here: qstat -Q'],
  [/Queue is not enabled/i, 'it takes no jobs now; the queues here: qstat -Q'],
  [
    /violates queue and\/or server resource limits/i,
    'it asks for more than its queue allows: qstat -Qf shows the limits',
  ],
  [/Unauthorized Request/i, 'its queue takes jobs of some users or groups only: qstat -Qf shows which'],
  [/Unknown resource/i, 'this site has no such resource'],
];

function withAdvice(words: string): string {
  const advice = ADVICE.find(([pattern]) => pattern.test(words))?.[1];
  return advice === undefined ? words : `${words.trim()} (${advice})`;
}

/** The script with the surroundings of a user's shell before its first command. */
function withSurroundings(text: string, environment: Environment): string {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => !line.startsWith('#'));
  const mask = asUser(() => process.umask())
    .toString(8)
    .padStart(4, '0');
  const own = [`cd ${shellWord(process.cwd())} || exit 1`, `umask ${mask}`, ...exportsOf(environment)];
  return [...lines.slice(0, first), ...own, ...lines.slice(first)].join('\n');
}

/** PBS gives its own, or they are about this shell and this host. */
const NOT_CARRIED =
  /^(?:PBS_|SLURM_|TORC_RUNNER_|SSH_|XDG_|DISPLAY$|HOSTNAME$|HOME$|USER$|LOGNAME$|TMPDIR$|PWD$|OLDPWD$|SHLVL$|_$|TERM$|ENVIRONMENT$|NCPUS$|OMP_NUM_THREADS$|BASHOPTS$|SHELLOPTS$|BASH_ENV$|BASH_VERSINFO$|UID$|EUID$|PPID$)/;

function exportsOf(environment: Environment): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    if (value === undefined || NOT_CARRIED.test(name)) return [];
    const [, called] = /^BASH_FUNC_([\w.-]+)%%$/.exec(name) ?? [];
    if (called !== undefined) return [`${called} ${value}`, `export -f ${called}`];
    return /^[A-Za-z_]\w*$/.test(name) ? [`export ${name}=${quoted(value)}`] : [];
  });
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
