/**
 * One part of `bench/sonar.ts` in a process of its own, so that its time and memory are its own. The result is a line of JSON.
 *
 * `node sonar-process.ts TASK ARGUMENTS`, with the arguments as JSON.
 */
import { readFileSync, statSync } from 'node:fs';
import { unchangedCompat } from '../../src/core/contract/sonar/compat.ts';
import { encodeEnvelope } from '../../src/core/contract/sonar/encode.ts';
import type { SampleEnvelope } from '../../src/core/contract/sonar/envelope.ts';
import { parseTimestamp } from '../../src/core/contract/sonar/timestamp.ts';
import { profileSteps } from '../../src/telemetry/questions/profile-steps.ts';
import type { AskedWindow } from '../../src/telemetry/store/rows/rows.ts';
import { ingestFiles } from '../../src/telemetry/receive/files/ingest-files.ts';
import { EmbeddedStore } from '../../src/telemetry/store/embedded/embedded-store.ts';
import { openStore } from '../../src/telemetry/store/open-store.ts';
import { EnvelopeReader } from '../../src/telemetry/format/envelope-reader.ts';
import { EVERY_SECONDS, linesOf, type Simulation, START, writeSimulation } from './simulated-telemetry.ts';

interface Arguments {
  readonly store: string;
  readonly simulation: Simulation;
  readonly file: string;
  readonly picked: string;
  readonly pickedRows: number;
  readonly jobs: readonly number[];
  readonly window: AskedWindow;
  readonly rowsPerSecond: number;
}

const tasks: Readonly<Record<string, (given: Arguments) => Promise<object>>> = {
  async simulate({ simulation, ...files }) {
    await writeSimulation(simulation, files);
    return { bytes: statSync(files.file).size };
  },
  async ingest({ store: path, file, simulation }) {
    const store = await openStore(path);
    const counts = await ingestFiles(store, [{ path: file, bytes: statSync(file).size }], {
      addsClusters: true,
      // Times of the future are not taken.
      now: () => simulation.start + simulation.samples * EVERY_SECONDS,
      onProgress: () => {},
    });
    await store.close();
    return { stored: counts.stored };
  },
  /** Envelopes that the store gives back otherwise than they were sent. */
  async verify({ store: path, picked }) {
    const store = await openStore(path, { isReadOnly: true });
    let [envelopes, rows, differing] = [0, 0, 0];
    for (const line of JSON.parse(readFileSync(picked, 'utf8')) as string[]) {
      const sent = JSON.parse(line) as SampleEnvelope;
      const { cluster, node, time, jobs = [] } = sent.data.attributes;
      const from = parseTimestamp(time)?.seconds ?? 0;
      const found = await Array.fromAsync(store.envelopes({ cluster, node, from, until: from + 1 }));
      envelopes++;
      rows += jobs.reduce((sum, { processes }) => sum + (processes?.length ?? 0), 0);
      if (found.length !== 1 || found.some(({ envelope }) => encodeEnvelope(envelope, unchangedCompat) !== line))
        differing++;
    }
    await store.close();
    return { envelopes, rows, differing };
  },
  /** Milliseconds of the profile of each job, without the start of the process. */
  async profiles({ store: path, jobs, window }) {
    const store = await openStore(path, { isReadOnly: true });
    const times: number[] = [];
    let steps = 0;
    for (const job of jobs) {
      const begin = performance.now();
      const profile = await profileSteps(store.rows, window, { job });
      steps += profile.steps.length;
      times.push(performance.now() - begin);
    }
    await store.close();
    return { times: times.toSorted((one, other) => one - other), steps };
  },
  async close({ store: path }) {
    const store = new EmbeddedStore(path);
    let days = 0;
    for await (const _day of store.closeDays({ before: START + 30 * 86_400, now: START })) days++;
    await store.close();
    return { days };
  },
  /** Stores further samples at a rate until the parent ends the input. */
  async feed({ store: path, simulation, rowsPerSecond }) {
    const store = await openStore(path);
    let isOver = false;
    process.stdin.on('end', () => (isOver = true)).resume();
    const reader = new EnvelopeReader();
    const begin = performance.now();
    let rows = 0;
    let lines: string[] = [];
    for (const line of linesOf(simulation)) {
      lines.push(line);
      if (lines.length < rowsPerSecond / simulation.processes / 10) continue;
      const records = reader.push(Buffer.from(lines.join('\n')));
      lines = [];
      await store.ingestEach(records, { received: START + 366 * 86_400, origin: 'bench' });
      rows += records.length * simulation.processes;
      const ahead = (rows / rowsPerSecond) * 1000 - (performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, ahead)));
      if (isOver) break;
    }
    const seconds = (performance.now() - begin) / 1000;
    await store.close();
    return { rows, rowsPerSecond: rows / seconds };
  },
};

const [, , name = '', text = '{}'] = process.argv;
const begin = performance.now();
const result = await tasks[name]?.(JSON.parse(text) as Arguments);
const { user, system } = process.cpuUsage();
console.log(
  JSON.stringify({
    ...result,
    seconds: (performance.now() - begin) / 1000,
    cpuSeconds: (user + system) / 1e6,
    memoryMb: process.resourceUsage().maxRSS / 1024,
  }),
);
