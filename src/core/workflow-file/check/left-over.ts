import type { Draft } from '../link/draft.ts';
import type { SpecFamily } from '../expand/family.ts';
import type { Complain, ValuePath } from '../problems/problems.ts';
import type { JobSpec } from '../shape/workflow.ts';
import { suggest } from '../problems/suggest.ts';
import { templateNames } from '../text/template-names.ts';
import { partAt } from '../problems/text-part.ts';
import { hasOwnPaths, ownTokens } from '../link/own-tokens.ts';
import { tokensOf } from '../link/tokens.ts';

/**
 * Warnings about `{name}` that nothing replaces: a parameter that is misspelled, not declared or not named in
 * use_parameters ends up in a command or a path as it is.
 *
 * Programs within commands have braces of their own (awk, jq, Python). There only a name that is a parameter somewhere in
 * the file, or nearly one, is taken for a parameter.
 */
export function checkLeftOver({ spec, jobs, files, userData }: Draft, complain: Complain): void {
  // With variables every unknown name is an error already.
  if (Object.keys(spec.variables ?? {}).length > 0) return;
  const everywhere = new Set(Object.keys(spec.parameters ?? {}));
  for (const { families } of [jobs, files, userData])
    for (const { axes } of families.all) for (const { name } of axes?.axes ?? []) everywhere.add(name);
  const seeker = new Seeker(everywhere, new Set(Object.keys(spec.parameters ?? {})), complain);

  for (const family of jobs.families.all) {
    const { spec: job, at } = family;
    seeker.look(family, job.name, ['jobs', at, 'name']);
    seeker.look(family, job.command, ['jobs', at, 'command'], job);
    seeker.look(family, job.invocation_script, ['jobs', at, 'invocation_script'], job);
    seeker.look(family, job.container?.image, ['jobs', at, 'container', 'image']);
    seeker.look(family, job.conda, ['jobs', at, 'conda']);
    seeker.look(family, job.module, ['jobs', at, 'module']);
    for (const field of ['inputs', 'outputs'] as const)
      for (const [index, { path }] of (job[field] ?? []).entries())
        seeker.look(family, path, ['jobs', at, field, index, 'path']);
    for (const [name, text] of Object.entries(job.env ?? {})) seeker.look(family, text, ['jobs', at, 'env', name], job);
  }
  for (const family of files.families.all) {
    seeker.look(family, family.spec.name, ['files', family.at, 'name']);
    seeker.look(family, family.spec.path, ['files', family.at, 'path']);
  }
}

class Seeker {
  private readonly everywhere: ReadonlySet<string>;
  private readonly shared: ReadonlySet<string>;
  private readonly complain: Complain;

  constructor(everywhere: ReadonlySet<string>, shared: ReadonlySet<string>, complain: Complain) {
    this.everywhere = everywhere;
    this.shared = shared;
    this.complain = complain;
  }

  /** `job` where a shell or another program may have braces of its own. */
  look(family: SpecFamily<unknown>, text: string | undefined, path: ValuePath, job?: JobSpec): void {
    if (text === undefined || !text.includes('{') || family.count === 0) return;
    const own = (family.axes?.axes ?? []).map(({ name }) => name);
    const reported = new Set<string>();
    for (const { token, name, at } of templateNames(text)) {
      if (own.includes(name) || reported.has(name)) continue;
      // Of two letters one is always near the other.
      const near = name.length < 3 ? undefined : suggest(name, own);
      const isSure = this.everywhere.has(name) || near !== undefined;
      if (!isSure && job !== undefined && belongsToProgram(text, at)) continue;
      reported.add(name);
      this.complain({
        code: 'PLACEHOLDER_LEFT',
        message: `${token} stays as it is: ${this.why(name, own, near, job)}`,
        path,
        part: partAt(text, at, token),
        found: token,
        ...(near === undefined ? {} : { suggestion: near }),
      });
    }
    if (job !== undefined) this.lookForTokens(text, path, job);
  }

  private why(name: string, own: readonly string[], near: string | undefined, job: JobSpec | undefined): string {
    if (near !== undefined) return `there is no parameter \`${name}\``;
    if ((name === 'input' || name === 'output') && job !== undefined && hasOwnPaths(job))
      return `write \${${name}.0} for the first path in ${name}s`;
    if (name === 'input' || name === 'output') return `write \${files.${name}.NAME} for the path of a file`;
    if (this.shared.has(name) && own.length === 0)
      return `to use the parameter of the workflow, add use_parameters: [${name}]`;
    return own.length === 0
      ? `this entry has no parameters; declare \`${name}\` in its \`parameters\``
      : `the parameters of this entry are ${own.join(', ')}`;
  }

  /** Tokens of Torc that are written nearly right; the shell would refuse them, or take them for words. */
  private lookForTokens(text: string, path: ValuePath, job: JobSpec): void {
    const known = new Set([...tokensOf(text), ...ownTokens(text, job)].map(({ part }) => part.text));
    for (const { 0: found, 1: dollar = '', 2: inner = '', index } of text.matchAll(NEARLY_TOKEN)) {
      if (known.has(found) || (dollar === '' && text[index - 1] === '$')) continue;
      this.complain({
        code: 'PLACEHOLDER_LEFT',
        message: `${found} stays as it is: write ${meantToken(inner, job)}`,
        path,
        part: partAt(text, index, found),
        found,
      });
    }
  }
}

// `{files.input.x}` without the dollar sign, `${file.inputs.x}`, `${input.x}`, `${user-data.input.x}`.
const NEARLY_TOKEN = /(\$?)\{((?:files?|user[_-]?data|inputs?|outputs?)\.[^{}\s]+)\}/g;

function meantToken(inner: string, job: JobSpec): string {
  const words = inner.split('.');
  const kind = inner.startsWith('user') ? 'user_data' : 'files';
  const direction = words.some((word) => /^outputs?$/.test(word)) ? 'output' : 'input';
  const name = words.filter((word) => !/^(?:files?|user[_-]?data|inputs?|outputs?)$/.test(word)).join('.');
  if (hasOwnPaths(job) && /^(?:in|out)puts?\./.test(inner)) return `\${${direction}.${name === '' ? '0' : name}}`;
  return `\${${kind}.${direction}.${name === '' ? 'NAME' : name}}`;
}

const PROGRAM = /\b(?:[gmn]?awk|jq|perl|sed|ruby|julia|node|Rscript|python[\d.]*)\b|<</;

/** Whether braces at a place of a command are probably those of a program within it: quoted, formatted, or awk and its like. */
const belongsToProgram = (text: string, at: number): boolean =>
  '%@'.includes(text[at - 1] ?? ' ') || (text.slice(0, at).split("'").length - 1) % 2 === 1 || PROGRAM.test(text);
