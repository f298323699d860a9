import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startsInContainer } from '../../../../tests/support/container-programs.ts';
import type { ContainerRuntime } from './runtime.ts';
import { surroundingsScript } from './script.ts';

/** Programs that write their arguments to files, one a line, and run the last ones where that is possible. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'torc-surroundings-'));
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'work/out'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const program = (name: string, text: string) => {
  const path = join(folder, 'bin', name);
  writeFileSync(`${path}.new`, `#!/bin/bash\n${text}\n`);
  chmodSync(`${path}.new`, 0o755);
  // A program that just starts cannot be written, but it can be replaced.
  renameSync(`${path}.new`, path);
};

const execute = (script: string | undefined, command: string, variables: Record<string, string> = {}) =>
  execFileSync('bash', ['-c', `${script?.trimEnd()}\n${command}`], {
    cwd: join(folder, 'work'),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      TORC_OUTPUT_DIR: 'out',
      TORC_WORKFLOW_ID: '1',
      TORC_RUN_ID: '2',
      TORC_JOB_ID: '3',
      TORC_ATTEMPT_ID: '1',
      ...variables,
    },
  });

interface Container {
  readonly image?: string;
  readonly binds?: readonly string[];
  readonly command?: string;
  readonly folders?: readonly string[];
  /** That of the image. */
  readonly entrypoint?: readonly string[];
  readonly keepEntrypoint?: boolean;
}

/** Source, target and options of a bind, as the runtime reads its option. */
function bindRead(runtime: ContainerRuntime, option: string, text: string): string[] {
  if (option !== '--mount') {
    // Apptainer takes commas for the ends of binds.
    expect(text).not.toMatch(runtime === 'apptainer' ? /:.*:.*:|,/ : /:.*:.*:/);
    const [source = '', target = '', options = ''] = text.split(':');
    return [source, target, options];
  }
  const fields = [...text.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,"]*)/g)].map(([, field = '']) =>
    field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field,
  );
  expect(fields[0]).toBe('type=bind');
  const value = (name: string) => fields.find((field) => field.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  return [value('src'), value('dst'), ...fields.slice(3), ...(fields.length > 3 ? [] : [''])];
}

/** The arguments with which the runtime was called, and what the command printed. */
function contained(
  runtime: ContainerRuntime,
  { image = 'image', binds = [], command = 'echo done', folders = [], entrypoint = [], keepEntrypoint }: Container = {},
  variables: Record<string, string> = {},
) {
  program(
    runtime,
    `[ "$1" = run ] || [ "$1" = exec ] || exit 0\nprintf '%s\\n' "$@" > ${folder}/words\n${startsInContainer(runtime, entrypoint)}\nexec "$@"`,
  );
  const container = { image, runtime, binds, keepEntrypoint };
  const script = surroundingsScript({ container }, { variables: ['MINE'], folders });
  const printed = execute(script, command, variables);
  return { printed, words: readFileSync(join(folder, 'words'), 'utf8').split('\n') };
}

describe.each(['apptainer', 'podman', 'docker'] as const)('a command in a container of %s', (runtime) => {
  it('a command runs as it is written, whatever is in it, with its exit code', () => {
    const command = `x='a "b" $HOME \\\\ \`c\`'\ncat <<E && echo "$x"\n# The command of the job:\nE`;
    expect(contained(runtime, { command }).printed).toBe('# The command of the job:\na "b" $HOME \\\\ `c`\n');
    expect(() => contained(runtime, { command: 'exit 7' })).toThrow(expect.objectContaining({ status: 7 }) as Error);
  });

  it('working folder, output folder, folders of files and further ones are bound, each once; missing ones by the folder above', () => {
    mkdirSync(join(folder, 'far/data'), { recursive: true });
    const { words } = contained(
      runtime,
      {
        folders: [join(folder, 'far/data'), join(folder, 'far/data/not/yet'), '../far'],
        binds: ['/usr/share', '$LIBRARY:/models:ro'],
      },
      { LIBRARY: '/usr/lib' },
    );
    const option = runtime === 'apptainer' ? '--bind' : '--volume';
    const bound = words.flatMap((word, at) => (words[at - 1] === option ? [word] : []));
    const same = (path: string) => `${join(folder, path)}:${join(folder, path)}`;
    expect(bound).toEqual([
      '/usr/share:/usr/share',
      '/usr/lib:/models:ro',
      same('work'),
      same('work/out'),
      same('far/data'),
      same('far'),
    ]);
    expect(words.join(' ')).toContain(
      runtime === 'apptainer' ? `--pwd ${join(folder, 'work')}` : `--workdir ${join(folder, 'work')}`,
    );
  });

  it.each(['/runs/2026-11-28T18:30:00', '/runs/a,b', '/runs/a "b",c:1'])(
    'the folder %s is bound under its name, as working folder and as a further one, with options too',
    (name) => {
      const path = join(folder, name);
      mkdirSync(join(path, 'work'), { recursive: true });
      const others = { folders: [path], binds: [`${path.replaceAll(':', '\\:')}:/mnt/18:30:ro`] };
      const { words } = contained(runtime, others, { TORC_WORKFLOW_SUBMISSION_DIR: join(path, 'work') });
      const found = words.flatMap((word, at) =>
        /^--(?:bind|volume|mount)$/.test(words[at - 1] ?? '') ? [bindRead(runtime, words[at - 1] ?? '', word)] : [],
      );
      expect(found.slice(0, 1)).toEqual([[path, '/mnt/18:30', 'ro']]);
      expect(found.slice(-2)).toEqual([
        [join(path, 'work'), join(path, 'work'), ''],
        [path, path, ''],
      ]);
    },
  );

  it('a target is bound once, with the options that the file gives it', () => {
    const shared = join(folder, 'work');
    const { words } = contained(runtime, { folders: [shared], binds: [`${shared}:${shared}:ro`] });
    expect(words.filter((word) => word.includes(`:${shared}`) && !word.includes('/out'))).toEqual([
      `${shared}:${shared}:ro`,
    ]);
  });

  it('the command of a job runs in an image with an entrypoint, with its exit code', () => {
    const entrypoint = ['true'];
    expect(contained(runtime, { entrypoint, command: 'echo "it is $((6 * 7))"' }).printed).toBe('it is 42\n');
    expect(() => contained(runtime, { entrypoint, command: 'exit 7' })).toThrow(
      expect.objectContaining({ status: 7 }) as Error,
    );
  });

  it('a job that keeps the entrypoint of its image gives it the command, as it is written', () => {
    program('wrap', 'export WRAPPED=yes; exec "$@"');
    const command = `a='x  y'; echo "$WRAPPED $a \\$HOME" '$(echo no)'`;
    const kept = { entrypoint: ['wrap'], keepEntrypoint: true };
    expect(contained(runtime, { ...kept, command }).printed).toBe('yes x  y $HOME $(echo no)\n');
    expect(() => contained(runtime, { ...kept, command: 'exit 7' })).toThrow(
      expect.objectContaining({ status: 7 }) as Error,
    );
    expect(contained(runtime, { entrypoint: ['echo', 'tool:'], keepEntrypoint: true }).printed).toMatch(/^tool: sh -c/);
  });

  it('an image is one word, in which only variables mean something', () => {
    const { words } = contained(runtime, { image: '$ROOT/my image $(touch x) `y` "z"' }, { ROOT: '/i' });
    expect(words).toContain('/i/my image $(touch x) `y` "z"');
  });

  it('GPUs are those of the job, and none without', () => {
    const flags = (variables: Record<string, string>) =>
      contained(runtime, {}, variables).words.filter((word) => /^--(?:nv|gpus)$|gpu=|device=/.test(word));
    expect(flags({})).toEqual([]);
    expect(flags({ CUDA_VISIBLE_DEVICES: '1,3' })).toEqual(
      { apptainer: ['--nv'], podman: ['nvidia.com/gpu=1', 'nvidia.com/gpu=3'], docker: ['--gpus', '"device=1,3"'] }[
        runtime
      ],
    );
  });
});

it.each(['podman', 'docker'] as const)(
  'a container of %s gets the variables of the job by their names, and not those that choose GPUs of the machine',
  (runtime) => {
    const { words } = contained(runtime, {}, { CUDA_VISIBLE_DEVICES: '0', SLURM_JOB_ID: '9', OTHER: 'x' });
    const passed = words.flatMap((word, at) => (words[at - 1] === '--env' ? [word] : []));
    expect(passed).toEqual(expect.arrayContaining(['TORC_JOB_ID', 'SLURM_JOB_ID', 'MINE', 'OMP_NUM_THREADS']));
    expect(passed).not.toContain('CUDA_VISIBLE_DEVICES');
    expect(passed).not.toContain('OTHER');
  },
);

/** The options with which the engine limits a container whose job has these limits. */
function limitsOf(
  runtime: ContainerRuntime,
  variables: Record<string, string>,
  controllers = '[cpuset cpu memory pids]',
) {
  program('getconf', 'echo 8');
  program(
    runtime,
    `[ "$1" = info ] && { echo '${controllers}'; exit; }\n[ "$1" = run ] || [ "$1" = exec ] || exit 0\nprintf '%s\\n' "$@" > ${folder}/words\n`,
  );
  const script = surroundingsScript({ container: { image: 'i', runtime, binds: [] } }, { variables: [], folders: [] });
  execute(script, 'true', variables);
  const words = readFileSync(join(folder, 'words'), 'utf8').split('\n');
  return words.flatMap((word, at) =>
    ['--memory', '--memory-swap', '--cpus'].includes(word) ? [`${word} ${words[at + 1]}`] : [],
  );
}

describe('limits of a job in a container', () => {
  const asked = { TORC_MEMORY_LIMIT_BYTES: '52428800', TORC_CPU_LIMIT: '2' };

  it.each(['podman', 'docker'] as const)(
    'the engine %s limits a container to the memory and the CPUs that the runner enforces, and to nothing where it does not',
    (runtime) => {
      expect(limitsOf(runtime, asked)).toEqual(['--memory 52428800', '--memory-swap 52428800', '--cpus 2']);
      expect(limitsOf(runtime, { TORC_MEMORY_LIMIT_BYTES: '52428800' })).toEqual([
        '--memory 52428800',
        '--memory-swap 52428800',
      ]);
      expect(limitsOf(runtime, {})).toEqual([]);
    },
  );

  it('an engine gets no limit that it would refuse: less than 6 MiB, or more CPUs than the machine has', () => {
    expect(limitsOf('docker', { TORC_MEMORY_LIMIT_BYTES: '1000', TORC_CPU_LIMIT: '9' })).toEqual([
      '--memory 6291456',
      '--memory-swap 6291456',
    ]);
  });

  it('Podman limits what its user may limit: nothing without root in version 1, and no CPUs where they are not delegated', () => {
    expect(limitsOf('podman', asked, '[]')).toEqual([]);
    expect(limitsOf('podman', asked, '[cpuset memory pids]')).toEqual(['--memory 52428800', '--memory-swap 52428800']);
  });

  it('Apptainer gets none: its processes are in the control group of the job', () => {
    expect(limitsOf('apptainer', asked)).toEqual([]);
  });
});

describe('environments of the machine', () => {
  it('a conda environment is activated in the shell of the command', () => {
    program('conda', `echo 'conda() { echo "conda $*"; ENVIRONMENT=$2; }'`);
    const script = surroundingsScript({ conda: 'my env' }, { variables: [], folders: [] });
    expect(execute(script, 'echo "in $ENVIRONMENT"')).toBe('conda activate my env\nin my env\n');
  });

  it('modules are loaded before the command, and a container may need one', () => {
    program('apptainer', 'echo "$SEEN $1"');
    const script = surroundingsScript(
      { module: 'gcc/14  apptainer', container: { image: 'i', runtime: 'apptainer', binds: [] } },
      { variables: [], folders: [] },
    );
    const shell = '() { export SEEN="$*"; }';
    expect(execute(script, 'true', { 'BASH_FUNC_module%%': shell })).toBe('load gcc/14 apptainer exec\n');
  });

  it.each([
    [{ conda: 'none' }, 'torc: the conda environment could not be activated'],
    [{ module: 'none' }, 'torc: module load failed'],
  ])('the command does not run without %j: the exit code is 126, and the output says why', (given, words) => {
    program('conda', 'exit 1');
    const script = surroundingsScript(given, { variables: [], folders: [] });
    const run = () => execute(script, 'echo reached', { MODULESHOME: '/none', LMOD_PKG: '/none' });
    expect(run).toThrow(
      expect.objectContaining({ status: 126, stdout: '', stderr: expect.stringContaining(words) }) as Error,
    );
  });

  it('a job without any has no script', () => {
    expect(surroundingsScript({}, { variables: [], folders: [] })).toBeUndefined();
  });
});
