import { restrictFiles } from '../../cluster/umask.ts';
import type { Client } from '../../client/client.ts';
import { chooseWorkflow } from '../choose/choose-workflow.ts';
import { command } from '../command/command.ts';
import { Failure } from '../command/failure.ts';
import { integerOption, option } from '../command/option.ts';
import { untilAsked } from '../terminal/until-asked.ts';

export const monitorNode = command('monitor-node', {
  says: 'Measure CPU and memory of this machine until it is stopped (Ctrl-C, SIGTERM or SIGUSR1), without running jobs.',
  more: 'Samples go to a file in <output-dir>/resource_utilization, which plot-resources draws. With a workflow, its compute_node monitoring determines what is measured.',
  options: [
    option('-w, --workflow-id <workflow>', 'use the monitoring settings of this workflow'),
    option('-o, --output-dir <folder>', 'folder of the file', { default: 'torc_output' }),
    option('-i, --sample-interval-seconds <s>', 'seconds between samples (default 10, or the workflow’s)', {
      read: integerOption(1),
    }),
    option('--flush-interval-seconds <s>', 'seconds between writes (default 300, or the workflow’s)', {
      read: integerOption(1),
    }),
    option('--summary-only', 'keep no samples, only their number, peaks and averages'),
  ],
  async run(context, _args, options) {
    const { output, settings, environment } = context;
    const given = options.workflowId;
    if (given === undefined && settings.standalone)
      output.warn('--standalone has no effect for this command; ignoring.');
    const asked =
      given === undefined
        ? undefined
        : await planOf((await context.service()).client, await chooseWorkflow(context, given));
    restrictFiles(context.configuration['client.run.umask']);
    const { openBatch } = await import('../../cluster/open-batch.ts');
    const { measureNode } = await import('../../runner/observe/measure-node.ts');
    const measured = orFailure(() =>
      measureNode({
        outputDir: options.outputDir,
        workflow: asked?.workflow,
        allocation: openBatch(environment).allocationOf(environment),
        node: {
          ...(asked?.node ?? { cpu: true, memory: true, isTimeSeries: true }),
          ...(options.summaryOnly === true ? { isTimeSeries: false } : {}),
        },
        sampleSeconds: options.sampleIntervalSeconds ?? asked?.sampleSeconds ?? 10,
        flushSeconds: options.flushIntervalSeconds ?? asked?.flushSeconds ?? 300,
        onNotice: (line) => output.warn(line),
      }),
    );
    const isAskedToEnd = untilAsked();
    output.notice(`Measuring this machine into ${measured.path}`);
    await isAskedToEnd;
    const { sample_count: samples = 0 } = measured.close();
    output.notice(`${samples} ${samples === 1 ? 'sample' : 'samples'} in ${measured.path}`);
  },
});

function orFailure<T>(attempt: () => T): T {
  try {
    return attempt();
  } catch (cause) {
    throw new Failure(`nothing can be measured: ${(cause as Error).message}`, { cause });
  }
}

/** The monitoring settings of a workflow for nodes. */
async function planOf(client: Client, id: number) {
  const { monitorPlanOf } = await import('../../runner/observe/plan.ts');
  const workflow = await client.getWorkflow({ params: { id } });
  try {
    const { node, sampleSeconds, flushSeconds } = monitorPlanOf(workflow);
    if (node === undefined)
      throw new Error('resource_monitor.compute_node is not enabled; without -w the machine is measured anyway');
    return { workflow: { id, runId: workflow.run_id ?? 0 }, node, sampleSeconds, flushSeconds };
  } catch (cause) {
    throw new Failure(`workflow ${id}: ${(cause as Error).message}`, { cause });
  }
}
