import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { containerRuntimes, type ContainerRuntime } from '../../src/core/workflow-file/surroundings/runtime.ts';
import { surroundingsScript } from '../../src/core/workflow-file/surroundings/script.ts';
import { startsInContainer } from '../support/container-programs.ts';

/**
 * Public reports about other programs that run commands in containers: the report, what an image or a folder is like, and what
 * becomes of the command. Programs that start what Podman, Docker and Apptainer start stand in for them.
 */

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'torc-containers-'));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** What the command of a job printed in a container, or its exit code, with the binds of the container. */
function ran(
  runtime: ContainerRuntime,
  { entrypoint = [], keepEntrypoint = false, binds = [], command, at = 'w' }: Job,
): { readonly said: string | number; readonly binds: readonly string[] } {
  const work = join(folder, at);
  mkdirSync(work, { recursive: true });
  for (const [name, text] of [
    [
      runtime,
      `[[ $1 = run || $1 = exec ]] || exit 0; printf '%s\\n' "$@" > ${folder}/words\n${startsInContainer(runtime, entrypoint)}\nexec "$@"`,
    ],
    ['wrap', 'export WRAPPED=yes; exec "$@"'],
    ['tool', 'echo "tool: $# words"'],
  ] as const) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/bash\n${text}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  const container = { image: 'image', runtime, binds, keepEntrypoint };
  const script = surroundingsScript({ container }, { variables: [], folders: [] }) ?? '';
  const read = () =>
    execFileSync('grep', ['-A1', '-E', '^--(bind|volume|mount|user)$', join(folder, 'words')], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line !== '' && line !== '--');
  try {
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, TORC_OUTPUT_DIR: '' };
    const said = execFileSync('bash', ['-c', script + command], { cwd: work, env, encoding: 'utf8' });
    return { said: said.trim(), binds: read() };
  } catch (error) {
    return { said: (error as { status: number }).status, binds: read() };
  }
}

interface Job {
  readonly entrypoint?: readonly string[];
  readonly keepEntrypoint?: boolean;
  readonly binds?: readonly string[];
  readonly command: string;
  /** The working folder. */
  readonly at?: string;
}

/** The job, and what it prints or its exit code, with every runtime. */
const ENTRYPOINTS: readonly (readonly [string, Job, string | number])[] = [
  [
    'https://github.com/labdave/CloudConductor/pull/254 (python as entrypoint: nothing ran, and the code was 0)',
    { entrypoint: ['true'], command: 'exit 7' },
    7,
  ],
  [
    'https://github.com/vanvalenlab/deepcell-applications/issues/32 (Nextflow: the tool got /bin/bash as its argument)',
    { entrypoint: ['tool'], command: 'echo mine' },
    'mine',
  ],
  [
    'https://github.com/viash-io/viash/issues/282 (Nextflow 22.10: "convert: unrecognized option -ue")',
    { entrypoint: ['tool'], command: 'set -ue; echo mine' },
    'mine',
  ],
  [
    'https://github.com/common-workflow-language/cwltool/issues/1270 (an entrypoint that is no shell)',
    { entrypoint: ['tool', '--flag'], command: 'a="x y"; echo "$a"' },
    'x y',
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/5340 (an entrypoint that never ends)',
    { entrypoint: ['tail', '-f', '/dev/null'], command: 'exit 3' },
    3,
  ],
  [
    'https://github.com/dnanexus-archive/dxWDL/issues/71 (an entrypoint that sets variables is wanted)',
    { entrypoint: ['wrap'], keepEntrypoint: true, command: 'echo "$WRAPPED"' },
    'yes',
  ],
  [
    'https://github.com/nextflow-io/nextflow/issues/33 (an image that is a program, with arguments)',
    { entrypoint: ['tool'], keepEntrypoint: true, command: 'true' },
    expect.stringMatching(/^tool: \d words$/) as unknown as string,
  ],
  // Without --no-eval Apptainer expands the words of `run` before its entrypoint gets them.
  [
    'an entrypoint that is kept, Apptainer 1.4.5',
    { entrypoint: ['wrap'], keepEntrypoint: true, command: 'x=1; echo "[$x] \\$x"; exit 0' },
    '[1] $x',
  ],
];

test.each(ENTRYPOINTS.flatMap((row) => containerRuntimes.map((runtime) => [...row, runtime] as const)))(
  'the command of a job in %s (%#)',
  (_, job, said, runtime) => {
    expect(ran(runtime, job).said).toEqual(said);
  },
);

/** The runtime, the job and the binds with which its container starts, with WORK for the working folder. */
const FOLDERS: readonly (readonly [string, ContainerRuntime, Omit<Job, 'command'>, string])[] = [
  [
    'https://github.com/common-workflow-language/cwltool/issues/1250 (a folder of a scheduled run)',
    'docker',
    { at: 'trig__2020-02-08T22:34:44+00:00' },
    '--mount type=bind,src=WORK,dst=WORK',
  ],
  [
    'https://github.com/DataBiosphere/toil/issues/1958',
    'podman',
    { at: 'run_2017-11-14-T14:19:29/results' },
    '--mount type=bind,src=WORK,dst=WORK',
  ],
  [
    'https://github.com/apptainer/singularity/issues/5923',
    'apptainer',
    { binds: ['/tmp/some\\:file:/tmp/file'] },
    '--mount type=bind,src=/tmp/some:file,dst=/tmp/file',
  ],
  [
    'https://github.com/apptainer/singularity/issues/5959',
    'apptainer',
    { binds: ['/tmp/foo,bar:/data'] },
    '--mount type=bind,"src=/tmp/foo,bar",dst=/data',
  ],
  [
    'https://github.com/moby/moby/issues/8604 (all that a line of CSV quotes)',
    'docker',
    { binds: ['/tmp/hi,bye:"quote":/tmp/hi:ro'] },
    '--mount type=bind,"src=/tmp/hi,bye:""quote""",dst=/tmp/hi,ro',
  ],
  ['a folder with neither', 'docker', { at: 'a b' }, '--volume WORK:WORK'],
  [
    'https://github.com/nextflow-io/nextflow/issues/4037 (an image with a user of its own: permission denied)',
    'podman',
    {},
    '--user 0:0',
  ],
];

test.each(FOLDERS)('the folders of a container in %s with %s', (_, runtime, job, words) => {
  const { binds } = ran(runtime, { ...job, command: 'true' });
  expect(binds.join(' ')).toContain(words.replaceAll('WORK', join(folder, job.at ?? 'w')));
});
