import type { Command } from '../../command/command.ts';
import { jobsCancel } from './cancel.ts';
import { jobCreation } from './create.ts';
import { jobDeletion } from './delete.ts';
import { jobsExplain } from './explain.ts';
import { jobLists } from './list.ts';
import { jobNeeds } from './needs.ts';
import { jobsOutput } from './output.ts';
import { jobPlan } from './plan.ts';
import { jobsProfile } from './profile.ts';
import { jobsResetStatus } from './reset-status.ts';
import { jobsSpawn } from './spawn.ts';
import { jobsUpdate } from './update.ts';

export const jobCommands: readonly Command[] = [
  ...jobLists,
  ...jobCreation,
  jobsSpawn,
  jobsUpdate,
  ...jobPlan,
  ...jobDeletion,
  jobsCancel,
  jobsResetStatus,
  ...jobNeeds,
  jobsExplain,
  jobsOutput,
  jobsProfile,
];
