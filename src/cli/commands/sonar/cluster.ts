import { command } from '../../command/command.ts';
import { originOptions } from './produce-options.ts';

export const cluster = command('sonar cluster', {
  says: 'Print the partitions of the Slurm cluster and the states of its nodes, as one Sonar record.',
  example: '--cluster hpc.example.org',
  more: 'The record is one line of JSON. If sinfo is missing or fails, the record says so in "errors".',
  offline: true,
  options: [...originOptions],
  async run({ output, environment }, _args, options) {
    const { encodeEnvelope } = await import('../../../core/contract/sonar/encode.ts');
    const { messageOriginOf } = await import('../../../telemetry/produce/origin.ts');
    const { readCluster } = await import('../../../telemetry/produce/slurm/cluster.ts');
    const origin = messageOriginOf({ ...options, environment });
    const { envelope } = await readCluster({ origin, environment });
    output.text(encodeEnvelope(envelope, options.compat));
  },
});
