import type { Cause } from './recovery.ts';

/** Causes that lie in the job, and not in another one. */
export type OwnCause = Exclude<Cause, 'downstream'>;

/** The causes in the order in which a person reads them, of one job and of several. */
export const CAUSE_WORDS: Readonly<Record<OwnCause, readonly [one: string, several: string]>> = {
  memory: ['had too little memory', 'had too little memory'],
  time: ['had too little time', 'had too little time'],
  cpus: ['used more CPUs than requested', 'used more CPUs than requested'],
  'at maximum': ['had all that its failure handler allows', 'had all that their failure handler allows'],
  lost: ['lost its runner or allocation', 'lost their runner or allocation'],
  killed: ['was killed; by whom is unknown', 'were killed; by whom is unknown'],
  disk: ['failed on a disk without room for its output', 'failed on a disk without room for their output'],
  'missing output': ['did not write a declared output', 'did not write a declared output'],
  'bad command': ['could not start its command', 'could not start their command'],
  undecided: ['waits for a decision (pending_failed)', 'wait for a decision (pending_failed)'],
  unknown: ['failed for another reason', 'failed for another reason'],
};

export const CAUSES = Object.keys(CAUSE_WORDS) as OwnCause[];
