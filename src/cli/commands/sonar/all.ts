import type { Command } from '../../command.ts';
import { cluster } from './cluster.ts';
import { jobs } from './jobs.ts';
import { sample } from './sample.ts';
import { sysinfo } from './sysinfo.ts';
import { validate } from './validate.ts';

/** `torc sonar`: one file a verb. */
export const sonarCommands: readonly Command[] = [sample, sysinfo, jobs, cluster, validate];
