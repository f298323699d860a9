import { booleanShape, choiceShape, list, may, must, object, stringShape } from './shape.ts';
import { containerRuntimes } from '../surroundings/runtime.ts';

const container = object('ContainerSpec', {
  image: must(
    stringShape,
    'The image: a file, or a name as the runtime takes it. $NAME is a variable of the machine.',
    {
      example: 'docker://python:3.14-slim',
    },
  ),
  runtime: may(
    choiceShape(containerRuntimes),
    'The program that runs the container; it is on the machine of the job.',
    {
      standard: 'apptainer',
      example: 'podman',
    },
  ),
  binds: may(
    list(stringShape),
    'Further folders or files in the container: /data, /data:/mnt or /data:/mnt:ro. The working folder, the output folder ' +
      'and the folders of files of the job are there anyway. A colon is part of a name unless a path, a variable or options follow it.',
    { example: ['/scratch', '$HOME/models:/models:ro'] },
  ),
  keep_entrypoint: may(
    booleanShape,
    'Lets the entrypoint of the image run, with the command as its arguments. Without it the command runs, whatever the entrypoint is.',
    { standard: false, example: true },
  ),
});

/** Where the command of a job runs. */
export const surroundings = {
  container: may(container, 'Runs the command in a container.', {
    example: { image: 'python.sif', binds: ['/data'] },
  }),
  conda: may(stringShape, 'Name or folder of the conda environment that is activated before the command.', {
    example: 'analysis',
  }),
  module: may(stringShape, 'Modules of the machine that are loaded before the command, separated by blanks.', {
    example: 'gcc/14 openmpi/5',
  }),
};
