import { type Amounts, licensesFault } from '../../core/job/amounts.ts';
import type { Report } from '../conversion.ts';
import type { Directive } from '../array/script.ts';
import { directiveText } from './requirements.ts';

/**
 * What each task holds by `--licenses` of sbatch(1): `matlab`, `matlab:2`, `matlab@server:2`, separated by commas. A name that stands
 * there twice is added up. Undefined if nothing is held.
 *
 * How many there are is known to Slurm and stands in no script, so the workflow has no limit.
 */
export function licensesOf(directive: Directive | undefined, report: Report): Amounts | undefined {
  if (directive === undefined) return undefined;
  const { value = '', line } = directive;
  const text = directiveText(directive);
  if (value.includes('|')) {
    report.leaveOut(text, 'one of several licenses is enough there; a job holds all that it names', line);
    return undefined;
  }
  let held: Amounts = {};
  for (const part of value.split(/[,;]/)) {
    const [, name, count = '1'] = /^\s*([^:*\s]+)(?:[:*](\d+))?\s*$/.exec(part) ?? [];
    if (name === undefined) {
      report.leaveOut(text, `${JSON.stringify(part)} is no license; expected NAME or NAME:COUNT`, line);
      continue;
    }
    const more = { ...held, [name]: (held[name] ?? 0) + Number(count) };
    const fault = licensesFault(more);
    if (fault === undefined) held = more;
    else report.leaveOut(text, fault, line);
  }
  const names = Object.keys(held).filter((name) => (held[name] ?? 0) > 0);
  if (names.length === 0) return undefined;
  report.note(
    text,
    `each job holds them; write how many there are (scontrol show lic) as limits: { ${names.map((name) => `${name}: N`).join(', ')} }`,
    line,
  );
  return Object.fromEntries(names.map((name) => [name, held[name] ?? 0]));
}
