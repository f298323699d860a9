import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nastyPlace, OK } from '../../support/nasty.ts';
import { fill, noSmallDisk, smallDisk } from '../../support/small-disk.ts';

/** A disk that is full where the output goes. Passed over where no small disk can be mounted. */

describe.skipIf(noSmallDisk)('a full disk under the output of a run', () => {
  it('makes the job fail that filled it, and no other; the server is told of all', async () => {
    const { run, folder } = await nastyPlace();
    const disk = smallDisk(2);
    symlinkSync(disk, join(folder, 'out'));
    const { code, ends, stderr } = await run(
      `
  - {name: fills, command: 'head -c 1G /dev/zero'}
  - {name: "after_{i}", parameters: {i: "1:40"}, command: "true", depends_on: [fills], cancel_on_blocking_job_failure: false}
  - {name: writes, command: 'echo x', depends_on: [fills], cancel_on_blocking_job_failure: false}
`,
    );
    expect(code).toBe(0);
    expect(ends['fills']).toEqual(['failed', 1]);
    expect(ends['writes']).toEqual(['failed', 1]);
    for (let i = 1; i <= 40; i += 1) expect(ends[`after_${i}`]).toEqual(OK);
    expect(stderr).toContain('40 jobs completed, 2 failed');
    expect(stderr.match(/ledger .* cannot be written/g)).toHaveLength(1);
    expect(stderr.match(/cannot write the runner's log/g)).toHaveLength(1);
    // Everything was told, so nothing of it is kept.
    expect(readdirSync(join(disk, 'job_runner_ledger'))).toEqual([]);
  });

  it('is survived also when it is emptied again in the middle', async () => {
    const { run, folder } = await nastyPlace();
    const disk = smallDisk(2);
    symlinkSync(disk, join(folder, 'out'));
    writeFileSync(join(folder, 'release.sh'), `rm -f '${disk}/big'\n`);
    const { code, ends, stderr } = await run(
      `
  - {name: fills, command: 'head -c 1G /dev/zero > "$TORC_OUTPUT_DIR/big"'}
  - {name: "before_{i}", parameters: {i: "1:40"}, command: "true", depends_on: [fills], cancel_on_blocking_job_failure: false}
  - {name: empties, command: 'bash release.sh', depends_on: ["before_{i}"], parameters: {i: "1:1"}}
  - {name: writes, command: 'echo x', depends_on: [empties]}
`,
      { args: ['--num-cpus', '1'] },
    );
    expect([code, ends['fills'], ends['writes']]).toEqual([0, ['failed', 1], OK]);
    expect(stderr).toContain('42 jobs completed, 1 failed');
    expect(stderr).toMatch(/ledger .* is written again/);
  });

  it('that was full before the run lets the jobs pass that write nothing', async () => {
    const { run, folder } = await nastyPlace();
    const disk = smallDisk(1);
    symlinkSync(disk, join(folder, 'out'));
    fill(disk);
    // Names need no block of this kind of disk.
    const { code, ends } = await run(`  - {name: quiet, command: "true"}\n  - {name: loud, command: echo x}\n`);
    expect([code, ends]).toEqual([0, { quiet: OK, loud: ['failed', 1] }]);
  });
});
