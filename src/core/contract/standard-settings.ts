/** What applies where a workflow sets no value. Apart from the shapes of requests: a run from a file loads none of those. */

/** Seconds that an idle runner waits for jobs, when the workflow does not set a value. */
export const STANDARD_WAIT_SECONDS = 90;

/** Minutes that a runner tries to reach the server where the workflow does not say. */
export const STANDARD_OUTAGE_MINUTES = 20;

/** Times that a job and those it adds may add jobs where the workflow does not say. */
export const STANDARD_MAX_ITERATIONS = 1000;
