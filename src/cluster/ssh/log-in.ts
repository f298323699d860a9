import { setTimeout as pause } from 'node:timers/promises';
import { type Outcome, runToEnd } from '../exec.ts';
import { randomBytes } from '../random-bytes.ts';
import { type Greeting, greetingCommand, greetingOf } from './remote-script.ts';

/** How a call of ssh ended. */
export interface SshOutcome extends Outcome {
  /** The script began, and `stdout` and `stderr` are what it printed; otherwise they are of ssh and of the login shell, and nothing was sent. */
  readonly hasBegun: boolean;
  /** How often a login was tried. */
  readonly logins: number;
}

export interface LoginLimits {
  /** How long a login may take until the script says its first line. */
  readonly loginMs: number;
}

/**
 * Logs in to a host once, with an empty input, and sees whether the login shell runs what it is asked to run. The connection stays for
 * the calls that follow.
 */
export const logIn = (wordsTo: (command: string) => readonly string[], { loginMs }: LoginLimits): Promise<SshOutcome> =>
  triedAgain(async () => {
    const greeting = newGreeting();
    const outcome = await runToEnd('ssh', wordsTo(greetingCommand(greeting)), { atMostMs: loginMs, input: '' });
    return { ...outcome, hasBegun: outcome.stdout.includes(greetingOf(greeting)), logins: 1 };
  });

export function newGreeting(): Greeting {
  const bytes = randomBytes(8);
  // Their product has less than 31 bits: some shells compute with 32.
  const factor = (at: number) => 10_000 + (bytes.readUInt16BE(at) % 30_000);
  return { nonce: bytes.toString('hex', 0, 4), factors: [factor(4), factor(6)] };
}

const MOST_LOGINS = 6;
/** Doubled each time, and varied, so that those who were refused together do not come again together: 8 s to 23 s in all. */
const FIRST_PAUSE_MS = 500;

/** Tries a login again that an ssh server refused because others came at the same time. Nothing ran on the host then. */
export async function triedAgain(call: () => Promise<SshOutcome>): Promise<SshOutcome> {
  for (let logins = 1; ; logins += 1) {
    const outcome = await call();
    if (logins === MOST_LOGINS || !isRefusedForNumber(outcome)) return { ...outcome, logins };
    await pause(FIRST_PAUSE_MS * 2 ** (logins - 1) * (0.5 + (randomBytes(1)[0] ?? 0) / 256));
  }
}

/**
 * Whether an ssh server closed the connection before it asked for a key, as it does above its limit of logins at once (`MaxStartups`).
 * Other servers and firewalls do so too, for reasons that another try does not worsen.
 */
export const isRefusedForNumber = ({
  hasBegun,
  code,
  stderr,
}: Pick<SshOutcome, 'hasBegun' | 'code' | 'stderr'>): boolean =>
  !hasBegun && code === SSH_ENDED && CLOSED_EARLY.test(stderr);

/** Of ssh: no connection, or a connection that was lost, or a remote process that was killed by a signal. */
export const SSH_ENDED = 255 satisfies Outcome['code'];

const CLOSED_EARLY =
  /(?:kex|ssh)_exchange_identification|banner exchange|Connection (?:reset|closed) by|Not allowed at this time|Exceeded MaxStartups/i;
