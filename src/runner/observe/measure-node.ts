import { metricsPath } from '../../core/contract/files/runner.ts';
import { repeatEvery } from '../../client/long-timers.ts';
import { hostname } from 'node:os';
import { createNodeMeter } from '../../cluster/host/node-load.ts';
import type { Allocation } from '../../cluster/batch/allocation.ts';
import { labelOf } from '../../core/contract/files/runner.ts';
import { openMetricsFile } from './metrics-file.ts';
import { type NodeSummary, watchNode } from './node-watch.ts';
import type { NodePlan } from './plan.ts';

export interface MeasureOptions {
  readonly outputDir: string;
  /** The workflow for which the node is measured, if any. */
  readonly workflow: { readonly id: number; readonly runId: number } | undefined;
  readonly allocation: Allocation | undefined;
  readonly node: NodePlan;
  readonly sampleSeconds: number;
  readonly flushSeconds: number;
  readonly onNotice: (line: string) => void;
}

/**
 * Measures this machine without running jobs, into a file like that of a runner. Throws if the file cannot be created.
 */
export function measureNode(options: MeasureOptions): { readonly path: string; close(): NodeSummary } {
  const { outputDir, node, sampleSeconds, flushSeconds, onNotice } = options;
  const path = metricsPath(outputDir, labelFor(options));
  const file = openMetricsFile({ path, onTrouble: (reason) => onNotice(`${path} could not be written: ${reason}`) });
  const watch = watchNode({
    ...node,
    intervalSeconds: sampleSeconds,
    now: Date.now,
    look: createNodeMeter().look,
    onSample: node.isTimeSeries ? file.node : undefined,
    onUnable: (reason) => onNotice(`the machine cannot be measured: ${reason}`),
  });
  const timer = repeatEvery(flushSeconds * 1000, () => file.flush());
  return {
    path,
    close() {
      timer.cancel();
      const summary = watch.close();
      file.close(summary);
      return summary;
    },
  };
}

/** It must not use the file of a runner on the same host, so the process id is part of the label. */
function labelFor({ workflow, allocation }: MeasureOptions): string {
  const own = `h${hostname()}_p${process.pid}`;
  if (workflow === undefined) return own;
  if (allocation === undefined) return `wf${workflow.id}_${own}_r${workflow.runId}`;
  const { jobId, nodeId, taskPid } = allocation;
  const scheduler = { slurm_job_id: jobId, slurm_node_id: nodeId, slurm_task_pid: taskPid };
  return labelOf({ workflowId: workflow.id, runId: workflow.runId, hostname: hostname(), scheduler });
}
