import type { Command } from '../../command.ts';
import { cluster } from './cluster.ts';
import { clusterCommands } from './clusters.ts';
import { closeDays } from './close.ts';
import { consume } from './consume.ts';
import { daemon } from './daemon.ts';
import { exportEnvelopes } from './export.ts';
import { ingest } from './ingest.ts';
import { jobs } from './jobs.ts';
import { pruneStore } from './prune.ts';
import { sample } from './sample.ts';
import { showCommands } from './show/all.ts';
import { sysinfo } from './sysinfo.ts';
import { validate } from './validate.ts';

/** `torc sonar`: one file a verb. */
export const sonarCommands: readonly Command[] = [
  // what produces envelopes
  sample,
  sysinfo,
  jobs,
  cluster,
  daemon,
  // what keeps them
  validate,
  ingest,
  consume,
  exportEnvelopes,
  closeDays,
  pruneStore,
  ...clusterCommands,
  // what is asked of them
  ...showCommands,
];
