import type { Allocation } from '../../cluster/batch/allocation.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The GPUs that the environment of a runner or its allocation names, each once; undefined if nothing names any.
 *
 * `CUDA_VISIBLE_DEVICES` precedes the allocation: Slurm sets it too, and a user who sets it wants fewer.
 */
export function devicesOf(
  environment: Environment,
  allocation: Pick<Allocation, 'gpus'> | undefined,
): readonly string[] | undefined {
  const visible = environment['CUDA_VISIBLE_DEVICES'];
  return visible === undefined ? allocation?.gpus : visibleToCuda(visible);
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
