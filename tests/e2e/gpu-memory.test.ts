import { readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AT_ONCE, madeUpCards } from '../support/cards.ts';
import { temporaryFolder, torc } from '../support/programs.ts';
import { leftResults } from '../support/standalone.ts';

/** What jobs had of the memory of GPUs: `docs/how-to/run-jobs-on-gpus.md`. */

/** In a container, drivers name other processes than those that the runner sees, and nothing is read. */
const isOnHost = readlinkSync('/proc/self/ns/pid') === AT_ONCE.namespace();

it.skipIf(!isOnHost)(
  'a job on a GPU has its peak of GPU memory in its result and in the advice, and one that asked for none has none',
  async () => {
    const cards = madeUpCards();
    const folder = temporaryFolder();
    cards.use();
    // The job ends after a second reading began since it had memory: the first one is noted by then.
    const uses = [
      'readings() { cat "$CARDS/asked" 2> /dev/null | grep -c query-gpu; }',
      'echo "GPU-0, $$, 12288" >> "$CARDS/apps"',
      'enough=$(($(readings) + 2))',
      'while [ $(readings) -lt $enough ]; do sleep 0.05; done',
    ].join('\n');
    writeFileSync(
      join(folder, 'flow.yaml'),
      JSON.stringify({
        name: 'flow',
        resource_monitor: { enabled: true, sample_interval_seconds: 1 },
        resource_requirements: [
          { name: 'gpu', num_cpus: 1, num_gpus: 1, memory: '1g', runtime: 'PT1M' },
          { name: 'none', num_cpus: 1, memory: '1g', runtime: 'PT1M' },
        ],
        jobs: [
          { name: 'train', command: uses, resource_requirements: 'gpu' },
          { name: 'count', command: 'true', resource_requirements: 'none' },
        ],
      }),
    );
    const environment = { PATH: `${cards.folder}:${process.env['PATH']}`, CARDS: cards.folder };
    const call = (...words: string[]) => torc(words, { cwd: folder, environment });
    const ran = await call('-s', 'run', 'flow.yaml', '--num-gpus', '2');
    expect(ran.stderr).toContain('2 jobs completed');

    const [train, count] = (await leftResults(folder)).toSorted((one, other) => one.job_id - other.job_id);
    expect(train).toMatchObject({ peak_gpu_memory_bytes: 12 * 2 ** 30, gpu_memory_bytes: 80 * 2 ** 30 });
    expect(count?.peak_gpu_memory_bytes ?? null).toBeNull();

    const checked = await call('-s', 'workflows', 'check-resources', 'flow', '--all');
    expect(checked.stdout).toMatch(/train\s+│ GPU Memory │\s+80 GiB │\s+12 GiB │\s+-85.0%/);
    expect(checked.stderr).toContain('GPU memory 12 GiB, 12 GiB of 80 GiB');
    const { families } = JSON.parse((await call('-s', '-f', 'json', 'workflows', 'correct-resources', 'flow')).stdout);
    expect(families.map((family: object) => ({ ...family }))).toContainEqual(
      expect.objectContaining({
        name: 'train',
        gpu_memory_bytes: { jobs: 1, median: 12 * 2 ** 30, max: 12 * 2 ** 30 },
        gpu_memory_of_cards_bytes: 80 * 2 ** 30,
      }),
    );
    expect((await call('-s', 'results', 'list', 'flow')).stdout).toMatch(/Peak GPU Mem.*\n.*\n(.*\n)*.*train.*12 GiB/);
    const report = await call('-s', 'report', 'flow', '--output', join(folder, 'report.md'));
    expect(report.stderr + report.stdout).not.toContain('error');
  },
);
