import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dash } from '../../src/cli/commands/dash.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/dash.md'), 'utf8');

/** The rows of a table: the statement, the verdict, and what stands for it. */
const rowsOf = (table: string) =>
  ((page.split(`<!-- ${table} -->`)[1] as string).split(/^## /m)[0] as string)
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
const tables = ['options', 'routes', 'views', 'keys'];
const statements = (table: string) => rowsOf(table).map(([statement = '']) => statement);

/** As the tables of Torc 1.0.0 have them. */
const CLI =
  'create create-slurm validate run submit delete cancel reset-status execution-plan check-initialize initialize reinitialize sync-status recover run-stream export import read-file plot-resources list-resource-dbs slurm-parse-logs slurm-sacct hpc-profiles';
const OPTIONS =
  'port host socket api-url torc-bin torc-server-bin torc-mcp-server-bin standalone server-port server-host database completion-check-interval-secs tls-ca-cert tls-insecure llm-provider anthropic-* openai-* ollama-* github-token github-models-*';
const VIEWS =
  'Jobs,Running,Results,Events,Files,User Data,Resource Requirements,Schedulers,Compute Nodes,Scheduled Nodes,Slurm Stats,Resource Plots,AI Chat,Import';
const STORED = 'api-url dark-mode theme refresh-interval show-all-users job-logs-output-dir';

describe('the page about the dashboard of Torc 1.0', () => {
  it('the page about the dashboard has a verdict for every statement, and a reason for each that is left out', () => {
    for (const row of tables.flatMap(rowsOf)) {
      const [statement, verdict, here] = row;
      expect([statement, row.length, ['same', 'better', 'left out'].includes(verdict ?? '')]).toEqual([
        statement,
        3,
        true,
      ]);
      if (verdict !== 'same') expect([statement, here]).not.toEqual([statement, '']);
    }
  });

  it('the page about the dashboard names every option, route, view and stored value of Torc 1.0, each once', () => {
    for (const option of OPTIONS.split(' '))
      expect(statements('options').filter((each) => each === `\`--${option}\``)).toHaveLength(1);
    for (const route of CLI.split(' '))
      expect(statements('routes').filter((each) => each.endsWith(` /api/cli/${route}\``))).toHaveLength(1);
    for (const route of [
      'chat',
      'chat/configure',
      'chat/status',
      'server/start',
      'server/stop',
      'server/status',
      'version',
      'user',
    ])
      expect(statements('routes').filter((each) => each.endsWith(` /api/${route}\``))).toHaveLength(1);
    for (const view of VIEWS.split(',')) expect(statements('views').filter((each) => each === view)).toHaveLength(1);
    for (const stored of STORED.split(' '))
      expect(statements('keys').filter((each) => each.includes(`\`torc-${stored}\``))).toHaveLength(1);
  });

  it('an option without effect is accepted by the program, and left out on the page', () => {
    const left = rowsOf('options').flatMap(([statement = '', verdict]) =>
      verdict === 'left out' ? [/--([\w-]+?)(?:-\*)?`/.exec(statement)?.[1] ?? ''] : [],
    );
    const without = (dash.options ?? []).filter(({ says }) => says.startsWith('no effect'));
    const names = without.map(({ flags }) => /--([\w-]+)/.exec(flags)?.[1] ?? '');
    for (const name of names) expect(left.some((each) => name.startsWith(each))).toBe(true);
    for (const each of left) expect(names.some((name) => name.startsWith(each))).toBe(true);
  });
});
