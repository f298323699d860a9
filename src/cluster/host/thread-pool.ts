import { stat } from 'node:fs';

/**
 * Makes the threads of the runtime's pool now. It makes them all with the first piece of work for them, and where the system has no
 * process or thread left by then, as after a fork bomb of a job, it ends by SIGABRT (libuv, `uv__threadpool_init`).
 */
export const makeThreadPool = (): void => stat('/', () => {});
