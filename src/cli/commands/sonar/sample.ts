import { command } from '../../command/command.ts';
import { numberOption, option } from '../../command/option.ts';
import { originOptions } from './produce-options.ts';
import { listValue } from '../../../core/text/list-value.ts';

export const sample = command('sonar sample', {
  says: 'Print what the processes of this node use now, as one Sonar record.',
  example: '--load --exclude-system-jobs',
  more: 'The record is one line of JSON. It takes 0.1 s, in which the present CPU use is measured. What cannot be read is named in "errors" of the record. With --min-cpu-time, --min-cpu-percent and --min-mem-percent only processes that reach one of the given values are printed.',
  offline: true,
  options: [
    ...originOptions,
    option('--load', 'include the state of the node: CPUs, memory, load, disks, GPUs'),
    option('--rollup', 'add up processes of a Slurm job with the same parent and command that have no children'),
    option('--exclude-system-jobs', 'leave out processes of users below 1000'),
    option('--exclude-users <names>', 'leave out processes of these users, as a,b', { read: listValue }),
    option('--exclude-commands <beginnings>', 'leave out commands that begin with one of these, as a,b', {
      read: listValue,
    }),
    option('--min-cpu-time <seconds>', 'minimum CPU time so far', { read: numberOption(0) }),
    option('--min-cpu-percent <p>', 'minimum average CPU use in percent of one core', {
      read: numberOption(0),
    }),
    option('--min-mem-percent <p>', 'minimum resident memory in percent of that of the node', {
      read: numberOption(0),
    }),
    option('--lockdir <folder>', 'print nothing while another sample with this folder runs on this node'),
    option('--batchless', 'accepted for compatibility', { isHidden: true }),
  ],
  async run({ output, environment }, _args, options) {
    const { encodeEnvelope } = await import('../../../core/contract/sonar/encode.ts');
    const { messageOriginOf } = await import('../../../telemetry/produce/origin.ts');
    const { sampleOnce } = await import('../../../telemetry/produce/sample/this-node.ts');
    const { readGpus } = await import('../../../cluster/gpu/read.ts');
    const { withLock } = await import('./locks.ts');
    const origin = messageOriginOf({ ...options, environment });
    await withLock(options.lockdir, origin.node, output, async () => {
      const { envelope } = await sampleOnce({
        origin,
        load: options.load === true,
        rollUp: options.rollup === true,
        filters: {
          excludeSystemJobs: options.excludeSystemJobs === true,
          excludeUsers: options.excludeUsers ?? [],
          excludeCommands: options.excludeCommands ?? [],
          minCpuSeconds: options.minCpuTime,
          minCpuPercent: options.minCpuPercent,
          minMemoryPercent: options.minMemPercent,
        },
        readGpus: () => readGpus(environment),
      });
      output.text(encodeEnvelope(envelope, options.compat));
    });
  },
});
