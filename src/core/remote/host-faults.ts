/**
 * What may be wrong with a host of `torc remote`: found here, or reported by torc there. These have no status: they are replies over
 * ssh. `brief` stands in tables.
 */
export const hostFaults = {
  UNREACHABLE: { brief: 'ssh does not reach it', remedy: 'Try ssh HOST true, as the message says.' },
  TOO_MANY_LOGINS: {
    brief: 'too many logins at once',
    remedy: 'Start fewer at once with --max-parallel-ssh, or raise MaxStartups of its sshd_config.',
  },
  LOGIN_SHELL: {
    brief: 'its login shell runs something else',
    remedy: 'Let ~/.bashrc there start other shells and ask questions on terminals only.',
  },
  TIMEOUT: { brief: 'no answer in time', remedy: 'Try again, or look at the load of the host.' },
  FOLDER: { brief: 'folder not usable', remedy: 'Name a folder of that host in which this user may write.' },
  NO_TORC: { brief: 'torc not found', remedy: 'Install torc there, or name its path in the line of the host.' },
  VERSION: { brief: 'another version of torc', remedy: 'Install the same version, or --skip-version-check.' },
  NO_ANSWER: { brief: 'torc did not answer', remedy: 'Read what was printed instead, in the message.' },
  REQUEST_UNKNOWN: { brief: 'request not understood', remedy: 'Install the same version of torc on both hosts.' },
  START_FAILED: { brief: 'not started', remedy: 'Correct what the message names.' },
  START_UNDER_WAY: { brief: 'another start is under way', remedy: 'Wait for it; torc remote status shows its end.' },
  SERVER_UNREACHABLE: {
    brief: 'server not reachable from there',
    remedy: 'Give an address of the server that this host reaches, with --url.',
  },
  SERVER_OTHER: {
    brief: 'another server has the address there',
    remedy: 'Give an address of the server that is the same on all hosts, with --url.',
  },
  SERVER_REFUSED: { brief: 'refused by the server', remedy: 'Correct what the message names.' },
  RUNNER_ALIVE: { brief: 'a runner is alive', remedy: 'Stop it first: torc remote stop.' },
  NOT_COLLECTED: {
    brief: 'collected in part',
    remedy: 'Collect the logs again, or delete them all the same: --uncollected.',
  },
  NO_LOGS: { brief: 'no logs there', remedy: 'Name the output folder that the runner used.' },
  PACK_FAILED: { brief: 'not packed', remedy: 'Correct what the message names, and collect again.' },
  CUT: { brief: 'interrupted', remedy: 'Collect again to continue.' },
  DAMAGED: { brief: 'damaged on the way', remedy: 'Collect again.' },
} as const satisfies Record<string, { brief: string; remedy: string }>;

export type HostFault = keyof typeof hostFaults;
