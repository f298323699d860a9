import { type Amounts, licensesFault } from '../../core/job/amounts.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import type { Report } from '../conversion.ts';
import type { ResolvedJob } from './dry-run.ts';
import type { ResourceLimits } from './limits.ts';
import { gpusOf, isOfItsOwn } from './requirements.ts';
import type { WrittenRule } from './rules.ts';

type Place = readonly [line: number | undefined, file: string | undefined];

interface Licenses {
  /** What a job holds; undefined for nothing. The later attempts of the job may need more. */
  readonly heldBy: (
    job: ResolvedJob,
    later: readonly ResolvedJob[],
    rule: WrittenRule | undefined,
  ) => Amounts | undefined;
  /** The limits of the workflow, when all jobs were asked for. */
  readonly limits: () => Amounts;
}

/**
 * Resources of one's own, which Snakemake counts where `--resources` limits them, as licenses of jobs and limits of the workflow.
 *
 * Space on a disk is one of them only where it is limited, because each rule has a default of it. Memory is none: a runner counts it
 * for its machine.
 */
export function licensesOfJobs(limits: ResourceLimits, report: Report): Licenses {
  /** Where each name is first held. */
  const held = new Map<string, Place>();
  let hasGpus = false;
  return {
    heldBy(job, later, rule) {
      const at: Place = [rule?.line, rule?.file];
      const attempts = [job, ...later];
      hasGpus ||= gpusOf(job) !== undefined;
      let amounts: Amounts = {};
      for (const [name, value] of [...job.resources].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const found = `the resource ${name} of rule ${job.rule}`;
        if (name === 'disk_mb' && !limits.has(name)) report.note(found, 'torc does not count disk space', ...at);
        else if (name === 'disk_mb' || isOfItsOwn(job, name)) {
          const values = attempts.map(({ resources }) => numberIn(resources.get(name) ?? '0'));
          const amount = greatest(values);
          if (value === '<TBD>')
            report.leaveOut(found, 'it is known when the inputs of the job are there: write it into the file', ...at);
          else if (values.includes(Number.NaN))
            report.leaveOut(found, `${value} is no whole number, and no other amount is counted`, ...at);
          else if (amount > 0) {
            // Snakemake gives a job at most what there is.
            const more = { ...amounts, [name]: Math.min(amount, limits.get(name) ?? amount) };
            const fault = licensesFault(more);
            if (fault !== undefined) report.leaveOut(found, fault, ...at);
            else if (more[name] !== 0) {
              amounts = more;
              if (!held.has(name)) held.set(name, at);
              if (values.some((each) => each !== amount))
                report.note(`${found} by attempt`, 'each attempt holds the most of them', ...at);
            }
          }
        }
      }
      return Object.keys(amounts).length === 0 ? undefined : amounts;
    },
    limits() {
      for (const [name, at] of held)
        if (!limits.has(name))
          report.note(
            `the resource ${name}`,
            `jobs hold it as a license, and neither a profile nor the Snakefile limits it: for --resources ${name}=N write limits: { ${name}: N } into the file`,
            ...at,
          );
      const known = [...limits].flatMap(([name, limit]) => {
        if (GPUS.test(name)) return hasGpus && limit > 0 ? [['gpus', limit] as const] : [];
        if (held.has(name)) return [[name, limit] as const];
        if (MEMORY.test(name))
          report.note(`resources: ${name}=${limit}`, 'a runner counts the memory of its machine: torc run --memory-gb');
        return [];
      });
      return Object.fromEntries(known);
    },
  };
}

const numberIn = (text: string): number => (/^\d+$/.test(text) ? Number(text) : Number.NaN);

const GPUS = /^(?:gpus?|nvidia_gpu)$/;
const MEMORY = /^mem(?:_mi?b)?$/;
