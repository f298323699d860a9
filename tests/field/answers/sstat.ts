import { stepUsesOf } from '../../../src/cluster/slurm/sstat.ts';
import { type Answers, BANNER, MANY, manyLines } from './answer.ts';

const ROW = '36.0|00:01:05|5844K\n';
const READ = [['36.0', { cpuSeconds: 65, memoryBytes: 5844 * 1024 }]];

/** sstat -a -j … --format JobID,AveCPU,MaxRSS -P -n */
export const sstatUses: Answers = {
  program: 'sstat',
  question: 'what steps use now',
  read: async (text) => {
    const uses = [...(await stepUsesOf(() => Promise.resolve(text), 36))];
    return uses.length > 10 ? uses.length : uses;
  },
  rows: {
    old: [
      '20.11, days',
      ROW.replace('00:01:05', '1-00:00:05'),
      [['36.0', { cpuSeconds: 86_405, memoryBytes: 5844 * 1024 }]],
    ],
    current: ['22.05.8, the script has no line of interest', `36.batch|00:00:01|1K\n${ROW}`, READ],
    newest: [
      '26.05.3, a fraction',
      ROW.replace('00:01:05', '01:05.250'),
      [['36.0', { cpuSeconds: 65.25, memoryBytes: 5844 * 1024 }]],
    ],
    nothing: ['22.05.8, before the first poll', '36.0||\n', []],
    'an error on stdout': ['a wrapper that joins the streams', "sstat: error: couldn't get steps for job 36\n", []],
    'a banner before it': ['a shell of the site', BANNER + ROW, READ],
    'too much': ['a step a job', manyLines((at) => `36.${at}|00:00:01|1K\n`), MANY],
    'cut off': ['a wrapper that ended', `${ROW}36.1|00:0`, READ],
  },
};
