import { command } from '../../command.ts';
import { Failure } from '../../failure.ts';
import { conversionOptions } from './options.ts';

export const importCwl = command({
  words: 'import cwl <process> [inputs]',
  says: 'Convert a tool or workflow of the Common Workflow Language (CWL) with its inputs to a workflow file.',
  more: 'Each tool becomes a job in a folder of its own, each step that is scattered one for each item. References such as $(inputs.file.path) are resolved; JavaScript is not run: a step that needs it is left out. A report on standard error names what is not the same in the workflow, and where each output lies.',
  options: [
    {
      flags: '--container <runtime>',
      says: 'run tools with a DockerRequirement in containers of this runtime',
      choices: ['apptainer', 'podman', 'docker'],
    },
    ...conversionOptions,
  ],
  offline: true,
  async run(context, [path, inputs], { container: runtime, output, partial }) {
    const { convertCwlFile } = await import('../../../operations/convert/cwl.ts');
    const { writeConversion } = await import('./write-conversion.ts');
    if (path === '-')
      throw new Failure('a process of CWL names other files relative to itself, so it has to be a file');
    await writeConversion(context, convertCwlFile({ path, inputs, runtime }), { output, partial });
  },
});
