/** The word after `torc` that makes it the launcher of jobs on a node of an allocation; for runners, not for people. */
export const STEP_LAUNCHER = 'step-launcher';
