import { patternText } from '../../core/text/pattern-text.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { ResolvedJob } from './dry-run.ts';
import type { WrittenRule } from './rules.ts';

/** Directives for which Snakemake itself does more than run a command. */
const OF_SNAKEMAKE = ['run', 'script', 'notebook', 'wrapper', 'cwl', 'template_engine', 'shadow', 'conda', 'container'];
const ALSO = ['singularity', 'containerized', 'envmodules'];

export function needsSnakemake({ shell, output }: ResolvedJob, rule: WrittenRule | undefined): boolean {
  if (rule === undefined) return shell === undefined && output.length > 0;
  return (
    [...OF_SNAKEMAKE, ...ALSO].some((each) => rule.directives.has(each)) ||
    ['touch', 'update'].some((each) => rule.flags.has(each)) ||
    notEmpty(rule.text, output) === undefined ||
    protectedOf(rule.text, output) === undefined
  );
}

/**
 * Snakemake runs a command in bash with these settings, and makes the folders of outputs and logs. What an earlier attempt left of
 * them is removed first: a command may append to it, or look for it.
 */
export function byShell({ shell = '', log, output }: ResolvedJob, rule: WrittenRule | undefined): string {
  const folders = [...new Set(log.map((each) => each.replace(/\/?[^/]*$/, '')))].filter((each) => each !== '');
  const full = notEmpty(rule?.text ?? '', output) ?? [];
  const old = [...output, ...log].filter((each) => each !== '/dev/null');
  const remove = rule?.flags.has('directory') === true ? 'rm -rf' : 'rm -f';
  return [
    ...(folders.length === 0 ? [] : [`mkdir -p ${folders.map(shellWord).join(' ')}`]),
    ...(old.length === 0 ? [] : [`${remove} -- ${old.map(shellWord).join(' ')}`]),
    'set -euo pipefail',
    // The command may change the folder, or end its shell.
    ...(full.length === 0 ? [shell] : ['(', shell, ')', ...full.map(isFull)]),
  ].join('\n');
}

const isFull = (path: string): string =>
  `test -s ${shellWord(path)} || { echo ${shellWord(`${path} is empty`)} >&2; exit 1; }`;

/** Snakemake runs this one rule for this one output; the jobs before have made its inputs. */
export function bySnakemake(
  { rule, output, threads }: ResolvedJob,
  written: WrittenRule | undefined,
  path: string,
): string {
  const has = (...names: readonly string[]) => names.some((name) => written?.directives.has(name) === true);
  const methods = [
    ...(has('conda') ? ['conda'] : []),
    ...(has('container', 'singularity', 'containerized') ? ['apptainer'] : []),
    ...(has('envmodules') ? ['env-modules'] : []),
  ];
  const target = output[0] === undefined ? rule : output[0];
  return [
    `snakemake --snakefile ${shellWord(path)} --cores ${threads} --nolock --force --quiet all`,
    ...(methods.length === 0 ? [] : [`--software-deployment-method ${methods.join(' ')}`]),
    `--allowed-rules ${rule} -- ${shellWord(target)}`,
  ].join(' ');
}

const CALL = /\bensure\(/g;
const NOT_EMPTY = /\bensure\(\s*(["'])([^"'\n]+)\1\s*,\s*non_empty\s*=\s*True\s*,?\s*\)/g;

/** The outputs that must not be empty, by `ensure("PATH", non_empty=True)`. */
const notEmpty = (text: string, outputs: readonly string[]) => markedOutputs(text, outputs, CALL, NOT_EMPTY);

/** The outputs within a call such as `temp("PATH")`. */
const within = (calls: string) => {
  const literal = new RegExp(String.raw`\b(?:${calls})\(\s*(?:directory\(\s*)?(["'])([^"'\n]+)\1\s*,?\s*\)`, 'g');
  const call = new RegExp(String.raw`\b(?:${calls})\(`, 'g');
  return (text: string, outputs: readonly string[]) => markedOutputs(text, outputs, call, literal);
};
export const temporaryOf = within('temp|temporary');
export const protectedOf = within('protected');

/**
 * The outputs that the text of a rule names in calls of one kind. Undefined if one of the calls is another one: with a checksum, a
 * function, a path that a program makes.
 */
function markedOutputs(
  text: string,
  outputs: readonly string[],
  call: RegExp,
  literal: RegExp,
): readonly string[] | undefined {
  const lines = text.replaceAll(/^\s*#.*$/gm, '');
  const patterns = [...lines.matchAll(literal)].map(([, , path = '']) => path);
  if (patterns.length !== (lines.match(call)?.length ?? 0)) return undefined;
  const found = patterns.map((pattern) => outputs.filter((path) => shapeOf(pattern).test(path)));
  if (found.some((paths) => paths.length === 0)) return undefined;
  return outputs.filter((path) => found.some((paths) => paths.includes(path)));
}

/** Wildcards such as `{sample}` or `{sample,\d+}` stand for any text. */
const shapeOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split(/\{[^{}]*\}/)
      .map((part) => patternText(part))
      .join('.+')}$`,
  );
