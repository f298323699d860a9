import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SonarSlurmJob } from '../../src/core/contract/sonar/jobs.ts';
import type { SampleJob, SampleProcess } from '../../src/core/contract/sonar/sample.ts';
import { type RunningServer, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { type Cluster, slurmIsMissing, startCluster } from './cluster.ts';

/** Names, comments and paths as people write them, through Slurm and back. */
const NAMES = [
  'with blanks',
  'a "double" and a \'single\' quote',
  '100% done %j %A',
  '$HOME `id` $(id)',
  'Größe, naïve, 日本語',
  'back\\slash',
  'a/b',
  '-dash --help',
  'semi;colon & amp | bar > greater',
  'tab\there',
  '#hash',
  'JobState=COMPLETED Reason=TimeLimit',
  'x'.repeat(200),
  'ü'.repeat(200),
  '(none)',
];

describe.skipIf(slurmIsMissing !== undefined)('names on a real Slurm cluster', () => {
  let cluster: Cluster;
  let folder: string;
  let server: RunningServer;
  beforeAll(async () => {
    cluster = await startCluster();
    folder = join(temporaryFolder(), `50% of "Größe" %j it's`);
    mkdirSync(folder);
    server = await startServer(folder);
  });

  const call = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    torc(['--url', server.url, ...args], { cwd: folder, environment: { ...cluster.environment, ...environment } });

  const flow = {
    name: 'Flow "50 %" $HOME it\'s #1 JobState=COMPLETED ü',
    resource_requirements: [{ name: 'one', num_cpus: 1, memory: '60m', runtime: 'PT1M' }],
    slurm_schedulers: [
      {
        name: 'n %j "ü"',
        account: 'any',
        nodes: 1,
        walltime: '00:10:00',
        mem: '900m',
        extra: `--comment="a 'b' 100% %j $x ü" -c 4`,
      },
    ],
    files: NAMES.map((_, at) => ({ name: `file ${at}`, path: `out ${at}: 5% %j 'ü' $x/"result".txt` })),
    jobs: NAMES.map((name, at) => ({
      name,
      resource_requirements: 'one',
      output_files: [`file ${at}`],
      // The first run of every third one fails.
      command: `f='out ${at}: 5% %j '\\''ü'\\'' $x'; mkdir -p "$f"; printf %s "$TORC_JOB_NAME" > "$f"/'"result".txt'; [ $TORC_RUN_ID -gt 1 ] || exit ${at % 3 === 0 ? 7 : 0}`,
    })),
    actions: [
      {
        trigger_type: 'on_workflow_start',
        action_type: 'schedule_nodes',
        scheduler: 'n %j "ü"',
        scheduler_type: 'slurm',
        num_allocations: 1,
      },
    ],
  };

  it.each(['slurm', 'direct'])(
    'names are as they were written through submit, recover, the lists and the page: mode %s',
    async (mode) => {
      const [out, file] = [`out ${mode} 100% %A "ü" $x it's`, `flow ${mode} %j 'ü'.json`];
      writeFileSync(join(folder, file), JSON.stringify({ ...flow, execution_config: { mode } }));
      const submitted = await call(['-f', 'json', 'submit', file, '-o', out]);
      expect([submitted.code, submitted.stdout]).toEqual([0, expect.stringContaining('"workflow_id"')]);
      const { workflow_id: id } = JSON.parse(submitted.stdout) as { workflow_id: number };
      const query = { workflow_id: id };
      const settled = (failed: number) =>
        until(
          async () => {
            const { items } = await server.client.listComputeNodes({ query });
            const { items: jobs } = await server.client.listJobs({ query });
            const hasLeft = items.every(({ is_active: isActive }) => isActive === false);
            return hasLeft
              ? [
                  jobs.length,
                  jobs.filter(({ status }) => status === 'failed').length,
                  jobs.filter(({ status }) => status === 'completed').length,
                ]
              : [];
          },
          ([, found, done]) => found === failed && done === NAMES.length - failed,
          `${failed} jobs to have failed: ${readdirSync(join(folder, out)).join(', ')}`,
          120_000,
        );
      await settled(5);
      const recovered = await call(['recover', String(id), '--no-prompts', '--retry-unknown', '-o', out]);
      expect([recovered.code, recovered.stdout + recovered.stderr]).toEqual([
        0,
        expect.stringContaining('Submitted 1 allocation'),
      ]);
      await settled(0);

      expect((await server.client.listJobs({ query })).items.map(({ name }) => name)).toEqual(NAMES);
      expect((await server.client.getWorkflow({ params: { id } })).name).toBe(flow.name);
      const listed = await call(['-f', 'json', 'jobs', 'list', String(id)]);
      expect((JSON.parse(listed.stdout) as { items: { name: string }[] }).items.map(({ name }) => name)).toEqual(NAMES);
      for (const [at, name] of NAMES.entries())
        expect(readFileSync(join(folder, flow.files[at]?.path as string), 'utf8')).toBe(name);
      // What Slurm itself wrote lies in the folder that was named, with the comment that was given.
      expect(readdirSync(join(folder, out)).filter((each) => each.startsWith('slurm_output_'))).toHaveLength(4);
      expect(readdirSync(folder).filter((each) => each.startsWith(`out ${mode}`))).toEqual([out]);
      const comments = cluster.run('squeue', '-h', '-t', 'all', '-o', '%k').trim().split('\n');
      expect(comments).toContain(flow.slurm_schedulers[0]?.extra.slice('--comment="'.length, -'" -c 4'.length));
    },
  );

  it('an output folder with a backslash is refused in words, because Slurm removes it', async () => {
    writeFileSync(join(folder, 'back.json'), JSON.stringify(flow));
    const { code, stderr } = await call(['submit', 'back.json', '-o', 'a\\b']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('contains a backslash, which Slurm removes')]);
    expect(cluster.run('squeue', '-h', '-o', '%i')).toBe('');
  });
});

describe.skipIf(slurmIsMissing !== undefined)('records of jobs on a real Slurm cluster', () => {
  let cluster: Cluster;
  let folder: string;
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 1 });
    folder = temporaryFolder();
    writeFileSync(join(folder, 'plain.sh'), '#!/bin/bash\nsleep 600\n');
    const held = (...options: readonly string[]) =>
      cluster.run('sbatch', '-A', 'any', '-D', folder, '-H', ...options, join(folder, 'plain.sh'));
    held('-J', 'plain');
    const user = cluster.run('squeue', '-h', '-j', '1', '-o', '%u(%U)').trim();
    const record = (name: string) =>
      `JobId=1 JobName=${name} UserId=${user} GroupId=x MCS_label=N/A Priority=1 Nice=0 Account=any QOS=normal JobState=FAILED Reason=None`;
    held('-J', `x\n${record('plain')}`);
    held('-J', 'a|b JobState=COMPLETED Account=evil UserId=bob(7) Reservation=fake');
    held('-J', 'c', `--comment=x\n${record('plain')}`);
    held('-J', 'd', '--mcs-label=m JobState=FAILED');
    held('-J', 'e', `--mcs-label=m\n${record('plain')}`);
    held('-J', 'f', `--wckey=w JobState=FAILED`);
    held('-J', `g\n${Array.from({ length: 32 }, () => '1').join('|')}`);
  });

  it.each([
    ['with accounting', {}],
    ['without', { TORC_FAKE_SACCT: '/bin/false' }],
  ])('records of jobs are neither forged nor hidden by what users write, %s', async (_, environment) => {
    const { code, stdout } = await torc(['sonar', 'jobs', '--stateless', '--deluge'], {
      cwd: folder,
      environment: { ...cluster.environment, ...environment },
    });
    const { data } = JSON.parse(stdout) as { data: { attributes: { slurm_jobs: SonarSlurmJob[] } } };
    const jobs = data.attributes.slurm_jobs.filter(({ job_step: step = '' }) => step === '');
    const shown = jobs
      .toSorted((one, other) => Number(one.job_id) - Number(other.job_id))
      .map(({ job_id: id, job_name: name, job_state: state, account, reservation = '', user_name: user }) => [
        id,
        name?.split('\n')[0],
        state,
        account,
        reservation,
        user === jobs[0]?.user_name,
      ]);
    const names = [
      'plain',
      'x',
      'a|b JobState=COMPLETED Account=evil UserId=bob(7) Reservation=fake',
      'c',
      'd',
      'e',
      'f',
      'g',
    ];
    expect([code, shown]).toEqual([0, names.map((name, at) => [at + 1, name, 'PENDING', 'any', '', true])]);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'a program that a user gives the name and the title of the daemon of a step does not give its processes to another job',
    async () => {
      const forged =
        'exec -a "slurmstepd: [4711.0]" bash -c "printf slurmstepd > /proc/\\$\\$/comm; while :; do sleep 0.5; done"';
      const script = join(folder, 'forges.sh');
      writeFileSync(script, `#!/bin/bash\nexec setpriv --reuid=65534 --clear-groups bash -c '${forged}'\n`);
      const words = ['--parsable', '-A', 'any', '-D', folder, '-o', '/dev/null', '-t', '5', script];
      const id = Number(cluster.run('sbatch', ...words).trim());
      const ofForger = async () => {
        const { stdout } = await torc(['sonar', 'sample'], { cwd: folder, environment: cluster.environment });
        const { data } = JSON.parse(stdout) as { data: { attributes: { jobs: SampleJob[] } } };
        const { jobs } = data.attributes;
        const isForger = ({ cmd, pid }: SampleProcess) =>
          cmd === 'slurmstepd' && titleOf(Number(pid)).startsWith('slurmstepd: [4711.0]');
        return jobs.filter(({ processes }) => processes?.some(isForger)).map(({ job }) => job);
      };
      try {
        const jobs = await until(ofForger, (found) => found.length > 0, 'the job to run');
        expect(jobs).toEqual([id]);
      } finally {
        cluster.run('scancel', String(id));
      }
    },
  );
});

function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
