import { steadyNow } from '../../src/client/steady-clock.ts';
import { connect } from '../../src/client/node/connect.ts';
import { ALLOCATION_VARIABLE } from '../../src/core/allocation/runner-line.ts';
import { inAllocation } from '../../src/runner/setup/in-allocation.ts';
import { startRunner } from '../../src/runner/main/run.ts';
import { openLocalBatch } from './local-batch.ts';

/** `torc-slurm-job-runner URL WORKFLOW OUTPUT`, for the batch system of this machine. */
const [folder = '', url = '', workflow = '', outputDir = ''] = process.argv.slice(2);
const batch = openLocalBatch({ folder, slots: 0, environment: process.env });
const reported = batch.allocationOf(process.env);
if (reported === undefined) throw new Error('this program runs inside an allocation');
const allocation = { ...reported, run: await batch.runOf(reported) };
const { [ALLOCATION_VARIABLE]: recordId } = process.env;
delete process.env[ALLOCATION_VARIABLE];
const connection = connect({ url });
const runner = await startRunner({
  workflowId: Number(workflow),
  connection,
  apiUrl: url,
  outputDir,
  batch,
  ...(await inAllocation(batch, allocation, { isShared: false, knowsEnding: true })),
  recordId: Number(recordId),
  numCpus: allocation.cpus,
  endAtMs: steadyNow() + ((await batch.secondsLeft(allocation)) ?? Infinity) * 1000,
  labels: [],
  pollIntervalSeconds: 1,
  claimBackoffMaxSeconds: 1,
  persistent: false,
  variables: [],
  offline: { isEnabled: true, pingIntervalSeconds: 120 },
  logLevel: 'info',
  onNotice: () => {},
});
process.once('SIGTERM', () => runner.stop({ now: false }));
await runner.done;
connection.close();
