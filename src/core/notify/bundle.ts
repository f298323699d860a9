import type { Digest } from './digest.ts';

/** Workflows that are named in a message about many. */
const MOST_NAMED = 20;

/** One message about many workflows: their jobs together, and what is found of the first ones. */
export function bundleOf(digests: readonly Digest[]): Digest {
  const [first] = digests as [Digest, ...Digest[]];
  if (digests.length === 1) return first;
  const named = digests
    .slice(0, MOST_NAMED)
    .flatMap(({ workflow: { name, id }, findings: [finding] }) =>
      finding === undefined
        ? []
        : [{ trigger: finding.trigger, sentence: `${name} (workflow ${id}): ${finding.sentence}` }],
    );
  const bad = digests.filter(({ jobs }) => jobs.failed + jobs.stopped > 0).length;
  const more = digests.length - named.length;
  const words = `${digests.length} messages at once${bad === 0 ? '' : `, ${bad} of them about jobs that did not complete`}`;
  const jobs = { ...first.jobs };
  for (const digest of digests.slice(1))
    for (const key of Object.keys(jobs) as (keyof typeof jobs)[]) jobs[key] += digest.jobs[key];
  return {
    ...first,
    workflow: { ...first.workflow, name: `${first.workflow.name} and others` },
    findings: [
      { trigger: first.trigger, sentence: words },
      ...named,
      ...(more > 0 ? [{ trigger: first.trigger, sentence: `and ${more} more` }] : []),
    ],
    jobs,
  };
}
