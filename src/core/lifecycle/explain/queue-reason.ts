/** What squeue says of an allocation that waits, in words. */
export interface QueueReason {
  readonly words: string;
  /** It does not start without a change. */
  readonly isFinal: boolean;
  /** Allocations wait for it as a rule, and it ends by itself. */
  readonly isUsual: boolean;
  /** It is held, and its owner may release it. */
  readonly isHeld: boolean;
}

/**
 * Slurm could not start its script and holds it: a prolog or a node failed, or the controller died in the second of its start. A job
 * that was requeued on purpose has another reason. squeue prints it with blanks, scontrol with underscores.
 */
export const couldNotStart = (reason: string): boolean => /\blaunch[ _]failed[ _]requeued[ _]held\b/.test(reason);

const NEVER: Readonly<Record<string, string>> = {
  PartitionTimeLimit: 'it asks for more time than its partition allows',
  PartitionNodeLimit: 'it asks for more nodes than its partition allows',
  PartitionConfig: 'its partition does not have the nodes that it asks for',
  MaxMemPerLimit: 'it asks for more memory than its partition allows',
  BadConstraints: 'no node has the requested resources',
  DependencyNeverSatisfied: 'what it depends on can no longer happen',
  ReservationDeleted: 'its reservation is gone',
  InvalidAccount: 'its account is not valid',
  AccountNotAllowed: 'its partition does not take its account',
  InvalidQOS: 'its QOS is not valid',
  QOSNotAllowed: 'its partition or its account does not take its QOS',
  JobHeldUser: 'it is held',
  JobHeldAdmin: 'an administrator holds it',
  JobHoldMaxRequeue: 'it was requeued too often and is held',
  PartitionDown: 'its partition is down',
  PartitionInactive: 'its partition is inactive',
};

/** What holds these ends with `scontrol release`. */
const HELD = /^(?:JobHeldUser|JobHoldMaxRequeue)$|[ _]requeued[ _](?:in[ _])?held\b/;

const WAITS: Readonly<Record<string, string>> = {
  None: 'Slurm has not looked at it yet',
  Resources: 'it waits for nodes',
  Priority: 'others come first',
  Dependency: 'it waits for another job of Slurm',
  BeginTime: 'its begin time has not come',
  JobArrayTaskLimit: 'as many tasks of its array run as may run at once',
  Licenses: 'it waits for licences',
  Reservation: 'it waits for its reservation',
  QOSUsageThreshold: 'its account has used more of its share than its QOS allows',
};

/** An account gets new time with a new month, and shares grow slowly. */
const EXHAUSTED =
  /^(?:Assoc|QOS)Grp(?:\w+(?<!Run)Minutes(?:Limit)?|WallLimit)$|^(?:Association|QOS)TimeLimit$|^QOSUsageThreshold$/;

/** Nodes that are down or drained may come back, or not; a share may grow again. */
const UNUSUAL: readonly (readonly [RegExp, words: string])[] = [
  [/^ReqNodeNotAvail\b/, 'a node that it asks for is down, drained or reserved'],
  [/^NodeDown\b/, 'a node that it asks for is down'],
];

/** Families of reasons, one for each kind of resource, and whether such a job never starts as it is. The first that matches counts. */
const LIMITS: readonly (readonly [RegExp, words: string, isFinal: boolean])[] = [
  [/\blaunch[ _]failed[ _]requeued[ _]held\b/, 'Slurm could not start it and holds it', true],
  [/(?:^|[ _])requeued[ _]in[ _]held\b/, 'it was requeued and is held', true],
  [/^(?:Assoc|QOS)Max\w+PerJob(?:Limit)?$/, 'it asks for more than its account or QOS allows one job', true],
  [/^(?:Assoc|QOS)Max\w+PerNode$/, 'it asks for more on a node than its account or QOS allows one job', true],
  [/^QOSMin/, 'it asks for less than its QOS demands', true],
  // Minutes of all jobs, those that have ended included: a limit of running ones is `RunMinutes`.
  [EXHAUSTED, 'its account or QOS has used up its time', false],
  [
    /^(?:Assoc|QOS)(?:Grp|Max)|^Max\w+PerAccount$|^(?:Association|QOS)(?:Job|Resource)Limit$/,
    'its account or QOS is at a limit until other jobs end',
    false,
  ],
];

/** Sentences of PBS: `comment` of a job, or ours for its state. Source: OpenPBS 23.06.06. */
const PBS: readonly (readonly [RegExp, Omit<QueueReason, 'words'>])[] = [
  [/^Can Never Run: /, { isFinal: true, isUsual: false, isHeld: false }],
  [/^Held: by its owner/, { isFinal: true, isUsual: false, isHeld: true }],
  [/^Held: for another job/, { isFinal: false, isUsual: true, isHeld: false }],
  [/^Held: /, { isFinal: true, isUsual: false, isHeld: false }],
  // A queue is started again, and a node that is offline or down comes back, by an administrator, or not.
  [
    /^Not Running: (?:Queue not started|Insufficient amount of resource: host)/,
    { isFinal: false, isUsual: false, isHeld: false },
  ],
  [/^(?:Not Running|Waiting): /, { isFinal: false, isUsual: true, isHeld: false }],
];

/**
 * The reason of a pending job in words. A reason that is not known here keeps its own.
 *
 * Source: squeue(1), JOB REASON CODES, and the words in libslurmfull.so of 22.05.8 and 26.05.3.
 */
export function queueReasonOf(reason: string): QueueReason {
  const ofPbs = PBS.find(([pattern]) => pattern.test(reason))?.[1];
  if (ofPbs !== undefined) return { words: reason, ...ofPbs };
  const word = reason.replace(/^\(|\)$/g, '');
  const limit = LIMITS.find(([pattern]) => pattern.test(word));
  const unusual = UNUSUAL.find(([pattern]) => pattern.test(word));
  const words = NEVER[word] ?? WAITS[word] ?? limit?.[1] ?? unusual?.[1];
  return {
    words: words === undefined ? word : `${word}: ${words}`,
    isFinal: NEVER[word] !== undefined || limit?.[2] === true,
    isUsual: (WAITS[word] !== undefined || limit?.[2] === false) && !EXHAUSTED.test(word),
    isHeld: HELD.test(word),
  };
}
