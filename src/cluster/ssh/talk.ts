import { runToEnd } from '../exec.ts';
import { ScriptCall, type RequestOfCall } from './script-call.ts';
import { type LoginLimits, newGreeting, type SshOutcome, triedAgain } from './log-in.ts';
import { argumentLines, greetingOf, scriptCommand } from './remote-script.ts';

export interface SshCall {
  /** A POSIX shell script, which other users can read. It is the same for all hosts and users: see `remote-script.ts`. */
  readonly script: string;
  /** Its parameters. They are sent as data, and other users may read what the script makes of them: they contain no secrets. */
  readonly args: readonly string[];
  /** What is secret or long: sent when what the script started asks for it. */
  readonly request?: RequestOfCall | undefined;
  readonly atMostMs: number;
  /** Gets the standard output, which is not kept then. */
  readonly onBytes?: ((bytes: Buffer) => void) | undefined;
}

const LONGEST_LOGIN_MS = 600_000;
/** The most that is kept of what a script prints. */
const MOST_BYTES = 2 ** 26;

/** Runs a script on a host. A login that is refused before the script began is tried again. */
export const talk = (
  wordsTo: (command: string) => readonly string[],
  call: SshCall,
  { loginMs }: LoginLimits,
): Promise<SshOutcome> =>
  triedAgain(async () => {
    const greeting = newGreeting();
    const tooLate = new AbortController();
    const untilLogin = setTimeout(() => tooLate.abort(), Math.min(LONGEST_LOGIN_MS, loginMs));
    const kept = keepBytes(() => tooLate.abort());
    const conversation = new ScriptCall({
      greeting: greetingOf(greeting),
      args: argumentLines(call.args),
      request: call.request,
      onBegin: () => clearTimeout(untilLogin),
      onBytes: call.onBytes ?? kept.add,
    });
    try {
      const outcome = await runToEnd('ssh', wordsTo(scriptCommand(greeting, call.script)), {
        atMostMs: call.atMostMs,
        onOutput: (bytes, input) => conversation.take(bytes, input),
        ends: tooLate.signal,
      });
      const { hasBegun, noise } = conversation;
      const stdout = hasBegun ? kept.text() : noise;
      return { ...outcome, hasBegun, stdout, stderr: behind(outcome.stderr, greetingOf(greeting)), logins: 1 };
    } finally {
      clearTimeout(untilLogin);
    }
  });

function keepBytes(onTooMuch: () => void) {
  const kept: Buffer[] = [];
  let size = 0;
  return {
    add(bytes: Buffer) {
      size += bytes.length;
      if (size > MOST_BYTES) onTooMuch();
      else kept.push(bytes);
    },
    text: () => Buffer.concat(kept).toString('utf8'),
  };
}

/** What the script printed: the words of a jump host or of the login shell stand before its greeting. */
function behind(stderr: string, greeting: string): string {
  const at = stderr.indexOf(greeting);
  return at < 0 ? stderr : stderr.slice(at + greeting.length);
}
