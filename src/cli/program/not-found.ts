import type { MissingRecord } from '../../client/errors.ts';
import { torcGroups } from './torc.ts';

/** Records whose commands have another first word than their name. */
const otherWords: Readonly<Record<string, string>> = { group: 'access-groups', slurm_scheduler: 'slurm' };
/** Of all of these, a list is of one workflow. */
const WITHOUT_WORKFLOW: ReadonlySet<string> = new Set(['workflows', 'access-groups']);

/** The command that lists records of the kind that was not found; undefined for a kind without such a command. */
export function listOfMissing({ kind }: MissingRecord): string | undefined {
  const dashed = kind.replaceAll('_', '-');
  const words = [otherWords[kind], `${dashed}s`, dashed];
  const word = words.find((each) => torcGroups.some((group) => group.word === each));
  return word === undefined ? undefined : `torc ${word} list${WITHOUT_WORKFLOW.has(word) ? '' : ' WORKFLOW'}`;
}
