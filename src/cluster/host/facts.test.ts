import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../tests/support/programs.ts';
import { hostFacts, nvidiaDevices, ownIdentity, type ProcessIdentity, proofOfEnd } from './facts.ts';
import { type Machine, thisMachine } from './machine.ts';
import { readProcesses } from '../../../tests/support/processes.ts';

const module = join(import.meta.dirname, 'facts.ts');
/** A process that prints results of the functions in this file. */
const script = (body: string) => ['--input-type=module', '-e', `import * as facts from '${module}';\n${body}`];

describe('this machine', () => {
  it('the machine is described by its name and by the resources that this process may use', () => {
    const facts = hostFacts();
    expect(facts.hostname).toBe(hostname());
    expect(facts.cpus).toBe(availableParallelism());
    expect(facts.memoryBytes).toBeGreaterThan(0);
    expect(facts.memoryBytes).toBeLessThanOrEqual(totalmem());
  });

  it('the machine has only the CPUs on which this process may run', ({ skip }) => {
    const words = ['taskset', '-c', '0', process.execPath, ...script('console.log(facts.hostFacts().cpus)')];
    let reported: string;
    try {
      reported = execFileSync('env', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return skip('taskset is missing, or CPU 0 is not ours to run on');
    }
    expect(reported).toBe('1\n');
  });

  it('the machine has one GPU for each folder of the driver, and none without a driver', () => {
    const folder = temporaryFolder();
    expect(nvidiaDevices(join(folder, 'gpus'))).toBe(0);
    mkdirSync(join(folder, 'gpus'));
    expect(nvidiaDevices(join(folder, 'gpus'))).toBe(0);
    for (const device of ['0000:3b:00.0', '0000:86:00.0']) mkdirSync(join(folder, 'gpus', device));
    expect(nvidiaDevices(join(folder, 'gpus'))).toBe(2);
  });
});

/** Another process that reported its identity and runs until it is killed. */
async function another(title: string): Promise<{ identity: ProcessIdentity; kill: () => Promise<unknown> }> {
  const body = `process.title = ${JSON.stringify(title)};
    process.stdout.write(JSON.stringify(facts.ownIdentity()));
    setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, script(body), { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    identity: JSON.parse(text.toString()) as ProcessIdentity,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

describe.skipIf(process.platform !== 'linux')('a process', () => {
  const own = ownIdentity() as ProcessIdentity;

  it('a process proves itself alive', () => {
    expect(own.pid).toBe(process.pid);
    expect(proofOfEnd(own)).toBe('alive');
  });

  it.each(['node', 'a) Z (b', ') ('])(
    'a process named %j is alive until it ends, and gone afterwards',
    async (title) => {
      const { identity, kill } = await another(title);
      expect(proofOfEnd(identity)).toBe('alive');
      await kill();
      expect(proofOfEnd(identity)).toBe('gone');
    },
  );

  it('a process is gone when its id belongs to a process with another start time', () => {
    expect(proofOfEnd({ ...own, start_ticks: own.start_ticks - 1 })).toBe('gone');
  });

  const here: Machine = { ...thisMachine(), machine_id: 'm', hardware_ids: ['eth', 'ib'], bootedAtMs: 2_000 };
  const earlier = { ...own, boot_id: 'earlier', machine_id: 'm', hardware_ids: ['eth'] };

  it('a process is gone after a reboot that machine id, hardware and time prove', () => {
    expect(proofOfEnd(earlier, 1_000, here)).toBe('rebooted');
  });

  it.each<[string, Partial<ProcessIdentity>, number, Partial<Machine>]>([
    ['its machine has another id', { machine_id: 'other' }, 1_000, {}],
    ['it did not report the id of its machine', { machine_id: undefined }, 1_000, {}],
    ['neither machine has an id', { machine_id: undefined }, 1_000, { machine_id: undefined }],
    ['the machine is a clone with another network device', { hardware_ids: ['other'] }, 1_000, {}],
    ['the container shows no hardware', {}, 1_000, { hardware_ids: [] }],
    ['this machine was booted before the report', {}, 3_000, {}],
    ['the time of the report is unknown', {}, Number.NaN, {}],
    ['the boot time of this machine is unknown', {}, 1_000, { bootedAtMs: undefined }],
  ])('a process of another boot is not proven gone when %s', (_, reported, reportedAtMs, machine) => {
    expect(proofOfEnd({ ...earlier, ...reported }, reportedAtMs, { ...here, ...machine })).toBe('unknown');
  });

  it('a process of a machine resumed from the same snapshot is not proven gone', () => {
    const elsewhere = { ...own, pid: 2 ** 30, machine_id: 'other' };
    expect(proofOfEnd(elsewhere, 1_000, here)).toBe('unknown');
    expect(proofOfEnd({ ...elsewhere, machine_id: 'm' }, 1_000, here)).toBe('gone');
  });

  it('a process of another namespace is neither gone nor alive, because its id has no meaning here', () => {
    expect(proofOfEnd({ ...own, pid_namespace: 'pid:[1]' })).toBe('unknown');
    expect(proofOfEnd({ ...own, pid_namespace: 'pid:[1]', pid: 2 ** 30 })).toBe('unknown');
  });

  it('a process that has no file descriptor left does not prove another one gone', () => {
    const body = `
      import { openSync } from 'node:fs';
      import { thisMachine } from ${JSON.stringify(join(import.meta.dirname, 'machine.ts'))};
      const here = thisMachine();
      try { for (;;) openSync('/dev/null'); } catch (error) { process.stdout.write(error.code + ' '); }
      process.stdout.write(facts.proofOfEnd(${JSON.stringify(own)}, NaN, here));`;
    const words = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, ...script(body)];
    expect(execFileSync('bash', words, { encoding: 'utf8' })).toBe('EMFILE unknown');
  });

  it('a process of another user is not proven gone if /proc hides processes of other users', ({ skip }) => {
    const withoutRights = (identity: ProcessIdentity) => {
      const words = script(`process.stdout.write(facts.proofOfEnd(${JSON.stringify(identity)}))`);
      const shell =
        'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$0" "$@"';
      return execFileSync('unshare', ['--mount', 'sh', '-c', shell, process.execPath, ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    };
    let reported: string;
    try {
      reported = withoutRights(own);
    } catch {
      return skip('only the superuser can hide processes, and another user must be able to read this checkout');
    }
    expect(reported).toBe('unknown');
    expect(withoutRights({ ...own, pid: 2 ** 22 - 1 })).toBe('gone');
  });

  it('a process with an unknown start time is neither alive nor gone while its id is in use', () => {
    expect(proofOfEnd({ ...own, start_ticks: 0 })).toBe('unknown');
    expect(proofOfEnd({ ...own, start_ticks: 0, pid: 2 ** 30 })).toBe('gone');
  });

  it('a zombie process counts as gone', async () => {
    // After this, the shell's child has a parent that never waits for it.
    const words = ['-c', 'exec 3<&0; read -r _ <&3 & exec sleep 600'];
    const parent = spawn('bash', words, { stdio: ['pipe', 'ignore', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    await until(
      () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8'),
      (name) => name === 'sleep\n',
      'the shell to become the program',
    );
    parent.stdin?.end();
    const zombie = await until(
      () => readProcesses().find(({ parentPid, state }) => parentPid === parent.pid && state === 'Z'),
      (found) => found !== undefined,
      'a child that has ended',
    );
    const stat = readFileSync(`/proc/${zombie?.pid}/stat`, 'utf8');
    const startTicks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
    expect(proofOfEnd({ ...own, pid: zombie?.pid as number, start_ticks: startTicks })).toBe('gone');
  });
});
