import { readFileSync } from 'node:fs';

/** A file of the kernel; undefined where it is not there, or not for us. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * The path of each controller's group, from the lines of /proc/PID/cgroup: `4:cpu,cpuacct:/path`, and `0::/path` of version
 * 2, which stands under the empty name. Source: cgroups(7).
 */
export function groupPaths(cgroup: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const line of cgroup.split('\n')) {
    const match = /^\d+:([^:]*):(.*)$/.exec(line);
    for (const controller of match?.[1]?.split(',') ?? []) paths.set(controller, match?.[2] ?? '/');
  }
  return paths;
}
