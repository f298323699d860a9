import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HelperFailed, runToEnd } from '../../cluster/exec.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Conversion } from '../../core/convert/conversion.ts';
import { convertSnakemake } from '../../core/convert/snakemake/convert.ts';
import { includesOf, type Snakefile } from '../../core/convert/snakemake/rules.ts';
import { readUserText } from '../read-user-text.ts';

/** Snakemake needs minutes for a hundred thousand jobs. */
const AT_MOST_MS = 600_000;

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
  const args = [
    '--snakefile',
    path,
    '--dry-run',
    '--printshellcmds',
    '--forceall',
    '--nolock',
    '--nocolor',
    '--cores',
    String(cores ?? 'all'),
  ];
  const end = await runToEnd('snakemake', [...args, '--', ...targets], { atMostMs: AT_MOST_MS, environment }).catch(
    refuse,
  );
  const printed = `${end.stdout}\n${end.stderr}`;
  if (end.code !== 0 || end.isLate) {
    const why = end.isLate ? `it was stopped after ${AT_MOST_MS / 1000} s` : wordsOf(printed);
    throw new Refusal('CONVERSION_REFUSED', `${path}: Snakemake refuses it: ${why}`);
  }
  const main: Snakefile = { path, text: readUserText(path) };
  return convertSnakemake({ files: [main, ...included(main, new Set([path]))], printed });
}

function refuse(error: unknown): never {
  if (!(error instanceof HelperFailed)) throw error;
  const words = error.isMissing ? 'there is no snakemake on PATH' : error.message;
  throw new Refusal(
    'CONVERSION_REFUSED',
    `a Snakefile is converted with your own Snakemake: ${words}`,
    {},
    { cause: error },
  );
}

/** The error and what follows it, or the last lines. A dry run prints errors on standard output. */
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
