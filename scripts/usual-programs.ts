import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageLine, type LauncherOrder } from '../src/runner/step/batch/protocol.ts';

const FLOW = `name: start
jobs:
  - {name: "first{i}", parameters: {i: "1:3"}, command: "true"}
  - {name: last, command: "false", depends_on_regexes: ["^first"]}
`;

/** Runs a workflow with a server of its own and with one that is there, and a job in the launcher of a step. */
export async function runUsualPrograms(
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const call = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [torc, ...args], { ...options, env });
    // A job of the workflow fails.
    if (status !== 0 && status !== 1) throw new Error(`torc ${args.join(' ')} ended with ${status}: ${stderr}`);
  };
  const torc = join(folder, 'bin/torc.mjs');
  writeFileSync(join(folder, 'flow.yaml'), FLOW);
  call('-s', 'run', 'flow.yaml');

  const words = 'run --host 127.0.0.1 --port 0 --database server.db'.split(' ');
  const server = spawn(process.execPath, [join(folder, 'bin/torc-server.mjs'), ...words], { cwd: folder, env });
  const [text] = (await once(server.stdout, 'data')) as [Buffer];
  const port = /TORC_SERVER_PORT=(\d+)/.exec(String(text))?.[1];
  const url = ['--url', `http://127.0.0.1:${port}/torc-service/v1`];
  call(...url, 'create', 'flow.yaml');
  call(...url, 'run', '1');
  call(...url, 'jobs', 'list', '1');
  server.kill();
  await once(server, 'exit');

  const launcher = spawn(process.execPath, [torc, 'step-launcher', 'start'], { cwd: folder, env });
  launcher.stdin.write(ordersOf(join(folder, 'launcher')).map(messageLine).join(''));
  let reports = '';
  launcher.stdout.on('data', (part: Buffer) => {
    reports += String(part);
    if (reports.includes('"ended":[{')) launcher.stdin.end(messageLine({ do: 'end' }));
  });
  const [code] = (await once(launcher, 'exit')) as [number];
  if (code !== 0 || reports === '') throw new Error(`the launcher of a step ended with ${code}: ${reports}`);
}

/** One job, for the launcher of a step. */
function ordersOf(outputDir: string): LauncherOrder[] {
  mkdirSync(join(outputDir, 'job_stdio'), { recursive: true });
  const facts = {
    workflowId: 1,
    runId: 1,
    apiUrl: '',
    outputDir,
    submissionDirectory: undefined,
    execution: {},
    variables: [],
  };
  const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
  return [
    { do: 'begin', facts, sonar: false, beside: { defaultRequirementsId: undefined, bytes: 0, reachesAll: false } },
    {
      do: 'start',
      job: { id: 1, workflow_id: 1, name: 'first', command: 'true', attempt_id: 1, need },
      gpus: [],
    },
  ];
}
