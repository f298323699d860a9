import { readFileSync } from 'node:fs';

/** The text of a kernel file; undefined if it does not exist or cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * The path of the group of each controller, from the lines of /proc/PID/cgroup: `4:cpu,cpuacct:/path`, and `0::/path`
 * for version 2, which is stored under the empty name. Source: cgroups(7).
 */
export function groupPaths(cgroup: string): Map<string, string> {
  const paths = new Map<string, string>();
  for (const line of cgroup.split('\n')) {
    const match = /^\d+:([^:]*):(.*)$/.exec(line);
    for (const controller of match?.[1]?.split(',') ?? []) paths.set(controller, match?.[2] ?? '/');
  }
  return paths;
}
