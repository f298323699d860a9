import { booleanShape, integerShape, map, may, must, object, stringShape } from './shape.ts';

export const resourceRequirements = object('ResourceRequirementsSpec', {
  name: must(stringShape, 'Name by which jobs refer to the entry. Unique; the name default is reserved.', {
    example: 'small',
  }),
  num_cpus: must(integerShape, 'Number of CPUs, 1 or more, per node.', { example: 4 }),
  memory: must(
    stringShape,
    'Memory per node: a whole number and k, m, g or t (powers of 1024). A number without a letter means bytes.',
    { unit: 'bytes, or k, m, g, t', example: '2g' },
  ),
  num_gpus: may(integerShape, 'Number of GPUs per node.', { standard: 0, example: 1 }),
  num_nodes: may(integerShape, 'Number of nodes, 1 or more. With more than 1 the job has whole nodes.', {
    standard: 1,
    example: 2,
  }),
  runtime: may(
    stringShape,
    'Time that the job needs at most, for claims and planned walltimes: an ISO 8601 duration such as PT5M, PT2H30M or P1DT12H. It is a limit with timeout_by: runtime only.',
    {
      unit: 'ISO 8601 duration',
      standard: 'PT1H',
      example: 'PT5M',
    },
  ),
  licenses: may(
    map(integerShape),
    'Addition: what each job with these requirements holds of named limits; licenses of the job replace those of the same name.',
    { example: { matlab: 1 } },
  ),
});

/** Addition: `readSchedulers` makes a scheduler of it, as of one for Slurm. */
export const pbsScheduler = object('PbsSchedulerSpec', {
  name: must(stringShape, 'Name by which jobs and actions refer to the entry. Unique.', { example: 'gpu_nodes' }),
  account: may(stringShape, 'Account (qsub -A).', { example: 'my_project' }),
  project: may(stringShape, 'Project (qsub -P).', { example: 'climate' }),
  queue: may(stringShape, 'Queue (qsub -q). Without it the site chooses.', { example: 'workq' }),
  nodes: may(integerShape, 'Number of nodes of an allocation. Without it, that of the chunks in select, or 1.', {
    example: 2,
  }),
  select: may(
    stringShape,
    'Chunks of an allocation (qsub -l select). Without it, each node has what the largest job needs.',
    { example: '1:ncpus=32:mem=64gb:ngpus=2' },
  ),
  place: may(stringShape, 'How chunks are placed (qsub -l place). Without it scatter, for several nodes.', {
    example: 'scatter:excl',
  }),
  mem: may(stringShape, 'Memory per node, where select does not say it.', {
    unit: 'bytes, or k, m, g, t',
    example: '64g',
  }),
  walltime: may(stringShape, 'Time limit of an allocation (qsub -l walltime): HH:MM:SS. Quote it in YAML.', {
    unit: 'HH:MM:SS',
    standard: '01:00:00',
    example: '04:00:00',
  }),
  extra: may(stringShape, 'Further qsub options, as one text.', { example: '-l filesystems=home:eagle' }),
});

export const slurmScheduler = object('SlurmSchedulerSpec', {
  name: may(
    stringShape,
    'Name by which jobs and actions refer to the entry. Unique; an entry without a name is skipped.',
    {
      example: 'gpu_nodes',
    },
  ),
  account: must(stringShape, 'Slurm account (sbatch --account).', { example: 'my_project' }),
  partition: may(stringShape, 'Slurm partition (sbatch --partition).', { example: 'gpu' }),
  nodes: may(integerShape, 'Number of nodes of an allocation (sbatch --nodes).', { standard: 1, example: 2 }),
  walltime: may(
    stringShape,
    'Time limit of an allocation (sbatch --time): D-HH:MM:SS, HH:MM:SS, MM:SS or whole minutes. Quote it in YAML.',
    { unit: 'D-HH:MM:SS', standard: '01:00:00', example: '04:00:00' },
  ),
  mem: may(stringShape, 'Memory per node (sbatch --mem).', { unit: 'bytes, or k, m, g, t', example: '64g' }),
  gres: may(stringShape, 'Generic resources per node (sbatch --gres).', { example: 'gpu:2' }),
  qos: may(stringShape, 'Quality of service (sbatch --qos).', { example: 'high' }),
  ntasks_per_node: may(integerShape, 'Tasks per node (sbatch --ntasks-per-node).', { example: 1 }),
  tmp: may(stringShape, 'Temporary disk space per node (sbatch --tmp).', { example: '100g' }),
  extra: may(stringShape, 'Further sbatch options, as one text.', { example: '--reservation=week_12' }),
  serialize_allocations: may(booleanShape, 'Start an allocation only after the one before has ended.', {
    standard: false,
    example: true,
  }),
});
