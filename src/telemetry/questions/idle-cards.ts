import { SLICED_MODE } from '../../core/contract/sonar/conventions.ts';
import { firstLabelOf, nodesIn } from '../../core/contract/sonar/node-range.ts';
import type { TelemetryReportLine } from '../../core/contract/telemetry.ts';
import { storedJson } from '../store/rows/cells.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';
import type { AnswerOf } from '../answers.ts';
import { jobLineOf } from './job-line.ts';
import { jobsOf } from './jobs.ts';

type TelemetryLine = AnswerOf<typeof TelemetryReportLine, 'memoryKb' | 'gpuMemoryKb'>;

/** A card is idle below this average, and only a job that had it for this long is listed. */
const IDLE_PERCENT = 5;
const IDLE_SECONDS = 1800;

/** Jobs whose cards do little on average, and those that Slurm gave cards which no process of theirs was seen on. */
export async function idleCards(source: TelemetryRows, window: AskedWindow) {
  const jobs = await jobsOf(source, window);
  const cardsText = (count: number) => `${count} card${count === 1 ? '' : 's'}`;
  const mayBeIdle = jobs.filter(
    ({ cards, gpuPercent, first, last }) =>
      cards.length > 0 && last - first >= IDLE_SECONDS && gpuPercent / cards.length < IDLE_PERCENT,
  );
  const unreported = mayBeIdle.length === 0 ? new Set<string>() : await unreportedCards(source, window);
  const idle: TelemetryLine[] = mayBeIdle.flatMap((job) => {
    const percent = job.gpuPercent / job.cards.length;
    if (job.cards.some((uuid) => unreported.has(`${job.cluster} ${uuid}`))) return [];
    const reason = `${cardsText(job.cards.length)}, used to ${percent.toFixed(1)} %`;
    return [{ ...jobLineOf(job), gpuMemoryKb: job.peakGpuMemoryKb, percent, reason }];
  });
  const withCards = new Set(
    jobs.flatMap(({ cluster, job, epoch, cards }) => (epoch === 0 && cards.length > 0 ? [`${cluster} ${job}`] : [])),
  );
  const sampled = new Set(
    [...(await source.firstSamples(window)).keys()].map((key) => {
      const [cluster = '', node = ''] = key.split(' ');
      return `${cluster} ${firstLabelOf(node)}`;
    }),
  );
  for (const job of await source.slurmJobs(window)) {
    if (window.user !== undefined && job.user !== window.user) continue;
    const fields = storedJson(job.fields) as Readonly<Record<string, readonly unknown[]>>;
    const text = fields['allocated_resources']?.[2];
    const cards = Number(/\bgres\/gpu=(\d+)/.exec(typeof text === 'string' ? text : '')?.[1] ?? 0);
    const [first, last] = [Math.max(job.start ?? Infinity, window.from), Math.min(job.end ?? job.seen, window.until)];
    const ranges = fields['nodes']?.[2];
    const nodes = nodesIn(Array.isArray(ranges) ? ranges.map(String) : []);
    // For a node that sends no samples it is unknown what uses its cards.
    const isKnown = nodes.some((node) => sampled.has(`${job.cluster} ${firstLabelOf(node)}`));
    if (cards === 0 || last - first < IDLE_SECONDS || !isKnown || withCards.has(`${job.cluster} ${job.job}`)) continue;
    idle.push({
      cluster: job.cluster,
      subject: `job ${job.job}`,
      user: job.user,
      node: nodes.join(','),
      first,
      last,
      percent: 0,
      reason: `${cardsText(cards)} allocated, no process on any`,
    });
  }
  return idle;
}

/**
 * Cards of which it is unknown what a process uses: those in slices, and those that report use of their own and never that of a process, as
 * Intel's.
 */
async function unreportedCards(source: TelemetryRows, window: AskedWindow): Promise<ReadonlySet<string>> {
  const everyone = { ...window, user: undefined };
  const cards = new Map<string, { isSliced: boolean; percent: number; samples: number }>();
  for await (const states of source.cardSamples(everyone))
    for (const { cluster, uuid, computeMode, utilPercent } of states) {
      const key = `${cluster} ${uuid}`;
      const held = cards.get(key) ?? { isSliced: false, percent: 0, samples: 0 };
      held.isSliced ||= computeMode === SLICED_MODE;
      held.percent += Number(utilPercent);
      held.samples += 1;
      cards.set(key, held);
    }
  const withUses = new Set<string>();
  for await (const uses of source.processCards(everyone))
    for (const { cluster, uuid, utilPercent } of uses) if (utilPercent > 0) withUses.add(`${cluster} ${uuid}`);
  return new Set(
    [...cards].flatMap(([key, { isSliced, percent, samples }]) =>
      isSliced || (percent / samples >= IDLE_PERCENT && !withUses.has(key)) ? [key] : [],
    ),
  );
}
