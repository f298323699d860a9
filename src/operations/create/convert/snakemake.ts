import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Outcome } from '../../../cluster/exec.ts';
import type { Conversion } from '../../../convert/conversion.ts';
import { attemptsToAsk } from '../../../convert/snakemake/attempts.ts';
import { convertSnakemake } from '../../../convert/snakemake/convert.ts';
import { includesOf, type Snakefile } from '../../../convert/snakemake/rules.ts';
import { readUserText } from '../read-user-text.ts';
import { askProgram } from './ask-program.ts';

const SNAKEMAKE = {
  program: 'snakemake',
  called: 'Snakemake',
  reads: 'a Snakefile',
  // Snakemake needs minutes for a hundred thousand jobs.
  atMostMs: 600_000,
  reasonOf: (outcome: Outcome) => wordsOf(printedBy(outcome)),
};

interface Given {
  readonly path: string;
  /** None for the first rule. */
  readonly targets: readonly string[];
  /** What no rule has more threads than; undefined for the CPUs of this machine. */
  readonly cores: number | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Converts a Snakefile with the user's own Snakemake, which resolves wildcards and functions and runs no job. It runs the Python
 * of the Snakefile, as always.
 *
 * Throws: `CONVERSION_REFUSED` with the words of Snakemake if it refuses the Snakefile, or there is none.
 */
export async function convertSnakefile({ path, targets, cores, environment }: Given): Promise<Conversion> {
  const dryRun = ['--dry-run', '--printshellcmds', '--forceall', '--nolock', '--nocolor'];
  const args = ['--snakefile', path, ...dryRun, '--cores', String(cores ?? 'all')];
  const ask = async (...more: readonly string[]) =>
    printedBy(await askProgram(path, { ...SNAKEMAKE, environment }, [...args, ...more, '--', ...targets]));
  const printed = await ask();
  const main: Snakefile = { path, text: readUserText(path) };
  const files = [main, ...included(main, new Set([path]))] as const;
  const profiles = profilesNamed(printed);
  const attempts = attemptsToAsk(files, profiles);
  const later: string[] = [];
  for (let attempt = 2; attempt <= attempts; attempt += 1) later.push(await ask('--attempt', String(attempt)));
  return convertSnakemake({ files, printed, later, profiles });
}

/** The settings of the profiles that Snakemake says it uses; those that are found by name in another folder are not read. */
function profilesNamed(printed: string): Snakefile[] {
  const [, words = ''] = /^Using (.*) for setting default command line arguments\.$/m.exec(printed) ?? [];
  const folders = words.split(/\s+(?:and\s+)?/).filter((each) => existsSync(each) && statSync(each).isDirectory());
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => /^(?:profile|config)(?:\.v\d+\+)?\.yaml$/.test(name))
      .toSorted()
      .map((name) => ({ path: join(folder, name), text: readUserText(join(folder, name)) })),
  );
}

/** A dry run prints errors on standard output. */
const printedBy = ({ stdout, stderr }: Outcome) => `${stdout}\n${stderr}`;

/** The error and what follows it, or the last lines. */
function wordsOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const at = lines.findIndex((line) => /\b\w*(?:Error|Exception)\b/.test(line));
  return (at < 0 ? lines.slice(-SHOWN_LINES) : lines.slice(at, at + SHOWN_LINES)).join('\n');
}

const SHOWN_LINES = 6;

function included(file: Snakefile, seen: Set<string>): Snakefile[] {
  return includesOf(file).paths.flatMap((each) => {
    const path = join(dirname(file.path), each);
    if (seen.has(path) || !existsSync(path)) return [];
    seen.add(path);
    const found: Snakefile = { path, text: readUserText(path) };
    return [found, ...included(found, seen)];
  });
}
