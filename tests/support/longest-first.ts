import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, from two minutes to a quarter of one on two cores. Most of them wait for clocks of Slurm and PBS or for faults, beside
 * which others can work. Vitest knows no durations on a fresh machine and begins with the largest files: one of these, which
 * are small, was left alone at the end for two minutes.
 */
export const LONGEST = [
  'slurm/kills',
  'pbs/kills',
  'docs/pages-new-node',
  'slurm/nine-failures',
  'slurm/steps',
  'pbs/evidence',
  'slurm/workflows',
  'docs/pages-old-node',
  'e2e/offline',
  'slurm/recovery',
  'slurm/ten-failures',
  'ssh/remote',
  'slurm/trouble',
  'slurm/direct',
  'pbs/preemption',
  'slurm/submit',
  'e2e/day-of-faults',
  'sonar/archive',
  'e2e/attach',
  'e2e/original-runner',
  'e2e/page-timeline',
  'slurm/control-groups',
  'e2e/temporary-files',
  'e2e/only',
  'release/self-update',
  'walls',
  'e2e/tui',
  'e2e/machine-share',
  'e2e/history',
  'e2e/what-runs',
  'e2e/damaged-database',
  'e2e/slices',
  'field/make/shapes',
  'contract/bad-fields',
  'e2e/prepared-files',
  'e2e/monitor',
  'slurm/batching',
  'pbs/nodes',
  'pbs/workflows',
  'slurm/crash',
  'e2e/page-views',
  'sonar/stores',
  'contract/logins',
  'slurm/shapes',
  'pbs/shapes',
  'e2e/slurm-runner',
  'e2e/run',
  'slurm/acceptance',
  'e2e/crash',
  'e2e/retry',
  'e2e/sonar-records',
  'e2e/recover',
  'slurm/page',
  'e2e/update',
  'e2e/page-telemetry',
  'slurm/submissions',
  'e2e/hostile-bodies',
  'simulation/simulation',
  'e2e/corpus-run',
];

/** Long files first, short ones last: files that share a process take milliseconds, and stand together as long as they share it. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId, project }: TestSpecification): number => {
      if (!project.config.isolate) return LONGEST.length + 1;
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/tests/${name}.test.ts`));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other));
  }
}
