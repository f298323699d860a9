import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { clusterTelemetry } from '../../tests/support/cluster-telemetry.ts';

/** No picture waits longer for what it shows. */
export const LONGEST_MS = 120_000;
/** So long the workflow runs before it is shown: half of its jobs have ended, and its course is one to look at. */
const COURSE_MS = 26_000;

/** The cluster whose telemetry is shown. */
export const CLUSTER = 'saga.example.org';

const bin = resolve(import.meta.dirname, '../../bin');

/** The one that runs while it is shown. Samples take 1 to 4 s, so its course is not a block. */
const VARIANT_CALLING = `name: variant-calling
project: cohort-7
resource_monitor: { sample_interval_seconds: 1, jobs: { enabled: true } }
resource_requirements:
  - { name: small, num_cpus: 1, memory: 200m, runtime: PT10M }
  - { name: aligner, num_cpus: 2, memory: 2g, runtime: PT30M }
  - { name: caller, num_cpus: 1, memory: 1g, runtime: PT2H }
jobs:
  - { name: fetch_reference, command: sleep 1, resource_requirements: small }
  - name: align_{sample}
    command: ./align --lanes 2 --sample {sample}
    depends_on: [fetch_reference]
    resource_requirements: aligner
    parameters: { sample: "1:48" }
  - name: call_{sample}
    command: sleep $(( {sample} * 5 % 9 + 3 )); [ {sample} -lt 25 ] || sleep 600
    depends_on: ["align_{sample}"]
    resource_requirements: caller
    parameters: { sample: "1:48" }
  - { name: annotate, command: sleep 3, depends_on: [fetch_reference], resource_requirements: small }
  - { name: merge, command: "true", depends_on_regexes: ["^call_.*", "^annotate$"], resource_requirements: small }
files:
  - { name: reference, path: data/GRCh38.fa }
  - { name: cohort, path: out/ID0042.vcf }
actions:
  - { trigger_type: on_workflow_complete, action_type: run_commands, commands: [tar cf cohort.tar out] }
user_data:
  - { name: thresholds, data: { quality: 30, depth: 8 } }
`;

const ALIGN = `#!/bin/bash
echo "sample $4: 1204 reads of $2 lanes"
head -c 60m /dev/zero | tail | (sleep $(($4 % 4 + 1)).$(($4 * 7 % 10)); wc -c) > /dev/null
[ $4 = 7 ] || [ $4 = 19 ] || exit 0
cat >&2 << end
Traceback (most recent call last):
  File "align.py", line 88, in read_group
KeyError: 'read group of sample $4'
end
exit 3
`;

const many = (name: string, jobs: number, command: string) =>
  `name: ${name}\njobs: [{ name: "${name}_{i}", command: '${command}', parameters: { i: "1:${jobs}" } }]\n`;

/** Starts a server with workflows in several states, and ends everything afterwards. */
export async function withWorkflows(show: (root: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'torc-pictures-'));
  const children: ChildProcess[] = [];
  const run = (user: string, program: string, ...args: readonly string[]) => {
    const child = spawn(process.execPath, [join(bin, `${program}.mjs`), ...args], {
      cwd: folder,
      env: { ...process.env, USER: user },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.push(child);
    return child;
  };
  try {
    await keepTelemetry(folder, run);
    const store = ['--sonar-store', 'sonar.db'];
    const server = run(
      'ada',
      'torc-server',
      'run',
      '--port',
      '0',
      '--database',
      'torc.db',
      '--log-level',
      'warn',
      ...store,
    );
    const [first] = (await once(server.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const root = `http://127.0.0.1:${/TORC_SERVER_PORT=(\d+)/.exec(first.toString())?.[1]}/`;
    const service = ['--url', `${root}torc-service/v1`];
    const file = (name: string, text: string) => writeFileSync(join(folder, `${name}.yaml`), text);
    file('grid-forecast', many('grid-forecast', 365, 'true'));
    file('protein-folding', many('protein-folding', 96, 'true'));
    file('hyperparameters', many('hyperparameters', 40, '[ $(( {i} % 13 )) != 5 ]'));
    file('variant-calling', VARIANT_CALLING);
    writeFileSync(join(folder, 'align'), ALIGN, { mode: 0o755 });
    for (const [user, name] of [
      ['grace', 'grid-forecast'],
      ['ada', 'hyperparameters'],
    ] as const)
      await once(run(user, 'torc', ...service, 'run', `${name}.yaml`).stdout?.resume() as NodeJS.ReadableStream, 'end');
    await once(run('linus', 'torc', ...service, 'create', 'protein-folding.yaml'), 'exit');
    await once(run('linus', 'torc', ...service, 'workflows', 'init', '3'), 'exit');
    run(
      'ada',
      'torc',
      ...service,
      'run',
      'variant-calling.yaml',
      '--num-cpus',
      '24',
      '--memory-gb',
      '40',
    ).stdout?.resume();
    await setTimeout(COURSE_MS);
    await show(root);
  } finally {
    for (const child of children) child.kill('SIGTERM');
    await Promise.all(
      children
        .filter((child) => child.exitCode === null && child.signalCode === null)
        .map((child) => once(child, 'exit')),
    );
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A day of a cluster, up to now. */
async function keepTelemetry(
  folder: string,
  run: (user: string, program: string, ...args: readonly string[]) => ChildProcess,
): Promise<void> {
  const until = Math.floor(Date.now() / 60_000) * 60;
  const job = { id: 48_213, user: 'grace' };
  const wanted = { cluster: CLUSTER, nodes: 24, until, seconds: 25 * 3600, everySeconds: 300, job };
  writeFileSync(join(folder, 'telemetry.json'), clusterTelemetry(wanted));
  await once(run('ada', 'torc', 'sonar', 'clusters', 'add', CLUSTER), 'exit');
  await once(run('ada', 'torc', 'sonar', 'ingest', 'telemetry.json'), 'exit');
}
