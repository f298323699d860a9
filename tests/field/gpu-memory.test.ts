import { expect, test } from 'vitest';
import { findInLog, findInSlurmLog } from '../../src/core/logs/patterns.ts';

/** Lines about memory in logs of jobs, from public reports (sizes and paths are others), and whose memory is meant: by the remedies. */
const LINES: readonly (readonly [string, string, 'GPU' | 'node' | undefined])[] = [
  [
    'https://github.com/cvg/nice-slam/issues/43',
    'RuntimeError: CUDA out of memory. Tried to allocate 3.00 MiB (GPU 0; 15.78 GiB total capacity)',
    'GPU',
  ],
  ['https://github.com/InternLM/InternLM/issues/186', 'torch.cuda.OutOfMemoryError: CUDA out of memory', 'GPU'],
  ['https://github.com/facebookresearch/SlowFast/issues/702', 'RuntimeError: CUDA error: out of memory', 'GPU'],
  [
    'https://github.com/rowanz/neural-motifs/issues/58',
    'RuntimeError: cuda runtime error (2) : out of memory at /x/THCTensorRandom.cu:25',
    'GPU',
  ],
  [
    'https://github.com/pytorch/pytorch/issues/138002',
    'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 35.00 GiB.',
    'GPU',
  ],
  [
    'https://github.com/patrickbryant1/AFProfile/issues/8',
    'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4770354 bytes.',
    'GPU',
  ],
  [
    'https://github.com/jax-ml/jax/issues/788',
    'Execution of replica 0 failed: Resource exhausted: Out of memory while trying to allocate 5520758 bytes.',
    'GPU',
  ],
  [
    'https://github.com/google-deepmind/jax_privacy/issues/10',
    'RESOURCE_EXHAUSTED: Failed to allocate request for 176.00MiB (184549376B) on device ordinal 0',
    'GPU',
  ],
  [
    'https://github.com/flatironinstitute/nemos/issues/345',
    'Allocator (GPU_0_bfc) ran out of memory trying to allocate 3.37GiB',
    'GPU',
  ],
  [
    'https://github.com/tensorflow/models/issues/7142',
    'ResourceExhaustedError: OOM when allocating tensor with shape[5,1] on /device:GPU:0 by allocator GPU_0_bfc',
    'GPU',
  ],
  [
    'https://github.com/keras-team/keras/issues/13889',
    'rocm_driver.cc:606] failed to allocate 8.00TiB from device: HIP_ERROR_OutOfMemory',
    'GPU',
  ],
  [
    'https://github.com/NVIDIA/cudf/issues/6746',
    'MemoryError: std::bad_alloc: CUDA error at: /x/cuda_memory_resource.hpp:68: cudaErrorMemoryAllocation out of memory',
    'GPU',
  ],
  ['https://github.com/rapidsai/rmm/issues/201', 'rmm.rmm.RMMError: RMM_ERROR_OUT_OF_MEMORY', 'GPU'],
  // The kernel, the shell, Python and C++: memory of the node.
  ['the kernel', 'Out of memory: Killed process 4711 (python)', 'node'],
  ['Slurm 22.05.8', 'slurmstepd: error: Detected 1 oom-kill event(s) in StepId=7.0.', 'node'],
  ['numpy', 'numpy.core._exceptions._ArrayMemoryError: MemoryError: Unable to allocate 7.00 GiB', 'node'],
  ['fork', 'bash: fork: Cannot allocate memory', 'node'],
  [
    'https://github.com/santi-pdp/segan/issues/42 (the CPU or the GPU: not said)',
    'ResourceExhaustedError: OOM when allocating tensor with shape[1,4,3]',
    undefined,
  ],
  ['gRPC', 'RESOURCE_EXHAUSTED: Received message larger than max (5 vs. 4)', undefined],
];

test.each(LINES)('%s', (_, line, whose) => {
  const remedy = findInSlurmLog(line, false)?.remedy ?? '';
  expect([remedy.includes('the GPU has no memory left'), remedy.includes('ask for more memory')]).toEqual([
    whose === 'GPU',
    whose === 'node',
  ]);
  expect(findInLog(line)?.remedy.includes('the GPU has no memory left') ?? false).toBe(whose === 'GPU');
});
