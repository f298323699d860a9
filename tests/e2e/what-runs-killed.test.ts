import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recoverHere } from '../../src/operations/orphans/recover-here.ts';
import { isCi } from '../support/in-ci.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { random } from '../support/random.ts';

/** Runs of the law, every one with moments of its own: more by hand, with TORC_SEEDS. */
const SEEDS = Array.from({ length: Number(process.env['TORC_SEEDS'] ?? (isCi ? 2 : 1)) }, (_, index) => index + 1);

const JOBS = 10;
const GIVEN = 3;
const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

/** Each job reads given files and outputs of earlier jobs, writes one file that is another one in each attempt, and says what it read. */
interface Sketch {
  readonly reads: readonly string[];
  readonly writes: string;
}

function sketchOf(next: () => number): Sketch[] {
  return Array.from({ length: JOBS }, (_, at) => {
    const pick = () =>
      at === 0 || next() < 0.4 ? `given${Math.floor(next() * GIVEN)}` : `out${Math.floor(next() * at)}`;
    return { reads: [...new Set([pick(), pick()])], writes: `out${at}` };
  });
}

const SCRIPT = `name=$1; out=$2; shift 2
seen=$(sha256sum "$@" | cut -c1-64 | tr '\\n' ' ')
sleep 0.$(( $$ % 3 ))
echo "$name $TORC_ATTEMPT_ID $seen" > $out
echo "$name $TORC_ATTEMPT_ID $seen" >> ran
`;

function specOf(jobs: readonly Sketch[]): string {
  const files = [...Array(GIVEN).keys()].map((at) => `given${at}`).concat(jobs.map(({ writes }) => writes));
  return JSON.stringify({
    name: 'law',
    jobs: jobs.map(({ reads, writes }, at) => ({
      name: `job${at}`,
      command: `sh script job${at} ${writes} ${reads.join(' ')}`,
      input_files: reads,
      output_files: [writes],
    })),
    files: files.map((name) => ({ name, path: name })),
  });
}

it.each(SEEDS)(
  'whatever is killed between, an update runs what the definition says, and nothing after it (seed %d)',
  async (seed) => {
    const next = random(seed);
    const folder = temporaryFolder();
    const at = (name: string) => join(folder, name);
    const jobs = sketchOf(next);
    writeFileSync(at('script'), SCRIPT);
    writeFileSync(at('flow.json'), specOf(jobs));
    writeFileSync(at('ran'), '');
    mkdirSync(at('torc_output'));
    let edits = 0;
    /** Another content, and a time that no file had before: clocks of file systems are coarse. */
    const edit = (name: string) => {
      edits += 1;
      writeFileSync(at(name), `edit ${edits}`.repeat(edits));
      utimesSync(at(name), Date.now() / 1000 + 10 * edits, Date.now() / 1000 + 10 * edits);
    };
    for (let given = 0; given < GIVEN; given += 1) edit(`given${given}`);
    let server: RunningServer = await startServer(folder);
    const words = ['--url', server.url, 'run', 'flow.json', '--yes'];
    const update = () => torc(words, { cwd: folder });
    const ran = () => readFileSync(at('ran'), 'utf8').split('\n').slice(0, -1);

    /** Runs a command and kills it, the server or both at some moment. */
    const disturbed = async (args: readonly string[]) => {
      const command = start('torc', [...args], { cwd: folder });
      await pause(300 + next() * 1500);
      const what = next();
      if (what < 0.7) command.child.kill('SIGKILL');
      if (what > 0.4) {
        server.program.child.kill('SIGKILL');
        await server.program.ended;
        server = await startServer(folder, { port: server.port });
      }
      await command.ended;
    };
    await update();
    for (let round = 0; round < 4; round += 1) {
      for (let change = 0; change < 2; change += 1) {
        const job = Math.floor(next() * JOBS);
        const kind = next();
        if (kind < 0.5) edit(`given${Math.floor(next() * GIVEN)}`);
        else if (kind < 0.75) rmSync(at(`out${job}`), { force: true });
        else if (existsSync(at(`out${job}`))) edit(`out${job}`);
      }
      const only = next() < 0.3 ? ['--only', `job${Math.floor(next() * JOBS)}`] : [];
      await disturbed([...words, ...only]);
    }

    // What the killed runners held is settled first: then the server knows which jobs completed, and in which attempt.
    const workflow = await server.client.getWorkflow({ params: { id: 1 } });
    await recoverHere(server.client, workflow, () => {});
    const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
    const { items: results } = await server.client.listResults({ query: { workflow_id: 1 } });
    const seen = new Map(ran().map((line) => [line.split(' ').slice(0, 2).join(' '), line]));
    const done = new Map(
      items.flatMap(({ id, name, status }) => {
        const attempt = results.find((each) => each.job_id === id)?.attempt_id;
        return status === 'completed' ? [[name, seen.get(`${name} ${attempt}`)] as const] : [];
      }),
    );

    const expected = oracle(jobs, done, at);
    const before = ran().length;
    const { stderr, code } = await update();
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${JOBS} jobs completed`)]);
    const again = ran().slice(before);
    expect(again.map((line) => line.split(' ', 1).join()).toSorted(), stderr).toEqual(expected.toSorted());
    expect((await update()).stderr).toContain(`nothing to run: ${JOBS} up to date`);
    expect(ran()).toHaveLength(before + again.length);
  },
  120_000,
);

/**
 * The jobs that run: those that did not complete, those that read other contents than their last attempt saw, those whose output is gone
 * and is read by no job or by one that runs, and those behind one that runs.
 */
function oracle(jobs: readonly Sketch[], done: ReadonlyMap<string, string | undefined>, at: (name: string) => string) {
  const sumOf = (name: string) =>
    createHash('sha256')
      .update(readFileSync(at(name)))
      .digest('hex');
  const isThere = (name: string) => existsSync(at(name));
  const runs = new Set<number>();
  for (let size = -1; size < runs.size;) {
    size = runs.size;
    for (const [index, { reads, writes }] of jobs.entries()) {
      const last = done.get(`job${index}`)?.split(' ');
      const isStale = reads.some((name, number) => isThere(name) && last?.[number + 2] !== sumOf(name));
      const readers = jobs.flatMap((job, other) => (job.reads.includes(writes) ? [other] : []));
      const isLost = !isThere(writes) && (readers.length === 0 || readers.some((reader) => runs.has(reader)));
      const isBehind = jobs.some((job, other) => runs.has(other) && reads.includes(job.writes));
      if (last === undefined || isStale || isLost || isBehind) runs.add(index);
    }
  }
  return [...runs].map((index) => `job${index}`);
}
