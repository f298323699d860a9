import type { Draft } from '../link/draft.ts';
import { meantPaths, ownTokens, type OwnToken } from '../link/own-tokens.ts';
import type { Complain } from '../problems/problems.ts';
import { UNREAD } from '../shape/check.ts';
import type { JobSpec, PathSpec } from '../shape/workflow.ts';

/** Tokens such as `${input.bam}` that mean no path of their job, or several. */
export function checkOwnTokens({ jobs }: Draft, complain: Complain): void {
  for (const { spec, at } of jobs.families.all) {
    for (const field of ['command', 'invocation_script'] as const) {
      for (const token of ownTokens(spec[field], spec)) {
        const meant = meantPaths(token, spec);
        if (meant.length === 1 || pathsOf(token, spec).some(({ path }) => path === UNREAD)) continue;
        const where = `${token.part.text} in the ${field} of job '${spec.name}'`;
        complain({
          code: 'TOKEN_UNKNOWN',
          message:
            meant.length > 1 ? `${where} may mean ${choices(token, meant, spec)}` : `${where} ${none(token, spec)}`,
          path: ['jobs', at, field],
          part: token.part,
          found: token.word,
        });
      }
    }
  }
}

const pathsOf = ({ direction }: OwnToken, { inputs = [], outputs = [] }: JobSpec): readonly PathSpec[] =>
  direction === 'input' ? inputs : outputs;

function none(token: OwnToken, job: JobSpec): string {
  const paths = pathsOf(token, job);
  if (paths.length === 0) return `names none of its ${token.direction}s: it has no \`${token.direction}s\``;
  return `names none of its ${token.direction}s: ${choices(token, paths.slice(0, MOST_SHOWN), job)}${paths.length > MOST_SHOWN ? ', …' : ''}`;
}

const MOST_SHOWN = 5;

/** `${input.0} (a.fastq) or ${input.1} (b.fastq)`. */
const choices = (token: OwnToken, paths: readonly PathSpec[], job: JobSpec): string =>
  paths
    .map((each) => `\${${token.direction}.${each.name ?? pathsOf(token, job).indexOf(each)}} (${each.path})`)
    .join(' or ');
