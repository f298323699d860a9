import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { start, startServer, temporaryFolder, torc } from '../support/programs.ts';

/** Names and messages that steer a terminal never reach one, wherever they come from. */

// eslint-disable-next-line no-control-regex
const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;
const EVIL = 'evil\u001b]0;owned\u0007\u001b[2J\u009b31m\r\u202e';

it('control characters in names of a server are harmless in tables, records, errors and questions; JSON has them as they are', async () => {
  const folder = temporaryFolder();
  const { url, client } = await startServer(folder);
  const { id } = await client.createWorkflow({ body: { name: EVIL, user: EVIL, description: EVIL } });
  const job = { workflow_id: id, name: EVIL, command: EVIL };
  const { id: jobId } = await client.createJob({ body: job });
  await client.createUserData({ body: { workflow_id: id, name: EVIL, data: { text: EVIL } } });
  const said = async (...words: string[]) => {
    const { stdout, stderr } = await torc(['--url', url, ...words], { cwd: folder, input: 'y\n' });
    return stdout + stderr;
  };
  const number = String(id);
  const calls = [
    ['workflows', 'list', '--all-users'],
    ['workflows', 'get', number],
    ['jobs', 'list', number],
    ['jobs', 'get', String(jobId)],
    ['user-data', 'list', number],
    ['status', number],
    ['workflows', 'list', '--user', EVIL],
    ['admin', 'sql', `select name as "${EVIL}" from job`],
    ['admin', 'sql', EVIL],
    ['-f', 'json', 'jobs', 'list', number],
    ['workflows', 'delete', number],
  ];
  for (const words of calls)
    expect([words[0], words[1], STEERS.test(await said(...words))]).toEqual([words[0], words[1], false]);

  const again = await client.createWorkflow({ body: { name: EVIL, user: 'u' } });
  const json = await torc(['--url', url, '-f', 'json', 'workflows', 'get', String(again.id)], { cwd: folder });
  expect(JSON.parse(json.stdout)).toMatchObject({ name: EVIL });
});

it('control characters in a workflow file and in the output of a job are harmless in errors, notices and the summary', async () => {
  const folder = temporaryFolder();
  const command = String.raw`printf 'x\033[2J\033]0;owned\007' >&2; exit 3`;
  writeFileSync(
    join(folder, 'w.json'),
    JSON.stringify({ name: 'evil\u001b[2J', jobs: [{ name: 'job\u001b[31m', command }] }),
  );
  const { stdout, stderr } = await torc(['-s', 'run', 'w.json'], { cwd: folder });
  expect(stderr).toContain(String.raw`job\u001b[31m`);
  expect(STEERS.test(stdout + stderr)).toBe(false);
  writeFileSync(join(folder, 'bad.json'), JSON.stringify({ name: 'w', 'key\u001b[2J': 1, jobs: [] }));
  const bad = await torc(['-s', 'create', 'bad.json'], { cwd: folder });
  expect(STEERS.test(bad.stdout + bad.stderr)).toBe(false);
});

it('control characters in a request are harmless in the log of the server', async () => {
  const folder = temporaryFolder();
  const program = start('torc-server', ['run', '--port', '0', '--database', 'evil\u001b[2J.db'], { cwd: folder });
  await program.says('Server ready');
  program.child.kill('SIGTERM');
  const { stderr } = await program.ended;
  expect(stderr).toContain(String.raw`evil\u001b[2J.db`);
  expect(STEERS.test(stderr)).toBe(false);
});
