/** The signals of Linux by their numbers, as in a return code above 128. */
const NAMES = [
  'HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT',
  'CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS',
].flatMap((line) => line.split(' '));

/** Signals that do not end a process which does not handle them. */
const HARMLESS: ReadonlySet<string> = new Set('CHLD CONT STOP TSTP TTIN TTOU URG WINCH'.split(' '));
const UNCATCHABLE: ReadonlySet<string> = new Set(['KILL', 'STOP']);

/** Signals that a process can handle: `HUP`, `TERM`, `CONT`. */
export const CATCHABLE_SIGNALS: readonly string[] = NAMES.filter((name) => !UNCATCHABLE.has(name));

/** Those of them that end a process which does not handle them. */
export const ENDING_SIGNALS: readonly string[] = CATCHABLE_SIGNALS.filter((name) => !HARMLESS.has(name));

/** `SIGTERM` for 15; undefined for a number without a signal. */
export function signalName(number: number): string | undefined {
  const name = NAMES[number - 1];
  return name === undefined ? undefined : `SIG${name}`;
}

/** `SIGTERM` for 15, and the number for one without a signal. */
export const nameOfSignal = (number: number): string => signalName(number) ?? `signal ${number}`;

/** 15 for `TERM`; undefined for an unknown signal. */
export function signalNumber(name: string): number | undefined {
  const at = NAMES.indexOf(name);
  return at === -1 ? undefined : at + 1;
}

/** `SIGTERM` for `SIGTERM`, `TERM` and `term`; undefined for an unknown signal. */
export function signalCalled(text: string): string | undefined {
  const name = text.trim().toUpperCase().replace(/^SIG/, '');
  return NAMES.includes(name) ? `SIG${name}` : undefined;
}
