import { signalNumber } from '../../core/attempt/signal.ts';

/** The names that Slurm's programs know; the others they take by number. Source: srun and scancel of 22.05.8, tried. */
const KNOWN: ReadonlySet<string> = new Set(
  'HUP INT QUIT ABRT KILL ALRM TERM USR1 USR2 URG CONT STOP TSTP TTIN TTOU'.split(' '),
);

/** The signal as Slurm's programs take it: `TERM` for `SIGTERM`, 27 for `SIGPROF`. What is no signal stays as it is. */
export function slurmSignal(text: string): string {
  const name = text.replace(/^SIG/, '');
  return KNOWN.has(name) ? name : String(signalNumber(name) ?? text);
}
