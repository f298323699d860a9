import type { Draft } from '../link/draft.ts';
import type { Complain } from '../problems/problems.ts';
import { valueKindOf } from '../text/value.ts';

// torc writes these itself, from the scheduler's own fields.
const EXCLUDED = new Set(['partition', 'nodes', 'walltime', 'time', 'mem', 'gres', 'name', 'job-name']);

/** Rules for single settings of the workflow. */
export function checkSettings({ spec }: Draft, complain: Complain): void {
  const rounds = spec.dynamic_jobs?.max_iterations;
  if (rounds !== undefined && rounds < 1) {
    complain({
      code: 'DYNAMIC_JOBS_LIMIT',
      message: `dynamic_jobs.max_iterations must be >= 1 (got ${rounds}); leave it out for the server's own limit`,
      path: ['dynamic_jobs', 'max_iterations'],
      found: String(rounds),
      allowed: ['1 or more'],
    });
  }
  const defaults = Object.entries(spec.slurm_defaults ?? {});
  const excluded = defaults.map(([name]) => name).filter((name) => EXCLUDED.has(name.toLowerCase()));
  if (excluded.length > 0) {
    complain({
      code: 'SLURM_DEFAULT_EXCLUDED',
      message:
        `slurm_defaults contains excluded parameters managed by torc: ${excluded.join(', ')}. ` +
        'Set them in slurm_schedulers instead',
      path: ['slurm_defaults', excluded[0] ?? ''],
      atKey: true,
      found: excluded.join(', '),
    });
  }
  for (const [name, value] of defaults) {
    const kind = valueKindOf(value);
    if (kind !== 'list' && kind !== 'map' && kind !== 'null') continue;
    const message = `slurm_defaults '${name}' is no text, number or flag and is passed over`;
    complain({ code: 'SLURM_DEFAULT_SKIPPED', message, path: ['slurm_defaults', name], found: kind });
  }
}
