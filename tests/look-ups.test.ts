import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

/**
 * Files that are opened, and programs that are started, although no command line names them, stand in few places. Each says here which
 * test shows what a file of another user does there. A new place is refused until it has a line, and its row in
 * tests/e2e/looked-up-files.test.ts.
 */

const root = resolve(import.meta.dirname, '..');

/** What a place looks like in the sources. Places below /proc and /sys are the kernel's. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  'the home folder': /\bhomedir\(\)|\bXDG_[A-Z]+_HOME\b|\['HOME'\]/,
  'the temporary folder': /\btmpdir\(\)|\bTMPDIR\b/,
  'the current folder': /process\.cwd\(\)/,
  'a path of the system': /['"`]\/(?:etc|tmp|var|run|opt|usr|bin|home)\b/,
  'the name of a file': /'(?:\.\/)?[\w-]+\.(?:db|toml|ini|env)'/,
  'a hidden file': /['"`/]\.(?:torc\w*|config|local|env)\b/,
  'a program': /'node:child_process'|\bexecve\(/,
  'a library of others': /\bimport\((?!'(?:\.|node:))|\bcreateRequire\b|\brequire\.resolve\b/,
};

/** The kinds of places in a text, but for its comments. */
const looksIn = (text: string): string[] => {
  const code = text
    .split('\n')
    .filter((line) => !/^\s*(?:\*|\/\/|\/\*|#)/.test(line))
    .join('\n');
  return Object.keys(LOOKS).filter((kind) => LOOKS[kind]?.test(code));
};

const TABLE = 'tests/e2e/looked-up-files.test.ts';
const CONFIGURATION = 'tests/e2e/config-of-others.test.ts';
const PROGRAMS = 'src/cluster/program-on.test.ts';
const LIBRARIES = 'src/cluster/own-library.test.ts';
const ADDED = 'tests/release/additions.test.ts';
const PRIVATE = 'src/cluster/private-folder.test.ts';
const WORDS = 'words in a help, a message or an example: nothing is opened';
const READ_THERE = 'passes it to what reads it';
const BUNDLED = 'is part of our own programs';
const JOB = 'of a job: it finds what its user finds';
const HOST = 'of a host: the home of its user, and places of root';
const MADE = 'is written under a new name and put in place: what was there is not read';
const ROOT = 'a place where only root can put files';
const LINKS = 'is asked whether its parts are links, or whether it is there: no file is opened';
const DATABASE = 'src/server/store/own.test.ts';

/** Where such places may stand, with the test of each, or why it needs none. */
const PLACES: Readonly<Record<string, string>> = {
  'bin/start.mjs: the temporary folder': 'tests/runtime/compiled.test.ts',
  'bin/start.mjs: a path of the system': 'tests/runtime/compiled.test.ts',
  'bin/start.mjs: a program': 'tests/runtime/choice.test.ts',
  'bin/start.mjs: a library of others': BUNDLED,
  'src/cli/commands/config.ts: the current folder': READ_THERE,
  'src/cli/commands/config.ts: the name of a file': CONFIGURATION,
  'src/cli/commands/config.ts: a library of others': BUNDLED,
  'src/cli/commands/htpasswd/htpasswd.ts: a library of others': BUNDLED,
  'src/cli/commands/server/backup.ts: the name of a file': DATABASE,
  'src/cli/commands/server/check.ts: the name of a file': DATABASE,
  'src/cli/commands/server/export.ts: the name of a file': DATABASE,
  'src/cli/commands/server/run.ts: a path of the system': ROOT,
  'src/cli/commands/server/service-commands.ts: a hidden file': WORDS,
  'src/cli/commands/sonar/daemon.ts: the name of a file': WORDS,
  'src/cli/commands/sonar/daemon.ts: the home folder': 'tests/sonar/daemon.test.ts',
  'src/cli/commands/sonar/daemon.ts: a hidden file': 'tests/sonar/daemon.test.ts',
  'src/cli/program/completion/records.ts: the current folder': READ_THERE,
  'src/cli/program/for-program.ts: the current folder': READ_THERE,
  'src/cli/program/program.ts: the current folder': LINKS,
  'src/cli/config/read.ts: the home folder': TABLE,
  'src/cli/config/read.ts: a path of the system': ROOT,
  'src/cli/config/read.ts: the name of a file': TABLE,
  'src/cli/config/read.ts: a hidden file': TABLE,
  'src/cli/config/read.ts: a library of others': BUNDLED,
  'src/cli/config/schema.ts: the name of a file': TABLE,
  'src/cli/config/trust-records.ts: the home folder': TABLE,
  'src/cli/config/trust-records.ts: a hidden file': TABLE,
  'src/cli/commands/htpasswd/password.ts: a library of others': BUNDLED,
  'src/cli/commands/server/server-options.ts: the name of a file': DATABASE,
  'src/cli/commands/server/service.ts: the home folder': READ_THERE,
  'src/cli/commands/server/service.ts: a path of the system': ROOT,
  'src/cli/commands/server/service.ts: a hidden file': READ_THERE,
  'src/cluster/disk-here.ts: the current folder': LINKS,
  'src/cluster/exec.ts: a program': PROGRAMS,
  'src/cluster/host/own-folder.ts: the temporary folder': 'src/cluster/host/boot-epoch.test.ts',
  'src/cluster/host/own-folder.ts: a path of the system': ROOT,
  'src/cluster/host/user-names.ts: a path of the system': ROOT,
  'src/cluster/pbs/allocation.ts: a path of the system': ROOT,
  'src/cluster/pbs/pbs.ts: a path of the system': ROOT,
  'src/cluster/pbs/qsub.ts: the temporary folder': WORDS,
  'src/cluster/pbs/qsub.ts: the current folder': WORDS,
  'src/cluster/pbs/qsub.ts: a path of the system': ROOT,
  'src/cluster/pbs/submission-script.ts: the current folder': WORDS,
  'src/cluster/private-folder.ts: the temporary folder': PRIVATE,
  'src/cluster/private-folder.ts: a path of the system': PRIVATE,
  'src/cluster/program-on.ts: a path of the system': ROOT,
  'src/cli/standalone/missing-database.ts: the home folder': 'tests/e2e/missing-database.test.ts',
  'src/cli/standalone/read-only-copy.ts: the temporary folder': 'tests/e2e/read-only-medium.test.ts',
  'src/convert/array/task.ts: a path of the system': JOB,
  'src/convert/cwl/tool.ts: the temporary folder': JOB,
  'src/convert/snakemake/requirements.ts: the temporary folder': JOB,
  'src/convert/make/asking.ts: a hidden file': WORDS,
  'src/operations/create/create.ts: the current folder': WORDS,
  'src/operations/remote/host-script.ts: a hidden file': HOST,
  'src/operations/self/installation.ts: a path of the system': LINKS,
  'src/operations/self/update.ts: a path of the system': ROOT,
  'src/operations/submit/drafts.ts: the current folder': WORDS,
  'src/operations/submit/script-owner.ts: a hidden file': MADE,
  'src/runner/attempt/retry/retry.ts: the current folder': JOB,
  'src/runner/detached/log-files.ts: a hidden file': MADE,
  'src/runner/detached/packed-files.ts: a hidden file': TABLE,
  'src/runner/launch/child.ts: a program': JOB,
  'src/runner/launch/guardian.ts: a program': PROGRAMS,
  'src/runner/launch/stall-watch.ts: a program': PROGRAMS,
  'src/runner/launch/posix.ts: the current folder': JOB,
  'src/runner/launch/shell.ts: a program': PROGRAMS,
  'src/runner/outage/journal/file.ts: the name of a file': PRIVATE,
  'src/server/admin/sql-apart.ts: a program': BUNDLED,
  'src/server/http/page/load.ts: a library of others': BUNDLED,
  'src/cluster/notify/smtp.ts: a library of others': LIBRARIES,
  'src/cluster/additions/folder.ts: the home folder': ADDED,
  'src/cluster/additions/folder.ts: a hidden file': ADDED,
  'src/cluster/additions/folder.ts: a library of others': ADDED,
  'src/cli/commands/add.ts: a hidden file': WORDS,
  'src/telemetry/receive/kafka/library.ts: a library of others': LIBRARIES,
  'src/telemetry/store/archive/duckdb.ts: a library of others': LIBRARIES,
  'src/telemetry/store/postgres/library.ts: a library of others': LIBRARIES,
  'src/telemetry/produce/sysinfo/software.ts: a path of the system': ROOT,
  'src/telemetry/send/kafka.ts: a library of others': LIBRARIES,
  'src/tui/run-command.ts: a path of the system': ROOT,
};

const sources = [...globSync('src/**/*.ts', { cwd: root }), ...globSync('bin/*.mjs', { cwd: root })]
  // The page runs in a browser, which has no files.
  .filter((path) => !path.endsWith('.test.ts') && !path.startsWith('src/page/'));

it('a file or a program that no command line names is looked up in these places, and in no other', () => {
  const found = sources.flatMap((path) =>
    looksIn(readFileSync(join(root, path), 'utf8')).map((kind) => `${path}: ${kind}`),
  );
  expect(
    found.filter((each) => PLACES[each] === undefined),
    `A new look-up. Read what another user may have put there with src/cluster/found-file.ts, add a row to ${TABLE}, and a line here.`,
  ).toEqual([]);
  expect(
    Object.keys(PLACES).filter((each) => !found.includes(each)),
    'Lines of places that are gone',
  ).toEqual([]);
});

it.each(Object.values(PLACES).filter((each) => each.endsWith('.test.ts')))(
  'the test of a place is there: %s',
  (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  },
);

it.each([
  ["readFileSync(join(homedir(), '.torcrc'))", ['the home folder', 'a hidden file']],
  ["const path = join(environment['HOME'], 'x')", ['the home folder']],
  ['writeFileSync(`${tmpdir()}/torc`)', ['the temporary folder']],
  ["existsSync(join(process.cwd(), 'torc.env'))", ['the current folder', 'the name of a file']],
  ["readFileSync('/etc/torc/key')", ['a path of the system']],
  ["import { spawn } from 'node:child_process';", ['a program']],
  ["await import('left-pad')", ['a library of others']],
  ['await import(name)', ['a library of others']],
  ["readFileSync('/proc/self/stat')", []],
  ["await import('./own.ts')", []],
  ['// homedir() is not used: it may be of another user', []],
])('the check of places sees what looks up a file, and nothing else: %s', (line, kinds) => {
  expect(looksIn(line)).toEqual(kinds);
});
