import { expect } from 'vitest';
import { openSqueue } from '../../../src/cluster/slurm/squeue.ts';
import { type Answers, BANNER, MANY, manyLines, SLURM_AWAY } from './answer.ts';

const answering = (text: string) => openSqueue(() => Promise.resolve(text));
const UNREAD = { refused: expect.stringContaining('squeue printed no line of the form that it was asked for') };

const summary = (
  rows: readonly { readonly jobId: unknown; readonly word: string; readonly startedAtMs?: number | undefined }[],
) => (rows.length > 10 ? rows.length : rows.map(({ jobId, word, startedAtMs }) => [jobId, word, startedAtMs]));

const ROW = '36|RUNNING|1795980000|5:00|36|1795979000|\n';
const READ = [[36, 'RUNNING', 1_795_980_000_000]];

/** squeue -hr -t all -j … -o '%i|%T|%S|%M|%A|%V|' */
export const squeueJobs: Answers = {
  program: 'squeue',
  question: 'how jobs stand',
  read: async (text) => summary(await answering(text).jobs([36, 37])),
  rows: {
    old: [
      '20.11, which knows no time format',
      ROW.replace('1795980000', '2026-11-29T18:40:00'),
      [[36, 'RUNNING', Date.parse('2026-11-29T18:40:00')]],
    ],
    current: ['22.05.8', ROW, READ],
    newest: [
      '26.05.3',
      `${ROW}37_[2-3%1]|PENDING|N/A|0:00|37|1795979000|\n`,
      [...READ, ['37_2', 'PENDING', undefined], ['37_3', 'PENDING', undefined]],
    ],
    nothing: ['22.05.8, none of the jobs is left', '', []],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, UNREAD],
    'a banner before it': ['a shell of the site', BANNER + ROW, READ],
    'too much': [
      'all jobs of a large site',
      manyLines((at) => `${at + 1}|PENDING|N/A|0:00|${at + 1}|1795979000|\n`),
      MANY,
    ],
    'cut off': ['a wrapper that ended', `${ROW}37|RUNNING|179598`, [...READ, [37, 'RUNNING', undefined]]],
  },
};

/** squeue -h -t all -o '%F|%T|%o' */
export const squeueScripts: Answers = {
  program: 'squeue',
  question: 'the scripts of my jobs',
  read: async (text) => {
    const scripts = await answering(text).scripts();
    return scripts.length > 10 ? scripts.length : scripts.map(({ jobId, script }) => [jobId, script]);
  },
  rows: {
    old: ['20.11, a job of srun has no script', '12|RUNNING|bash\n', [[12, 'bash']]],
    current: [
      '22.05.8, a path with the separator',
      '12|PENDING|/home/ann/a|b/torc_wf1.sh\n',
      [[12, '/home/ann/a|b/torc_wf1.sh']],
    ],
    newest: ['26.05.3', '12|COMPLETED|/home/ann/torc_wf1.sh\n', [[12, '/home/ann/torc_wf1.sh']]],
    nothing: ['22.05.8, no job', '', []],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, UNREAD],
    'a banner before it': ['a shell of the site', `${BANNER}12|RUNNING|/a.sh\n`, [[12, '/a.sh']]],
    'too much': ['many jobs of one user', manyLines((at) => `${at}|PENDING|/home/ann/torc_wf1.sh\n`), MANY],
    'cut off': ['a wrapper that ended', '12|RUNNING|/a.sh\n13|PEND', [[12, '/a.sh']]],
  },
};

/** squeue --noheader --jobs … --format '%A|%e' */
export const squeueEnd: Answers = {
  program: 'squeue',
  question: 'when an allocation ends',
  read: (text) => answering(text).end(36),
  rows: {
    old: ['20.11', '36|2026-11-29T18:40:00\n', Date.parse('2026-11-29T18:40:00')],
    current: ['22.05.8, a partition without a limit', '36|NONE\n', undefined],
    newest: ['26.05.3', '36|1795980000\n', 1_795_980_000_000],
    nothing: ['22.05.8, no such job', '', undefined],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, undefined],
    'a banner before it': ['a shell of the site', `${BANNER}36|1795980000\n`, 1_795_980_000_000],
    'too much': ['all tasks of an array', manyLines((at) => `${at}|${1_795_980_000 + at}\n`), 1_795_980_036_000],
    'cut off': ['a wrapper that ended: 1926 is no end', '36|179598000', undefined],
  },
};

/** squeue --steps -h -j … -o '%i|%j' */
export const squeueSteps: Answers = {
  program: 'squeue',
  question: 'the steps that run',
  read: async (text) => {
    const steps = [...(await answering(text).steps(36))];
    return steps.length > 10 ? steps.length : steps;
  },
  rows: {
    old: ['20.11', '36.0|wf1_j1_r1_a1\n36.batch|batch\n', [['wf1_j1_r1_a1', '36.0']]],
    current: ['22.05.8, a task of an array', '30_2.4|wf1_j1_r1_a1\n', [['wf1_j1_r1_a1', '36.4']]],
    newest: ['26.05.3, a step that waits', '36.TBD|wf1_j2_r1_a1\n36.1|wf1_j1_r1_a1\n', [['wf1_j1_r1_a1', '36.1']]],
    nothing: ['22.05.8, no step', '', []],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, UNREAD],
    'a banner before it': ['a shell of the site', `${BANNER}36.0|wf1_j1_r1_a1\n`, [['wf1_j1_r1_a1', '36.0']]],
    'too much': ['a step a job', manyLines((at) => `36.${at}|wf1_j${at}_r1_a1\n`), MANY],
    'cut off': ['a wrapper that ended', '36.0|wf1_j1_r1_a1\n36.1', [['wf1_j1_r1_a1', '36.0']]],
  },
};

/** squeue -hr -t PENDING -j … -o '%i|%r' */
export const squeueReasons: Answers = {
  program: 'squeue',
  question: 'why allocations wait',
  read: async (text) => {
    const reasons = [...(await answering(text).reasons([36]))];
    return reasons.length > 10 ? reasons.length : reasons;
  },
  rows: {
    old: ['20.11', '36|QOSMaxJobsPerUserLimit\n', [[36, 'QOSMaxJobsPerUserLimit']]],
    current: ['22.05.8, words', '36|launch failed requeued held\n', [[36, 'launch failed requeued held']]],
    newest: [
      '26.05.3, a reason with a list',
      '36|ReqNodeNotAvail, UnavailableNodes:n[1-3]\n',
      [[36, 'ReqNodeNotAvail, UnavailableNodes:n[1-3]']],
    ],
    nothing: ['22.05.8, it runs', '', []],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, UNREAD],
    'a banner before it': ['a shell of the site', `${BANNER}36|Priority\n`, [[36, 'Priority']]],
    'too much': ['all tasks of an array', manyLines((at) => `36_${at}|Priority\n`), MANY],
    'cut off': ['a wrapper that ended', '36|Priority\n3', [[36, 'Priority']]],
  },
};

/** squeue -h -o '%P|%T|%D' */
export const squeueDepth: Answers = {
  program: 'squeue',
  question: 'how many jobs wait',
  read: async (text) => Object.fromEntries(await answering(text).depth()),
  rows: {
    old: ['20.11', 'batch|PENDING|2\n', { batch: { pendingJobs: 1, pendingNodes: 2, runningJobs: 0 } }],
    current: [
      '22.05.8',
      'batch|RUNNING|1\nbatch|CONFIGURING|1\n',
      { batch: { pendingJobs: 1, pendingNodes: 1, runningJobs: 1 } },
    ],
    newest: ['26.05.3', 'batch|EXPEDITING|1\n', { batch: { pendingJobs: 1, pendingNodes: 1, runningJobs: 0 } }],
    nothing: ['22.05.8, an idle cluster', '', {}],
    'an error on stdout': ['a wrapper that joins the streams', SLURM_AWAY, {}],
    'a banner before it': [
      'a shell of the site',
      `| cores | memory | state |\n${BANNER}batch|RUNNING|1\n`,
      { batch: { pendingJobs: 0, pendingNodes: 0, runningJobs: 1 } },
    ],
    'too much': [
      'all jobs of a large site',
      manyLines(() => 'batch|PENDING|1\n'),
      { batch: { pendingJobs: MANY, pendingNodes: MANY, runningJobs: 0 } },
    ],
    'cut off': [
      'a wrapper that ended',
      'batch|RUNNING|1\nbatch|PEN',
      { batch: { pendingJobs: 0, pendingNodes: 0, runningJobs: 1 } },
    ],
  },
};
