import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { until } from '../programs.ts';
import { type Command, firstMissing, type RunCommands, type Step } from './parse.ts';
import { openReader, type Reader, type Typed, writeShown } from './reader.ts';

const root = resolve(import.meta.dirname, '../../..');

/**
 * Takes the steps of a page in a fresh folder with these folders on PATH. Throws at the first that does not do what the page says.
 *
 * `skipsClone` leaves out what is done in a clone of the repository: `npm ci` takes a network and 20 s.
 */
export async function follow(
  steps: readonly Step[],
  path: readonly string[],
  { skipsClone = false } = {},
): Promise<void> {
  const reader = await openReader(path);
  for (const step of steps) {
    if (step.kind === 'file') writeShown(reader.folder, step.name, step.text);
    else if (step.notRun === undefined && !(step.inClone && skipsClone)) await runBlock(step, reader);
  }
}

async function runBlock({ commands, exitCode, inClone }: RunCommands, reader: Reader): Promise<void> {
  if (inClone) await reader.type(`cd '${cloneFor(reader)}'`).ended;
  for (const command of commands) {
    await runCommand(command, command === commands.at(-1) ? exitCode : 0, reader);
  }
  if (inClone) await reader.type('cd "$OLDPWD"').ended;
}

async function runCommand({ text, line, expected }: Command, exitCode: number, reader: Reader): Promise<void> {
  const typed = reader.type(text);
  const key = expected.indexOf('^C');
  if (key !== -1) {
    await says(typed, expected.slice(0, key));
    await typed.interrupt();
  }
  const code = await typed.ended;
  const promised = expected.filter((each) => each !== '^C');
  // A program in the background goes on writing.
  if (/&\s*$/.test(text)) await says(typed, promised);
  const missing = firstMissing(typed.output(), promised);
  if (code === exitCode && missing === undefined) return;
  const found = code === exitCode ? `its output lacks the line "${missing}"` : `it ended with ${code}, not ${exitCode}`;
  throw new Error(`line ${line}: $ ${text}\n${found}; it wrote:\n${typed.output()}`);
}

const says = (typed: Typed, expected: readonly string[]) =>
  until(typed.output, (output) => firstMissing(output, expected) === undefined, expected.join('\n'), 60_000);

/** A clone of the repository as it is now, uncommitted changes included. */
function cloneFor({ folder }: Reader): string {
  const clone = join(folder, '../clone/torc');
  if (existsSync(clone)) return clone;
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of listed.toString().split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(root, file), join(clone, file));
  }
  return clone;
}
