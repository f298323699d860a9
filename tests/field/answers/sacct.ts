import { expect } from 'vitest';
import {
  accountedEnd,
  accountedJobs,
  accountedSteps,
  readAccounting,
  recordedJobs,
} from '../../../src/cluster/slurm/sacct.ts';
import { type Answers, BANNER, MANY, manyLines } from './answer.ts';

const AWAY = 'sacct: error: Problem talking to the database: Connection refused\n';
const UNREAD = { refused: expect.stringContaining('sacct printed no line of the form that it was asked for') };

/** sacct -X -n -P -j … --format JobID,JobName,State,ExitCode,Elapsed,End,MaxRSS,JobIDRaw */
export const sacctJobs: Answers = {
  program: 'sacct',
  question: 'how jobs ended',
  read: async (text) => {
    const jobs = await accountedJobs(() => Promise.resolve(text), [36]);
    return jobs.length > 10
      ? jobs.length
      : jobs.map(({ jobId, word, seconds, rawId }) => [jobId, word, seconds, rawId]);
  },
  rows: {
    old: [
      '20.11',
      '36|a|CANCELLED by 1000|0:0|1-00:00:05|2026-11-29T18:40:00||36\n',
      [[36, 'CANCELLED by 1000', 86_405, 36]],
    ],
    current: ['22.05.8, a task', '34_3|a|FAILED|72:0|00:00:05|1795980000||37\n', [['34_3', 'FAILED', 5, 37]]],
    newest: ['26.05.3, its node failed', '36|a|NODE_FAIL|1:0|00:00:26|1795980000||36\n', [[36, 'NODE_FAIL', 26, 36]]],
    nothing: ['22.05.8, no such job', '', []],
    'an error on stdout': ['a wrapper that joins the streams', AWAY, UNREAD],
    'a banner before it': [
      'a shell of the site',
      `${BANNER}36|a|COMPLETED|0:0|00:00:05|1795980000||36\n`,
      [[36, 'COMPLETED', 5, 36]],
    ],
    'too much': [
      'a month of a large site',
      manyLines((at) => `${at}|a|COMPLETED|0:0|00:00:05|1795980000||${at}\n`),
      MANY,
    ],
    'cut off': [
      'a wrapper that ended',
      '36|a|COMPLETED|0:0|00:00:05|1795980000||36\n37|a|FAILED|1:0|00:0',
      [[36, 'COMPLETED', 5, 36]],
    ],
  },
};

const STEP = '36.0|wf1_j1_r1_a1|COMPLETED|0:0|00:00:05|1795980000|1024K|36.0\n';
const STEPS = [
  [
    'wf1_j1_r1_a1',
    {
      slurmJobId: 36,
      state: 'COMPLETED',
      exitCode: 0,
      signal: 0,
      seconds: 5,
      endedAtMs: 1_795_980_000_000,
      maxRssBytes: 2 ** 20,
    },
  ],
];

/** The same with steps. */
export const sacctSteps: Answers = {
  program: 'sacct',
  question: 'how steps ended',
  read: async (text) => {
    const steps = [...((await recordedJobs(() => Promise.resolve(text), [36]))?.steps ?? [])];
    return steps.length > 10 ? steps.length : steps;
  },
  rows: {
    old: [
      '20.11',
      STEP.replace('1795980000', 'Unknown'),
      [['wf1_j1_r1_a1', { ...(STEPS[0]?.[1] as object), endedAtMs: undefined }]],
    ],
    current: [
      '22.05.8, a short step has no figures',
      STEP.replace('1024K', ''),
      [['wf1_j1_r1_a1', { ...(STEPS[0]?.[1] as object), maxRssBytes: undefined }]],
    ],
    newest: [
      '26.05.3',
      `36|a|RUNNING|0:0|00:00:09|Unknown||36\n36.batch|batch|RUNNING|0:0|00:00:09|Unknown||36.batch\n${STEP}`,
      STEPS,
    ],
    nothing: ['22.05.8, no such job', '', []],
    'an error on stdout': ['a wrapper that joins the streams', AWAY, UNREAD],
    'a banner before it': ['a shell of the site', BANNER + STEP, STEPS],
    'too much': [
      'steps of an allocation of a day',
      manyLines((at) => `36.${at}|wf1_j${at}_r1_a1|COMPLETED|0:0|00:00:05|1795980000||36.${at}\n`),
      MANY,
    ],
    'cut off': ['a wrapper that ended within an exit code, 12', `${STEP}36.1|wf1_j2_r1_a1|FAILED|1`, STEPS],
  },
};

/** sacct -X …, of the script of one job. */
export const sacctEnd: Answers = {
  program: 'sacct',
  question: 'how a script ended',
  read: (text) => accountedEnd(() => Promise.resolve(text), 36),
  rows: {
    old: [
      '20.11',
      '36|a|TIMEOUT|0:0|00:10:05|2026-11-29T18:40:00||36\n',
      { word: 'TIMEOUT', exitCode: 0, signal: 0, rawId: 36, files: [] },
    ],
    current: [
      '22.05.8, a code above 127 is cut to seven bits',
      '36|a|FAILED|72:0|00:00:05|1795980000||36\n',
      { word: 'FAILED', exitCode: 72, signal: 0, rawId: 36, files: [] },
    ],
    newest: [
      '26.05.3, it is whole',
      '36|a|FAILED|200:0|00:00:05|1795980000||36\n',
      { word: 'FAILED', exitCode: 200, signal: 0, rawId: 36, files: [] },
    ],
    nothing: ['22.05.8, no such job', '', undefined],
    'an error on stdout': ['a wrapper that joins the streams', AWAY, UNREAD],
    'a banner before it': [
      'a shell of the site',
      `${BANNER}36|a|COMPLETED|0:0|00:00:05|1795980000||36\n`,
      { word: 'COMPLETED', exitCode: 0, signal: 0, rawId: 36, files: [] },
    ],
    'too much': [
      'all tasks of an array',
      manyLines((at) => `${at}|a|COMPLETED|0:0|00:00:05|1795980000||${at}\n`),
      { word: 'COMPLETED', exitCode: 0, signal: 0, rawId: 36, files: [] },
    ],
    'cut off': ['a wrapper that ended within an exit code, 12', '36|a|FAILED|1', UNREAD],
  },
};

const FIGURES = 'wf1_j1_r1_a1|68548K|74584K|140.03M|80.06M|00:00:01|n1|COMPLETED|00:02.500\n';
const FOUND = {
  state: 'COMPLETED',
  canceledBy: undefined,
  maxRssBytes: 68_548 * 1024,
  maxVmSizeBytes: 74_584 * 1024,
  maxDiskReadBytes: Math.round(140.03 * 2 ** 20),
  maxDiskWriteBytes: Math.round(80.06 * 2 ** 20),
  aveCpuSeconds: 1,
  totalCpuSeconds: 2.5,
  nodeList: 'n1',
};
const EMPTY = {
  maxRssBytes: undefined,
  maxVmSizeBytes: undefined,
  maxDiskReadBytes: undefined,
  maxDiskWriteBytes: undefined,
};

/** sacct -n -P -j … --format JobName,MaxRSS,MaxVMSize,MaxDiskRead,MaxDiskWrite,AveCPU,NodeList,State,TotalCPU */
export const sacctFigures: Answers = {
  program: 'sacct',
  question: 'what steps used',
  read: async (text) => {
    const steps = [...(await accountedSteps(() => Promise.resolve(text), 36))];
    return steps.length > 10 ? steps.length : steps;
  },
  rows: {
    old: [
      '20.11, by user',
      FIGURES.replace('COMPLETED', 'CANCELLED by 1000'),
      [['wf1_j1_r1_a1', { ...FOUND, state: 'CANCELLED', canceledBy: '1000' }]],
    ],
    current: ['22.05.8', FIGURES, [['wf1_j1_r1_a1', FOUND]]],
    newest: [
      '26.05.3, a step that runs',
      'wf1_j1_r1_a1|||||00:00:01|n1|RUNNING|00:02.500\n',
      [['wf1_j1_r1_a1', { ...FOUND, ...EMPTY, state: 'RUNNING' }]],
    ],
    nothing: ['22.05.8, no such job', '', []],
    'an error on stdout': ['a wrapper that joins the streams', AWAY, UNREAD],
    'a banner before it': ['a shell of the site', BANNER + FIGURES, [['wf1_j1_r1_a1', FOUND]]],
    'too much': ['steps of an allocation of a day', manyLines((at) => FIGURES.replace('_j1_', `_j${at}_`)), MANY],
    'cut off': ['a wrapper that ended', `${FIGURES}wf1_j2_r1_a1|68548K|745`, [['wf1_j1_r1_a1', FOUND]]],
  },
};

const TABLE = '36.0|wf1_j1_r1_a1|COMPLETED|0:0|00:00:05|1024K|00:02.500|n1|1\n';
const SHOWN = [['36', 'wf1_j1_r1_a1', 'COMPLETED', '0:0']];

/** sacct -n -P -j … --format JobIDRaw,JobName,State,ExitCode,Elapsed,MaxRSS,TotalCPU,NodeList,NNodes */
export const sacctTable: Answers = {
  program: 'sacct',
  question: 'what a person reads',
  read: async (text) => {
    const { rows } = await readAccounting(() => Promise.resolve(text), [36]);
    return rows.length > 10
      ? rows.length
      : rows.map(({ jobId, step, state, exitCode }) => [jobId, step, state, exitCode]);
  },
  rows: {
    old: [
      '20.11, canceled',
      TABLE.replace('COMPLETED', 'CANCELLED by 1000'),
      [['36', 'wf1_j1_r1_a1', 'CANCELLED', '0:0']],
    ],
    current: ['22.05.8', TABLE, SHOWN],
    newest: ['26.05.3, with its job', `36|a|RUNNING|0:0|00:00:05||00:02.500|n1|1\n${TABLE}`, SHOWN],
    nothing: ['22.05.8, no such job', '', []],
    'an error on stdout': ['a wrapper that joins the streams', AWAY, UNREAD],
    'a banner before it': ['a shell of the site', BANNER + TABLE, SHOWN],
    'too much': ['steps of an allocation of a day', manyLines((at) => TABLE.replace('36.0', `36.${at}`)), MANY],
    'cut off': ['a wrapper that ended', `${TABLE}36.1|wf1_j2_r1_a1|FAILED|1`, SHOWN],
  },
  odd: [['22.05.8, srun -J "a|b|"', TABLE.replace('wf1_j1_r1_a1', 'a|b|'), [['36', 'a|b|', 'COMPLETED', '0:0']]]],
};
