import { counted, grouped, hoursText } from '../quantity/count-text.ts';
import { type Block, tableBlock } from './document.ts';
import type { WorkflowReport } from './workflow-report.ts';

/** A time stamp for people. */
export const stampText = (iso: string | null) => (iso === null ? '–' : `${iso.slice(0, 19).replace('T', ' ')} UTC`);

/** Says that a list goes on. */
export const leftOutBlock = (count: number, thing: string, things = `${thing}s`): Block[] =>
  count === 0 ? [] : [{ kind: 'text', text: `${counted(count, `more ${thing}`, `more ${things}`)} not shown.` }];

/** What the jobs took, and the CO₂ of it. */
export function energyText({ kwh, grams_co2: grams, source }: WorkflowReport['totals']['energy']): string {
  const carbon =
    grams === null ? '' : `, ${grams < 1000 ? `${hoursText(grams)} g` : `${hoursText(grams / 1000)} kg`} of CO₂`;
  const energy = kwh < 0.1 ? `${hoursText(kwh * 1000)} Wh` : `${hoursText(kwh)} kWh`;
  const by = { model: 'by a model', counters: 'counted', 'counters and model': 'counted, in part by a model' }[source];
  return `${energy} ${by}${carbon}`;
}

export function failureBlocks({ failures }: WorkflowReport): Block[] {
  return [
    ...failures.groups.flatMap((group): Block[] => {
      const names = group.first.map(({ job_name: name }) => name).join(', ');
      const more = group.jobs - group.first.length;
      const why = group.cause ?? `${group.status} with exit code ${group.return_code}`;
      return [
        {
          kind: 'text',
          text: `${counted(group.jobs, 'job')}: ${why} (${names}${more > 0 ? `, and ${grouped(more)} more` : ''})`,
          tone: 'bad',
        },
        ...(group.last_lines.length === 0
          ? []
          : [
              {
                kind: 'lines' as const,
                title: `The last lines of ${group.first[0]?.job_name ?? 'the first'}:`,
                lines: group.last_lines,
              },
            ]),
      ];
    }),
    ...leftOutBlock(failures.groups_left_out, 'group of failures', 'groups of failures'),
  ];
}

export function attemptBlocks({ attempts, totals }: WorkflowReport): Block[] {
  if (attempts.length === 0) return [];
  const lost = totals.core_hours.of_attempts_that_did_not_complete;
  return [
    tableBlock(
      'Attempts of all runs',
      ['End', '#Attempts', '#Core hours', '#GPU hours'],
      attempts.map(({ why, attempts: count, core_hours: hours, gpu_hours: gpus }) => [
        why,
        grouped(count),
        hoursText(hours),
        hoursText(gpus),
      ]),
    ),
    { kind: 'text', text: `${hoursText(lost)} core hours went into attempts that did not complete.` },
  ];
}

export function runnerBlocks({ runners, runners_left_out: leftOut }: WorkflowReport): Block[] {
  if (runners.length === 0) return [];
  const part = (used: number, paid: number | null) =>
    paid === null || paid === 0 ? '–' : `${Math.round((used / paid) * 100)} %`;
  return [
    tableBlock(
      'Core hours that runners had, and that their jobs asked for and used',
      ['Runner', 'Allocation', '#CPUs', '#GPUs', '#Attempts', '#Paid', '#Asked', '#Used', '#Used of paid'],
      runners.map(({ id, hostname, allocation, cpus, gpus, nodes, attempts, core_hours: hours }) => [
        `${hostname} (${id})`,
        allocation === null ? 'none' : `Slurm ${allocation}`,
        nodes > 1 ? `${nodes} × ${cpus}` : String(cpus),
        String(gpus),
        grouped(attempts),
        hours.paid === null ? 'runs' : hoursText(hours.paid),
        hoursText(hours.asked),
        hoursText(hours.used),
        part(hours.used, hours.paid),
      ]),
    ),
    ...leftOutBlock(leftOut, 'runner'),
  ];
}

export function energyBlocks({ totals: { energy, core_hours: hours } }: WorkflowReport): Block[] {
  const { model } = energy;
  const factor =
    model.grams_per_kwh === null
      ? 'No CO₂ is given, because --grams-per-kwh was not.'
      : `${model.grams_per_kwh} g of CO₂ a kWh were given.`;
  return [
    { kind: 'text', text: energyText(energy) },
    ...(energy.source === 'model'
      ? []
      : [
          {
            kind: 'text' as const,
            text: `${hoursText(energy.counted_kwh)} kWh were measured: by counters of processors and memory, shared out by CPU time, and as the power of GPUs while jobs used them.`,
          },
        ]),
    {
      kind: 'text',
      text: `The model: ${model.watts_per_core} W for a busy core, ${model.watts_per_gigabyte} W for a gigabyte of memory that was asked for, ${model.watts_per_gpu} W for a GPU that was asked for, times ${model.overhead} for the site. ${hours.not_measured > 0 ? `${hoursText(hours.not_measured)} core hours were not measured and count as busy. ` : ''}${factor}`,
    },
  ];
}

export function originBlocks({ file, versions, workflow, runners }: WorkflowReport): Block[] {
  const machines = [
    ...new Set(
      runners.map(
        ({ hostname, cpus, memory_gb: memory, gpus }) =>
          `${hostname}: ${counted(cpus, 'CPU')}, ${Math.round(memory)} GB, ${counted(gpus, 'GPU')}`,
      ),
    ),
  ];
  const MOST = 10;
  return [
    {
      kind: 'facts',
      items: [
        ['Torc', versions.torc === versions.server ? versions.torc : `${versions.torc}; its server ${versions.server}`],
        ['Created', stampText(workflow.created)],
        ['Run', String(workflow.run_id ?? 0)],
        ...machines.slice(0, MOST).map((each) => ['Machine', each] as const),
        ...(machines.length > MOST ? [['Machines', `${machines.length - MOST} more`] as const] : []),
        [
          'Workflow file',
          file === null ? 'not readable here' : `${file.path}, as it is now${file.is_cut ? ' (its beginning)' : ''}`,
        ],
      ],
    },
    ...(file === null ? [] : [{ kind: 'lines' as const, title: file.path, lines: file.text.split('\n') }]),
  ];
}
