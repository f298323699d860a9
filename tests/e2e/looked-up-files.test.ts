import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { ownIdentity } from '../../src/cluster/host/facts.ts';
import { readAddress, writeAddress } from '../../src/server/attach/address.ts';
import { lastLines } from '../../src/operations/output/last-lines.ts';
import { readLedger } from '../../src/runner/ledger/read-ledger.ts';
import { unchangedFiles, writeListing } from '../../src/runner/detached/packed-files.ts';
import { readState, writeState } from '../../src/runner/detached/state-file.ts';
import { type Ended, start, temporaryFolder, torc } from '../support/programs.ts';

/**
 * Every file that is opened although no command line names it: what it does as the file of this user, and that it does nothing as
 * that of another. tests/look-ups.test.ts refuses places in the sources that are not in a row here, or in a test that is named there.
 */

/** A user id without rights: that of the user `nobody` on most systems. */
const STRANGER = 65_534;
/** Only root can make files of another user. */
const isRoot = process.getuid?.() === 0;

interface Row {
  readonly file: string;
  readonly path: string;
  /** Makes the file, if text is not enough, and returns its path if that is not `path`. */
  make?(at: Place): Promise<string | undefined> | string | undefined;
  readonly text?: string;
  /** Whether what is in the file has an effect. */
  counts(at: Place): Promise<boolean> | boolean;
  /** Another user may own it or write it: it is only shown, or ADR 18 says why. */
  readonly isOfAnyOwner?: true;
  /** No link is followed, of this user neither. */
  readonly isNeverLink?: true;
}

interface Place {
  readonly folder: string;
  readonly path: string;
  /** A command in the folder; it fails where it does not end. */
  call(words: string): Promise<Ended>;
}

const holds = '[client.run]\npoll_interval = 7\n';
const showsIt = async ({ call }: Place) => (await call('config show')).stdout.includes('poll_interval = 7');

const rows: readonly Row[] = [
  { file: 'torc.toml of the folder', path: 'torc.toml', text: holds, counts: showsIt },
  { file: 'configuration of the user', path: 'home/.config/torc/config.toml', text: holds, counts: showsIt },
  {
    file: 'record of what the user trusts',
    path: 'home/.local/state/torc/trusted/record',
    async make({ folder, path, call }) {
      writeFileSync(join(folder, 'torc.toml'), '[client.run]\noutput_dir = "elsewhere"\n');
      await call('config trust');
      return join(path, '..', readdirSync(join(path, '..'))[0] as string);
    },
    counts: async ({ call }) => (await call('config validate')).code === 0,
  },
  {
    file: 'database of -s',
    path: 'torc_output/torc.db',
    async make({ call }) {
      await call('-s workflows new -n one');
      return undefined;
    },
    counts: async ({ call }) => (await call('-s workflows list')).code === 0,
  },
  {
    file: 'address of the server beside a database',
    path: 'torc_output/torc.db-server',
    make({ path }) {
      const own = {
        url: 'http://127.0.0.1:1/torc-service/v1',
        credential: 'c',
        pid: 1,
        host: 'h',
        start: 's',
        since: 'now',
        inMemory: false,
      };
      writeAddress(path.replace(/-server$/, ''), own);
      return undefined;
    },
    counts: ({ path }) => readAddress(path.replace(/-server$/, '')).kind === 'address',
    isNeverLink: true,
  },
  {
    file: 'telemetry store of the folder',
    path: 'sonar.db',
    async make({ call }) {
      await call('sonar clusters add hpc.example.org');
      return undefined;
    },
    counts: async ({ call }) => (await call('sonar clusters list')).stdout.includes('hpc.example.org'),
  },
  {
    file: 'state of a detached runner',
    path: 'torc_output/torc_worker_wf1_h.json',
    make({ path }) {
      const { hardware_ids: ids, ...identity } = ownIdentity() as NonNullable<ReturnType<typeof ownIdentity>>;
      const of = { workflow_id: 1, host: 'h', hostname: 'h', version: '1', url: 'http://h/', log: 'log' };
      writeState(path, { ...of, ...identity, hardware_ids: [...(ids ?? [])], started_at: new Date().toISOString() });
      return undefined;
    },
    counts: ({ path }) => readState(path) !== undefined,
  },
  {
    file: 'list of the logs that are packed for a host',
    path: 'torc_output/.torc_logs_1_h.tar.gz.files.json',
    make({ path }) {
      const folder = dirname(path);
      writeFileSync(join(folder, 'job_wf1_a.o'), '');
      writeListing(join(folder, '.torc_logs_1_h.tar.gz'), folder, ['job_wf1_a.o']);
      return undefined;
    },
    counts: ({ path }) => unchangedFiles(dirname(path), 1, 'h').length > 0,
  },
  {
    file: 'ledger of a runner',
    path: 'torc_output/ledger',
    text: 'torc-ledger-1 {"run_id":1,"compute_node_id":1}\n',
    counts: ({ path }) => isDone(() => readLedger(path)?.run_id === 1),
    isOfAnyOwner: true,
    isNeverLink: true,
  },
  {
    file: 'output of a job',
    path: 'torc_output/job_stdio/job_wf1_j1_r1_a1.o',
    text: 'hello\n',
    counts: ({ path }) => lastLines(path).includes('hello'),
    isOfAnyOwner: true,
  },
];

/** False for what is refused. */
function isDone(read: () => boolean): boolean {
  try {
    return read();
  } catch {
    return false;
  }
}

async function placeOf({ path, text, make }: Row): Promise<Place> {
  const folder = temporaryFolder();
  const environment = { HOME: join(folder, 'home'), XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' };
  const place: Place = {
    folder,
    path: join(folder, path),
    async call(words) {
      const { child, ended } = start('torc', words.split(' '), { cwd: folder, environment });
      // It ends what waits for the writer of a named pipe.
      const limit = setTimeout(() => child.kill('SIGKILL'), 30_000);
      return ended.finally(() => clearTimeout(limit));
    },
  };
  mkdirSync(join(place.path, '..'), { recursive: true });
  if (text !== undefined) writeFileSync(place.path, text);
  return { ...place, path: (await make?.(place)) ?? place.path };
}

/** Puts a link in the place of a file. */
function linkTo(path: string): void {
  renameSync(path, `${path}.real`);
  symlinkSync(`${path}.real`, path);
}

describe.each(rows)('the $file', (row) => {
  const { file, isOfAnyOwner = false, isNeverLink = false } = row;

  it(`the ${file} counts as a file of this user`, async () => {
    const at = await placeOf(row);
    expect(await row.counts(at)).toBe(true);
  });

  it.skipIf(!isRoot)(`the ${file} of another user ${isOfAnyOwner ? 'is only shown' : 'does not count'}`, async () => {
    const at = await placeOf(row);
    chownSync(at.path, STRANGER, STRANGER);
    expect(await row.counts(at)).toBe(isOfAnyOwner);
  });

  it(`the ${file} that everybody may write ${isOfAnyOwner ? 'is only shown' : 'does not count'}`, async () => {
    const at = await placeOf(row);
    chmodSync(at.path, 0o666);
    expect(await row.counts(at)).toBe(isOfAnyOwner);
  });

  it(`the ${file} behind a link of this user ${isNeverLink ? 'does not count' : 'counts'}`, async () => {
    const at = await placeOf(row);
    linkTo(at.path);
    expect(await row.counts(at)).toBe(!isNeverLink);
  });

  it.skipIf(!isRoot || (isOfAnyOwner && !isNeverLink))(
    `the ${file} behind a link of another user does not count`,
    async () => {
      const at = await placeOf(row);
      linkTo(at.path);
      lchownSync(at.path, STRANGER, STRANGER);
      expect(await row.counts(at)).toBe(false);
    },
  );

  it(`a named pipe in the place of the ${file} is not waited for`, async () => {
    const at = await placeOf(row);
    rmSync(at.path);
    execFileSync('mkfifo', [at.path]);
    expect(await row.counts(at)).toBe(false);
  });
});

describe('the pages of torc plot-resources', () => {
  it('the pages of torc plot-resources take the place of a link, and write nothing through it', async () => {
    const folder = temporaryFolder();
    const db = new DatabaseSync(join(folder, 'm.db'));
    db.exec(
      `create table job_metadata (job_id, job_name); insert into job_metadata values (1, 'one');
       create table job_resource_samples (id, job_id, timestamp, cpu_percent, memory_bytes, num_processes);
       insert into job_resource_samples values (1, 1, 1, 1, 1, 1), (2, 1, 2, 1, 1, 1);
       create table system_resource_samples (id, timestamp, cpu_percent, memory_bytes, total_memory_bytes)`,
    );
    db.close();
    writeFileSync(join(folder, 'precious'), 'kept');
    symlinkSync('precious', join(folder, 'job_1.html'));
    expect(await torc(['plot-resources', 'm.db'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('kept');
    expect(readFileSync(join(folder, 'job_1.html'), 'utf8')).toContain('<html');
    rmSync(join(folder, 'index.html'));
    execFileSync('mkfifo', [join(folder, 'index.html')]);
    const { code, stderr } = await torc(['plot-resources', 'm.db'], { cwd: folder });
    expect([code, stderr]).toEqual([1, expect.stringContaining('index.html is no regular file')]);
  });
});
