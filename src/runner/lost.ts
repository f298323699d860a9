import { type ProcessIdentity, type ProofOfEnd, proofOfEnd } from '../cluster/host/facts.ts';
import type { Client } from '../client/client.ts';
import { all } from '../client/every.ts';
import type { LostRunner } from '../core/contract/exchange.ts';
import type { ComputeNode, RunnerProcess } from '../core/contract/node.ts';
import { type LedgerFacts, readLedger } from './ledger.ts';
import type { Log } from './log.ts';
import { marksOf } from './marks.ts';
import { killLeft, strayWords } from './strays.ts';

export interface LostOptions {
  readonly client: Client;
  readonly workflowId: number;
  readonly runId: number;
  readonly hostname: string;
  readonly log: Log;
}

/** A runner of this host, with what it told of its process. */
interface Told {
  readonly id: number;
  readonly node: ComputeNode;
  readonly process: RunnerProcess;
}

/**
 * Takes back what runners of this host held that are gone, and ends the jobs that they left behind.
 *
 * A runner is gone when the process table proves it, never because it is silent. What its ledger says that it finished is
 * reported; what it had started runs again as a new attempt; what it had not is ready again. The ledger proves that a job
 * never started only within the same boot, for a crash of the machine may lose lines that the runner had written; and
 * only within the same run, for numbers of attempts mean nothing in another. Otherwise all that it held counts as started.
 *
 * A runner that was deregistered and in whose name jobs remain is recovered like one that was not. What goes wrong with one
 * is logged and never keeps the others, or the runner that asks, from their work. Returns how many were recovered.
 */
export async function recoverLostRunners(options: LostOptions): Promise<number> {
  const { hostname, log } = options;
  let found = 0;
  try {
    for (const told of await candidates(options)) {
      try {
        if (await recover(options, told)) found += 1;
      } catch (error) {
        log.write('warn', 'A runner of this workflow that is gone could not be recovered; its jobs stay as they are', {
          compute_node_id: told.id,
          hostname,
          reason: (error as Error).message,
          ledger: told.process.ledger,
          to_give_up_its_ledger: 'remove the file: then the jobs that it held run again',
        });
      }
    }
  } catch (error) {
    log.write('warn', 'Could not look for runners that are gone', { reason: (error as Error).message });
  }
  return found;
}

/** The runners of this host that may hold something, but for those whose job this process belongs to. */
async function candidates({ client, workflowId, hostname }: LostOptions): Promise<Told[]> {
  const query = { workflow_id: workflowId, hostname };
  const nodes = [
    ...(await all((page) => client.listComputeNodes({ query: { ...query, is_active: true, ...page } }))),
    ...(await all((page) =>
      client.listComputeNodes({ query: { ...query, is_active: false, holds_jobs: true, ...page } }),
    )),
  ];
  const around = new Set(marksOf(process.env));
  return nodes.flatMap((node) => {
    const { id, process: told } = node;
    // The filter by name is one by part of a name.
    if (node.hostname !== hostname || typeof id !== 'number' || !told || around.has(told.mark)) return [];
    return [{ id, node, process: told }];
  });
}

async function recover(options: LostOptions, { id, node, process: told }: Told): Promise<boolean> {
  const { client, workflowId, runId, hostname, log } = options;
  const proof = proofOfEnd(identityOf(node, told), Date.parse(node.start_time));
  if (proof !== 'gone' && proof !== 'rebooted') return false;
  const about = { compute_node_id: id, pid: node.pid };

  const { killed, left } = await killLeft({ mark: told.mark, slurmJobId: told.slurm_job_id ?? ownAllocation() });
  if (left.length > 0) {
    log.write('warn', 'A runner of this workflow is gone, but its processes do not end; its jobs stay as they are', {
      ...about,
      which: strayWords(left),
    });
    return false;
  }
  const facts = readLedger(told.ledger);
  if (facts !== undefined && facts.damagedLines > 0) {
    log.write(
      'warn',
      'Lines of the ledger of a runner that is gone are damaged; what they do not tell may have started',
      {
        ...about,
        lines: facts.damagedLines,
        ledger: told.ledger,
      },
    );
  }
  const reply = await client.reportLostRunner({
    params: { id: workflowId, compute_node_id: id },
    body: {
      run_id: runId,
      ...provenBy(facts, proof, { runId, nodeId: id }),
      reason: `runner ${node.pid} on ${hostname} is gone${proof === 'rebooted' ? ', and the machine was booted since' : ''}`,
    },
  });
  log.write('warn', 'A runner of this workflow is gone; its jobs were taken back', {
    ...about,
    finished: reply.completed.length,
    run_again: reply.requeued.length,
    not_started: reply.returned.length,
    processes_ended: killed.length,
    ...(reply.actions_armed ? { actions_armed: reply.actions_armed.join(', ') } : {}),
    ...(reply.actions_interrupted ? { actions_interrupted: reply.actions_interrupted.join(', ') } : {}),
    ...(killed.length === 0 ? {} : { which: strayWords(killed) }),
  });
  return true;
}

/** What the ledger proves for the server: nothing where it is not the runner's, and no start that never was after a reboot. */
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

const ownAllocation = () => process.env['SLURM_JOB_ID'] ?? '';

function identityOf(
  { pid }: ComputeNode,
  { boot_id, pid_namespace, start_ticks, machine_id, hardware_ids }: RunnerProcess,
): ProcessIdentity {
  return { pid, boot_id, pid_namespace, start_ticks, machine_id, hardware_ids };
}
