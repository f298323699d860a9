import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { UsageError } from '../../command/failure.ts';
import { option } from '../../command/option.ts';
import { formatOption, outputOption, writeReport } from './write-report.ts';

export const compare = command('compare <workflow...>', {
  says: 'Compare two workflows, or two runs of one: time, memory, failures, requirements and files.',
  example: '1 2',
  more: 'Jobs are compared by families: those whose names differ only in numbers.\n\n  torc compare 1 2\n  torc compare 1 --runs 1,2\n  torc compare 1 2 -o compared.html',
  options: [option('--runs <two>', 'these two runs of one workflow: 1,2'), outputOption, formatOption],
  async run(context, [given], options) {
    const [first, second, ...others] = given;
    const runs = runsOf(options.runs);
    const isRight = runs === undefined ? second !== undefined && others.length === 0 : second === undefined;
    if (!isRight) throw new UsageError('give two workflows, or one workflow and --runs 1,2');
    const one = await chooseWorkflow(context, first);
    const other = runs === undefined ? await chooseWorkflow(context, second) : one;
    if (runs === undefined ? one === other : runs[0] === runs[1])
      throw new UsageError(`workflow ${one} would be compared with itself; --runs 1,2 compares two of its runs`);
    const { client } = await context.service();
    const { gatherSide } = await import('../../../operations/report/gather-side.ts');
    const { comparison } = await import('../../../core/report/compare.ts');
    const { comparisonDocument } = await import('../../../core/report/compare-document.ts');
    const compared = comparison([await gatherSide(client, one, runs?.[0]), await gatherSide(client, other, runs?.[1])]);
    await writeReport(context, { json: () => compared, document: () => comparisonDocument(compared) }, options);
  },
});

function runsOf(text: string | undefined): readonly [number, number] | undefined {
  if (text === undefined) return undefined;
  const [, first, second] = /^(\d+),(\d+)$/.exec(text.trim()) ?? [];
  if (first === undefined || second === undefined)
    throw new UsageError(`--runs: expected two numbers such as 1,2, found "${text}"`);
  return [Number(first), Number(second)];
}
