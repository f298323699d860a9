import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { openSsh } from '../../src/cluster/ssh/ssh.ts';
import { type Worker, workerOf } from '../../src/core/remote/worker-line.ts';
import { reachable } from '../../src/operations/remote/reachable.ts';
import { temporaryFolder } from '../support/programs.ts';

/**
 * What hosts, their login shells and ssh did in public reports about other programs that use ssh: the report, what stands in for `ssh`
 * (bash; `$command` is what is to run on the host, words are others), and what `torc remote` says: nothing where it works.
 */

const as = (shell: string) => `exec ${shell} -c "$command"`;
const printing = (words: string) => `printf '${words}'; ${as('bash')}`;
/** ssh does so unless it is called with a setting. */
const unless = (setting: string, words: string) => `[[ "$*" == *"-o ${setting} "* ]] || { ${words}; }\n${as('bash')}`;
/** ssh does so at its first calls. */
const atFirst = (calls: number, words: string) =>
  `n=$(cat n 2>/dev/null || echo 0); echo $((n+1)) >n; [ $n -ge ${calls} ] || { ${words}; }\n${as('bash')}`;

const SOMETHING_ELSE = 'the login shell of h1 runs something else: see its ~/.bashrc';

const ROWS: readonly (readonly [report: string, ssh: string, says: string | undefined])[] = [
  ['https://github.com/dask/distributed/issues/3687 (a user of fish)', as('fish'), undefined],
  ['https://github.com/microsoft/vscode-remote-release/issues/19 (a user of tcsh)', as('tcsh'), undefined],
  ['https://github.com/ROCm/omnistat/pull/281 (redirections under tcsh)', as('tcsh'), undefined],
  ['https://github.com/openai/codex/issues/19302 (a user of csh, quotes)', as('csh'), undefined],
  [
    'https://github.com/mobile-shell/mosh/issues/1299 (busybox, which prints its name)',
    `echo; echo "BusyBox v1.24.1"; ${as('busybox sh')}`,
    undefined,
  ],
  [
    'https://github.com/rust-lang/rustup/issues/498 (a start file prints)',
    printing('PATH set.\\nYou are ready\\n\\n'),
    undefined,
  ],
  [
    'https://github.com/fish-shell/fish-shell/issues/10057 (words about job control)',
    printing('This is not a login shell\\nJob control: Only on interactive jobs\\n'),
    undefined,
  ],
  [
    'https://github.com/sailfishos/issue-tracker/issues/65 (a box around a name)',
    printing(',---\\n| OS\\n---'),
    undefined,
  ],
  [
    'https://github.com/ansible/ansible/issues/6309 (a message of the day)',
    printing('=== 16 ===\\nNTP=\\n==='),
    undefined,
  ],
  [
    'https://github.com/fish-shell/fish-shell/issues/8036 (exec of a login shell of fish: others wait for ever)',
    'exec fish -l',
    SOMETHING_ELSE,
  ],
  ['https://github.com/jeanp413/open-remote-ssh/issues/221 (exec in ~/.bashrc)', 'exec dash', SOMETHING_ELSE],
  [
    'https://github.com/hassio-addons/app-ssh/issues/77 (exec of tmux)',
    'echo "open terminal failed: not a terminal" >&2; exit 1',
    'It printed "open terminal failed: not a terminal"',
  ],
  [
    'https://github.com/nextcloud/nextcloudpi/issues/1027 (a host with few commands)',
    'echo "Command not found" >&2; exit 1',
    'It printed "Command not found"',
  ],
  [
    'https://github.com/perfsonar/toolkit/issues/66 (a start file asks a question)',
    `read -r answer; ${as('bash')}`,
    'the login shell of h1 ran nothing in time: see its ~/.bashrc',
  ],
  [
    'https://github.com/NixOS/infra/issues/352 (MaxStartups)',
    atFirst(2, 'echo "kex_exchange_identification: read: Connection reset by peer" >&2; exit 255'),
    undefined,
  ],
  [
    'https://github.com/cBio/cbio-cluster/issues/279 (MaxStartups, older words)',
    atFirst(2, 'echo "ssh_exchange_identification: Connection closed by remote host" >&2; exit 255'),
    undefined,
  ],
  [
    'https://github.com/lilydjwg/pssh/issues/53 (a banner in the place of a reason)',
    '[[ "$*" == *LogLevel=ERROR* ]] || m="Authorized uses only."; echo "me@h1: Permission denied (publickey).\n$m" >&2; exit 255',
    'no key is accepted, and nothing is ever asked; try: ssh h1 true',
  ],
  [
    'https://github.com/microsoft/vscode-remote-release/issues/481 (RemoteCommand)',
    unless('RemoteCommand=none', 'echo "Cannot execute command-line and remote command." >&2; exit 255'),
    undefined,
  ],
  [
    'https://github.com/sequelpro/sequelpro/issues/1869 (a forward that is in use)',
    unless(
      'ClearAllForwardings=yes',
      'echo "Error: remote port forwarding failed for listen port 52698" >&2; exit 255',
    ),
    undefined,
  ],
  [
    'https://github.com/coollabsio/coolify/issues/4173 (a server that refuses a second session)',
    `echo "mux_client_request_session: session request failed: Session open refused by peer" >&2; ${as('bash')}`,
    undefined,
  ],
  [
    'https://github.com/deployphp/deployer/issues/2388 (the path of the socket, with what ssh appends)',
    `for word; do case $word in ControlPath=*) p=$\{word#*=};; esac; done; p=$\{p%\\%C}; [ $(($\{#p}+40+17)) -lt 108 ] ||
      { echo "unix_listener: path too long for Unix domain socket" >&2; exit 255; }\n${as('bash')}`,
    undefined,
  ],
];

afterEach(() => void vi.unstubAllEnvs());

it.for(ROWS)('ssh in %s', async ([, script, says], { skip }) => {
  const shell = /^exec (\w+) |; exec (\w+) sh/m
    .exec(script)
    ?.slice(1)
    .find((name) => name !== undefined);
  if (shell !== undefined && spawnSync(shell, [], { input: '' }).error !== undefined) skip(`not installed: ${shell}`);
  const folder = temporaryFolder();
  const inside = `cd ${folder}\ncase " $* " in *" -O "*) exit;; esac\neval command=\\\${$#}\n`;
  writeFileSync(join(folder, 'ssh'), `#!/bin/bash\n${inside}${script}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  // 48 bytes: the name of a socket fits, and what ssh appends to it does not.
  const long = join(folder, 'x'.repeat(48 - folder.length - 1));
  mkdirSync(long);
  vi.stubEnv('TMPDIR', long);
  const ssh = openSsh({ loginMs: says?.includes('in time') ? 2_000 : 60_000 });
  const [found] = await reachable([workerOf('h1') as Worker], { ssh, atOnce: 1 });
  await ssh.close();
  if (says === undefined) expect(found?.message).toBeUndefined();
  else expect(found?.message).toContain(says);
});
