import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { httpReceiver } from '../support/receivers.ts';

/** Names an address by what must not be found anywhere. */
const SECRET = 'Xq7-s3cret-path';

/** A folder with workflows and a configuration of its own. */
function place(receivers: string) {
  const folder = temporaryFolder();
  const config = join(folder, 'config');
  mkdirSync(join(config, 'torc'), { recursive: true });
  writeFileSync(join(config, 'torc/config.toml'), receivers);
  const flow = (name: string, jobs: readonly object[]) => {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ name, jobs }));
    return `${name}.json`;
  };
  const environment = { XDG_CONFIG_HOME: config, XDG_STATE_HOME: join(folder, 'state'), HOOK_SECRET: 'hush-hush' };
  const at = { cwd: folder, environment };
  return { folder, flow, environment, at, run: (...words: string[]) => torc(words, at) };
}

/** The files of a folder that have one of these texts. */
const filesWith = (folder: string, texts: readonly string[]): string[] =>
  globSync('**/*', { cwd: folder, exclude: (name) => name === 'config' }).filter((path) => {
    const whole = join(folder, path);
    return statSync(whole).isFile() && texts.some((text) => readFileSync(whole).includes(text));
  });

const done = { name: 'fine', command: 'true' };
const fails = { name: 'bad', command: 'exit 3' };
const runs = { name: 'long', command: 'touch began; sleep 600' };

describe('messages of standalone commands', () => {
  it('a run sends one message to each receiver of the configuration and to a URL, and no secret is left anywhere', async () => {
    const [ops, direct] = [await httpReceiver(), await httpReceiver()];
    const { folder, flow, run } = place(
      `[notify.ops]\nwebhook = "${ops.url}/${SECRET}"\nsecret = "env:HOOK_SECRET"\n` +
        `[notify.mine]\ncommand = ["sh", "-c", "cat >> mine.json"]\n`,
    );
    const { code, stderr } = await run(
      '-s',
      'run',
      flow('sweep', [done, fails]),
      '--notify',
      `${direct.url}/${SECRET}`,
    );
    expect(code).toBe(0);
    expect(stderr).not.toContain(SECRET);
    for (const receiver of [ops, direct]) {
      const [got, ...others] = await receiver.has(1);
      expect(others).toEqual([]);
      expect(got?.body.findings?.map(({ trigger }) => trigger)).toEqual(['end', 'first_failure']);
      expect(got?.body).toMatchObject({
        workflow: { id: 1, name: 'sweep' },
        jobs: { completed: 1, failed: 1 },
        first_failure: { job_name: 'bad', sentence: 'the command itself ended with 3' },
      });
    }
    expect(readFileSync(join(folder, 'mine.json'), 'utf8').trim().split('\n')).toHaveLength(1);
    expect((await run('-s', 'notify', 'list', '1')).stdout).toMatch(/ops +│ sent/);
    await run('-s', 'workflows', 'export', '1', '-o', 'exported.json');
    expect(filesWith(folder, [SECRET, 'hush-hush'])).toEqual([]);
    // Later commands on the same database have nothing more to say.
    expect((await run('-s', 'status', '1')).code).toBe(0);
    expect([ops.got.length, direct.got.length]).toEqual([1, 1]);
  });

  it('torc exec sends messages, too', async () => {
    const direct = await httpReceiver();
    const { run } = place('');
    expect((await run('-s', 'exec', '-c', 'true', '--notify', direct.url)).code).toBe(0);
    expect((await direct.has(1)).map(({ body }) => body.trigger)).toEqual(['end']);
  });

  it('a command that is killed with unfinished work is a message before its server ends', async () => {
    const ops = await httpReceiver();
    const { folder, flow, at } = place(`[notify.ops]\nwebhook = "${ops.url}/"\n`);
    const command = start('torc', ['-s', 'run', flow('killed', [runs, { ...done, depends_on: ['long'] }])], at);
    await until(
      () => globSync('began', { cwd: folder }).length,
      (count) => count === 1,
      'the job',
    );
    command.child.kill('SIGKILL');
    const [got] = await ops.has(1);
    expect(got?.body.findings).toEqual([
      { trigger: 'stuck', sentence: '2 jobs wait, and nothing runs them' },
      {
        trigger: 'runner_lost',
        sentence: expect.stringMatching(
          /^its runner on .* is lost, which had 1 job: the command that it is part of has ended$/,
        ),
      },
    ]);
  });

  it('a message that could not be sent is left for the next start, and sent once', async () => {
    const ops = await httpReceiver((response, count) => void response.writeHead(count === 1 ? 500 : 200).end());
    const { flow, run } = place(`[notify.ops]\nwebhook = "${ops.url}/"\n`);
    expect((await run('-s', 'run', flow('later', [done]))).code).toBe(0);
    expect((await run('-s', 'notify', 'list', '1')).stdout).toMatch(/ops +│ due +│ +1 │.*│ status 500/);
    // It is due again five seconds after the first attempt.
    await until(
      () => run('-s', 'notify', 'list', '1').then(() => ops.got.length),
      (count) => count === 2,
      'the second attempt',
    );
    expect(ops.got[1]?.headers['idempotency-key']).toBe(ops.got[0]?.headers['idempotency-key']);
    await run('-s', 'status', '1');
    expect(ops.got).toHaveLength(2);
  });

  it('a receiver that hangs does not keep a command for longer than two seconds', async () => {
    const ops = await httpReceiver(() => {});
    const { flow, run } = place(`[notify.ops]\nwebhook = "${ops.url}/"\n`);
    expect((await run('-s', 'run', flow('hangs', [done]))).code).toBe(0);
    expect(ops.got).toHaveLength(1);
  });
});

describe('messages of a server', () => {
  it('a server sends to its own receivers, after a kill too, and a command only to others', async () => {
    const ops = await httpReceiver();
    const { folder, flow, environment, at } = place(
      `[notify.ops]\nwebhook = "${ops.url}/${SECRET}"\n[notify.named]\nalways = false\nwebhook = "${ops.url}/named"\n`,
    );
    const first = await startServer(folder, { environment });
    const run = (url: string, ...words: string[]) => torc(['--url', url, ...words], at);
    await run(first.url, 'run', flow('one', [done]), '--notify', 'named');
    const got = await ops.has(2);
    expect(got.map(({ path }) => path).toSorted()).toEqual([`/${SECRET}`, '/named']);
    // A message that is on its way would be sent again, under its key.
    await until(
      () => first.client.listMessages({ params: { id: 1 }, query: {} }),
      ({ items }) => items.every(({ state }) => state === 'sent'),
      'the messages to be marked as sent',
    );
    first.program.child.kill('SIGKILL');
    await first.program.ended;
    const second = await startServer(folder, { environment });
    await run(second.url, 'run', flow('two', [fails]));
    await ops.has(3);
    expect(ops.got.map(({ body }) => (body['workflow'] as { name: string }).name)).toEqual(['one', 'one', 'two']);
    expect(filesWith(folder, [SECRET])).toEqual([]);
  });

  it('a runner that is killed is a message when the next one on its host proves it, and its job completes', async () => {
    const ops = await httpReceiver();
    const { folder, flow, environment, at } = place(`[notify.ops]\nwebhook = "${ops.url}/"\n`);
    const server = await startServer(folder, { environment });
    const file = flow('killed', [{ name: 'once', command: 'test -e began && exit 0; touch began; sleep 600' }]);
    const command = start('torc', ['--url', server.url, 'run', file], at);
    await until(
      () => globSync('began', { cwd: folder }).length,
      (count) => count === 1,
      'the job',
    );
    command.child.kill('SIGKILL');
    await command.ended;
    expect((await torc(['--url', server.url, 'run', '1'], at)).code).toBe(0);
    // One message if both happen within one look of the server, and two otherwise.
    const found = await until(
      () => ops.got.flatMap(({ body }) => body.findings ?? []),
      (findings) => findings.some(({ trigger }) => trigger === 'end'),
      'the end',
    );
    expect(found.map(({ trigger }) => trigger).toSorted()).toEqual(['end', 'runner_lost']);
    expect(found.find(({ trigger }) => trigger === 'runner_lost')?.sentence).toMatch(
      /^its runner on .* is lost, which had 1 job: /,
    );
    expect(ops.got.at(-1)?.body['jobs']).toMatchObject({ completed: 1, failed: 0 });
  });

  it('submit takes a receiver of the server alone, and says why', async () => {
    const { flow, run } = place('');
    const file = flow('one', [done]);
    const refused = await run('-s', 'submit', file, '--notify', 'https://example.org/hook');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('submit ends at once')]);
    const unknown = await run('-s', 'run', file, '--notify', 'other');
    expect(unknown.stderr).toContain('--notify other: neither the configuration nor the server has a receiver');
    expect(unknown.code).toBe(1);
  });
});

describe('torc notify test', () => {
  it('torc notify test sends to every receiver, and exits with 1 when one does not take it', async () => {
    const ops = await httpReceiver();
    const { run } = place(
      `[notify.ops]\nwebhook = "${ops.url}/"\n[notify.away]\nwebhook = "http://127.0.0.1:1/${SECRET}"\n`,
    );
    const all = await run('notify', 'test');
    expect([all.code, all.stdout]).toEqual([
      1,
      'ops (webhook): sent\naway (webhook): not sent: it cannot be reached (ECONNREFUSED)\n',
    ]);
    expect((await run('notify', 'test', 'ops')).code).toBe(0);
    expect(ops.got.map(({ body }) => body.findings?.[0]?.sentence)).toEqual(
      Array(2).fill('this is a test: messages from torc arrive here'),
    );
    expect((await run('notify', 'test', 'other')).stderr).toContain('no receiver "other"; it has ops, away');
  });

  it('the configuration shows no address, says what a server leaves to commands, and refuses what is wrong', async () => {
    const { run } = place(
      `[notify.ops]\nwebhook = "https://example.org/${SECRET}"\ntoken = "file:/run/token"\n[notify.desk]\ndesktop = true\n`,
    );
    for (const format of ['toml', 'json']) {
      const { stdout } = await run('config', 'show', '-f', format);
      expect(stdout).not.toContain(SECRET);
      expect(stdout).toContain('file:/run/token');
    }
    const valid = await run('config', 'validate');
    expect([valid.code, valid.stderr]).toEqual([0, expect.stringContaining('desk: a server starts no program')]);
    const wrong = place('[notify.ops]\nwebhook = "https://example.org/"\non = ["SOMETIMES"]\n');
    const refused = await wrong.run('-s', 'status');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('notify.ops: on: expected words of')]);
  });
});
