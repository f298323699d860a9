import { openSsh } from '../../cluster/ssh/ssh.ts';
import type { HostsOptions } from './worker-states.ts';

/** Does something with ssh, and ends its connections. */
export async function withSsh<Result>(
  about: Pick<HostsOptions, 'workflowId' | 'outputDir' | 'atOnce'>,
  act: (common: HostsOptions) => Promise<Result>,
): Promise<Result> {
  const ssh = openSsh();
  try {
    return await act({ ...about, ssh, now: Date.now });
  } finally {
    await ssh.close();
  }
}
