import { type TimeMargins, marginsOf, usableSeconds, walltimeSum } from '../../allocation/usable-time.ts';
import { Refusal } from '../../contract/refusals.ts';
import { parseMemory } from '../../quantity/bytes.ts';
import { parseDuration } from '../../quantity/duration.ts';
import { parseGres } from '../../quantity/gres.ts';
import { parseWalltime } from '../../quantity/slurm-time.ts';
import type { Draft } from '../link/draft.ts';
import { aboutEach } from '../expand/instances.ts';
import type { SpecFamily } from '../expand/family.ts';
import { templateOf } from '../expand/template.ts';
import type { Complain } from '../problems/problems.ts';
import type { JobSpec, ResourceRequirementsSpec, SlurmSchedulerSpec } from '../shape/workflow.ts';
import { memoryAdvice, walltimeAdvice } from './unit-advice.ts';

/**
 * Checks whether jobs fit where they would run: a job longer than its scheduler's walltime is cut off, and none starts where headroom
 * and lead leave nothing of it.
 *
 * The results are warnings, because the user may know better; `create` asks, `--skip-checks` skips the check, and the
 * dry run counts them as errors.
 */
export function checkResourceValues({ spec, jobs }: Draft, complain: Complain): void {
  const offers = (spec.slurm_schedulers ?? []).flatMap((scheduler, index) => {
    const offer = offerOf(scheduler, (message, plain, field) =>
      complain({ code: 'RESOURCES_SHORT', message, plain, path: ['slurm_schedulers', index, field] }),
    );
    return scheduler.name === undefined ? [] : [offer];
  });
  if (offers.length === 0) return;
  const needs = new Map((spec.resource_requirements ?? []).map((record) => [record.name, needOf(record)]));
  const checker = new Fit(offers, marginsOf(spec.execution_config));
  for (const family of jobs.families.all) {
    const { resource_requirements: named } = family.spec;
    if (named === undefined || family.count === 0) continue;
    checkFamily(family, named, needs, checker, complain);
  }
}

function checkFamily(
  family: SpecFamily<JobSpec>,
  named: string,
  needs: ReadonlyMap<string, Need>,
  checker: Fit,
  complain: Complain,
): void {
  const requirements = templateOf(named, family.axes);
  const scheduler = family.spec.scheduler === undefined ? undefined : templateOf(family.spec.scheduler, family.axes);
  const isFixed = requirements.fixed !== undefined && (scheduler === undefined || scheduler.fixed !== undefined);
  for (let combination = 0; combination < (isFixed ? 1 : family.count); combination += 1) {
    const need = needs.get(requirements.render(combination));
    if (need === undefined) continue;
    for (const shortage of checker.shortages(need, scheduler?.render(combination))) {
      const about = isFixed ? aboutEach(family, shortage) : { message: shortage(family.name.render(combination)) };
      const field = scheduler === undefined ? 'resource_requirements' : 'scheduler';
      complain({ code: 'RESOURCES_SHORT', ...about, path: ['jobs', family.at, field] });
    }
  }
}

interface Need {
  readonly runtime: string;
  readonly memory: string;
  readonly gpus: number;
  readonly seconds: number | undefined;
  readonly memoryBytes: number | undefined;
}

interface Offer {
  readonly name: string;
  readonly walltime: string;
  readonly mem: string;
  readonly gres: string;
  readonly seconds: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly gpus: number | undefined;
}

// The default of a file without a runtime.
const STANDARD_RUNTIME = 'PT1H';
const STANDARD_WALLTIME = '01:00:00';

const needOf = ({ runtime = STANDARD_RUNTIME, memory, num_gpus: gpus = 0 }: ResourceRequirementsSpec): Need => ({
  runtime,
  memory,
  gpus,
  seconds: orNothing(() => parseDuration(runtime)),
  memoryBytes: orNothing(() => parseMemory(memory)),
});

function offerOf(
  scheduler: SlurmSchedulerSpec,
  report: (message: string, plain: string, field: string) => void,
): Offer {
  const { name = '', walltime = STANDARD_WALLTIME, mem, gres = '' } = scheduler;
  const seconds = orNothing(() => parseWalltime(walltime));
  if (seconds === undefined)
    report(`Scheduler '${name}': invalid walltime '${walltime}'`, walltimeAdvice('walltime', walltime), 'walltime');
  const memoryBytes = mem === undefined ? undefined : orNothing(() => parseMemory(mem));
  // An empty text is not a memory size, and sbatch would get `--mem=`; only an empty gres requests nothing, as in Torc.
  if (mem !== undefined && memoryBytes === undefined)
    report(`Scheduler '${name}': invalid mem '${mem}'`, memoryAdvice('mem', mem), 'mem');
  const gpus = gres === '' ? undefined : (parseGres(gres)?.count ?? 0);
  return { name, walltime, mem: mem ?? '', gres, seconds, memoryBytes, gpus };
}

function orNothing(read: () => number): number | undefined {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Refusal) return undefined;
    throw cause;
  }
}

/** Compares requirements and offers, each pair once. */
class Fit {
  private readonly known = new Map<Need, Map<string | undefined, readonly ((job: string) => string)[]>>();
  private readonly offers: readonly Offer[];
  private readonly margins: TimeMargins;

  constructor(offers: readonly Offer[], margins: TimeMargins) {
    this.offers = offers;
    this.margins = margins;
  }

  /** Sentences about a job with these requirements, bound to a scheduler or to none. */
  shortages(need: Need, scheduler: string | undefined): readonly ((job: string) => string)[] {
    const byScheduler = this.known.get(need) ?? new Map<string | undefined, readonly ((job: string) => string)[]>();
    this.known.set(need, byScheduler);
    const known =
      byScheduler.get(scheduler) ?? (scheduler === undefined ? this.unbound(need) : this.bound(need, scheduler));
    byScheduler.set(scheduler, known);
    return known;
  }

  private bound(need: Need, scheduler: string): ((job: string) => string)[] {
    const offer = this.offers.find(({ name }) => name === scheduler);
    if (offer === undefined) return [];
    return lacks(need, offer, this.margins).map(
      ({ asked, had }) =>
        (job) =>
          `Job '${job}': ${asked} exceeds scheduler '${offer.name}' ${had}`,
    );
  }

  private unbound(need: Need): ((job: string) => string)[] {
    const lacking = this.offers.map((offer) => ({ offer, lack: lacks(need, offer, this.margins) }));
    if (lacking.some(({ lack }) => lack.length === 0)) return [];
    const mismatches = lacking
      .map(({ offer, lack }) => `'${offer.name}': ${lack.map(({ short }) => short).join(', ')}`)
      .join('; ');
    const what = 'has no explicit scheduler and no scheduler can accommodate its resource requirements';
    return [(job) => `Job '${job}' ${what}. Mismatches: [${mismatches}]`];
  }
}

interface Lack {
  readonly asked: string;
  readonly had: string;
  readonly short: string;
}

function lacks(need: Need, offer: Offer, margins: TimeMargins): Lack[] {
  const found: Lack[] = [];
  if (need.seconds !== undefined && offer.seconds !== undefined && need.seconds > offer.seconds) {
    found.push({
      asked: `runtime '${need.runtime}' (${need.seconds} s)`,
      had: `walltime '${offer.walltime}' (${offer.seconds} s)`,
      short: `runtime ${need.seconds} s > walltime ${offer.seconds} s`,
    });
  } else if (need.seconds !== undefined && offer.seconds !== undefined && startsNothing(offer.seconds, margins)) {
    const sum = walltimeSum(need.seconds, margins);
    found.push({
      asked: `the time in which a job can start (${sum})`,
      had: `walltime '${offer.walltime}' (${offer.seconds} s)`,
      short: `${sum} > walltime ${offer.seconds} s`,
    });
  }
  if (need.memoryBytes !== undefined && offer.memoryBytes !== undefined && need.memoryBytes > offer.memoryBytes) {
    found.push({
      asked: `memory '${need.memory}'`,
      had: `mem '${offer.mem}'`,
      short: `memory ${need.memory} > mem ${offer.mem}`,
    });
  }
  if (offer.gpus !== undefined && need.gpus > offer.gpus) {
    found.push({
      asked: `num_gpus ${need.gpus}`,
      had: `gres '${offer.gres}'`,
      short: `num_gpus ${need.gpus} > gres ${offer.gres}`,
    });
  }
  return found;
}

/** Slurm rounds a walltime up to whole minutes, and a runner needs at least a second to start. */
function startsNothing(walltimeSeconds: number, margins: TimeMargins): boolean {
  const lengthSeconds = Math.ceil(walltimeSeconds / 60) * 60;
  return usableSeconds(margins, { lengthSeconds, leftSeconds: lengthSeconds - 1 }) === 0;
}
