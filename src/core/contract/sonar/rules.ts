import type { ProblemLevel } from './problem.ts';

/** Rules of the text that concern more than one field of an object, by the name of its table. */
type Report = (level: ProblemLevel, found: unknown, expected: string, ...path: (string | number)[]) => void;
type Members = Readonly<Record<string, unknown>>;

const isZero = (value: unknown): boolean => value === undefined || value === 0 || value === 0n;

function repeated(items: unknown, nameOf: (item: Members) => unknown, report: (index: number) => void): void {
  const seen = new Set<unknown>();
  for (const [index, item] of ((items ?? []) as readonly Members[]).entries()) {
    if (seen.has(nameOf(item))) report(index);
    seen.add(nameOf(item));
  }
}

/** The states of the text, and those that Slurm also has. */
const STATE = /^[A-Z][A-Z_]*$/;

export const objectRules: Readonly<Record<string, (members: Members, report: Report) => void>> = {
  MetadataObject({ format, attrs }, report) {
    if (!isZero(format)) report('warning', format, 'format 0, the one version of the format', 'format');
    repeated(
      attrs,
      ({ key }) => key,
      (index) => report('refused', 'a repeated key', 'a key that is unique in the list', 'attrs', index, 'key'),
    );
  },
  SysinfoAttributes({ distances }, report) {
    const rows = (distances ?? []) as readonly (readonly unknown[])[];
    if (rows.some((row) => row.length !== rows.length))
      report('warning', 'rows of other lengths', 'a square matrix', 'distances');
  },
  SampleJob({ job, epoch }, report) {
    if (isZero(job) && isZero(epoch))
      report('unusable', 0, 'a job id above zero where epoch is zero: such jobs are merged by their id', 'job');
  },
  SampleProcess({ rolledup }, report) {
    if (rolledup !== undefined && Number(rolledup) < 0)
      report('warning', rolledup, 'zero or more additional processes', 'rolledup');
  },
  SlurmJob({ job_state: state, nodes }, report) {
    if (typeof state === 'string' && state !== '' && !STATE.test(state))
      report('warning', state, 'one word in upper case; its first word counts', 'job_state');
    for (const [index, name] of ((nodes ?? []) as readonly string[]).entries())
      if (name === '' || /\s/.test(name))
        report('warning', name, 'a node or a node range; this is stored and names no node', 'nodes', index);
  },
  ClusterNodes({ names }, report) {
    if (((names ?? []) as readonly unknown[]).length === 0)
      report('unusable', 'an empty list', 'at least one node range', 'names');
  },
};
