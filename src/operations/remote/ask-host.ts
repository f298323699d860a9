import { randomBytes } from '../../cluster/random-bytes.ts';
import type { SshOutcome } from '../../cluster/ssh/log-in.ts';
import type { Ssh } from '../../cluster/ssh/ssh.ts';
import type { HostMessage, HostRequest } from '../../core/remote/remote-host.ts';
import { VERSION } from '../../core/contract/version.ts';
import type { Worker } from '../../core/remote/worker-line.ts';
import { explainScript, startScript, taskScript } from './host-script.ts';
import { requestText } from './request-text.ts';
import { lastLine, silence, type Silence, silenceOf } from './silence.ts';

/** What a host said, or why it said nothing. */
export type Answer =
  | (HostMessage & { readonly kind: 'answer'; readonly clockOffMs: number; readonly roundTripMs: number })
  | Silence;

export interface AskOptions {
  readonly ssh: Ssh;
  readonly atMostMs: number;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Asks the program on a host to do a task. Never throws for what is wrong with the host. */
export async function askHost(worker: Worker, request: HostRequest, options: AskOptions): Promise<Answer> {
  const { ssh, atMostMs, now } = options;
  // Loaded here: the help of all commands loads this file, and needs no schema.
  const { messageIn, readyLine } = await import('../../core/remote/remote-host.ts');
  const challenge = randomBytes(8).toString('hex');
  let sentMs = now();
  const isStart = request.task === 'start';
  const outcome = await ssh.run(worker, {
    script: isStart ? startScript : taskScript,
    args: [
      ...placesOf(worker, request),
      isStart ? String(request.workflow_id) : request.task,
      challenge,
      ...(isStart ? [request.umask] : []),
    ],
    request: { text: requestText(request), after: readyLine(challenge), onSent: () => (sentMs = now()) },
    atMostMs,
  });
  const endedMs = now();
  const shown = {
    ...outcome,
    stdout: withoutRequest(outcome.stdout, request),
    stderr: withoutRequest(outcome.stderr, request),
  };
  const message = outcome.hasBegun ? messageIn(outcome.stdout) : undefined;
  if (message !== undefined) {
    const clockOffMs = message.now_ms - (sentMs + endedMs) / 2;
    return { kind: 'answer', ...message, clockOffMs, roundTripMs: endedMs - sentMs };
  }
  return (
    silenceOf(worker, shown, { outputDir: request.output_dir, atMostMs }) ?? noAnswer(worker, request, shown, options)
  );
}

/** The program, the folder in which it works, and the output folder: the first parameters of each script. */
const placesOf = ({ options: { torc = 'torc', workDir = '' } }: Worker, { output_dir: outputDir }: HostRequest) => [
  torc,
  workDir,
  outputDir,
];

/** The program did not answer: perhaps it is of another version, or could not run. */
async function noAnswer(
  worker: Worker,
  request: HostRequest,
  { code, stderr, stdout: printed }: SshOutcome,
  { ssh, atMostMs }: AskOptions,
): Promise<Answer> {
  const { torc = 'torc' } = worker.options;
  const args = [...placesOf(worker, request), String(request.workflow_id)];
  const { stdout } = await ssh.run(worker, { script: explainScript, args, atMostMs });
  const version = /^torc (\d\S*)$/m.exec(stdout)?.[1];
  if (version !== undefined && version !== VERSION)
    return silence('VERSION', `Version mismatch: local=${VERSION}, ${worker.host}=${version}`);
  const words =
    [stderr, printed, withoutRequest(stdout, request)].map(lastLine).find((line) => line !== '') ??
    'nothing was printed';
  return silence('NO_ANSWER', `${torc} ended with ${code ?? 'a signal'} and without an answer: ${words}`);
}

/** As long as this, and a part of a password is no chance. */
const PART = 6;
/** A key of every request: whatever repeats a request has it. */
const KEY = 'workflow_id';

/**
 * What a host printed, but for lines that repeat a request or a part of its secrets.
 *
 * Only torc gets the request, when it has said that it is ready. But what stands for torc may be a script that shows its input.
 */
export function withoutRequest(text: string, request: HostRequest): string {
  const { password, cookie } = 'service' in request ? request.service : {};
  const parts = [password, cookie].flatMap((secret) => partsOf(secret ?? ''));
  const repeats = (line: string) => line.includes(KEY) || parts.some((part) => line.includes(part));
  return text
    .split('\n')
    .filter((line) => !repeats(line))
    .join('\n');
}

const partsOf = (secret: string): string[] =>
  secret.length <= PART
    ? [secret].filter((part) => part !== '')
    : Array.from({ length: secret.length - PART + 1 }, (_, at) => secret.slice(at, at + PART));
