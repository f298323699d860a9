type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The GPUs that the environment of a runner names, each once; undefined if no variable names any.
 *
 * `CUDA_VISIBLE_DEVICES` precedes the variables of Slurm: Slurm sets it too, and a user who sets it wants fewer.
 */
export function devicesOf(environment: Environment): string[] | undefined {
  const visible = environment['CUDA_VISIBLE_DEVICES'];
  if (visible !== undefined) return visibleToCuda(visible);
  for (const name of ['SLURM_STEP_GPUS', 'SLURM_JOB_GPUS']) {
    const text = environment[name]?.trim() ?? '';
    if (text !== '') return givenBySlurm(text);
  }
  return undefined;
}

/** A number, a UUID or the beginning of one, or the name of a part of a GPU (multi-instance GPU). */
const CUDA_DEVICE = /^(\d+|GPU-[\da-f-]+|MIG-[\w/-]+)$/i;

/**
 * The devices that a CUDA program sees.
 *
 * Only those before the first invalid name are visible. So -1 and `NoDevFiles`, which Slurm sets for a step without
 * GPUs, hide all devices, and so does an empty value. Source: CUDA Programming Guide, environment variables.
 */
function visibleToCuda(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  const end = words.findIndex((word) => !CUDA_DEVICE.test(word));
  return [...new Set(end === -1 ? words : words.slice(0, end))];
}

/** `0-3`, also after the type of the devices: `gpu:a100:0-3`. */
const RANGE = /^(?:gpu:)?(?:[\w.]+:)?(\d+)(?:-(\d+))?$/;

/** No node has more. A longer range is an error, which must not become a list of billions. */
const MOST_DEVICES = 1024;

/** The devices of an allocation or step: numbers and ranges; other words, such as `(null)` or `N/A`, name none. */
function givenBySlurm(text: string): string[] {
  const devices = new Set<string>();
  for (const word of text.split(',')) {
    const [, first, last = first] = RANGE.exec(word.trim()) ?? [];
    if (first === undefined) continue;
    const end = Math.min(Number(last), Number(first) + MOST_DEVICES - 1);
    for (let device = Number(first); device <= end; device += 1) devices.add(String(device));
  }
  return [...devices];
}
