import { chmodSync, existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Debian's package `faketime`: a library that gives the processes that load it another time of day. */
const library = globSync('/usr/lib/{,*/}faketime/libfaketime.so.1').find((path) => existsSync(path));

/** Why clocks cannot be apart here; undefined where they can. */
export const fakeTimeIsMissing: string | undefined = library === undefined ? 'not installed: faketime' : undefined;

/**
 * A line of slurm.conf by which the processes of jobs have another time of day on some nodes: so many seconds ahead, by the last digit
 * of the name of the node. Daemons keep the right one: a node that is more than five minutes apart cannot sign its messages.
 */
export function clocksApart(folder: string, aheadSeconds: Readonly<Record<string, number>>): string {
  const path = join(folder, 'task-prolog.sh');
  const cases = Object.entries(aheadSeconds).map(
    ([digit, seconds]) => `*${digit}) echo export FAKETIME=${seconds < 0 ? '' : '+'}${seconds}s ;;`,
  );
  writeFileSync(
    path,
    `#!/bin/sh
case $SLURMD_NODENAME in
${cases.join('\n')}
*) exit 0 ;;
esac
echo export LD_PRELOAD=${library}
# A clock that is set moves no monotonic clock, and the times of files are those of a file server.
echo export FAKETIME_DONT_FAKE_MONOTONIC=1
echo export NO_FAKE_STAT=1
echo export FAKETIME_DISABLE_SHM=1
`,
  );
  chmodSync(path, 0o755);
  return `TaskProlog=${path}`;
}
