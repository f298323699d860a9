import { join } from 'node:path';
import type { Connection } from '../../client/node/connect.ts';
import type { Runner, RunnerOptions } from '../../runner/facts/options.ts';
import type { Scheduling } from '../../runner/facts/scheduling.ts';
import { packageRoot } from './package-root.ts';
import type { SubmitTools } from '../submit/submit-tools.ts';
import { STEP_LAUNCHER } from '../../core/allocation/step-launcher.ts';

/** Those fields of a runner that have a value of their own where a caller does not say. */
type Usual =
  | 'labels'
  | 'pollIntervalSeconds'
  | 'claimBackoffMaxSeconds'
  | 'persistent'
  | 'offline'
  | 'variables'
  | 'logLevel'
  | 'computeNodeType';

export interface RunHereOptions
  extends
    Omit<RunnerOptions, Usual | 'connection' | 'scheduling' | 'launcherProgram'>,
    Partial<Pick<RunnerOptions, Usual>> {
  /** Submits allocations for actions that ask for them; undefined where there is no sbatch. */
  readonly submitTools?: SubmitTools | undefined;
}

const USUAL: Pick<RunnerOptions, Usual> = {
  labels: [],
  pollIntervalSeconds: 5,
  claimBackoffMaxSeconds: 300,
  persistent: false,
  offline: { isEnabled: true, pingIntervalSeconds: 120 },
  variables: [],
  logLevel: 'info',
  computeNodeType: 'local',
};

/** Starts a runner of a workflow on this machine. */
export async function runHere(connection: Connection, { submitTools, ...options }: RunHereOptions): Promise<Runner> {
  const { startRunner } = await import('../../runner/main/run.ts');
  return startRunner({
    ...USUAL,
    ...options,
    connection,
    scheduling: submitTools && (await schedulingWith(submitTools, options.workflowId)),
    launcherProgram: [process.execPath, join(packageRoot(), 'bin', 'torc.mjs'), STEP_LAUNCHER],
  });
}

async function schedulingWith(tools: SubmitTools, workflowId: number): Promise<Scheduling> {
  const { schedulingOf } = await import('../submit/scheduling.ts');
  return schedulingOf(tools, workflowId);
}
