import { torcGroups } from './commands/torc.ts';

/** Records whose commands have another first word than their name. */
const otherWords: Readonly<Record<string, string>> = { group: 'access-groups', slurm_scheduler: 'slurm' };
/** Of all of these, a list is of one workflow. */
const WITHOUT_WORKFLOW: ReadonlySet<string> = new Set(['workflows', 'access-groups']);

/** The command that lists the records of which a server, this one or Torc's own, did not find one; undefined for other messages. */
export function listOfMissing(message: string): string | undefined {
  const found = /\b(?:Resource not found in (?<table>\w+)|(?<what>[A-Z]\w+) not found) with ID/.exec(message)?.groups;
  const name = (found?.['table'] ?? found?.['what'])?.toLowerCase();
  if (name === undefined) return undefined;
  const dashed = name.replaceAll('_', '-');
  const words = [otherWords[name], `${dashed}s`, dashed];
  const word = words.find((each) => torcGroups.some((group) => group.word === each));
  return word === undefined ? undefined : `torc ${word} list${WITHOUT_WORKFLOW.has(word) ? '' : ' WORKFLOW'}`;
}
