import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, from four minutes to half of one on two cores. Most of them wait for clocks of Slurm or for faults, beside
 * which others can work. Vitest knows no durations on a fresh machine and begins with the largest files: one of these, which
 * are small, was left alone at the end for two minutes.
 */
export const LONGEST = [
  'e2e/day-of-faults',
  'slurm/kills',
  'docs/pages-new-node',
  'slurm/nine-failures',
  'slurm/steps',
  'docs/pages-old-node',
  'e2e/offline',
  'slurm/trouble',
  'slurm/recovery',
  'slurm/ten-failures',
  'e2e/crash',
  'slurm/direct',
  'e2e/run',
  'e2e/retry',
  'slurm/control-groups',
  'e2e/monitor',
  'slurm/shapes',
  'slurm/submit',
  'slurm/batching',
  'e2e/page-timeline',
  'e2e/page-telemetry',
  'e2e/page-views',
  'e2e/attach',
  'slurm/submissions',
  'slurm/crash',
  'slurm/acceptance',
  'simulation/simulation',
  'e2e/hostile-bodies',
  'ssh/remote',
  'docs/examples',
  'e2e/corpus-run',
  'e2e/status',
  'e2e/stalls',
  'sonar/stores',
  'sonar/archive',
  'e2e/original-runner',
  'walls',
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
