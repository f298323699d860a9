import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { startsInContainer } from '../support/container-programs.ts';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** Jobs in containers: with a runtime that is played, and with podman where it can run containers. */

const flow = (runtime: string, image: string, command: string) =>
  JSON.stringify({
    name: 'contained',
    files: [{ name: 'result', path: 'result.txt' }],
    jobs: [{ name: 'in', container: { image, runtime }, env: { MINE: 'a b' }, output_files: ['result'], command }],
  });

const isThere = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));

const numberIn = (path: string) =>
  until(
    () => (existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0),
    (pid) => pid > 0,
    `a number in ${path}`,
  );

/**
 * A container is a process of a session of its own, as of a daemon: it gets no signal of its client's group. Its command
 * begins when the client can pass signals on. The entrypoint of its image does nothing.
 */
const PLAYED = `#!/bin/bash
state=STATE
case $1 in
  run)
    for word; do [ "$last" != --name ] || name=$word; last=$word; done
    ${startsInContainer('docker', ['true'])}
    trap 'kill -TERM "$(cat $state/$name)"' TERM
    setsid sh -c 'echo $$ > "$0"; exec "$@"' $state/$name "$@" &
    while :; do wait $!; code=$?; kill -0 "$(cat $state/$name)" 2>/dev/null || exit $code; done ;;
  kill) kill -KILL -- "-$(cat $state/$2)"; rm $state/$2 ;;
esac
`;

async function workplace(command: string) {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  for (const name of ['bin', 'state']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin/docker'), PLAYED.replace('STATE', join(folder, 'state')));
  chmodSync(join(folder, 'bin/docker'), 0o755);
  writeFileSync(join(folder, 'flow.json'), flow('docker', 'image', command));
  const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, TORC_API_URL: server.url };
  return { folder, server, environment };
}

describe('a job in a container that is a child of another process', () => {
  it('a job in a container completes with the output files that its command wrote, and keeps its command in the records', async () => {
    const { folder, server, environment } = await workplace('echo "$MINE" > ${files.output.result}');
    const { code, stderr } = await torc(['run', 'flow.json'], { cwd: folder, environment });
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    expect(readFileSync(join(folder, 'result.txt'), 'utf8')).toBe('a b\n');
    const { items } = await server.client.listJobs({ query: { workflow_id: 1 } });
    expect(items[0]).toMatchObject({ command: 'echo "$MINE" > result.txt', status: 'completed' });
    const again = await torc(['run', 'flow.json', '--update', '--dry-run'], { cwd: folder, environment });
    expect(again.stdout).toContain('nothing would change');
  });

  it('a canceled job asks the command in its container to end, which may do something first', async () => {
    const { folder, environment } = await workplace(
      "trap 'echo checkpoint > result.txt; exit 5' TERM; echo $$ > pid; while :; do sleep 0.1; done",
    );
    const run = start('torc', ['run', 'flow.json'], { cwd: folder, environment });
    const pid = await numberIn(join(folder, 'pid'));
    await torc(['jobs', 'cancel', 'in', '-w', '1'], { cwd: folder, environment });
    await run.ended;
    expect(readFileSync(join(folder, 'result.txt'), 'utf8')).toBe('checkpoint\n');
    expect(isThere(pid)).toBe(false);
  });

  it('the container of a job that is killed ends, although it does not end when it is asked', async () => {
    const { folder, server, environment } = await workplace("trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done");
    writeFileSync(
      join(folder, 'flow.json'),
      JSON.stringify({
        ...(JSON.parse(readFileSync(join(folder, 'flow.json'), 'utf8')) as object),
        execution_config: { mode: 'direct', sigterm_lead_seconds: 1, sigkill_headroom_seconds: 1 },
      }),
    );
    const run = start('torc', ['run', 'flow.json'], { cwd: folder, environment });
    const pid = await numberIn(join(folder, 'pid'));
    await server.client.cancelWorkflow({ params: { id: 1 } });
    await run.ended;
    await until(
      () => isThere(pid),
      (there) => !there,
      'the container to end',
    );
  });
});

/** The environment in which podman runs containers here; undefined if it does not. */
function podmanEnvironment(folder: string): Record<string, string> | undefined {
  const runc = join(folder, 'containers.conf');
  writeFileSync(
    runc,
    '[engine]\nruntime = "runc"\n[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]\n',
  );
  for (const environment of [{}, { CONTAINERS_CONF: runc }]) {
    try {
      const env = { ...process.env, ...environment };
      const root = join(folder, 'root');
      if (!existsSync(root)) {
        mkdirSync(join(root, 'bin'), { recursive: true });
        cpSync('/bin/busybox', join(root, 'bin/busybox'));
        for (const name of ['sh', 'sleep', 'true']) symlinkSync('busybox', join(root, 'bin', name));
        execFileSync('tar', ['-C', root, '-cf', join(folder, 'root.tar'), '.']);
        // Each import would leave the image of the one before without a name.
        if (spawnSync('podman', ['image', 'exists', IMAGE], { env }).status !== 0)
          execFileSync('podman', ['import', '--change', 'ENTRYPOINT ["true"]', join(folder, 'root.tar'), IMAGE], {
            env,
            stdio: 'ignore',
          });
      }
      execFileSync('podman', ['run', '--rm', '--network', 'host', IMAGE, 'true'], { env, stdio: 'ignore' });
      return environment;
    } catch {
      // The next environment, or none.
    }
  }
  return undefined;
}

const IMAGE = 'localhost/torc-test-entrypoint';
const podman = podmanEnvironment(temporaryFolder());

describe.skipIf(podman === undefined)('a job in a container of podman (needs podman and busybox)', () => {
  let folder: string;
  let environment: Record<string, string>;
  let containers: () => string[];

  beforeAll(async () => {
    folder = temporaryFolder();
    const server = await startServer(folder);
    environment = { ...podman, TORC_API_URL: server.url };
    const list = () =>
      execFileSync('podman', ['ps', '-a', '--format', '{{.Names}}'], {
        env: { ...process.env, ...podman },
        encoding: 'utf8',
      }).split('\n');
    const others = new Set(list());
    containers = () => list().filter((name) => !others.has(name));
  });

  it('a job in a container of podman sees its folder and its variables, and its exit code is that of the command', async () => {
    writeFileSync(
      join(folder, 'good.json'),
      flow('podman', IMAGE, 'echo "$MINE $PWD $TORC_JOB_ID" > result.txt; exit 3'),
    );
    await torc(['run', 'good.json'], { cwd: folder, environment });
    expect(readFileSync(join(folder, 'result.txt'), 'utf8')).toBe(`a b ${folder} 1\n`);
    const explained = await torc(['jobs', 'explain', '1'], { cwd: folder, environment });
    expect(explained.stdout).toContain('exit code 3');
    expect(containers()).toEqual([]);
  });

  it('a job in a container of podman takes it along when its processes are killed', async () => {
    writeFileSync(join(folder, 'long.json'), flow('podman', IMAGE, 'echo 1 > begun; sleep 600'));
    const run = start('torc', ['run', 'long.json', '--new'], { cwd: folder, environment });
    await numberIn(join(folder, 'begun'));
    // The name ends with the id of the job's process, which leads its group.
    const [, leader] = /^torc-2-1-\d+-1-(\d+)$/.exec(containers()[0] ?? '') ?? [];
    process.kill(-Number(leader), 'SIGKILL');
    await run.ended;
    await until(
      () => containers(),
      (names) => names.length === 0,
      'podman to have no container of the job',
    );
  });

  it('the container of a job has the limits of its job, and a job whose container reached its memory fails for that', async () => {
    const limited = {
      name: 'limited',
      execution_config: { limit_cpus: true },
      resource_requirements: [{ name: 'small', num_cpus: 1, memory: '90m', runtime: 'PT5M' }],
      jobs: [
        {
          name: 'greedy',
          resource_requirements: 'small',
          container: { image: IMAGE, runtime: 'podman' },
          command: `/bin/busybox head -c 600000000 /dev/zero | /bin/busybox tail -c 600000000 > /dev/null; echo survived`,
        },
        {
          name: 'seen',
          depends_on: ['greedy'],
          cancel_on_blocking_job_failure: false,
          resource_requirements: 'small',
          container: { image: IMAGE, runtime: 'podman' },
          command: `/bin/busybox cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/memory.max /sys/fs/cgroup/cpu.max > seen; true`,
        },
      ],
    };
    writeFileSync(join(folder, 'limited.json'), JSON.stringify(limited));
    const { stderr } = await torc(['run', 'limited.json', '--new'], { cwd: folder, environment });
    expect(stderr).toMatch(/greedy \(job \d+\) failed with exit code 137/);
    // A sample that counts the client, too, may come before the kernel.
    expect(stderr).toMatch(/it used more memory than it may: .*it used [\d.]+ of 90 MiB/);
    expect(stderr).toContain('To run what had too little memory again with more: torc recover 3');
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toMatch(/^(94371840\n100000|94371840\n100000 100000)\n$/);
    expect(readdirSync(join(folder, 'torc_output/job_stdio')).filter((name) => name.endsWith('.memory'))).toEqual([]);
  });
});
