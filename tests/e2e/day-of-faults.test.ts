import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fill, noSmallDisk, smallDisk } from '../support/small-disk.ts';
import { type Program, type RunningServer, start, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { isCi } from '../support/in-ci.ts';
import { random } from '../support/random.ts';

/**
 * A server with telemetry, three runners and clients that misbehave, while processes are killed and stopped, the disk is
 * full, clocks jump and files are cut. By hand: TORC_FAULTS_SECONDS=28800 TORC_FAULTS_SEED=1.
 */
const SECONDS = Number(process.env['TORC_FAULTS_SECONDS'] ?? (isCi ? 90 : 30));
const SEED = Number(process.env['TORC_FAULTS_SEED'] ?? Date.now() % 1_000_000);
const RUNNERS = 3;
const LAYERS = 4;
const WIDTH = 30;
const MOST_ROUND_MS = 180_000;

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));
const jumps = `--import=${join(import.meta.dirname, '../support/jumping-clock.mjs')}`;

/** The parts of one day, which go on in whatever state a fault left them. */
class Day {
  readonly next = random(SEED);
  readonly disk = noSmallDisk ? temporaryFolder() : smallDisk(256);
  /** What the jobs write: never on the disk that is full. */
  readonly said = temporaryFolder();
  readonly faults: string[] = [];
  readonly acknowledged: { data: string[]; samples: string[] } = { data: [], samples: [] };
  isOver = false;
  token = '';
  readonly #runners: (Program | undefined)[] = [];
  #server: Promise<RunningServer> | undefined;
  #port = 0;

  /** The server; it is started again when it has ended. */
  server(): Promise<RunningServer> {
    this.#server ??= this.#start();
    return this.#server;
  }

  async #start(): Promise<RunningServer> {
    for (let tries = 0; ; tries++)
      try {
        const more = ['--sonar-store', 'sonar.db'];
        const server = await startServer(this.disk, { port: this.#port, more });
        this.#port = server.port;
        void server.program.ended.then(() => (this.#server = this.isOver ? this.#server : undefined));
        return server;
      } catch (error) {
        // The disk is full, or the port of the server before is not free yet.
        if (tries > 200) throw error;
        await pause(100);
      }
  }

  /** Repeats what a fault may fail. */
  async sure<Result>(act: (server: RunningServer) => Promise<Result>): Promise<Result> {
    for (let tries = 0; ; tries++)
      try {
        return await act(await this.server());
      } catch (error) {
        if (tries > 300) throw error;
        await pause(100);
      }
  }

  sureTorc = (...args: string[]): Promise<string> =>
    this.sure(async ({ url }) => {
      const { code, stdout, stderr } = await torc(['--url', url, ...args], { cwd: this.disk });
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
      return stdout;
    });

  /** A runner that is missing is started; those of a workflow that is complete end. */
  async keepRunners(workflowId: number): Promise<void> {
    for (let at = 0; at < RUNNERS; at++) {
      if (this.#runners[at] !== undefined) continue;
      const { url } = await this.server();
      const environment = this.next() < 0.3 ? { NODE_OPTIONS: jumps } : {};
      const program = start('torc', ['--url', url, 'run', String(workflowId), '--num-cpus', '3'], {
        cwd: this.disk,
        environment,
      });
      this.#runners[at] = program;
      void program.ended.then(() => (this.#runners[at] = undefined));
    }
  }

  async stopRunners(): Promise<void> {
    for (const runner of this.#runners) runner?.child.kill('SIGCONT');
    let isOver = false;
    const ended = Promise.all(this.#runners.flatMap((runner) => (runner === undefined ? [] : [runner.ended])));
    void ended.then(() => (isOver = true));
    // A server that the last fault has killed is missed by runners alone: they would wait for it for twenty minutes.
    while (!isOver) {
      await this.server();
      await pause(100);
    }
  }

  readonly #kinds: Readonly<Record<string, () => Promise<void>>> = {
    'server killed': async () => {
      (await this.server()).program.child.kill('SIGKILL');
    },
    'server stopped': async () => {
      const { child } = (await this.server()).program;
      child.kill('SIGSTOP');
      await pause(this.next() * 3_000);
      child.kill('SIGCONT');
    },
    'server ended': async () => {
      (await this.server()).program.child.kill('SIGTERM');
    },
    'runner killed': async () => void this.#anyRunner()?.child.kill('SIGKILL'),
    'runner killed and its ledger cut': async () => {
      const runner = this.#anyRunner();
      runner?.child.kill('SIGKILL');
      await runner?.ended;
      this.#cutLedger();
    },
    'runner stopped': async () => {
      const runner = this.#anyRunner();
      runner?.child.kill('SIGSTOP');
      await pause(this.next() * 4_000);
      runner?.child.kill('SIGCONT');
    },
    'runner ended': async () => void this.#anyRunner()?.child.kill('SIGTERM'),
    'disk full': async () => {
      if (noSmallDisk) return;
      const empty = fill(this.disk);
      await pause(this.next() * 1_500);
      empty();
    },
    'strange clients': async () => {
      await this.server();
      await Promise.all(Array.from({ length: 40 }, (_, at) => this.#strange(at)));
    },
  };

  /** One random fault after the other, until the time is over. */
  async harm(isEnough: () => boolean): Promise<void> {
    const names = Object.keys(this.#kinds);
    while (!isEnough()) {
      await pause(this.next() * 1_500);
      if (isEnough()) return;
      const name = names[Math.floor(this.next() * names.length)] as string;
      this.faults.push(name);
      await this.#kinds[name]?.();
    }
  }

  #anyRunner = (): Program | undefined => this.#runners[Math.floor(this.next() * RUNNERS)];

  /**
   * Removes the last bytes of the newest ledger, within a line. The end of whole lines is lost only by a crash of the
   * machine, which ends its jobs too and which the boot id proves; here they go on, so such a ledger would name jobs
   * that run as never started.
   */
  #cutLedger(): void {
    const folder = join(this.disk, 'torc_output/job_runner_ledger');
    try {
      const paths = readdirSync(folder).map((name) => join(folder, name));
      const [newest] = paths.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
      if (newest === undefined) return;
      const text = readFileSync(newest, 'latin1');
      const cut = text.slice(0, Math.max(0, text.length - 1 - Math.floor(this.next() * 60)));
      truncateSync(newest, cut.endsWith('\n') ? cut.length - 1 : cut.length);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }

  /** A client that sends half of something, or nonsense, and leaves. */
  #strange(at: number): Promise<void> {
    const heads = [
      'POST /torc-service/v1/bulk_jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 999999\r\n\r\n{"jobs":[{},',
      'GET /torc-service/v1/workflows/1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'POST /torc-service/v1/workflows/1/exchange HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
      'POST /torc-service/v1/sonar/sample HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{"a":',
      '\u0000\u0001\u0002 nonsense\r\n\r\n',
    ];
    return new Promise((done) => {
      const socket = connect(this.#port, '127.0.0.1', () => void socket.write(heads[at % heads.length] as string));
      socket.on('error', () => {});
      socket.on('close', () => done());
      setTimeout(() => socket.destroy(), 20 + this.next() * 500);
    });
  }

  /** What was acknowledged has to be there at the end. */
  async write(workflowId: number): Promise<void> {
    const { client, url } = await this.server();
    const name = `data_${this.acknowledged.data.length}_${Math.floor(this.next() * 1e9)}`;
    await client.createUserData({ body: { workflow_id: workflowId, name, data: { name } } });
    this.acknowledged.data.push(name);
    const time = new Date(Date.now() - this.acknowledged.samples.length * 1000).toISOString().replace(/\.\d+Z/, 'Z');
    const body = JSON.stringify({
      meta: { producer: 'sonar', version: '0.19.0' },
      data: { type: 'sample', attributes: { time, cluster: 'fox.test', node: name, jobs: [] } },
    });
    const headers = { Authorization: `Basic ${btoa(`fox.test:${this.token}`)}` };
    const answer = await fetch(`${url}/sonar/sample`, { method: 'POST', body, headers });
    await answer.text();
    if (answer.status === 200) this.acknowledged.samples.push(name);
  }
}

/** Each job says when it begins and ends; most wait for two of the layer before them. */
function flow(day: Day, round: number): string {
  const said = join(day.said, `round_${round}`);
  writeFileSync(said, '');
  const line = (word: string) => `echo "${word} $TORC_JOB_NAME $TORC_RUN_ID.$TORC_ATTEMPT_ID" >> ${said}`;
  const jobs = Array.from({ length: LAYERS }, (_, layer) =>
    Array.from({ length: WIDTH }, (_, at) => ({
      name: `l${layer}_${at}`,
      command: `${line('begin')}; sleep 0.0${Math.floor(day.next() * 10)}; ${line('end')}`,
      depends_on: layer === 0 ? [] : [`l${layer - 1}_${at}`, `l${layer - 1}_${(at + 1) % WIDTH}`],
    })),
  ).flat();
  const path = join(day.said, `round_${round}.json`);
  writeFileSync(path, JSON.stringify({ name: `round ${round}`, jobs }));
  return path;
}

/** What the promises say about what the jobs of a round wrote, and what the server says of them. */
async function judge(day: Day, round: number, id: number): Promise<void> {
  const lines = readFileSync(join(day.said, `round_${round}`), 'utf8')
    .trimEnd()
    .split('\n');
  const placeOf = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    // Once per attempt.
    expect([line, placeOf.has(line)]).toEqual([line, false]);
    placeOf.set(line, at);
  }
  const all = { workflow_id: id, limit: 10_000 };
  const jobs = (await day.sure(({ client }) => client.listJobs({ query: all }))).items;
  const results = (await day.sure(({ client }) => client.listResults({ query: { ...all, all_runs: true } }))).items;
  const byId = new Map(jobs.map((job) => [job.id, job]));
  expect(jobs.map(({ status }) => status)).toEqual(jobs.map(() => 'completed'));
  const completed = new Map<string, string>();
  for (const { job_id: job, run_id: run, attempt_id: number, status } of results) {
    if (status !== 'completed') continue;
    const attempt = `${run}.${number}`;
    const { name } = byId.get(job) as { name: string };
    // No job is completed twice, and none without its last line.
    expect([name, completed.get(name)]).toEqual([name, undefined]);
    completed.set(name, attempt);
    expect([name, attempt, placeOf.has(`end ${name} ${attempt}`)]).toEqual([name, attempt, true]);
  }
  expect(completed.size).toBe(LAYERS * WIDTH);
  const attemptsOf = Map.groupBy(
    lines.filter((line) => line.startsWith('begin ')).map((line) => line.split(' ') as [string, string, string]),
    ([, name]) => name,
  );
  for (const [name, begins] of attemptsOf) {
    for (const [at, [, , attempt]] of begins.entries()) {
      const following = begins[at + 1];
      const end = placeOf.get(`end ${name} ${attempt}`);
      // An attempt says nothing after the next one has begun: never two at a time.
      if (following !== undefined && end !== undefined)
        expect([name, attempt, end < (placeOf.get(following.join(' ')) as number)]).toEqual([name, attempt, true]);
    }
    const [layer, at] = name.slice(1).split('_').map(Number) as [number, number];
    const needs = layer === 0 ? [] : [`l${layer - 1}_${at}`, `l${layer - 1}_${(at + 1) % WIDTH}`];
    const first = placeOf.get((begins[0] as string[]).join(' ')) as number;
    for (const need of needs) {
      const ends = lines.findIndex((line) => line.startsWith(`end ${need} `));
      expect([name, need, ends >= 0 && ends < first]).toEqual([name, need, true]);
    }
  }
}

it(
  `whatever fails for ${SECONDS} s, jobs run after what they need, one attempt at a time, and what was acknowledged stays (seed ${SEED})`,
  { timeout: (SECONDS + 400) * 1000 },
  async () => {
    const day = new Day();
    const added = await torc(['sonar', 'clusters', 'add', 'fox.test', '--new-token', '-f', 'json'], { cwd: day.disk });
    day.token = (JSON.parse(added.stdout) as { token: string }).token;
    const until = performance.now() + SECONDS * 1000;
    const workflows: number[] = [];
    let round = 0;
    let current = 0;
    // Faults also meet the creation of workflows and the starts of runners.
    const harming = day.harm(() => performance.now() > until);
    for (; round === 0 || performance.now() < until; round++) {
      const reported = await day.sureTorc('-f', 'json', 'create', flow(day, round));
      current = (JSON.parse(reported) as { workflow_id: number }).workflow_id;
      workflows.push(current);
      await day.sureTorc('workflows', 'init', String(current));
      const begun = performance.now();
      for (;;) {
        await day.keepRunners(current).catch(() => {});
        await day.write(current).catch(() => {});
        const { jobs_by_status: jobs } = await day.sure(({ client }) =>
          client.getWorkflowStatus({ params: { id: current } }),
        );
        if (jobs.completed === LAYERS * WIDTH) break;
        const isStuck = jobs.ready + jobs.blocked + jobs.pending + jobs.running === 0;
        // A full disk fails a job, and says so; a person repeats it.
        if (isStuck)
          await day.sureTorc(
            'workflows',
            'reset-status',
            String(current),
            '--failed-only',
            '--reinitialize',
            '--no-prompts',
          );
        if (performance.now() - begun > MOST_ROUND_MS)
          throw new Error(`round ${round} does not end: ${JSON.stringify(jobs)} after ${day.faults.join(', ')}`);
        await pause(100);
      }
      await day.stopRunners();
      await judge(day, round, current).catch((cause: unknown) => {
        const written = readFileSync(join(day.said, `round_${round}`), 'utf8');
        throw new Error(`round ${round} after ${day.faults.join(', ')} wrote\n${written}`, { cause });
      });
    }
    await harming;
    const found = new Set<string>();
    for (const id of workflows) {
      const { items } = await day.sure(({ client }) =>
        client.listUserData({ query: { workflow_id: id, limit: 100_000 } }),
      );
      for (const { name } of items) found.add(name);
    }
    expect(day.acknowledged.data.filter((name) => !found.has(name))).toEqual([]);
    day.isOver = true;
    const { program } = await day.server();
    program.child.kill('SIGTERM');
    expect((await program.ended).code).toBe(0);
    const exported = (await torc(['sonar', 'export', '--cluster', 'fox.test'], { cwd: day.disk })).stdout;
    expect(day.acknowledged.samples.filter((name) => !exported.includes(`"${name}"`))).toEqual([]);
    expect(day.acknowledged.data.length).toBeGreaterThan(0);
    expect(day.acknowledged.samples.length).toBeGreaterThan(0);
    expect(new Set(day.faults).size).toBeGreaterThan(2);
  },
);
