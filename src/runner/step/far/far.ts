import { rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeFolder } from '../../../cluster/make-folder.ts';
import type { Allocation } from '../../../cluster/batch/allocation.ts';
import type { AllocationParts } from '../../../cluster/batch/batch-system.ts';
import type { RunFacts } from '../../facts/run-facts.ts';
import type { Log } from '../../facts/log.ts';
import { createCarriedSteps } from '../batch/carried.ts';
import type { NodeShare } from '../batch/protocol.ts';
import type { Steps } from '../steps.ts';
import { farLauncher } from './far-launcher.ts';

export interface FarStepOptions {
  readonly facts: RunFacts;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly allocation: Pick<Allocation, 'jobId'>;
  readonly parts: AllocationParts;
  /** The nodes on which the runner starts jobs, one of them its own. */
  readonly nodes: readonly { readonly name: string }[];
  /** What the allocation has on a node. */
  readonly shareOf: (node: string) => NodeShare;
  /** The program that starts jobs on another node. */
  readonly program: readonly string[];
  readonly defaultRequirementsId: number | undefined;
  readonly reachesAll: boolean;
  readonly sonar: boolean;
  /** Steps that are processes of this node. */
  readonly openOwn: () => Steps;
  /** See `CarriedOptions`. */
  readonly onBroken: (node: string) => void;
  readonly log: Log;
}

/**
 * Jobs on all nodes of an allocation without steps of a batch system: processes of the runner on its own node, and of a launcher on each
 * other one. A job starts on the first of its nodes, and finds all of them in a file. A runner that shares the allocation with others starts
 * jobs on its own node alone.
 */
export function createFarSteps(options: FarStepOptions): Steps {
  const { facts, environment, allocation, parts, nodes, program, shareOf, openOwn, onBroken, log } = options;
  const { defaultRequirementsId, reachesAll, sonar } = options;
  const { ownNode } = parts;
  const folder = resolve(facts.outputDir, `pbs/nodes_${allocation.jobId}_${process.pid}`);
  makeFolder(folder, 0o700);
  const files = createNodeFiles(folder, parts);
  let launchers = 0;
  const steps = createCarriedSteps({
    name: 'nodes of the allocation',
    facts,
    log,
    nodes,
    placeOn: (node) => ({
      ...farLauncher({
        node,
        ownNode,
        words: (keyFile) =>
          // Where it is undefined, the runner starts jobs on its own node alone.
          parts.wordsOn?.(node, [...program, `wf${facts.workflowId}_r${facts.runId}`, keyFile]) ?? [],
        // The last launcher of the node may not have ended yet, and removes its own.
        keyFile: `${folder}/key_${(launchers += 1)}`,
        environment,
      }),
      log,
      // A file system of the node may hang.
      isReadySoon: true,
      begin: {
        do: 'begin',
        facts: { ...facts, limitsOf: undefined },
        sonar,
        beside: { defaultRequirementsId, reachesAll, bytes: 0, share: shareOf(node) },
      },
    }),
    openOwn,
    onBroken,
    // By the name that its lease has.
    ownNode: parts.wordsOn === undefined ? nodes[0]?.name : ownNode,
    jobOn: (job, names) => ({
      ...job,
      env: { ...files.variablesOn(parts.wordsOn === undefined ? [ownNode] : names), ...job.env },
    }),
    // No system records how these end.
    statsOf: () => undefined,
    lostWith: ({ node }, words) => `what had started it on ${node} ended before it: ${words}`,
  });
  return {
    ...steps,
    close() {
      steps.close();
      files.remove();
    },
  };
}

/** Files of the nodes that jobs have of an allocation, as its batch system gives one of all nodes. */
function createNodeFiles(folder: string, { fileOf }: Pick<AllocationParts, 'fileOf'>) {
  const written = new Map<string, string>();
  return {
    /** What names the file of these nodes to a job. */
    variablesOn(nodes: readonly string[]): Record<string, string> {
      const { variable, text } = fileOf(nodes);
      const path = written.get(text) ?? `${folder}/part_${written.size + 1}`;
      if (!written.has(text)) writeFileSync(path, text);
      written.set(text, path);
      return { [variable]: path };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
