import { expect, it } from 'vitest';
import { createWorkflow } from '../../src/client/create-workflow.ts';
import { storedPlan } from '../../src/client/stored-plan.ts';
import { readSpec } from '../../src/core/workflow-file/read/read.ts';
import { each } from '../../src/core/lists/sequence.ts';
import { writeStored } from '../../src/core/workflow-file/write/write-stored.ts';
import { planned } from '../spec/reading.ts';
import { testService } from '../support/service.ts';

/**
 * What public reports say of other programs that write workflows as YAML: texts came back as numbers, truth values or other texts. Each row
 * names the report and the texts that were lost there; here they come back from both formats, and in YAML they have quotes, for readers with
 * other rules.
 */
it.each<[report: string, texts: readonly string[]]>([
  [
    'https://github.com/argoproj-labs/hera/issues/1607 (texts that look like numbers had no quotes)',
    ['1e-5', '1e3', '+1e3', '1E3', '0o17', '08', '+.5'],
  ],
  [
    'https://github.com/argoproj-labs/hera/issues/1597 (y and n became truth values)',
    ['y', 'n', 'Y', 'N', 'yes', 'no', 'on', 'off'],
  ],
  ['https://github.com/sql-machine-learning/sqlflow/issues/1766 (a variable false was none)', ['false', 'null', '~']],
  ['https://github.com/kislyuk/yq/issues/203 (0755 became 493)', ['0755', '0o755', '12:30:45']],
  [
    'https://github.com/OpenFn/lightning/pull/2510 (a name with a colon or a blank made the file invalid)',
    ['a: b', ' a', 'a ', '- a', '# a', '{a}', '[a]', '*a', '&a', '!a', '@a', '`a', '%a', '"a', "'a", 'a #b'],
  ],
])('%s', async (_report, texts) => {
  const { client } = testService();
  const of = {
    name: 'field',
    jobs: texts.map((text, index) => ({ name: `${index} ${text}`, command: text, env: { VALUE: text } })),
    user_data: [{ name: 'texts', data: texts }],
  };
  const options = { user: 'u', submissionDirectory: '/', monitorsJobs: true, mtimeOf: async () => undefined };
  const stored = await storedPlan(client, await createWorkflow(client, planned(of), options));
  for (const format of ['yaml', 'kdl'] as const) {
    const { text, notes, errors } = writeStored(stored, format);
    expect({ notes, errors }).toEqual({ notes: [], errors: [] });
    const { plan } = readSpec({ text, name: `field.${format}` }, { readFile: () => '' });
    const jobs = plan === undefined ? [] : [...each(plan.jobs)];
    expect(jobs.map(({ command, settings }) => [command, settings.env?.['VALUE']])).toEqual(
      texts.map((each) => [each, each]),
    );
    if (format === 'yaml') expect([...text.matchAll(/VALUE: ['"]/g)]).toHaveLength(texts.length);
  }
});
