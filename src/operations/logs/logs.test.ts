import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { noSmallDisk, smallDisk } from '../../../tests/support/small-disk.ts';
import { analyzeLogs } from './analyze.ts';
import { bundleLogs } from './bundle.ts';
import { eachLine } from './files.ts';
import { parseSlurmLogs } from './parse-slurm.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'job_stdio'));
});
const write = (name: string, ...lines: readonly string[]) => writeFileSync(join(folder, name), `${lines.join('\n')}\n`);

const someLogs = () => {
  write('job_runner_n1_wf4_r1.log', 'INFO Job started workflow_id=4', 'job 1 timed out after 10m');
  write('slurm_output_wf4_sl7.o', 'starting');
  write(
    'slurm_output_wf4_sl7.e',
    'slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0',
    '*** JOB 7 CANCELLED ***',
  );
  write('job_stdio/job_wf4_j1_r1_a1.o', 'fine');
  write('job_stdio/job_wf4_j1_r1_a1.e', 'x'.repeat(200) + ' Segmentation fault');
  write('slurm_env_wf4_sl7_n0_pid1.log', 'SLURM_ERROR=failed');
  // Another workflow.
  write('job_stdio/job_wf42_j1_r1_a1.e', 'Traceback (most recent call last)');
  write('notes.txt', 'error');
};

describe('logs analyze', () => {
  it('logs analyze reads the logs of one workflow, and not those whose id only begins alike', async () => {
    someLogs();
    const found = await analyzeLogs(folder, 4);
    expect([found.files, found.errors, found.findings.map(({ label }) => label)]).toEqual([
      5,
      4,
      ['Timeout', 'Segmentation Fault', 'Slurm Error', 'Slurm Error'],
    ]);
    const cut = found.findings.find(({ label }) => label === 'Segmentation Fault');
    expect([cut?.file, cut?.line, cut?.text.length, cut?.text.endsWith('...')]).toEqual([
      'job_stdio/job_wf4_j1_r1_a1.e',
      1,
      120,
      true,
    ]);
  });

  it('needs the id if there are logs of several workflows, and names what is missing', async () => {
    someLogs();
    await expect(analyzeLogs(folder, undefined)).rejects.toThrow(
      /Multiple workflows found in .*: 4, 42.*--workflow-id/,
    );
    await expect(analyzeLogs(join(folder, 'gone'), undefined)).rejects.toThrow('Path not found');
    await expect(analyzeLogs(folder, 5)).rejects.toThrow('No workflow logs of workflow 5');
    await expect(analyzeLogs(join(folder, 'job_stdio'), undefined)).rejects.toThrow('Multiple workflows');
    await expect(analyzeLogs(join(folder, 'notes.txt'), undefined)).rejects.toThrow('is no bundle of logs');
  });

  it('logs analyze finds in a bundle what it finds in the folder', async () => {
    someLogs();
    const workflow = { id: 4, name: 'w', user: 'u' };
    const bundle = await bundleLogs({ workflow, outputDir: folder, bundleDir: folder, nowMs: 0 });
    expect([bundle.path, bundle.files]).toEqual([join(folder, 'wf4.tar.gz'), 6]);
    // As in Torc 1.0.0, each file stands below the name of its folder.
    const members = execFileSync('tar', ['-tzf', bundle.path], { encoding: 'utf8' }).trimEnd().split('\n');
    expect(members).toHaveLength(7);
    expect(members).toEqual(
      expect.arrayContaining([
        'bundle_metadata.json',
        `${basename(folder)}/job_runner_n1_wf4_r1.log`,
        'job_stdio/job_wf4_j1_r1_a1.e',
      ]),
    );
    const found = await analyzeLogs(bundle.path, undefined);
    const inFolder = await analyzeLogs(folder, 4);
    expect([found.files, found.errors, found.warnings]).toEqual([inFolder.files, inFolder.errors, inFolder.warnings]);
    const linesOf = ({ findings }: typeof found) =>
      findings.map(({ file, line, text }) => `${basename(file)}:${line} ${text}`).toSorted();
    expect(linesOf(found)).toEqual(linesOf(inFolder));
    expect(found.bundle).toEqual({
      workflow_id: 4,
      workflow_name: 'w',
      workflow_user: 'u',
      workflow_description: null,
      collected_at: '1970-01-01T00:00:00.000Z',
      files_collected: 6,
      total_size_bytes: bundle.bytes,
    });
    const none = { workflow: { ...workflow, id: 9 }, outputDir: folder, bundleDir: folder, nowMs: 0 };
    await expect(bundleLogs(none)).rejects.toThrow('No workflow logs of workflow 9');
  });

  it.each([
    ['in a folder for each of theirs', 'output/job_runner_n1_wf4_r1.log', 'job_stdio/job_wf4_j1_r1_a1.e', '.'],
    ['below the name of the bundle', 'wf4/job_runner_n1_wf4_r1.log', 'wf4/job_stdio/job_wf4_j1_r1_a1.e', 'wf4'],
    ['in both', 'wf4/output/job_runner_n1_wf4_r1.log', 'wf4/output/job_stdio/job_wf4_j1_r1_a1.e', 'wf4'],
  ])(
    'logs analyze finds every error in a bundle whose files stand %s, packed or unpacked',
    async (_, runner, job, root) => {
      const unpacked = temporaryFolder();
      for (const [path, text] of [
        [runner, 'WARN OOM violation detected: workflow_id=4 job_id=1'],
        [job, 'Segmentation fault'],
        [join(root, 'bundle_metadata.json'), '{"workflow_id": 4, "workflow_name": "w"}'],
      ] as const) {
        mkdirSync(dirname(join(unpacked, path)), { recursive: true });
        writeFileSync(join(unpacked, path), `${text}\n`);
      }
      const packed = join(folder, 'wf4.tar.gz');
      execFileSync('tar', ['-czf', packed, '-C', unpacked, ...readdirSync(unpacked)]);
      for (const path of [packed, unpacked, join(unpacked, root)]) {
        const found = await analyzeLogs(path, undefined);
        expect([found.workflowId, found.bundle?.workflow_name, found.files]).toEqual([4, 'w', 2]);
        expect(found.findings.map(({ label }) => label).toSorted()).toEqual(['OOM Killed', 'Segmentation Fault']);
      }
    },
  );

  it('logs analyze reads a folder below the given one only where that has no logs of its own', async () => {
    mkdirSync(join(folder, 'runs/torc_output'), { recursive: true });
    write('runs/torc_output/job_runner_n1_wf4_r1.log', 'job 1 timed out');
    expect((await analyzeLogs(join(folder, 'runs'), undefined)).files).toBe(1);
    write('runs/job_runner_n2_wf4_r1.log', 'fine');
    expect(await analyzeLogs(join(folder, 'runs'), undefined)).toMatchObject({ files: 1, errors: 0 });
  });
});

describe('the lines of a log', () => {
  const linesOf = async (path: string) => {
    const lines: [number, string][] = [];
    await eachLine(join(folder, path), (text, number) => void lines.push([number, text]));
    return lines;
  };

  it('a line ends with LF, CR or both, wherever the parts of a file end, and the last one needs no end', async () => {
    // A part of a file has 64 KiB.
    const filler = 'y'.repeat(64 * 1024 - 3);
    writeFileSync(join(folder, 'a.log'), `a\r${filler}\r\nb\n\nc\rd`);
    expect(await linesOf('a.log')).toEqual([
      [1, 'a'],
      [2, filler],
      [3, 'b'],
      [4, ''],
      [5, 'c'],
      [6, 'd'],
    ]);
    writeFileSync(join(folder, 'empty.log'), '');
    expect(await linesOf('empty.log')).toEqual([]);
  });

  it('a line of a gigabyte is cut as it is read, and the next one is read', async () => {
    const path = join(folder, 'long.log');
    writeFileSync(path, 'start');
    truncateSync(path, 2 ** 30);
    appendFileSync(path, '\nout of memory\n');
    const lines = await linesOf('long.log');
    expect(lines.map(([number, text]) => [number, text.length])).toEqual([
      [1, 64 * 1024],
      [2, 13],
    ]);
  });
});

describe('slurm parse-logs', () => {
  const parse = (errorsOnly: boolean) =>
    parseSlurmLogs({
      workflowId: 4,
      outputDir: folder,
      errorsOnly,
      allocationOf: (job) => (job === 1 ? '7' : undefined),
    });

  it('slurm parse-logs finds each error with its file, line, allocation, job and remedy; warnings only if they are wanted', async () => {
    someLogs();
    const found = await parse(false);
    expect([found.slurmJobs, found.files, found.total, found.errors]).toEqual([['7'], 4, 3, 2]);
    expect(found.issues).toMatchObject([
      {
        file: join(folder, 'slurm_output_wf4_sl7.e'),
        node: null,
        slurm_job_id: '7.0',
        line_number: 1,
        pattern_description: 'OOM killer terminated process',
      },
      {
        slurm_job_id: '7',
        line_number: 2,
        severity: 'warning',
        pattern_description: expect.stringMatching(/^Job was/),
      },
      {
        file: join(folder, 'job_stdio/job_wf4_j1_r1_a1.e'),
        slurm_job_id: '7',
        job_id: 1,
        remedy: expect.stringContaining('torc jobs output'),
      },
    ]);
    expect((await parse(true)).total).toBe(2);
  });

  it('slurm parse-logs reads what PBS says of the allocations of the workflow, and of no others', async () => {
    write('slurm_output_wf4_sl7.o', 'starting');
    mkdirSync(join(folder, 'pbs'));
    write('pbs/7.pbs.example.org.OU', '=>> PBS: job killed: walltime 7 exceeded limit 5');
    write('pbs/8.pbs.example.org.OU', '=>> PBS: job killed: mem 325588kb exceeded limit 102400kb');
    const found = await parse(false);
    expect([found.slurmJobs, found.files, found.total]).toEqual([['7'], 2, 1]);
    expect(found.issues).toMatchObject([
      {
        file: join(folder, 'pbs/7.pbs.example.org.OU'),
        slurm_job_id: '7',
        pattern_description: 'Job terminated due to time limit',
        remedy: expect.stringContaining('walltime'),
      },
    ]);
  });

  it('slurm parse-logs reads no job output where there is no output of an allocation', async () => {
    write('job_stdio/job_wf4_j1_r1_a1.e', 'Segmentation fault');
    expect(await parse(false)).toMatchObject({ slurmJobs: [], files: 0, total: 0 });
  });
});

describe('logs bundle', () => {
  it.skipIf(noSmallDisk)(
    'a full disk is an error that leaves the archive that was there, and no part of a new one',
    async () => {
      const disk = smallDisk();
      const workflow = { id: 4, name: 'w', user: 'u' };
      const options = { workflow, outputDir: folder, bundleDir: disk, nowMs: 0 };
      someLogs();
      const { path } = await bundleLogs(options);
      const { size } = statSync(path);
      // Random bytes: they do not become fewer.
      writeFileSync(join(folder, 'job_stdio/job_wf4_j2_r1_a1.o'), randomBytes(2 ** 21));
      await expect(bundleLogs(options)).rejects.toThrow(/No space left on device/);
      expect([readdirSync(disk), statSync(path).size]).toEqual([['wf4.tar.gz'], size]);
      expect((await analyzeLogs(path, undefined)).files).toBe(5);
    },
  );
});
