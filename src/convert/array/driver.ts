import { shellWords } from '../../core/text/shell-words.ts';
import type { Report } from '../conversion.ts';
import type { Directive, ReadSubmitOptions } from './script.ts';

/** One call of sbatch or qsub in a script that submits several. */
export interface Submission {
  /** The path of the script as it stands there. */
  readonly script: string;
  readonly options: readonly Directive[];
  readonly args: readonly string[];
  readonly dependencies: readonly Dependency[];
  readonly line: number;
}

interface Dependency {
  readonly type: string;
  /** Places in the list of submissions; `singleton` has none. */
  readonly on: readonly number[];
}

/** The program that submits. */
export interface SubmitCall {
  /** `sbatch`, and the marker of options in scripts: `#SBATCH`. */
  readonly program: string;
  readonly marker: string;
  readonly readOptions: ReadSubmitOptions;
}

/** Whether a script submits others: it calls the program, and is no batch script itself. */
export const isDriver = (text: string, { program, marker }: Pick<SubmitCall, 'program' | 'marker'>): boolean =>
  !text.split(/\r?\n/).some((line) => line.startsWith(`${marker} `)) &&
  logicalLines(text).some(({ text: line }) => callOf(program).test(line));

/** The program where a shell reads a command. */
const callOf = (program: string): RegExp =>
  new RegExp(String.raw`(?:^|[;&|(\x60]|\b(?:do|then|else)\b)\s*${program}\s`);
/** Options that are for the call itself. */
const OF_THE_CALL = new Set(['dependency', 'parsable', 'quiet', 'wait', 'verbose']);
/** Lines that change nothing of what the jobs do. */
const WITHOUT_EFFECT =
  /^\s*(?:set\s|echo\b|printf\b|exit\b|squeue\b|qstat\b|scontrol\s+show\b|module\b|:|true\b|do\b|done\b|fi\b|then\b|else\b|esac\b|\}?\s*$)/;
const ASSIGNMENT = /^\s*(?:export\s+|local\s+|readonly\s+)?(\w+)=(?:\$\((.*)\)|`(.*)`|"\$\((.*)\)")\s*;?\s*$/s;

/**
 * The calls, in the order of the lines: `id=$(sbatch --parsable a.sbatch)`, `sbatch --dependency=afterok:$id b.sbatch`,
 * and one within the other. What is not read goes to the report.
 */
export function readDriver(
  text: string,
  { program, readOptions }: Omit<SubmitCall, 'marker'>,
  report: Report,
): readonly Submission[] {
  const CALL = callOf(program);
  const startsCall = new RegExp(String.raw`^\s*${program}\s`);
  const inner = new RegExp(String.raw`\$\(\s*(${program}\s[^()]*)\)|\x60\s*(${program}\s[^\x60]*)\x60`, 'g');
  const submissions: Submission[] = [];
  /** The submissions whose id a variable holds. */
  const ids = new Map<string, number>();

  const submit = (call: string, line: number): number | undefined => {
    // A call within the call comes first; its place stands for its id.
    const outer = call.replaceAll(inner, (_, one?: string, other?: string) => {
      const place = submit(one ?? other ?? '', line);
      return place === undefined ? '$unknown' : `@${place}`;
    });
    const words = shellWords(outer.replace(/\s*\|.*$/s, '').replace(/\s*(?:\d?>|2>&1|&\s*$).*$/s, ''));
    const { directives, rest } = readOptions(words?.slice(words.indexOf(program) + 1) ?? [], line, true);
    const [script, ...args] = rest;
    if (script === undefined || /[$*`]/.test(script)) {
      report.leaveOut(call.trim(), `the script of this ${program} is not known without running the shell`, line);
      return undefined;
    }
    const given = directives.find(({ name }) => name === 'dependency')?.value;
    const dependencies = given === undefined ? [] : dependenciesIn(given, line);
    const options = directives.filter(({ name }) => !OF_THE_CALL.has(name));
    return submissions.push({ script, options, args, dependencies, line }) - 1;
  };

  const dependenciesIn = (given: string, line: number): readonly Dependency[] => {
    if (given.includes('?')) {
      report.leaveOut(
        `--dependency=${given}`,
        'a job of a workflow waits for all of its jobs, not for one of them',
        line,
      );
      return [];
    }
    return given.split(',').map((part): Dependency => {
      const [type = '', ...references] = part.replaceAll(/\$\{(\w+)[^}]*\}/g, '$$$1').split(':');
      const on = references.flatMap((reference) => {
        const place = reference.startsWith('@') ? Number(reference.slice(1)) : ids.get(reference.replace(/^\$/, ''));
        if (place === undefined)
          report.leaveOut(`--dependency=${given}`, `no ${program} above gives ${reference} its value`, line);
        return place === undefined ? [] : [place];
      });
      return { type, on };
    });
  };

  /** `jid=${out##* }` and `jid=$(echo $out | awk …)`: another name for an id. */
  const takesOver = (content: string): boolean => {
    const [, name, from] = /^\s*(?:export\s+)?(\w+)=.*?\$\{?(\w+)/.exec(content) ?? [];
    const place = ids.get(from ?? '');
    if (name === undefined || place === undefined) return false;
    ids.set(name, place);
    return true;
  };

  for (const { text: content, line } of logicalLines(text)) {
    const [, name = '', ...calls] = ASSIGNMENT.exec(content) ?? [];
    const call = calls.find((each) => each !== undefined) ?? content;
    if (/^\s*(?:for|while|until|if|case|function)\b/.test(content) && !CALL.test(content)) {
      report.leaveOut(
        content.trim(),
        `loops and conditions are not followed; write each ${program} on a line of its own`,
        line,
      );
    } else if (startsCall.test(call)) {
      const place = submit(call, line);
      if (name !== '' && place !== undefined) ids.set(name, place);
    } else if (CALL.test(content))
      report.leaveOut(content.trim(), `this ${program} is not followed; write it on a line of its own`, line);
    else if (!takesOver(content) && name === '' && !WITHOUT_EFFECT.test(content))
      report.leaveOut(content.trim(), 'it runs where the script is called, and is no job; run it before', line);
  }
  return submissions;
}

/** Lines without comments, those that end with a backslash together with the next. */
function logicalLines(text: string): { text: string; line: number }[] {
  const found: { text: string; line: number }[] = [];
  let before = '';
  let begun = 0;
  for (const [at, content] of text.split(/\r?\n/).entries()) {
    if (before === '') begun = at + 1;
    if (/^\s*(?:#|$)/.test(content) && before === '') continue;
    if (content.endsWith('\\')) before += `${content.slice(0, -1)} `;
    else {
      found.push({ text: before + content, line: begun });
      before = '';
    }
  }
  if (before !== '') found.push({ text: before, line: begun });
  return found;
}
