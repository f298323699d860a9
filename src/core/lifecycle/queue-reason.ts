/** What squeue says of an allocation that waits, in words. */
export interface QueueReason {
  readonly words: string;
  /** It does not start without a change. */
  readonly isFinal: boolean;
}

const NEVER: Readonly<Record<string, string>> = {
  PartitionTimeLimit: 'it asks for more time than its partition allows',
  PartitionNodeLimit: 'it asks for more nodes than its partition allows',
  PartitionConfig: 'its partition does not have the nodes that it asks for',
  BadConstraints: 'no node has the requested resources',
  DependencyNeverSatisfied: 'what it depends on can no longer happen',
  InvalidAccount: 'its account is not valid',
  InvalidQOS: 'its QOS is not valid',
  JobHeldUser: 'it is held: scontrol release lets it start',
  JobHeldAdmin: 'an administrator holds it',
  PartitionDown: 'its partition is down',
  PartitionInactive: 'its partition is inactive',
};

const WAITS: Readonly<Record<string, string>> = {
  Resources: 'it waits for nodes',
  Priority: 'others come first',
  Dependency: 'it waits for another job of Slurm',
  BeginTime: 'its begin time has not come',
  Licenses: 'it waits for licences',
  Reservation: 'it waits for its reservation',
};

/**
 * The reason of a pending job in words. A reason that is not known here keeps its own.
 *
 * Source: squeue(1), JOB REASON CODES.
 */
export function queueReasonOf(reason: string): QueueReason {
  const word = reason.replace(/^\(|\)$/g, '');
  const isTooMuch = /^(Assoc|QOS)\w*Max\w*PerJob/.test(word);
  const never = NEVER[word] ?? (isTooMuch ? TOO_MUCH : HELD_AGAIN.test(word) ? HELD : undefined);
  if (never !== undefined) return { words: `${word}: ${never}`, isFinal: true };
  const waits = WAITS[word] ?? (/^(Assoc|QOS)(Grp|Max)/.test(word) ? AT_LIMIT : undefined);
  return { words: waits === undefined ? word : `${word}: ${waits}`, isFinal: false };
}

/** `launch failed requeued held`: its script could not be started, such as after a restart of the controller, or its prolog failed. */
const HELD_AGAIN = /\brequeued (?:in )?held\b/;
const HELD = 'Slurm could not start it and holds it: scontrol release lets it try again';
const TOO_MUCH = 'it asks for more than its account or QOS allows one job';
const AT_LIMIT = 'its account or QOS is at a limit until other jobs end';
