import { describe, expect, it } from 'vitest';
import { call, json, items, csv, created, createGroup } from '../support/flows/small.ts';

describe('what is not there', () => {
  it.each([
    'files get 99',
    'files update 99 -n x',
    'files delete 99',
    'files list 99',
    'files create 99 -n f -p f',
    'files list-required-existing 99',
    'user-data get 99',
    'user-data delete 99',
    'user-data delete-all 99',
    'user-data list 99',
    'user-data list-missing 99',
    'user-data create 99 -n u',
    'events create 99 -d 1',
    'events list 99',
    'events get-latest-event 99',
    'events monitor 99',
    'events delete 99',
    'compute-nodes get 99',
    'compute-nodes list 99',
    'scheduled-compute-nodes get 99',
    'scheduled-compute-nodes list 99',
    'scheduled-compute-nodes list-jobs 99',
    'resource-requirements create 99 -n r',
    'resource-requirements get 99',
    'resource-requirements update 99 -n r',
    'resource-requirements delete 99',
    'resource-requirements list 99',
    'failure-handlers get 99',
    'failure-handlers list 99',
    'job-dependencies job-job 99',
    'job-dependencies job-file 99',
    'job-dependencies job-user-data 99',
    'results get 99',
    'results delete 99',
    'results list 99',
    'access-groups get 99',
    'access-groups delete 99',
    'access-groups list-members 99',
    'access-groups list-workflow-groups 99',
    'access-groups add-user 99 ann',
    'access-groups remove-user 99 ann',
    'access-groups add-workflow 1 99',
    'access-groups add-workflow 99 1',
    'access-groups remove-workflow 99 1',
    'ro-crate create 99 --entity-id e --entity-type File --metadata {}',
    'ro-crate get 99',
    'ro-crate update 99 --entity-type Dataset',
    'ro-crate delete 99',
    'ro-crate list 99',
    'tasks wait 99',
  ])('what is not there is refused beside the result, which stays empty: torc %s', async (words) => {
    for (const format of ['json', 'table']) {
      const { code, stdout, stderr } = await call('-f', format, ...words.split(' '));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^Error: (.* 99 was not found|Task not found) \(404\)\n/);
    }
  });
});

it('an event stream that is refused says why, and is not asked for again', async () => {
  const { code, stdout, stderr } = await call('events', 'monitor', '99');
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    'Error: workflow 99 was not found (404)\nThese are there: torc workflows list\n',
  ]);
});

describe('words that mean no command', () => {
  it.each([
    ['files create 1 -n f', "required option '-p, --path <path>' not specified"],
    ['files create 1 -p f', "required option '-n, --name <name>' not specified"],
    ['user-data create 1', "required option '-n, --name <name>' not specified"],
    ['user-data delete-all', "missing required argument 'workflow'"],
    ['user-data update 1 --ephemeral maybe', "argument 'maybe' is invalid"],
    ['events create 1', "required option '-d, --data <json>' not specified"],
    ['resource-requirements create 1 -n r --num-cpus 0', '--num-cpus: expected 1 or more, found 0'],
    ['ro-crate create 1 --entity-id e --entity-type File', "required option '--metadata <json>' not specified"],
    ['access-groups get', "missing required argument 'access-group'"],
    ['access-groups add-user 1', "missing required argument 'user'"],
    ['tasks wait 1 --timeout soon', '--timeout: expected a number, found "soon"'],
    ['scheduled-compute-nodes list-jobs', "missing required argument 'id'"],
  ])('words without a meaning are a usage error: torc %s', async (words, why) => {
    const { code, stdout, stderr } = await call(...words.split(' '));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(why);
  });

  it.each([
    ['files update 1', 'nothing to change: give --name or --path'],
    ['user-data update 1', 'nothing to change: give --data, --name or --ephemeral'],
    ['resource-requirements update 1', 'nothing to change: give --name, --num-cpus'],
    ['ro-crate update 1', 'nothing to change: give --entity-id'],
    ['user-data create 1 -n u -d text', '--data is not JSON'],
    ['events create 1 -d {', '--data is not JSON'],
    ['ro-crate create 1 --entity-id e --entity-type File --metadata [1]', '--metadata must be a JSON object'],
    ['files list', 'a workflow ID is required when stdin is not a terminal'],
  ])('words without a meaning are explained: torc %s', async (words, why) => {
    const { code, stdout, stderr } = await call(...words.split(' '));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
  });
});

describe('a table', () => {
  it.each([
    ['files list 1', 'ID,Name,Path,Modified Time,Size (B),Made By,Read By'],
    ['files list-required-existing 1', 'ID,Name,Path,Modified Time'],
    ['user-data list 1', 'ID,Name,Ephemeral,Data Preview'],
    ['user-data list-missing 1', 'ID,Name,Ephemeral,Data Preview'],
    ['events list 1', 'Timestamp,Level,Event Type,Data'],
    [
      'compute-nodes list 1',
      'ID,Hostname,Scheduler,Scheduler Job ID,Labels,PID,CPUs,Memory (GB),GPUs,Active,Start Time,Duration,CPU peak/avg,Mem peak/avg',
    ],
    ['scheduled-compute-nodes list 1', 'ID,Scheduler ID,Config ID,Type,Status'],
    ['resource-requirements list 1', 'ID,Name,CPUs,GPUs,Nodes,Memory,Runtime'],
    ['failure-handlers list 1', 'ID,Name,Rules'],
    ['job-dependencies job-job 1', 'Job ID,Job Name,Blocked By Job ID,Blocked By Job Name'],
    [
      'job-dependencies job-file 1',
      'File ID,File Name,Producer Job ID,Producer Job Name,Consumer Job ID,Consumer Job Name',
    ],
    [
      'job-dependencies job-user-data 1',
      'User Data ID,User Data Name,Producer Job ID,Producer Job Name,Consumer Job ID,Consumer Job Name',
    ],
    ['ro-crate list 1', 'ID,Entity ID,Type,File ID'],
    ['access-groups list', 'ID,Name,Description,Created'],
    ['access-groups list-user-groups ann', 'ID,Name,Description,Created'],
    ['access-groups list-workflow-groups 1', 'ID,Name,Description,Created'],
  ])('a table has its columns, in CSV too: torc %s', async (words, header) => {
    expect((await csv(...words.split(' ')))[0]).toBe(header);
  });

  it('a table of members has whom, as what, since when', async () => {
    const group = await createGroup('of members');
    expect((await csv('access-groups', 'list-members', group))[0]).toBe('User,Role,Added');
  });

  it.each([
    ['files list', 'No files found for workflow ID: N'],
    ['files list-required-existing', 'No required existing files found for workflow ID: N'],
    ['user-data list', 'No user data found for workflow ID: N'],
    ['user-data list-missing', 'No missing user data found for workflow ID: N'],
    ['events list', 'No events found for workflow ID: N'],
    ['events get-latest-event', 'No events found for workflow ID: N'],
    ['compute-nodes list', 'No compute nodes found for workflow ID: N'],
    ['scheduled-compute-nodes list', 'No scheduled compute nodes found for workflow ID: N'],
    ['failure-handlers list', 'No failure handlers found for workflow ID: N'],
    ['job-dependencies job-job', 'No job dependencies found for workflow ID: N'],
    ['ro-crate list', 'No RO-Crate entities found for workflow ID: N'],
    ['access-groups list-workflow-groups', 'No access groups found for workflow ID: N'],
  ])('a table says in words that there is nothing, where there is nothing: torc %s', async (words, text) => {
    const nothing = await created('workflows', 'new', '--name', 'nothing');
    expect((await call(...words.split(' '), nothing)).stdout).toBe(`${text.replace(/N$/, nothing)}\n`);
  });

  it('a table ends with how many there are', async () => {
    expect((await call('files', 'list', '1')).stdout).toMatch(/^Files for workflow 1:\n╭[^]*╯\n\nTotal: 2 files\n$/);
    expect((await call('user-data', 'list', '1')).stdout).toMatch(/Total: 1 user data record\n$/);
  });
});

describe('what is one record', () => {
  /** Everything that the words below would change. */
  async function everything() {
    const lists = ['files', 'user-data', 'events', 'resource-requirements', 'results', 'ro-crate'];
    const rows = [];
    for (const group of lists) rows.push(await items(group, 'list', '1'));
    return [...rows, await items('access-groups', 'list'), await items('workflows', 'list')];
  }

  it('what is one record is refused as CSV, before anything is changed', async () => {
    await createGroup('kept');
    const before = await everything();
    for (const words of [
      'files create 1 -n f -p f',
      'files get 1',
      'files update 1 -n other',
      'files delete 1',
      'user-data create 1 -n u',
      'user-data get 1',
      'user-data delete 1',
      'user-data delete-all 1 --no-prompts',
      'events create 1 -d 1',
      'events get-latest-event 1',
      'events delete 1',
      'compute-nodes get 1',
      'resource-requirements create 1 -n r',
      'resource-requirements get 1',
      'resource-requirements update 1 -n r',
      'resource-requirements delete 1',
      'failure-handlers get 1',
      'results delete 1',
      'access-groups create csv',
      'access-groups delete 1',
      'access-groups add-workflow 1 1',
      'ro-crate create 1 --entity-id e --entity-type File --metadata {}',
      'delete 1 --no-prompts',
    ]) {
      const { code, stdout, stderr } = await call('-f', 'csv', ...words.split(' '));
      expect([words, code, stdout]).toEqual([words, 1, '']);
      expect(stderr).toContain('csv format is only supported for list commands');
    }
    expect(await everything()).toEqual(before);
  });

  it.each(['files', 'resource-requirements', 'failure-handlers'])(
    'is as JSON what its list shows: torc %s get',
    async (group) => {
      // A list of files says more: their sizes, and the jobs that make and read them.
      const [{ size_bytes: _size, made_by: _makers, read_by: _readers, ...row } = {}] = await items(group, 'list', '1');
      expect(await json(group, 'get', String(row['id']))).toEqual(row);
    },
  );

  it('what is one record is shown field by field otherwise', async () => {
    expect((await call('files', 'get', '2')).stdout).toMatch(
      /^File 2:\n {2}id: 2\n {2}workflow_id: 1\n {2}name: given\n {2}path: given\.txt\n {2}st_mtime: [\d.]+\n$/,
    );
  });
});
