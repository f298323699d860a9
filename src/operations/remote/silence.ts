import { isRefusedForNumber, SSH_ENDED, type SshOutcome } from '../../cluster/ssh/log-in.ts';
import type { HostFault } from '../../core/remote/host-faults.ts';
import { printableLine } from '../../core/text/printable.ts';
import { displayed, type Worker } from '../../core/remote/worker-line.ts';

/** Why a host gave no answer. */
export interface Silence {
  readonly kind: 'silence';
  readonly code: SilenceCode;
  readonly message: string;
}

type SilenceCode = Extract<
  HostFault,
  'UNREACHABLE' | 'TOO_MANY_LOGINS' | 'LOGIN_SHELL' | 'TIMEOUT' | 'FOLDER' | 'NO_TORC' | 'VERSION' | 'CUT' | 'NO_ANSWER'
>;

/** Exit codes of our scripts. */
const NO_ARGUMENTS = 90;
const NO_FOLDER = 91;
const NO_OUTPUT_FOLDER = 92;
const NOT_FOUND = 127;

export const silence = (code: SilenceCode, message: string): Silence => ({ kind: 'silence', code, message });

/** The reasons by the exit code and ssh's own words; undefined if the script ended and says nothing of itself. */
export function silenceOf(
  worker: Worker,
  outcome: SshOutcome,
  { outputDir, atMostMs }: { readonly outputDir: string; readonly atMostMs: number },
): Silence | undefined {
  const { code, stderr, isLate, hasBegun } = outcome;
  if (!hasBegun) return notBegun(worker, outcome);
  const { torc = 'torc', workDir } = worker.options;
  const words = lastLine(stderr);
  const because = words === '' ? '' : `: ${words}`;
  if (isLate) return silence('TIMEOUT', `no answer within ${atMostMs / 1000} s${because}`);
  if (code === SSH_ENDED) return silence('UNREACHABLE', adviceOf(words, worker));
  if (code === NO_ARGUMENTS) return silence('CUT', `the connection was lost before anything was done${because}`);
  if (code === NO_FOLDER) return silence('FOLDER', `cannot work in ${workDir}${because}`);
  if (code === NO_OUTPUT_FOLDER) return silence('FOLDER', `cannot write into ${outputDir}${because}`);
  if (code !== NOT_FOUND) return undefined;
  return silence(
    'NO_TORC',
    `${torc} is not on the PATH there${because}; install it, or name it behind the host: --torc PATH`,
  );
}

/** Nothing was sent: what is printed here is of ssh and of the host. */
function notBegun(worker: Worker, outcome: SshOutcome): Silence {
  const { code, stdout, stderr, isLate, logins } = outcome;
  const name = displayed(worker);
  const [words, printed] = [lastLine(stderr), lastLine(stdout)];
  const said = [printed, words].find((text) => text !== '');
  const where = `${FILES_OF_SHELLS}. It printed ${said === undefined ? 'nothing' : `"${said}"`}`;
  if (isLate) return silence('TIMEOUT', `the login shell of ${name} ran nothing in time: ${where}`);
  if (isRefusedForNumber(outcome)) return silence('TOO_MANY_LOGINS', `${words} (${logins} times): ${LIMIT_OF_LOGINS}`);
  if (code === SSH_ENDED && printed === '') return silence('UNREACHABLE', adviceOf(words, worker));
  return silence('LOGIN_SHELL', `the login shell of ${name} runs something else: ${where}`);
}

const FILES_OF_SHELLS =
  'see its ~/.bashrc (of other shells ~/.zshenv, ~/.cshrc), where "exec" and questions are for terminals, as in [ -t 0 ] && exec zsh, or its forced command (authorized_keys, ForceCommand)';

const LIMIT_OF_LOGINS =
  'its ssh server refuses logins that come at the same time (MaxStartups and PerSourceMaxStartups of sshd_config, or a firewall). Start fewer at once: --max-parallel-ssh 2';

/** ssh's own words, with what to do about them. */
function adviceOf(words: string, { user, host, port }: Worker): string {
  const call = [
    'ssh',
    ...(port === undefined ? [] : ['-p', port]),
    user === undefined ? host : `${user}@${host}`,
    'true',
  ];
  const trial = `try: ${call.join(' ')}`;
  const advice = [
    [/Could not resolve|Name or service not known/, 'check the name'],
    [/Permission denied/, `no key is accepted, and nothing is ever asked; ${trial}`],
    [/Host key verification failed|IDENTIFICATION HAS CHANGED/, `its key is not the known one; ${trial}`],
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

const MOST_LETTERS = 300;

export const lastLine = (text: string): string =>
  printableLine(text.trim().split('\n').at(-1)?.trim() ?? '').slice(0, MOST_LETTERS);
