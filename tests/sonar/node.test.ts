import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { start, temporaryFolder } from '../support/programs.ts';
import { checkEnvelope } from '../../src/core/contract/sonar/check.ts';
import { type ProcFacts, processesInProc } from './proc-facts.ts';
import { refusalsOf } from './strict-reader.ts';

type Json = Record<string, unknown>;
interface ProcessJson {
  pid?: number;
  ppid?: number;
  cmd?: string;
  cpu_time?: number;
  cpu_util?: number;
  resident_memory?: number;
  data_read?: number;
  data_written?: number;
  data_cancelled?: number;
  num_threads?: number;
}
interface JobJson {
  job: number;
  user: string;
  epoch?: number;
  processes: ProcessJson[];
}

async function sonar(args: readonly string[], environment: Readonly<Record<string, string | undefined>> = {}) {
  const cwd = temporaryFolder();
  const { code, stdout, stderr } = await start('torc', ['sonar', ...args], { cwd, environment }).ended;
  return {
    code,
    stdout,
    stderr,
    record: JSON.parse(stdout || 'null') as { data?: { type: string; attributes: Json } },
  };
}

/** What two readers that know nothing of each other do not accept about a record. */
const complaintsAbout = (record: unknown) => [...refusalsOf(record), ...checkEnvelope(record).problems];

const jobsIn = (record: { data?: { attributes: Json } }) => (record.data?.attributes['jobs'] ?? []) as JobJson[];

/** Programs that stand on PATH before the real ones. */
function onPath(programs: Readonly<Record<string, string>>): { PATH: string } {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/bash\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: `${folder}:${process.env['PATH']}` };
}

const BURNERS = 2;
const HOLDERS = 10;
const WRITERS = 5;
const BUSY = BURNERS + HOLDERS + WRITERS + 1;
const TMPFS = 0x0102_1994;

/**
 * Sleeping processes; burners with a name that looks like fields of the stat line and a reaped child that burned; ones that hold
 * memory; ones that wrote, read, and wrote what they cut off before it was on disk; and a zombie.
 */
const TWO_HUNDRED = `
  for i in $(seq 190); do sleep 600 & done
  for i in $(seq ${BURNERS}); do
    (printf ') R 1 (' > /proc/$BASHPID/comm; bash -c 'ulimit -t 1; while :; do :; done' 2> /dev/null; echo ready; while :; do :; done) &
  done
  for i in $(seq ${HOLDERS}); do head -c 8M /dev/zero | tail | (head -c 1 > /dev/null; echo ready; exec sleep 600) & done
  for i in $(seq ${WRITERS}); do
    (
      dd if=/dev/zero of=file$i bs=1M count=4 conv=fsync status=none
      dd if=file$i of=/dev/null bs=1M iflag=direct status=none 2> /dev/null && echo direct
      dd if=/dev/zero of=cut$i bs=1M count=8 status=none; : > cut$i
      echo ready
      sleep 600
    ) &
  done
  bash -c '(while [ "$(cat /proc/$$/comm)" != sleep ]; do :; done) & exec sleep 600' &
  until grep -qhs ") Z $! " /proc/[0-9]*/stat; do :; done
  echo ready
  wait`;

function expectBetween(pid: number, name: string, found = 0, least: number, most: number): void {
  const words = `${name} of ${pid} is ${found}, not from ${least} to ${most}`;
  expect(found >= least && found <= most, words).toBe(true);
}

describe('the strict reader of these tests', () => {
  const good = {
    meta: { producer: 'p', version: '1' },
    data: { type: 'sample', attributes: { time: '2026-01-01T00:00:00+00:00', node: 'n', jobs: [] } },
  };
  it('a good record is accepted', () => expect(refusalsOf(good)).toEqual([]));
  it.each([
    ['a third member of meta', { ...good, meta: { ...good.meta, format: 0 } }],
    ['both data and errors', { ...good, errors: [] }],
    ['an unknown member', { ...good, data: { ...good.data, attributes: { ...good.data.attributes, x: 1 } } }],
    [
      'the zone Z',
      { ...good, data: { ...good.data, attributes: { ...good.data.attributes, time: '2026-01-01T00:00:00Z' } } },
    ],
    [
      'a fraction in a whole number',
      {
        ...good,
        data: {
          type: 'sample',
          attributes: { ...good.data.attributes, jobs: [{ job: 1.5, user: 'u', processes: [] }] },
        },
      },
    ],
    [
      'no processes',
      { ...good, data: { type: 'sample', attributes: { ...good.data.attributes, jobs: [{ job: 1, user: 'u' }] } } },
    ],
  ])('a record with %s is refused', (_, record) => expect(refusalsOf(record)).not.toEqual([]));
});

describe.skipIf(process.platform !== 'linux')('torc sonar on this node', () => {
  it('a sample of two hundred processes says of each what /proc says', async () => {
    const folder = temporaryFolder();
    const child = spawn('bash', ['-c', TWO_HUNDRED], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
      cwd: folder,
    });
    const group = child.pid as number;
    onTestFinished(() => void process.kill(-group, 'SIGKILL'));
    let reported = '';
    while ((reported.match(/^ready/gm) ?? []).length < BUSY)
      reported += String(((await once(child.stdout, 'data')) as [Buffer])[0]);

    const before = processesInProc();
    const { code, record, stderr } = await sonar(['sample', '--load', '--cluster', 'test.cluster']);
    const after = processesInProc();
    expect([code, stderr]).toEqual([0, '']);
    expect(complaintsAbout(record)).toEqual([]);
    const jobs = jobsIn(record);
    const sampled = Map.groupBy(
      jobs.flatMap(({ job, epoch, processes }) => processes.map((each) => ({ ...each, job, epoch }))),
      ({ pid = 0 }) => pid,
    );

    const own: ProcFacts[] = [];
    for (const [pid, first] of before) {
      const last = after.get(pid);
      if (last?.start !== first.start) continue;
      const found = sampled.get(pid) ?? [];
      expect([pid, first.name, found.length]).toEqual([pid, first.name, 1]);
      const [each] = found as [ProcessJson & { readonly job: number; readonly epoch?: number }];
      const isOwn = first.group === group;
      // What only rises lies between two reads, however long the sample takes; the format has whole seconds and kilobytes.
      expectBetween(pid, 'cpu_time', each.cpu_time, Math.round(first.cpuSeconds), Math.round(last.cpuSeconds));
      // A process that changes its user meanwhile may be read no longer.
      if (first.hasIo === last.hasIo) {
        expectBetween(pid, 'data_read', each.data_read, first.readKilobytes, last.readKilobytes + 1);
        expectBetween(pid, 'data_written', each.data_written, first.writtenKilobytes, last.writtenKilobytes + 1);
        expectBetween(
          pid,
          'data_cancelled',
          each.data_cancelled,
          first.cancelledKilobytes,
          last.cancelledKilobytes + 1,
        );
      }
      // Memory falls, too: that of others is known where they did not run meanwhile.
      if (isOwn || first.switches === last.switches) {
        const [one, other] = [first.anonymousKilobytes, last.anonymousKilobytes];
        expectBetween(
          pid,
          'resident_memory',
          each.resident_memory,
          Math.min(one, other) * 0.99,
          Math.max(one, other) * 1.01,
        );
      }
      if (isOwn) own.push(first);
      if (isOwn) expect([pid, each.cmd]).toEqual([pid, first.name + (first.isZombie ? ' <defunct>' : '')]);
      // Outside of Slurm a job is a process group with the epoch of the boot; kernel threads have group 0.
      if (isOwn || first.isKernelThread)
        expect([pid, each.job, each.epoch]).toEqual([pid, first.group, expect.toSatisfy((epoch: number) => epoch > 0)]);
      if (first.isKernelThread) expect([pid, each.job, each.resident_memory ?? 0]).toEqual([pid, 0, 0]);
    }

    // None of this holds of zeros alone.
    expect(own.length).toBeGreaterThanOrEqual(200);
    expect(own.filter((each) => each.anonymousKilobytes >= 8192)).toHaveLength(HOLDERS);
    expect(own.filter((each) => each.waitedSeconds > 0.5 && each.name === ') R 1 (')).toHaveLength(BURNERS);
    expect(own.filter(({ isZombie }) => isZombie).length).toBeGreaterThan(0);
    // A file system in memory has no data to write.
    const isInMemory = statfsSync(folder).type === TMPFS;
    expect(own.filter(({ writtenKilobytes }) => writtenKilobytes >= 4096)).toHaveLength(isInMemory ? 0 : WRITERS);
    expect(own.filter(({ readKilobytes }) => readKilobytes >= 4096)).toHaveLength(
      isInMemory ? 0 : (reported.match(/^direct/gm) ?? []).length,
    );
    expect(own.filter(({ cancelledKilobytes }) => cancelledKilobytes >= 4096)).toHaveLength(isInMemory ? 0 : WRITERS);
    const system = (record.data?.attributes['system'] ?? {}) as Json;
    expect(Object.keys(system)).toEqual(expect.arrayContaining(['boot', 'cpus', 'used_memory']));
  });

  it('written data, threads and present use of a process are reported', async () => {
    const folder = temporaryFolder();
    const program = `const fs = require('node:fs'); const fd = fs.openSync('${folder}/file', 'w');
      fs.writeSync(fd, Buffer.alloc(8 << 20)); fs.fsyncSync(fd); console.log('written'); for (;;);`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const { record } = await sonar(['sample']);
    const found = jobsIn(record)
      .flatMap(({ processes }) => processes)
      .find(({ pid }) => pid === child.pid);
    const io = readFileSync(`/proc/${child.pid}/io`, 'utf8');
    expect(found?.data_written ?? 0).toBe(Math.ceil(Number(/^write_bytes: (\d+)$/m.exec(io)?.[1]) / 1024));
    expect(found?.num_threads).toBeGreaterThan(1);
    expect(found?.cpu_util).toBeGreaterThan(0);
    expect('system' in (record.data?.attributes ?? {})).toBe(false);
  });

  it('a sample from which everything is left out has no jobs', async () => {
    const { record, code } = await sonar(['sample', '--min-cpu-time', '999999999', '--hostname-only']);
    expect(code).toBe(0);
    expect(complaintsAbout(record)).toEqual([]);
    const node = hostname().split('.')[0];
    expect(record.data?.attributes).toEqual({ time: expect.any(String), cluster: node, node, jobs: [] });
  });

  it('sysinfo has the processors and memory of this node', async () => {
    const drawing = onPath({ lstopo: 'echo "<svg $*/>"' });
    const { record, stderr } = await sonar(
      ['sysinfo', '--cluster', 'test.cluster', '--topo-text-cmd', 'echo two  words'],
      drawing,
    );
    expect([complaintsAbout(record), stderr]).toEqual([[], '']);
    const attributes = (record.data?.attributes ?? {}) as Record<string, number> & {
      topo_svg: string;
      topo_text: string;
    };
    const { sockets = 0, cores_per_socket: cores = 0, threads_per_core: threads = 0 } = attributes;
    expect(sockets * cores * threads).toBe(Number(execFileSync('nproc', ['--all'], { encoding: 'utf8' })));
    expect(attributes['memory']).toBe(Number(/MemTotal:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]));
    expect(atob(attributes.topo_svg)).toBe('<svg --of svg/>\n');
    expect(atob(attributes.topo_text)).toBe('two words\n');
  });

  it('a topology command that fails costs the topology, with a warning', async () => {
    const { record, stderr, code } = await sonar(['sysinfo', '--topo-svg-cmd', 'false', '--topo-text-cmd', '']);
    expect([code, complaintsAbout(record)]).toEqual([0, []]);
    expect(stderr).toContain('warning: no topology: false: it ended with exit code 1');
    expect(record.data?.attributes).not.toHaveProperty('topo_svg');
  });

  it('sysinfo has the versions of GPU software where --compat asks for them', async () => {
    const root = temporaryFolder();
    writeFileSync(join(root, 'version.json'), '{"cuda": {"name": "CUDA SDK", "version": "12.4.1"}}');
    const tools = { CUDA_ROOT: root, ROCm_ROOT: root };
    const [usual, asked] = await Promise.all([
      sonar(['sysinfo'], tools),
      sonar(['sysinfo', '--compat', 'software=written'], tools),
    ]);
    expect(usual.record.data?.attributes).not.toHaveProperty('software');
    const software = [{ key: 'cuda', name: 'CUDA SDK', version: '12.4.1' }];
    expect(asked.record.data?.attributes['software']).toEqual(software);
  });

  it('cards that a tool knows are in sysinfo and sample, and a tool that fails is an error within the sample', async () => {
    const tool = onPath({
      'nvidia-smi': `case "$1" in
        --query-gpu*) echo "0, GPU-1, 0:1, Card, 1, 2, 9.0, Disabled, 1024, 512, 300, 300, 100, 50, 1, 2, 3, 4, 5, 60, Default, P2, 7, 8" ;;
        --query-compute-apps*) echo "GPU-1, 4194303, 100"; exit 3 ;;
        *) exit 0 ;; esac`,
    });
    const [sample, sysinfo] = await Promise.all([sonar(['sample', '--load'], tool), sonar(['sysinfo'], tool)]);
    expect([complaintsAbout(sample.record), complaintsAbout(sysinfo.record)]).toEqual([[], []]);
    const { system, errors } = (sample.record.data?.attributes ?? {}) as { system: Json; errors: Json[] };
    expect(system['gpus']).toMatchObject([{ index: 0, uuid: 'GPU-1', performance_state: 4, memory: 512 * 1024 }]);
    expect(errors).toMatchObject([{ detail: 'nvidia-smi --query-compute-apps ended with exit code 3' }]);
    expect(jobsIn(sample.record)).toContainEqual(
      expect.objectContaining({
        job: 0,
        user: '_user_unknown',
        epoch: expect.any(Number) as number,
        processes: [
          expect.objectContaining({
            cmd: '_unknown_',
            pid: 4194303,
          }),
        ],
      }),
    );
    expect(sysinfo.record.data?.attributes['cards']).toMatchObject([
      { index: 0, uuid: 'GPU-1', architecture: 'Hopper' },
    ]);
    expect(sysinfo.stderr).toContain('warning: nvidia-smi --query-compute-apps ended with exit code 3');
  });

  it('one of two samples with a lock prints, and a lock that a dead process left is taken over', async () => {
    const folder = temporaryFolder();
    const lock = join(folder, 'locks', `sonar-lock.${hostname()}`);
    mkdirSync(join(folder, 'locks'));
    // Sonar's own lock has the process alone.
    writeFileSync(lock, String(process.pid));
    const args = ['sample', '--min-cpu-time', '999999999', '--lockdir', join(folder, 'locks')];
    const held = await sonar(args);
    expect([held.code, held.stdout]).toEqual([0, '']);
    expect(held.stderr).toContain('holds the lock');
    writeFileSync(lock, `${process.pid} another-boot pid:[1] 7\n`);
    expect((await sonar(args)).record.data?.type).toBe('sample');
    expect(existsSync(lock)).toBe(false);
  });

  it.each([
    ['--min-cpu-time', '-1', 'expected 0 or more, found -1'],
    ['--min-mem-percent', 'much', 'expected a number, found "much"'],
    ['--nonsense', '1', '--nonsense'],
  ])('an option with a wrong value is refused: %s %s', async (name, value, words) => {
    const { code, stderr, stdout } = await sonar(['sample', name, value]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });
});

describe('torc sonar about a Slurm cluster', () => {
  const line =
    '42|42|ann|acct|RUNNING|2026-03-09T10:00:00|Unknown||||||600|0:0|||||4|16G|1||2026-03-09T09:00:00|00:00:00|00:00:00|90|00:00:00|c1-1|normal|cpu=4|100|fit';
  const show =
    'JobId=42 JobName=fit UserId=ann(1) JobState=RUNNING SubmitTime=2026-03-09T09:00:00 ReqTRES=cpu=4,mem=16G';
  /** A sacct that prints these lines with the separator that it is asked for. */
  const sacctOf = (...lines: readonly string[]) =>
    `for each; do case $each in --delimiter=*) mark=\${each#*=} ;; esac; done
    { ${lines.map((each) => `echo '${each}'`).join(';')}; } | sed "s/|/$mark/g"`;
  /** A squeue that prints what it says of these jobs in the format that it is asked for. */
  const squeueOf = (...ids: readonly number[]) =>
    `for each; do mark=\${each%%%A*}; done
    for id in ${ids.join(' ')}; do printf "$mark%s" $id 'ann(1)' RUNNING 2026-03-09T09:00:00 normal acct fit; echo; done`;
  const jobsOf = ({ record }: Awaited<ReturnType<typeof sonar>>) =>
    (record.data?.attributes['slurm_jobs'] ?? []) as Record<string, unknown>[];

  it('jobs have what sacct says, and what scontrol says that they asked for', async () => {
    const tools = onPath({
      sacct: `[ "$TZ" = UTC ] || exit 9; echo "$@" > "$(dirname "$0")/args"; ${sacctOf(line)}`,
      scontrol: `echo '${show}'`,
      squeue: squeueOf(42),
    });
    const answer = await sonar(['jobs', '--cluster', 'c.org'], { ...tools, TZ: 'Europe/Oslo' });
    expect([answer.stderr, complaintsAbout(answer.record)]).toEqual(['', []]);
    expect(jobsOf(answer)).toMatchObject([
      // In winter the zone is one hour from UTC, whatever it is today.
      { job_id: 42, submit_time: '2026-03-09T10:00:00+01:00', time_limit: 5402, requested_resources: 'cpu=4,mem=16G' },
    ]);
    const args = readFileSync(join(tools.PATH.split(':')[0] as string, 'args'), 'utf8');
    expect(args).toContain('-S now-90minutes -E now');
    expect(args).not.toContain(' -s ');
    const separators = args.match(/--delimiter=\S{16,}/g);
    expect(separators).toHaveLength(1);
    expect(jobsOf(await sonar(['jobs', '--stateless'], tools))).toEqual([]);
    expect(jobsOf(await sonar(['jobs', '--stateless', '--deluge'], tools))).toHaveLength(1);
  });

  it('a held job has priority 0, also one that sacct does not list and one that was held later; days in the past are of sacct alone', async () => {
    const shown = (id: number, more: string) =>
      `JobId=${id} JobName=fit UserId=ann(1) JobState=${more} SubmitTime=2026-03-09T09:00:00 ReqTRES=cpu=4`;
    const tools = onPath({
      sacct: sacctOf(line, line.replace('42|42', '43|43').replace('RUNNING', 'PENDING')),
      squeue: squeueOf(42, 43, 44, 45),
      scontrol: [
        shown(42, 'RUNNING Reason=None Priority=9'),
        shown(43, 'PENDING Reason=JobHeldUser Priority=0'),
        shown(44, 'PENDING Reason=JobHeldAdmin Priority=0'),
        shown(45, 'COMPLETED Reason=None Priority=9'),
      ]
        .map((each) => `echo '${each}'`)
        .join(';'),
    });
    const priorities = (answer: Awaited<ReturnType<typeof sonar>>) =>
      jobsOf(answer).map(({ job_id: id, priority }) => [id, Number(priority) - 2]);
    expect(priorities(await sonar(['jobs'], tools))).toEqual([
      [42, 100],
      [43, 0],
      [44, 0],
    ]);
    expect(priorities(await sonar(['jobs', '--span', '2026-03-09,2026-03-10'], tools))).toEqual([
      [42, 100],
      [43, 100],
    ]);
    expect(priorities(await sonar(['jobs', '--stateless'], tools))).toEqual([]);
  });

  it('without accounting, scontrol has the jobs, with a warning', async () => {
    const tools = onPath({
      sacct: 'echo "accounting storage is disabled" >&2; exit 1',
      scontrol: `echo '${show}'`,
      squeue: squeueOf(42),
    });
    const answer = await sonar(['jobs'], tools);
    expect(complaintsAbout(answer.record)).toEqual([]);
    expect(jobsOf(answer)).toMatchObject([{ job_id: 42, job_state: 'RUNNING', user_name: 'ann' }]);
    expect(answer.stderr).toContain('accounting storage is disabled');
  });

  it('where no program of Slurm answers, a record of errors says why', async () => {
    const tools = onPath({ sacct: 'exit 1', scontrol: 'exit 1', sinfo: 'echo "no controller" >&2; exit 1' });
    for (const word of ['jobs', 'cluster']) {
      const { record, code } = await sonar([word], tools);
      expect([code, complaintsAbout(record)]).toEqual([0, []]);
      expect(record).toHaveProperty('errors');
    }
  });

  it('a file of what was reported that cannot be read is refused, and stays', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'kept'), 'precious');
    const tools = onPath({ sacct: sacctOf(line), scontrol: 'exit 0', squeue: 'exit 0' });
    const { code, stderr, stdout } = await sonar(['jobs', '--state', join(folder, 'kept')], tools);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('remove it to report all jobs');
    expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('precious');
  });

  it.each([
    ['--span', '2026-03-01', 'expected two days'],
    ['--span', '2026-13-01,2026-03-02', 'is no day'],
    ['--batch-size', '0', 'expected 1 or more'],
    ['--compat', 'zone=moon', 'expected offset or z'],
  ])('a wrong value is refused: %s %s', async (name, value, words) => {
    const { code, stderr } = await sonar(['jobs', name, value]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });
});
