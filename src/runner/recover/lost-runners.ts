import { type Allocation, jobIdOf } from '../../cluster/batch/allocation.ts';
import type { BatchSystem } from '../../cluster/batch/batch-system.ts';
import { type ProcessIdentity, type ProofOfEnd, proofOfEnd } from '../../cluster/host/facts.ts';
import { isLostHere } from '../../cluster/host/lost-here.ts';
import type { Client } from '../../client/client.ts';
import { Unreachable } from '../../client/errors.ts';
import { all } from '../../client/every.ts';
import type { LostRunner } from '../../core/contract/exchange.ts';
import type { ComputeNode, RunnerProcess } from '../../core/contract/node.ts';
import { type LedgerFacts, readLedger } from '../ledger/read-ledger.ts';
import type { RunnerFacts } from '../../core/attempt/belongs-to.ts';
import { mayHaveSteps } from '../../core/allocation/execution-mode.ts';
import type { Log } from '../facts/log.ts';
import { membershipOf } from '../facts/membership.ts';
import { killLeft, processWords } from './leftover-processes.ts';

export interface LostOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly runId: number;
  readonly hostname: string;
  /** The batch system of this machine, if it has one. */
  readonly batch?: BatchSystem | undefined;
  /** The allocation of this process: that of runners whose record names none, not even that there is none. */
  readonly allocation?: Allocation | undefined;
  readonly log: Log;
}

/** A registered runner of this host, with the identity of its process. */
interface Reported {
  readonly id: number;
  readonly node: ComputeNode;
  readonly process: RunnerProcess;
}

/**
 * Recovers the jobs of lost runners of this host, and ends the processes that they left.
 *
 * A runner is lost when the process table proves it, never because it is silent. The ends in its ledger are reported;
 * jobs that it had started run again as a new attempt; jobs that it had not started become ready again. The ledger
 * proves that a job never started only within the same boot, because a crash of the machine may lose lines, and only
 * within the same run, because attempt numbers have no meaning in another. Otherwise all jobs that it held count as
 * started.
 *
 * The process table of this host says nothing about steps of Slurm, which may run on other nodes, and go on for some seconds
 * after their runner: there the end of the allocation is the proof (`dead-allocations.ts`).
 *
 * A deregistered runner in whose name jobs remain is recovered in the same way. A failure with one runner is logged and
 * never prevents the recovery of others, or the work of this runner. Returns the number of recovered runners.
 */
export async function recoverLostRunners(options: LostOptions): Promise<number> {
  const { hostname, log } = options;
  let found = 0;
  try {
    for (const reported of await candidates(options)) {
      try {
        if (await recover(options, reported)) found += 1;
      } catch (error) {
        log.write('warn', 'A lost runner of this workflow could not be recovered; its jobs stay as they are', {
          compute_node_id: reported.id,
          hostname,
          reason: (error as Error).message,
          ledger: reported.process.ledger,
          to_give_up_its_ledger: 'remove the file: then the jobs that it held run again',
        });
      }
    }
  } catch (error) {
    log.write(levelOfFailedCheck(error), 'Could not check for lost runners', { reason: (error as Error).message });
  }
  return found;
}

/** That the server is away is said by the runner, once. */
export const levelOfFailedCheck = (error: unknown) => (error instanceof Unreachable ? 'debug' : 'warn');

/** The ids of runners of this host that are registered as active and have ended, as the process table proves; changes nothing. */
export async function findLostRunners(
  options: Pick<LostOptions, 'client' | 'workflowId' | 'hostname' | 'allocation' | 'batch'>,
) {
  return (
    (await candidates(options))
      // Those whose jobs may be steps are left out of the candidates.
      .filter(({ node }) => isLostHere(node, undefined))
      .map(({ id }) => id)
  );
}

/** The runners of this host that may hold jobs, except those whose job contains this process. */
async function candidates({
  client,
  workflowId,
  hostname,
  ...here
}: Pick<LostOptions, 'client' | 'workflowId' | 'hostname' | 'allocation' | 'batch'>): Promise<Reported[]> {
  const query = { workflow_id: workflowId, hostname, may_hold_jobs: true };
  const nodes = await all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
  const found = nodes.flatMap((node) => {
    const { id, process: reported } = node;
    // The filter by name matches parts of a name.
    if (node.hostname !== hostname || typeof id !== 'number' || !reported || isAround(reported, here)) return [];
    return [{ id, node, process: reported }];
  });
  const isInAllocation = ({ process: reported }: Reported) => (reported.slurm_job_id ?? '') !== '';
  if (!found.some(isInAllocation)) return found;
  const { execution_config: execution } = await client.getWorkflow({ params: { id: workflowId } });
  return mayHaveSteps(execution ?? {}, true) ? found.filter((each) => !isInAllocation(each)) : found;
}

async function recover(options: LostOptions, { id, node, process: reported }: Reported): Promise<boolean> {
  const { client, workflowId, runId, hostname, log } = options;
  const proof = proofOfEnd(identityOf(node, reported), Date.parse(node.start_time));
  if (proof !== 'gone' && proof !== 'rebooted') return false;
  const about = { compute_node_id: id, pid: node.pid };

  const { killed, left } = await killLeft({
    mark: reported.mark,
    allocationId: reported.slurm_job_id ?? jobIdOf(options.allocation),
  });
  if (left.length > 0) {
    log.write('warn', 'A runner of this workflow is lost, but its processes do not end; its jobs stay as they are', {
      ...about,
      which: processWords(left),
    });
    return false;
  }
  const facts = readLedger(reported.ledger);
  if (facts !== undefined && facts.damagedLines > 0) {
    log.write(
      'warn',
      'Lines in the ledger of a lost runner are damaged; jobs that it does not contain may have started',
      {
        ...about,
        lines: facts.damagedLines,
        ledger: reported.ledger,
      },
    );
  }
  const reply = await client.reportLostRunner({
    params: { id: workflowId, compute_node_id: id },
    body: {
      run_id: runId,
      ...provenBy(facts, proof, { runId, nodeId: id }),
      reason: `runner ${node.pid} on ${hostname} is lost${proof === 'rebooted' ? ', and the machine was booted since' : ''}`,
    },
  });
  log.write('warn', 'A runner of this workflow is lost; its jobs were recovered', {
    ...about,
    finished: reply.completed.length,
    run_again: reply.requeued.length,
    not_started: reply.returned.length,
    processes_ended: killed.length,
    ...(reply.actions_armed ? { actions_armed: reply.actions_armed.join(', ') } : {}),
    ...(reply.actions_interrupted ? { actions_interrupted: reply.actions_interrupted.join(', ') } : {}),
    ...(killed.length === 0 ? {} : { which: processWords(killed) }),
  });
  return true;
}

/** The facts that the ledger proves: none if it belongs to another runner, and no missing starts after a reboot. */
export function provenBy(
  facts: LedgerFacts | undefined,
  proof: ProofOfEnd,
  { runId, nodeId }: { readonly runId: number; readonly nodeId: number },
): Partial<Pick<LedgerFacts, 'started' | 'completed' | 'retried'> & Pick<LostRunner, 'actions'>> {
  if (facts === undefined || facts.run_id !== runId || facts.compute_node_id !== nodeId) return {};
  const { started, completed, retried, actionsBegun: begun, actionsEnded: finished } = facts;
  const isWhole = started !== undefined && proof === 'gone';
  return {
    ...(isWhole ? { started } : {}),
    completed,
    retried,
    actions: isWhole ? { begun, finished } : { finished },
  };
}

type Here = Pick<LostOptions, 'allocation' | 'batch'>;

const factsOf = ({ mark, slurm_job_id: jobId }: RunnerProcess, { allocation, batch }: Here): RunnerFacts => ({
  mark,
  allocationId: jobId ?? jobIdOf(allocation),
  jobVariable: batch?.jobVariable,
});

/** Whether this process belongs to a job of that runner. */
function isAround(reported: RunnerProcess, here: Here): boolean {
  const environment = Object.entries(process.env).map(([name, value]) => `${name}=${value}`);
  return membershipOf(factsOf(reported, here))(environment, process.pid);
}

function identityOf(
  { pid }: ComputeNode,
  { boot_id, pid_namespace, start_ticks, machine_id, hardware_ids }: RunnerProcess,
): ProcessIdentity {
  return { pid, boot_id, pid_namespace, start_ticks, machine_id, hardware_ids };
}
