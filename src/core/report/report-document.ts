import {
  attemptBlocks,
  energyBlocks,
  energyText,
  failureBlocks,
  leftOutBlock,
  stampText,
  originBlocks,
  runnerBlocks,
} from './cost-blocks.ts';
import { counted, grouped, hoursText } from '../quantity/count-text.ts';
import { sizeText } from '../quantity/size-text.ts';
import { timeText } from '../quantity/time-text.ts';
import { type Block, type ReportDocument, type ReportSection, tableBlock } from './document.ts';
import type { WorkflowReport } from './workflow-report.ts';

/** The report of workflows for people; of several, what they took together stands first. */
export function reportDocument(reports: readonly WorkflowReport[], leftOut: number): ReportDocument {
  const [only] = reports;
  const isOne = reports.length === 1 && only !== undefined;
  return {
    title: isOne ? titleOf(only) : `Report of ${counted(reports.length, 'workflow')}`,
    sections: [
      ...(isOne ? [] : [togetherSection(reports, leftOut)]),
      ...reports.flatMap((report) =>
        sectionsOf(report).map((section) =>
          isOne ? section : { ...section, title: `${titleOf(report)}: ${section.title}` },
        ),
      ),
    ],
  };
}

const titleOf = ({ workflow: { id, name } }: WorkflowReport) => `${name} (workflow ${id})`;

function togetherSection(reports: readonly WorkflowReport[], leftOut: number): ReportSection {
  return {
    title: 'Together',
    blocks: [
      tableBlock(
        'Workflows',
        ['Workflow', 'State', '#Jobs', '#Failed', '#Core hours', '#GPU hours', '#kWh', 'From'],
        reports.map((report) => [
          titleOf(report),
          report.verdict.state,
          grouped(report.verdict.jobs),
          grouped(report.verdict.failed),
          hoursText(report.totals.core_hours.asked),
          hoursText(report.totals.gpu_hours),
          hoursText(report.totals.energy.kwh),
          stampText(report.time.from),
        ]),
      ),
      ...leftOutBlock(leftOut, 'workflow'),
    ],
  };
}

const sectionsOf = (report: WorkflowReport): ReportSection[] =>
  [
    verdictSection(report),
    { title: 'Families of jobs', blocks: graphBlocks(report) },
    {
      title: 'Over time',
      blocks: report.timeline.running.length === 0 ? [] : [{ kind: 'timeline' as const, timeline: report.timeline }],
    },
    { title: 'Asked for and used', blocks: resourceBlocks(report) },
    { title: 'Who used most', blocks: mostBlocks(report) },
    { title: 'Failures', blocks: failureBlocks(report) },
    { title: 'Attempts and what they cost', blocks: attemptBlocks(report) },
    { title: 'Runners and allocations', blocks: runnerBlocks(report) },
    { title: 'Energy', blocks: report.time.attempts === 0 ? [] : energyBlocks(report) },
    { title: 'What was run', blocks: originBlocks(report) },
  ].filter(({ blocks }) => blocks.length > 0);

function verdictSection({ verdict, workflow, time, totals }: WorkflowReport): ReportSection {
  const parts = [
    `${grouped(verdict.completed)} of ${counted(verdict.jobs, 'job')} completed`,
    ...(
      [
        ['failed', verdict.failed],
        ['stopped', verdict.stopped],
        ['running', verdict.running],
        ['not run', verdict.not_run],
      ] as const
    ).flatMap(([word, count]) => (count === 0 ? [] : [`${grouped(count)} ${word}`])),
  ];
  const isGood = verdict.state === 'finished';
  const { paid, asked, used } = totals.core_hours;
  return {
    title: 'Verdict',
    blocks: [
      {
        kind: 'text',
        text: `${isGood ? 'Finished' : capital(verdict.state)}: ${parts.join(', ')}.`,
        ...(isGood ? { tone: 'good' as const } : verdict.failed > 0 ? { tone: 'bad' as const } : {}),
      },
      {
        kind: 'facts',
        items: [
          ...(workflow.description ? [['Description', workflow.description] as const] : []),
          ['User', workflow.user],
          ...(workflow.project ? [['Project', workflow.project] as const] : []),
          ['Last run from', stampText(time.from)],
          ['Last run to', stampText(time.to)],
          ['Wall time', `${timeText(time.wall_seconds)}, of all runs`],
          [
            'Attempts',
            `${grouped(time.attempts)}${time.repeated_attempts === 0 ? '' : `, ${grouped(time.repeated_attempts)} of them repeated later`}`,
          ],
          [
            'Core hours',
            `${hoursText(asked)} asked for, ${hoursText(used)} used${paid > 0 ? `, ${hoursText(paid)} paid for` : ''}`,
          ],
          ['GPU hours', hoursText(totals.gpu_hours)],
          ['Energy', energyText(totals.energy)],
        ],
      },
    ],
  };
}

const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function graphBlocks({ graph }: WorkflowReport): Block[] {
  if (graph.families.length === 0) return [];
  return [
    { kind: 'graph', graph },
    tableBlock(
      'Jobs by family',
      ['Family', '#Jobs', '#Completed', '#Failed', '#Stopped', '#Not run'],
      graph.families.map(({ name, jobs, completed, failed, stopped, not_run: left }) => [
        name,
        ...[jobs, completed, failed, stopped, left].map(grouped),
      ]),
    ),
    ...leftOutBlock(graph.families_left_out, 'family', 'families'),
  ];
}

function resourceBlocks({ resources }: WorkflowReport): Block[] {
  const { families, families_left_out: leftOut = 0, core_hours: hours } = resources;
  if (families.length === 0) return [];
  const both = (spread: { median: number; max: number } | undefined, text: (value: number) => string) =>
    spread === undefined ? '–' : `${text(spread.median)} / ${text(spread.max)}`;
  const cpus = (percent: number) => (percent / 100).toFixed(1);
  const hasGpus = families.some(({ gpu_memory_bytes: used }) => used !== undefined);
  const gpuMemory = ({ gpu_memory_bytes: used, gpu_memory_of_cards_bytes: cards }: (typeof families)[number]) =>
    `${both(used, sizeText)}${cards === undefined ? '' : ` of ${sizeText(cards)}`}`;
  const titles = ['Family', '#Jobs', '#Time', '#Memory', '#CPUs', '#Core hours', 'Asked', 'Advised'];
  const amounts = ({ num_cpus: count, memory, runtime }: (typeof families)[number]['asked']) =>
    [counted(count ?? 1, 'CPU'), memory, runtime].join(', ');
  return [
    tableBlock(
      'Median and maximum of what was used',
      [...titles.slice(0, 5), ...(hasGpus ? ['#GPU memory'] : []), ...titles.slice(5)],
      // Many short jobs may cost more than one long job.
      families
        .toSorted((one, other) => other.core_hours - one.core_hours)
        .map((family) => [
          family.name,
          grouped(family.jobs),
          both(family.seconds, timeText),
          both(family.memory_bytes, sizeText),
          both(family.cpu_percent, cpus),
          ...(hasGpus ? [gpuMemory(family)] : []),
          hoursText(family.core_hours),
          family.resource_requirements_name === 'default' ? 'nothing' : amounts(family.asked),
          family.unchanged_because === undefined ? amounts(family.advised) : `the same: ${family.unchanged_because}`,
        ]),
    ),
    {
      kind: 'text',
      text: families.every(({ unchanged_because: why }) => why !== undefined)
        ? 'There is nothing to change.'
        : `The advice ${hours.saved < 0 ? `costs ${hoursText(-hours.saved)} core hours more` : `saves ${hoursText(hours.saved)} core hours`}; torc workflows correct-resources --apply FILE writes it into the workflow file.`,
    },
    ...leftOutBlock(leftOut, 'family', 'families'),
  ];
}

function mostBlocks({ most }: WorkflowReport): Block[] {
  const list = (title: string, jobs: (typeof most)['seconds'], text: (value: number) => string): Block[] =>
    jobs.length === 0
      ? []
      : [
          tableBlock(
            title,
            ['Job', `#${title}`],
            jobs.map(({ job_name: name, job_id: id, amount }) => [`${name} (${id})`, text(amount)]),
          ),
        ];
  const blocks = [
    ...list('Memory', most.memory_bytes, sizeText),
    ...list('Time', most.seconds, timeText),
    ...list('Read and written', most.io_bytes, sizeText),
    ...list('Waiting', most.waiting_seconds, timeText),
  ];
  if (blocks.length > 0 && most.io_bytes.length === 0)
    blocks.push({
      kind: 'text',
      text: 'What was read and written is known of jobs that were steps of Slurm; here there are none.',
    });
  return blocks;
}
