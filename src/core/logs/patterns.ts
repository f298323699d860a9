/** What lines of logs say about failures. Programs read the labels and the order of both tables. */

type LineSeverity = 'error' | 'warning';

interface Pattern {
  readonly label: string;
  readonly matches: RegExp;
  readonly severity: LineSeverity;
  /** What to do about it. */
  readonly remedy: string;
}

const MORE_MEMORY = 'ask for more memory: torc recover raises what the job used; or memory in resource_requirements';
const MORE_TIME =
  'ask for more time: torc recover raises the runtime; or runtime in resource_requirements and walltime';
const LOST = 'torc recover runs the jobs of this allocation again';
const SPACE = 'make room, or write to another file system; then torc recover --retry-unknown';
const NETWORK = 'often passes: torc recover --retry-unknown, or a failure handler that retries';
const CRASH = 'an error of the program: look at its output with torc jobs output, run it alone with the same input';
const PYTHON = 'look at the last lines of the traceback with torc jobs output';
const MODULE = 'install the module, or activate the environment in invocation_script';
const GPU = 'the GPU has no memory left: ask for one with more, run fewer jobs on it, or make batches smaller';
const LOOK_AT_PBS = 'torc jobs explain names the cause; qstat -x -f shows what PBS recorded';
const LOOK = 'torc jobs explain names the cause; torc slurm sacct shows what Slurm recorded';

const line = (matches: RegExp, label: string, remedy: string, severity: LineSeverity = 'error'): Pattern => ({
  label,
  matches,
  severity,
  remedy,
});

/**
 * Memory of a GPU that is used up, in the words of PyTorch, JAX, TensorFlow, CuPy, RAPIDS and the libraries below them. More memory of the
 * node does not help there.
 */
const GPU_MEMORY = [
  String.raw`\b(?:CUDA|HIP|XPU|MPS backend) (?:runtime )?(?:error(?: \(2\))? ?: ?)?out of memory`,
  String.raw`\b(?:CUDA_ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|HIP_ERROR_OutOfMemory|hipErrorOutOfMemory|RMM_ERROR_OUT_OF_MEMORY)\b`,
  String.raw`\bcudaMalloc\w*\b.*out of memory|\b(?:torch|cuda|cuda\.memory)\.OutOfMemoryError`,
  String.raw`\bCU(?:BLAS|DNN|SOLVER|SPARSE)_STATUS_ALLOC_FAILED|\bCL_MEM_OBJECT_ALLOCATION_FAILURE|\bGPU_\d+_bfc\b`,
  String.raw`\bRESOURCE[ _]EXHAUSTED: (?:Out of memory while trying to allocate|Failed to allocate .* on device)`,
].join('|');

/** A mom of PBS says what it ended a job for, on its standard error: the first that matches counts. */
const killsOfPbs = ({ time, memory }: { time: string; memory: string }): readonly Pattern[] => {
  const killed = (what: string): RegExp => new RegExp(`^=>> PBS: job killed: ${what}`);
  return [
    line(killed('(?:walltime|cput) '), time, MORE_TIME),
    line(killed('p?v?mem '), memory, MORE_MEMORY),
    line(killed('.*(?:requested job terminate|SISTER_EOF|SISTER_KILLDONE)'), 'Node failure', LOST),
    line(killed(''), 'Job killed by PBS', LOOK_AT_PBS),
  ];
};

/** For `slurm parse-logs`: the first that matches counts. */
export const slurmPatterns: readonly Pattern[] = [
  // additions: the first has the label that Torc 1.0.0 gives such a line, with what helps a GPU.
  line(new RegExp(`^(?=.*out of memory).*(?:${GPU_MEMORY})`, 'i'), 'Out of memory error', GPU),
  line(new RegExp(GPU_MEMORY, 'i'), 'GPU memory exceeded', GPU),
  line(/out of memory/i, 'Out of memory error', MORE_MEMORY),
  // addition: the underscore, as newer releases of Slurm have it.
  line(/oom[-_]kill/i, 'OOM killer terminated process', MORE_MEMORY),
  line(/cannot allocate memory/i, 'Memory allocation failure', MORE_MEMORY),
  line(/memory cgroup out of memory/i, 'Cgroup memory limit exceeded', MORE_MEMORY),
  // addition: the words of Slurm's own poller, which Torc 1.0.0 reports as an error of the step daemon.
  line(/exceeded memory limit .*being killed/i, 'Exceeded job memory limit', MORE_MEMORY),
  line(/slurmstepd: error:/i, 'Slurm step daemon error', LOOK),
  line(/srun: error:/i, 'Slurm srun error', LOOK),
  line(/DUE TO TIME LIMIT/i, 'Job terminated due to time limit', MORE_TIME),
  line(/CANCELLED/i, 'Job was cancelled', LOST, 'warning'),
  line(/DUE TO PREEMPTION/i, 'Job terminated due to preemption', LOST, 'warning'),
  line(/NODE_FAIL/i, 'Node failure', LOST),
  line(/FAILED/i, 'Job failed', LOOK),
  line(/Exceeded job memory limit/i, 'Exceeded job memory limit', MORE_MEMORY),
  line(/task\/cgroup: .*: Killed/i, 'Task killed by cgroup', MORE_MEMORY),
  line(/No space left on device/i, 'Disk full', SPACE),
  line(/Disk quota exceeded/i, 'Disk quota exceeded', SPACE),
  line(
    /Read-only file system/i,
    'Read-only file system',
    'write to another folder, or ask the administrators of the file system',
  ),
  line(/Connection refused/i, 'Connection refused', NETWORK),
  line(/Connection timed out/i, 'Connection timed out', NETWORK),
  line(/Network is unreachable/i, 'Network unreachable', NETWORK),
  line(/CUDA out of memory/i, 'CUDA out of memory', GPU),
  line(
    /CUDA error/i,
    'CUDA error',
    'check the GPU and the driver of the node; torc recover --retry-unknown runs the job elsewhere',
  ),
  line(/GPU memory.*exceeded/i, 'GPU memory exceeded', GPU),
  line(/Segmentation fault/i, 'Segmentation fault', CRASH),
  line(/SIGSEGV/i, 'SIGSEGV signal', CRASH),
  line(/Bus error/i, 'Bus error', CRASH),
  line(/SIGBUS/i, 'SIGBUS signal', CRASH),
  line(/killed by signal/i, 'Process killed by signal', LOOK),
  line(/core dumped/i, 'Core dump generated', CRASH),
  line(/Traceback \(most recent call last\)/, 'Python traceback', PYTHON),
  line(/ModuleNotFoundError/, 'Python module not found', MODULE),
  line(/ImportError/, 'Python import error', MODULE),
  line(/std::bad_alloc/, 'C++ memory allocation failure', MORE_MEMORY),
  line(/MemoryError/, 'Python memory error', MORE_MEMORY),
  line(/Permission denied/i, 'Permission denied', 'check the owner and the mode of the file that the line names'),
  line(/slurmstepd: error: .*Exceeded.*step.*limit/, 'Exceeded step resource limit', MORE_MEMORY),
  // additions, behind all of Torc 1.0.0. Daemons of steps of newer releases print the time instead of their name, as programs may, too.
  line(/^\[[^\]]+\] error: .*Exceeded step .*limit/, 'Exceeded step resource limit', MORE_MEMORY),
  line(/^\[[^\]]+\] error: .*\b(?:StepId|JobId)=/, 'Slurm step daemon error', LOOK),
  line(
    /No such file or directory/i,
    'File not found',
    'create the file that the line names, or declare it as an input',
  ),
  line(
    /MPI_ABORT|MPI_ERR|mpirun (noticed|detected)|PMIx? .*(error|failed)/i,
    'MPI error',
    'read the first error of any rank; check srun_mpi and the modules of the job',
  ),
  ...killsOfPbs({ time: 'Job terminated due to time limit', memory: 'Exceeded job memory limit' }),
  line(/^pbs_mom: |^pbsdsh: .*(?:error|fail)/i, 'PBS node daemon error', LOOK_AT_PBS),
];

/** What `slurm parse-logs` finds in a line. With `errorsOnly`, warnings are not looked for. */
export const findInSlurmLog = (text: string, errorsOnly: boolean): Pattern | undefined =>
  slurmPatterns.find(({ matches, severity }) => (!errorsOnly || severity === 'error') && matches.test(text));

interface Rule extends Pattern {
  /** A line with the word INFO does not count. */
  readonly isLoose?: boolean;
}

const words = (...list: readonly string[]) => new RegExp(`\\b(?:${list.join('|')})\\b`, 'i');

/** For `logs analyze`: the first that matches counts. */
const logRules: readonly Rule[] = [
  line(
    /expected output files are missing|Output file validation failed/i,
    'Missing Output Files',
    'let the command write the files that it declares, or correct output_files',
  ),
  // addition: the label of Torc 1.0.0 for most of them, with what helps a GPU.
  line(new RegExp(GPU_MEMORY, 'i'), 'OOM Killed', GPU),
  // additions: the word killed does not mean memory there. Time and memory have the labels of Torc 1.0.0.
  ...killsOfPbs({ time: 'Timeout', memory: 'OOM Killed' }),
  { ...line(words('slurmstepd', 'CANCELLED', 'TIMEOUT', 'OUT_OF_MEMORY'), 'Slurm Error', LOOK), isLoose: true },
  line(words('out of memory', 'oom', 'killed', 'cannot allocate memory'), 'OOM Killed', MORE_MEMORY),
  line(words('timeout', 'time limit', 'timed out', 'walltime'), 'Timeout', MORE_TIME),
  line(words('segmentation fault', 'segfault', 'sigsegv'), 'Segmentation Fault', CRASH),
  line(
    words('permission denied', 'access denied', 'EACCES'),
    'Permission Denied',
    'check the owner and the mode of the file that the line names',
  ),
  line(
    words('no such file', 'file not found', 'ENOENT'),
    'File Not Found',
    'create the file that the line names, or declare it as an input',
  ),
  line(words('no space left', 'disk full', 'quota exceeded', 'ENOSPC'), 'Disk Full', SPACE),
  line(
    words('connection refused', 'connection reset', 'network unreachable', 'ECONNREFUSED'),
    'Connection Error',
    NETWORK,
  ),
  line(/thread .* panicked at/, 'Rust Panic', CRASH),
  line(/Traceback \(most recent call last\)|raise \w+Error/, 'Python Exception', PYTHON),
  {
    ...line(words('error', 'failed', 'failure', 'exception'), 'Generic Error', 'read the lines around it', 'warning'),
    isLoose: true,
  },
];

export function findInLog(text: string): Pattern | undefined {
  const isInfo = /\bINFO\b/.test(text);
  return logRules.find(({ matches, isLoose }) => !(isInfo && isLoose === true) && matches.test(text));
}

const IDS = [
  /StepId=(\d+(?:\.\d+)?)/i,
  /JobId=(\d+(?:\.\d+)?)/i,
  /SLURM_JOB_ID=(\d+)/i,
  /slurm job (?:ID )?(\d+)/i,
  /batch job (\d+)/i,
];

/** The job of Slurm that a line names. */
export const slurmJobIn = (text: string): string | undefined =>
  IDS.map((id) => id.exec(text)?.[1]).find((found) => found !== undefined);

/** The node that a line names: the first word of letters and digits. */
export const nodeIn = (text: string): string | undefined => /\b([a-z]+\d+)\b/.exec(text)?.[1];
