import { beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { wordsTo } from '../support/words.ts';
import { readProcesses } from '../support/processes.ts';

let folder: string;
let server: RunningServer;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  for (const name of ['first', 'second, with a comma']) await json('workflows', 'new', '--name', name);
});

const place = () => ({ cwd: folder, environment: { TORC_API_URL: server.url } });
const { call, json, items, csv } = wordsTo(() => server.url);

const names = async () =>
  (await items('workflows', 'list')).map(({ name, description }) => [name, description ?? null] as const);
const audited = () => items('admin', 'list-audit-log');

describe('SQL that reads', () => {
  it('SQL that reads answers rows with the columns of the statement', async () => {
    const select = 'select id, name from workflow order by id';
    const rows = [
      { id: 1, name: 'first' },
      { id: 2, name: 'second, with a comma' },
    ];
    expect(await json('admin', 'sql', select)).toEqual({ columns: ['id', 'name'], items: rows, committed: false });
    expect(await csv('admin', 'sql', select)).toEqual(['id,name', '1,first', '2,"second, with a comma"']);
    expect((await call('admin', 'sql', select)).stdout).toMatch(/^╭[^]*│ 1 +│ first +│[^]*\n\nTotal: 2 rows\n$/);
    expect((await call('admin', 'sql', `${select} limit 0`)).stdout).toBe('No rows.\n');
    expect(await json('admin', 'sql', select, '--limit', '1')).toMatchObject({ items: [rows[0]] });
  });

  it('changes nothing, and is not audited', async () => {
    const { code, stdout, stderr } = await call('admin', 'sql', "update workflow set name = 'x' where id = 1");
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Correct the statement.');
    expect(await names()).toContainEqual(['first', null]);
    expect(await audited()).toEqual([]);
  });
});

describe('SQL that changes', () => {
  const describeAs = (text: string) => `update workflow set description = '${text}' where id = 1`;

  it('SQL that changes says how many rows it would change and stops there without a terminal to ask on', async () => {
    const { code, stdout, stderr } = await torc(['admin', 'sql', '--write', describeAs('asked')], place());
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('This changes 1 row. Continue?');
    expect(stderr).toContain('Nothing was changed. Use --yes to continue without asking.');
    expect(await names()).toContainEqual(['first', null]);
    expect(await audited()).toEqual([]);
  });

  it('SQL that changes is carried out with --yes, as JSON, and stands in the audit log', async () => {
    expect((await call('admin', 'sql', '--write', '-y', describeAs('yes'))).stdout).toBe('Changed 1 row\n');
    expect(await json('admin', 'sql', '--write', describeAs('json'))).toEqual({
      columns: [],
      items: [],
      committed: true,
      rows_affected: 1,
    });
    expect(await names()).toContainEqual(['first', 'json']);
    const [newest, ...older] = await audited();
    expect(older).toHaveLength(1);
    expect(newest).toEqual({
      id: 2,
      user_name: expect.any(String),
      timestamp: expect.any(Number),
      sql_text: describeAs('json'),
      is_write: true,
      allow_full_table: false,
      committed: true,
      success: true,
      rows_affected: 1,
    });
    expect(await items('admin', 'list-audit-log', '--limit', '1')).toEqual([newest]);
    expect(await items('admin', 'list-audit-log', '--offset', '1')).toEqual(older);
    expect((await csv('admin', 'list-audit-log'))[0]).toBe('ID,Timestamp,User,SQL,Committed,Rows,Error');
  });

  it.each([
    [['delete from workflow'], 'allow_full_table'],
    [['drop table workflow'], 'DDL'],
    [["update workflow set nothing = 1 where name = 'x'"], 'Statement failed'],
  ])('SQL that changes is refused where it does harm or cannot be carried out: %j', async (words, why) => {
    const { code, stdout, stderr } = await call('-f', 'json', 'admin', 'sql', '--write', ...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
    expect(await names()).toHaveLength(2);
  });

  it('SQL that changes may concern every row when that is said', async () => {
    const sql = "update workflow set project = 'p'";
    expect(await json('admin', 'sql', '--write', '--allow-full-table', sql)).toMatchObject({ rows_affected: 2 });
    expect((await call('-f', 'csv', 'admin', 'sql', '--write', '--allow-full-table', sql)).code).toBe(1);
  });
});

describe('the requests of the server', () => {
  it('the requests of the server are counted by intervals, the newest first', async () => {
    const traffic = await json('admin', 'api-stats', '--window', '120', '--interval', '30');
    expect(traffic).toMatchObject({ window_seconds: 120, interval_seconds: 30, now_ms: expect.any(Number) });
    const buckets = traffic['buckets'] as { start_ms: number; request_count: number; status_2xx: number }[];
    expect(buckets.reduce((sum, { status_2xx: good }) => sum + good, 0)).toBeGreaterThan(0);
    expect(buckets.map(({ start_ms: at }) => at)).toEqual(
      buckets.map(({ start_ms: at }) => at).toSorted((one, other) => other - one),
    );
    expect(await json('admin', 'api-stats')).toMatchObject({ window_seconds: 3600, interval_seconds: 60 });
    expect((await csv('admin', 'api-stats'))[0]).toBe('Start,Requests,In,Out,2xx,4xx,5xx,Other');
    expect((await call('admin', 'api-stats', '--window', '0')).code).toBe(2);
  });

  /** What is printed of the creation of a group. */
  async function reportedOfGroup(name: string, ...flags: string[]): Promise<string> {
    const tail = start('torc', ['admin', 'tail-api', '--limit', '1', ...flags], place());
    await tail.says('Listening');
    await server.client.createAccessGroup({ body: { name } });
    const { code, stdout } = await tail.ended;
    expect(code).toBe(0);
    return stdout;
  }

  it('the requests of the server are shown as they come, with what was said in them when that is wanted', async () => {
    expect(await reportedOfGroup('line')).toMatch(/^\d{4}-\S+ \S+ \S+ 200 POST +\/access_groups [\d.]+ ms \S+\n$/);
    expect(await reportedOfGroup('lines', '--include-bodies')).toMatch(/ ms \S+\n {2}> {"name":"lines"}\n {2}< {"id":/);
    const heard = JSON.parse(await reportedOfGroup('json', '-f', 'json')) as object;
    expect(heard).toMatchObject({ method: 'POST', path: '/access_groups', status: 200 });
    expect(heard).not.toHaveProperty('request_body');
  });

  it('the requests of the server are shown until Ctrl-C', async () => {
    const tail = start('torc', ['admin', 'tail-api'], place());
    await tail.says('Listening');
    tail.child.kill('SIGINT');
    expect(await tail.ended).toMatchObject({ code: 0, signal: null, stdout: '' });
  });
});

it('users cannot be read anew by a server that was given none', async () => {
  const { code, stdout, stderr } = await call('-f', 'json', 'admin', 'reload-auth');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('No auth file configured');
});

it('a quick statement does not wait for endless ones, and these end with their server', async () => {
  const own = await startServer(temporaryFolder());
  const environment = { TORC_API_URL: own.url };
  const endless = 'with recursive n(i) as (values (1) union all select i + 1 from n) select count(*) from n';
  const cwd = folder;
  for (let count = 0; count < 2; count++) start('torc', ['admin', 'sql', endless], { cwd, environment });
  const serverPid = own.program.child.pid as number;
  const running = () => readProcesses().filter(({ parentPid }) => parentPid === serverPid);
  const statements = await until(running, ({ length }) => length === 2, 'two statements to run');
  const quick = await torc(['-f', 'json', 'admin', 'sql', 'select 1 as one'], { cwd, environment });
  expect([JSON.parse(quick.stdout), running().length]).toEqual([expect.objectContaining({ items: [{ one: 1 }] }), 2]);
  own.program.child.kill('SIGKILL');
  const pids = new Set(statements.map(({ pid }) => pid));
  await until(
    () => readProcesses().filter(({ pid }) => pids.has(pid)),
    ({ length }) => length === 0,
    'the statements to end with their server',
  );
});
