import { command } from '../../command/command.ts';
import { originOptions } from './produce-options.ts';
import { option } from '../../command/option.ts';

export const sysinfo = command('sonar sysinfo', {
  says: 'Print the hardware and GPU software of this node, as one Sonar record.',
  example: '--cluster hpc.example.org',
  more: 'The record is one line of JSON. The topology is the drawing of lstopo where it is installed.',
  offline: true,
  options: [
    ...originOptions,
    option(
      '--topo-svg-cmd <command>',
      'command that prints the topology as SVG; "" for none (default: lstopo --of svg, where it is installed)',
    ),
    option('--topo-text-cmd <command>', 'command that prints the topology as text (default: none)'),
  ],
  async run({ output, environment }, _args, options) {
    const { encodeEnvelope } = await import('../../../core/contract/sonar/encode.ts');
    const { messageOriginOf } = await import('../../../telemetry/produce/origin.ts');
    const { sysinfoOfThisNode } = await import('../../../telemetry/produce/sysinfo/sysinfo.ts');
    const { readGpus } = await import('../../../cluster/gpu/read.ts');
    const { envelope } = await sysinfoOfThisNode({
      origin: messageOriginOf({ ...options, environment }),
      environment,
      readGpus: () => readGpus(environment),
      topology: { svg: options.topoSvgCmd, text: options.topoTextCmd },
      onProblem: (problem) => output.warn(problem),
    });
    output.text(encodeEnvelope(envelope, options.compat));
  },
});
