import { counted } from '../../../core/quantity/count-text.ts';
import { alikeOf } from '../../../core/text/alike.ts';
import { printableLine } from '../../../core/text/printable.ts';
import type { LeftJob, NotMade } from '../../../core/lifecycle/rerun/adoption.ts';
import { adopt } from '../../../operations/run/adopt.ts';
import { initialize } from '../../../operations/run/initialize.ts';
import { refuseWithoutChoices } from '../../../operations/update/choice.ts';
import { UsageError } from '../../command/failure.ts';
import type { Context } from '../../command/context.ts';
import { tableOf } from '../../output/table.ts';

interface TouchOptions {
  readonly only?: readonly string[] | undefined;
  readonly dryRun?: boolean | undefined;
  readonly outputDir: string;
}

/** Takes jobs as made whose outputs are there, and names those that have to run all the same. */
export async function touchWorkflow(
  { service, output, hint }: Context,
  id: number,
  { only, dryRun: isDryRun = false, outputDir }: TouchOptions,
): Promise<void> {
  const { client } = await service();
  await refuseWithoutChoices(client);
  const { is_uninitialized: isFresh } = await client.isUninitialized({ params: { id } });
  if (isFresh && isDryRun)
    throw new UsageError(`--touch --dry-run needs a workflow that was initialized: torc workflows init ${id}`);
  // Its outputs are there, and stay as they are.
  if (isFresh && !isDryRun) await initialize(client, id, { force: false, report: () => {} });
  const workflow = { ...(await client.getWorkflow({ params: { id } })), id };
  const { adopted, left } = await adopt(client, workflow, { only, isDryRun, outputDir });
  const took = `${counted(adopted.length, 'job')} ${isDryRun ? 'would be' : adopted.length === 1 ? 'was' : 'were'} taken as made: ${adopted.length === 1 ? 'it counts' : 'they count'} as completed and did not run`;
  const text = [
    adopted.length === 0 ? 'No job was taken as made.' : `${took}.`,
    ...(left.length === 0
      ? []
      : [
          `${counted(left.length, 'job')} ${left.length === 1 ? 'is' : 'are'} left to run:`,
          tableOfLeft(left, output.width),
          `To run ${left.length === 1 ? 'it' : 'them'}: ${hint(`torc run ${id} --update`)}`,
        ]),
  ].join('\n');
  output.record('touch', { workflow_id: id, dry_run: isDryRun, taken_as_made: adopted.length, left }, text);
}

function tableOfLeft(left: readonly LeftJob[], width: number): string {
  const families = alikeOf(
    left,
    ({ job_name: name }) => name,
    ({ reason }) => whyText(reason),
  );
  return tableOf(
    [
      { title: 'Jobs', value: ({ items }) => items.length, align: 'right', importance: 7 },
      { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
      { title: 'Why', value: ({ text }) => text, cut: 'end', importance: 8 },
    ],
    families,
    width,
  ).text;
}

function whyText(reason: NotMade): string {
  switch (reason.kind) {
    case 'missing':
      return `${printableLine(reason.file)} is missing`;
    case 'no outputs':
      return 'it declares no outputs';
    case 'job':
      return `waits for ${printableLine(reason.job_name)}`;
  }
}
