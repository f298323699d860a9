import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { until } from '../programs.ts';
import { type Command, firstMissing, type RunCommands, type Step } from './parse.ts';
import { openReader, PATIENCE_MS, type Reader, type ReaderOptions, type Typed, writeShown } from './reader.ts';

const root = resolve(import.meta.dirname, '../../..');

/**
 * Takes the steps of a page in a fresh folder. Throws at the first that does not do what the page says.
 *
 * Without a network, what is done in a fresh clone of the repository is left out: `npm ci` fetches packages for 20 s, and .ci/run does
 * so. What needs a Slurm cluster is left out where SLURM_CONF names none, a PBS cluster where PBS_CONF_FILE does, what needs hosts that ssh reaches where TORC_TEST_HOSTS is not set,
 * and what needs a program of this machine where there is none.
 */
export async function follow(steps: readonly Step[], options: ReaderOptions): Promise<Followed> {
  if (!steps.some((step) => step.kind === 'commands' && canRun(step, options)))
    return {
      skipped:
        'it needs a Slurm cluster (SLURM_CONF) or a PBS cluster (PBS_CONF_FILE), hosts that ssh reaches (TORC_TEST_HOSTS) or a program that is not here, or is followed by tests/sonar',
    };
  const reader = await openReader(options);
  for (const step of steps) {
    if (step.kind === 'file') writeShown(reader.folder, step.name, step.text);
    else if (canRun(step, options)) await runBlock(step, reader);
  }
  return { skipped: undefined };
}

export interface Followed {
  /** Why no block of the page could be run here. */
  readonly skipped: string | undefined;
}

const canRun = (
  { notRun, clone, needsSlurm, needsPbs = false, needsHosts, program, servers }: RunCommands,
  { hasNetwork, servers: there = [] }: ReaderOptions,
) =>
  notRun === undefined &&
  servers.every((server) => there.includes(server)) &&
  (hasNetwork || clone !== 'fresh') &&
  (!needsSlurm || process.env['SLURM_CONF'] !== undefined) &&
  (!needsPbs || process.env['PBS_CONF_FILE'] !== undefined) &&
  (!needsHosts || process.env['TORC_TEST_HOSTS'] !== undefined) &&
  (program === undefined || spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0);

async function runBlock({ commands, exitCode, clone }: RunCommands, reader: Reader): Promise<void> {
  if (clone !== 'none') await reader.type(`cd '${cloneFor(reader, clone)}'`).ended;
  for (const command of commands) {
    await runCommand(command, command === commands.at(-1) ? exitCode : 0, reader);
  }
  if (clone !== 'none') await reader.type('cd "$OLDPWD"').ended;
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
  until(typed.output, (output) => firstMissing(output, expected) === undefined, expected.join('\n'), PATIENCE_MS);

/** A clone of the repository as it is now, uncommitted changes included; one that is set up has the packages of this checkout. */
function cloneFor({ folder }: Reader, state: 'fresh' | 'set up'): string {
  const clone = join(folder, '../clone/torc');
  if (existsSync(clone)) return clone;
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  for (const file of listed.toString().split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(root, file), join(clone, file));
  }
  if (state === 'set up') symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  return clone;
}
