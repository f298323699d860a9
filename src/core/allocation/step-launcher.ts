/** The word after `torc` that makes it the launcher of jobs inside a step of Slurm; for runners, not for people. */
export const STEP_LAUNCHER = 'step-launcher';
