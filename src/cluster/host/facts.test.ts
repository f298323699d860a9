import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { availableParallelism, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder, until } from '../../../tests/support/programs.ts';
import { hostFacts, nvidiaDevices, ownIdentity, type ProcessIdentity, proofOfEnd } from './facts.ts';
import { type Machine, thisMachine } from './machine.ts';
import { readProcesses } from './proc.ts';

const module = join(import.meta.dirname, 'facts.ts');
/** A process that says something with the functions of this file. */
const script = (body: string) => ['--input-type=module', '-e', `import * as facts from '${module}';\n${body}`];

describe('this machine', () => {
  it('is told by its name, and what this process may use of it', () => {
    const facts = hostFacts();
    expect(facts.hostname).toBe(hostname());
    expect(facts.cpus).toBe(availableParallelism());
    expect(facts.memoryBytes).toBeGreaterThan(0);
    expect(facts.memoryBytes).toBeLessThanOrEqual(totalmem());
  });

  it('has only the CPUs on which this process may run', ({ skip }) => {
    const words = ['taskset', '-c', '0', process.execPath, ...script('console.log(facts.hostFacts().cpus)')];
    let told: string;
    try {
      told = execFileSync('env', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    } catch {
      return skip('taskset is missing, or CPU 0 is not ours to run on');
    }
    expect(told).toBe('1\n');
  });

  it('has as many GPUs as the driver has folders, and none without a driver', () => {
    const folder = temporaryFolder();
    expect(nvidiaDevices(join(folder, 'gpus'))).toBe(0);
    mkdirSync(join(folder, 'gpus'));
    expect(nvidiaDevices(join(folder, 'gpus'))).toBe(0);
    for (const device of ['0000:3b:00.0', '0000:86:00.0']) mkdirSync(join(folder, 'gpus', device));
    expect(nvidiaDevices(join(folder, 'gpus'))).toBe(2);
  });
});

/** Another process that told its identity and stays until it is killed. */
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

  it('knows itself alive', () => {
    expect(own.pid).toBe(process.pid);
    expect(proofOfEnd(own)).toBe('alive');
  });

  it.each(['node', 'a) Z (b', ') ('])(
    'that is called %j is alive until it ends, and gone behind that',
    async (title) => {
      const { identity, kill } = await another(title);
      expect(proofOfEnd(identity)).toBe('alive');
      await kill();
      expect(proofOfEnd(identity)).toBe('gone');
    },
  );

  it('is gone when its id belongs to one that began at another time', () => {
    expect(proofOfEnd({ ...own, start_ticks: own.start_ticks - 1 })).toBe('gone');
  });

  const here: Machine = { ...thisMachine(), machine_id: 'm', hardware_ids: ['eth', 'ib'], bootedAtMs: 2_000 };
  const earlier = { ...own, boot_id: 'earlier', machine_id: 'm', hardware_ids: ['eth'] };

  it('is gone with its boot when machine, hardware and time all say that the machine was booted since', () => {
    expect(proofOfEnd(earlier, 1_000, here)).toBe('rebooted');
  });

  it.each<[string, Partial<ProcessIdentity>, number, Partial<Machine>]>([
    ['its machine has another id', { machine_id: 'other' }, 1_000, {}],
    ['it did not tell the id of its machine', { machine_id: undefined }, 1_000, {}],
    ['neither machine has an id', { machine_id: undefined }, 1_000, { machine_id: undefined }],
    ['the machine is a clone with a network device of its own', { hardware_ids: ['other'] }, 1_000, {}],
    ['no hardware is seen from within a container', {}, 1_000, { hardware_ids: [] }],
    ['this machine was booted before it spoke', {}, 3_000, {}],
    ['nobody knows when it spoke', {}, Number.NaN, {}],
    ['nobody knows when this machine was booted', {}, 1_000, { bootedAtMs: undefined }],
  ])('of another boot is not proven gone when %s', (_, told, toldAtMs, machine) => {
    expect(proofOfEnd({ ...earlier, ...told }, toldAtMs, { ...here, ...machine })).toBe('unknown');
  });

  it('of a machine that was resumed from the same snapshot is not proven gone', () => {
    const elsewhere = { ...own, pid: 2 ** 30, machine_id: 'other' };
    expect(proofOfEnd(elsewhere, 1_000, here)).toBe('unknown');
    expect(proofOfEnd({ ...elsewhere, machine_id: 'm' }, 1_000, here)).toBe('gone');
  });

  it('of another namespace is neither gone nor alive, for its id means nothing here', () => {
    expect(proofOfEnd({ ...own, pid_namespace: 'pid:[1]' })).toBe('unknown');
    expect(proofOfEnd({ ...own, pid_namespace: 'pid:[1]', pid: 2 ** 30 })).toBe('unknown');
  });

  it('is not proven gone by a process that has no file left to open', () => {
    const body = `
      import { openSync } from 'node:fs';
      import { thisMachine } from ${JSON.stringify(join(import.meta.dirname, 'machine.ts'))};
      const here = thisMachine();
      try { for (;;) openSync('/dev/null'); } catch (error) { process.stdout.write(error.code + ' '); }
      process.stdout.write(facts.proofOfEnd(${JSON.stringify(own)}, NaN, here));`;
    const words = ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, ...script(body)];
    expect(execFileSync('bash', words, { encoding: 'utf8' })).toBe('EMFILE unknown');
  });

  it('of another user is not proven gone where /proc hides the processes of others', ({ skip }) => {
    const asNobody = (identity: ProcessIdentity) => {
      const words = script(`process.stdout.write(facts.proofOfEnd(${JSON.stringify(identity)}))`);
      const shell =
        'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$0" "$@"';
      return execFileSync('unshare', ['--mount', 'sh', '-c', shell, process.execPath, ...words], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
    };
    let told: string;
    try {
      told = asNobody(own);
    } catch {
      return skip('only the superuser can hide processes, and nobody must be able to read this checkout');
    }
    expect(told).toBe('unknown');
    expect(asNobody({ ...own, pid: 2 ** 22 - 1 })).toBe('gone');
  });

  it('that could not tell when it began is alive or gone for nobody while its id is in use', () => {
    expect(proofOfEnd({ ...own, start_ticks: 0 })).toBe('unknown');
    expect(proofOfEnd({ ...own, start_ticks: 0, pid: 2 ** 30 })).toBe('gone');
  });

  it('is gone when it ended and nobody has asked how', async () => {
    // The shell becomes a program that never asks for the end of the child that the shell started.
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
