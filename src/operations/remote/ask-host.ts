import type { Outcome } from '../../cluster/exec.ts';
import type { Ssh } from '../../cluster/ssh/ssh.ts';
import type { HostMessage, HostRequest } from '../../core/contract/remote-host.ts';
import { VERSION } from '../../core/contract/version.ts';
import type { Worker } from '../../core/contract/worker-line.ts';
import { explainScript, startScript, taskScript } from './host-script.ts';
import type { HostFault } from '../../core/contract/host-faults.ts';

/** What a host said, or why it said nothing. */
export type Answer =
  | (HostMessage & { readonly kind: 'answer'; readonly clockOffMs: number; readonly roundTripMs: number })
  | Silence;

interface Silence {
  readonly kind: 'silence';
  readonly code: SilenceCode;
  readonly message: string;
}

export type SilenceCode = Extract<
  HostFault,
  'UNREACHABLE' | 'TIMEOUT' | 'FOLDER' | 'NO_TORC' | 'VERSION' | 'NO_ANSWER'
>;

export interface AskOptions {
  readonly ssh: Ssh;
  readonly atMostMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Exit codes of our scripts. */
const NO_FOLDER = 91;
const NO_OUTPUT_FOLDER = 92;
const NOT_FOUND = 127;
/** Of ssh: no connection, or a connection that was lost, or a remote process that was killed by a signal. */
const SSH_FAILED = 255;

/** Asks the program on a host to do a task. Never throws for what is wrong with the host. */
export async function askHost(worker: Worker, request: HostRequest, options: AskOptions): Promise<Answer> {
  const { ssh, atMostMs, now } = options;
  const { torc = 'torc', workDir = '' } = worker.options;
  const startedMs = now();
  const outcome = await ssh.run(worker, {
    script: request.task === 'start' ? startScript : taskScript,
    args: [
      torc,
      workDir,
      ...(request.task === 'start' ? [request.output_dir, String(request.workflow_id), request.umask] : [request.task]),
    ],
    input: JSON.stringify(request),
    atMostMs,
  });
  const endedMs = now();
  // Loaded here: the help of all commands loads this file, and needs no schema.
  const { messageIn } = await import('../../core/contract/remote-host.ts');
  const message = messageIn(outcome.stdout);
  if (message !== undefined) {
    const clockOffMs = message.now_ms - (startedMs + endedMs) / 2;
    return { kind: 'answer', ...message, clockOffMs, roundTripMs: endedMs - startedMs };
  }
  const known = silenceOf(worker, outcome, { outputDir: request.output_dir, atMostMs });
  return known ?? noAnswer(worker, request, outcome, options);
}

/** The reasons by the exit code and ssh's own words. */
export function silenceOf(
  { options: { torc = 'torc', workDir }, host }: Worker,
  { code, stderr, isLate }: Outcome,
  { outputDir, atMostMs }: { readonly outputDir: string; readonly atMostMs: number },
): Silence | undefined {
  const words = lastLine(stderr);
  const because = words === '' ? '' : `: ${words}`;
  if (isLate) return silence('TIMEOUT', `no answer within ${atMostMs / 1000} s${because}`);
  if (code === SSH_FAILED) return silence('UNREACHABLE', adviceOf(words, host));
  if (code === NO_FOLDER) return silence('FOLDER', `cannot work in ${workDir}${because}`);
  if (code === NO_OUTPUT_FOLDER) return silence('FOLDER', `cannot write into ${outputDir}${because}`);
  if (code === NOT_FOUND) {
    return silence(
      'NO_TORC',
      `${torc} is not on the PATH there${because}; install it, or name it behind the host: --torc PATH`,
    );
  }
  return undefined;
}

/** The program did not answer: perhaps it is of another version, or could not run. */
async function noAnswer(
  worker: Worker,
  { output_dir: outputDir, workflow_id: id }: HostRequest,
  { code, stderr }: Outcome,
  { ssh, atMostMs }: AskOptions,
): Promise<Answer> {
  const { torc = 'torc', workDir = '' } = worker.options;
  const args = [torc, workDir, outputDir, String(id)];
  const { stdout } = await ssh.run(worker, { script: explainScript, args, atMostMs });
  const version = /^torc (\d\S*)$/m.exec(stdout)?.[1];
  if (version !== undefined && version !== VERSION) {
    return silence('VERSION', `Version mismatch: local=${VERSION}, ${worker.host}=${version}`);
  }
  const words = [lastLine(stderr), lastLine(stdout)].find((line) => line !== '') ?? 'nothing was printed';
  return silence('NO_ANSWER', `${torc} ended with ${code ?? 'a signal'} and without an answer: ${words}`);
}

const silence = (code: SilenceCode, message: string): Silence => ({ kind: 'silence', code, message });

const lastLine = (text: string): string => text.trim().split('\n').at(-1)?.trim() ?? '';

/** ssh's own words, with what to do about them. */
function adviceOf(words: string, host: string): string {
  const advice = [
    [/Could not resolve|Name or service not known/, 'check the name'],
    [/Permission denied/, `no key is accepted, and nothing is ever asked; try: ssh ${host} true`],
    [/Host key verification failed|IDENTIFICATION HAS CHANGED/, `its key is not the known one; try: ssh ${host} true`],
    [
      /Connection refused|timed out|No route|unreachable/,
      'is the host up, and does it run an ssh server on this port?',
    ],
  ] as const;
  const found = advice.find(([pattern]) => pattern.test(words))?.[1];
  if (words === '')
    return 'the connection was lost, or what it ran was killed; the state on the host says which: status';
  return found === undefined ? words : `${words}: ${found}`;
}
