type Environment = Readonly<Record<string, string | undefined>>;

/** The GPUs of this node that belong to the step or the allocation of a process; undefined if no variable names any. */
export function grantedDevices(environment: Environment): string[] | undefined {
  for (const name of ['SLURM_STEP_GPUS', 'SLURM_JOB_GPUS']) {
    const text = environment[name]?.trim() ?? '';
    if (text !== '') return devicesIn(text);
  }
  return undefined;
}

/** `0-3`, also after the type of the devices: `gpu:a100:0-3`. */
const RANGE = /^(?:gpu:)?(?:[\w.]+:)?(\d+)(?:-(\d+))?$/;

/** No node has more. A longer range is an error, which must not become a list of billions. */
const MOST_DEVICES = 1024;

/** Numbers and ranges; other words, such as `(null)` or `N/A`, name none. */
function devicesIn(text: string): string[] {
  const devices = new Set<string>();
  for (const word of text.split(',')) {
    const [, first, last = first] = RANGE.exec(word.trim()) ?? [];
    if (first === undefined) continue;
    const end = Math.min(Number(last), Number(first) + MOST_DEVICES - 1);
    for (let device = Number(first); device <= end; device += 1) devices.add(String(device));
  }
  return [...devices];
}
