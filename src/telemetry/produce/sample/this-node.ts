import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { bootEpoch } from '../../../cluster/host/boot-epoch.ts';
import { textOf } from '../../../cluster/host/group-files.ts';
import type { SlurmStep } from '../../../cluster/host/slurm-groups.ts';
import { createUserNames } from '../../../cluster/host/user-names.ts';
import { errorMessage, type ProducedMessage } from '../../format/envelope.ts';
import { createRecorder, type Recorder, type RecorderOptions } from './recorder.ts';
import { createRollUpIds } from './roll-up.ts';
import { openProcessTable } from '../../../cluster/host/proc.ts';

export interface NodeSamplerOptions extends Pick<
  RecorderOptions,
  'origin' | 'load' | 'rollUp' | 'filters' | 'readGpus'
> {
  /** Give rolled-up records an id that is the same in every sample. */
  readonly isDaemon?: boolean;
}

/** A sampler of the machine that this program runs on. */
export const samplerOfThisNode = ({ isDaemon = false, ...options }: NodeSamplerOptions): Sampler =>
  createSampler({ ...options, ...hereOnly(), pidOf: isDaemon ? createRollUpIds(pidMax()) : undefined });

/** A recorder of some processes of this machine. `slurm` is the job of those whose control group names none. */
export const recorderOfThisNode = (
  options: Omit<NodeSamplerOptions, 'isDaemon'> & { readonly slurm: SlurmStep | undefined },
): Recorder => createRecorder({ ...options, ...hereOnly(), isPartial: true });

function hereOnly() {
  const bootId = textOf('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown';
  let epoch: number | undefined;
  return {
    // Once: it is that of the boot, and this program ends with it.
    epochOf: (bootedAt: number) => (epoch ??= bootEpoch(bootId, bootedAt)),
    userNames: createUserNames(),
  };
}

/** How long a single sample watches the processes: longer holds up its caller, shorter than a few ticks says nothing. */
const WATCH_MS = 100;

export async function sampleOnce(options: NodeSamplerOptions): Promise<ProducedMessage> {
  const sampler = samplerOfThisNode(options);
  try {
    sampler.prepare();
    await pause(WATCH_MS);
    return await sampler.take();
  } finally {
    sampler.close();
  }
}

/** Of 64-bit kernels, where /proc does not say. */
const LARGEST_PID = 2 ** 22;

function pidMax(): number {
  try {
    return Number(readFileSync('/proc/sys/kernel/pid_max', 'utf8')) || LARGEST_PID;
  } catch {
    return LARGEST_PID;
  }
}

/** Takes samples of all processes of this node. */
interface Sampler {
  /** Reads the processes, so that the next sample knows what they used since. */
  prepare(): void;
  take(): Promise<ProducedMessage>;
  close(): void;
}

export function createSampler(options: RecorderOptions): Sampler {
  const table = openProcessTable(options.root);
  const recorder = createRecorder(options);
  return {
    prepare: () => recorder.prepare(table.read()),
    async take() {
      try {
        return (await recorder.take(() => table.read())).message;
      } catch (error) {
        const problem = `the processes cannot be read: ${(error as Error).message}`;
        return errorMessage('sample', options.origin, Date.now(), [problem]);
      }
    },
    close() {
      table.close();
      recorder.close();
    },
  };
}
