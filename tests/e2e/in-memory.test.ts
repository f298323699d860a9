import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, torc } from '../support/programs.ts';

interface Place {
  readonly folder: string;
  /** Runs `torc -s` with these words in the folder. */
  readonly standalone: (...words: string[]) => ReturnType<typeof torc>;
}

/** A folder with a workflow of one job. */
function placeWith(command: string): Place {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.json'), JSON.stringify({ name: 'flow', jobs: [{ name: 'only', command }] }));
  return { folder, standalone: (...words) => torc(['-s', ...words], { cwd: folder }) };
}

/** Names and statuses of the jobs in a database. */
async function jobsIn({ standalone }: Place, ...database: string[]): Promise<string[][]> {
  const { stdout } = await standalone(...database, '-f', 'json', 'jobs', 'list', '1');
  const { items } = JSON.parse(stdout) as { items: { name: string; status: string }[] };
  return items.map(({ name, status }) => [name, status]);
}

const printed = ({ folder }: Place) =>
  readFileSync(join(folder, 'torc_output/job_stdio/job_wf1_j1_r1_a1.o'), 'utf8').split('\n');

describe('a run with its database in memory', () => {
  it('a run with its database in memory leaves a whole copy at --db when it ends, and only the address of its server while it runs', async () => {
    const place = placeWith('ls');
    const { code, stderr } = await place.standalone('--db', 'copy.db', '--in-memory', 'run', 'flow.json');
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Started standalone torc-server on \S+ \(db: :memory:\)$/m);
    expect(printed(place)).toEqual(['copy.db-server', 'flow.json', 'torc_output', '']);
    expect(readdirSync(place.folder).sort()).toEqual(['copy.db', 'flow.json', 'torc_output']);
    expect(await jobsIn(place, '--db', 'copy.db')).toEqual([['only', 'completed']]);
    const { stdout } = await place.standalone('--db', 'copy.db', '-f', 'json', 'results', 'list', '1');
    expect(JSON.parse(stdout)).toEqual({ items: [expect.objectContaining({ job_name: 'only', return_code: 0 })] });
  });

  it('a run with its database in memory looks like one on disk to later commands: its copy is the database that they find', async () => {
    const place = placeWith('true');
    await place.standalone('--in-memory', 'run', 'flow.json');
    expect(await jobsIn(place)).toEqual([['only', 'completed']]);
    expect((await place.standalone('run', 'flow.json')).stderr).toContain('Created workflow 2');
  });

  it('a run with its database in memory leaves one copy, the newest, however many it made', async () => {
    const place = placeWith('true');
    await place.standalone('--db', 'copy.db', '--in-memory', 'exec', '-n', 'older', '-c', 'true');
    const { stderr } = await place.standalone('--db', 'copy.db', '--in-memory', 'exec', '-n', 'newer', '-c', 'true');
    expect(stderr).toContain(
      'copy.db exists and will be replaced by the copy of this run; name another --db to keep it',
    );
    expect(readdirSync(place.folder).sort()).toEqual(['copy.db', 'flow.json', 'torc_output']);
    const { stdout } = await place.standalone('--db', 'copy.db', '-f', 'json', 'workflows', 'list');
    expect(JSON.parse(stdout)).toEqual({ items: [expect.objectContaining({ name: 'newer' })] });
  });

  it('a run with its database in memory copies while it runs as well, when an interval is given: each copy is whole', async () => {
    const place = placeWith('sleep 0.2; rm -f copy.db; until test -e copy.db; do sleep 0.05; done; cp copy.db seen.db');
    const words = ['--db', 'copy.db', '--in-memory', '--snapshot-interval-seconds', '1', 'run', 'flow.json'];
    expect((await place.standalone(...words)).code).toBe(0);
    expect(await jobsIn(place, '--db', 'seen.db')).toEqual([['only', 'running']]);
    expect(await jobsIn(place, '--db', 'copy.db')).toEqual([['only', 'completed']]);
  });

  it('a run with its database in memory keeps what was done when it is stopped before its end', async () => {
    const place = placeWith('kill -INT $(ps -o ppid= -p $$) || true; exec sleep 600');
    const { code } = await place.standalone('--db', 'copy.db', '--in-memory', 'run', 'flow.json');
    expect(code).toBe(130);
    expect(await jobsIn(place, '--db', 'copy.db')).toEqual([['only', 'terminated']]);
  });
});

describe('a database in memory', () => {
  it('a database in memory is for commands that run something: others would put an empty one in the place of what they look at', async () => {
    const place = placeWith('true');
    await place.standalone('--db', 'copy.db', '--in-memory', 'run', 'flow.json');
    const { code, stdout, stderr } = await place.standalone('--db', 'copy.db', '--in-memory', 'jobs', 'list', '1');
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'Error: --in-memory is only supported with --standalone (-s), by the commands run and exec\n',
    ]);
    expect(await jobsIn(place, '--db', 'copy.db')).toEqual([['only', 'completed']]);
  });

  it.each([
    [['--in-memory', 'run', 'flow.json'], '--in-memory is only supported with --standalone (-s)'],
    [['-s', '--snapshot-interval-seconds', '1', 'run', 'flow.json'], '--snapshot-interval-seconds needs --in-memory'],
    [
      ['-s', '--in-memory', '--snapshot-interval-seconds', '0', 'run', 'flow.json'],
      '--snapshot-interval-seconds: expected 1 or more, found 0',
    ],
  ])('a database in memory is refused where it makes no sense: torc %j', async (words, why) => {
    const { folder } = placeWith('touch ran');
    const { code, stderr } = await torc(words, { cwd: folder });
    expect(code).toBe(1);
    expect(stderr).toContain(`Error: ${why}`);
    expect(readdirSync(folder)).toEqual(['flow.json']);
  });
});
