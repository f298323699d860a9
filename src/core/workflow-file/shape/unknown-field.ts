import type { Shape } from './shape.ts';

/** Words of other tools for fields of ours, by the name of the object that they are written in. */
const WORDS_OF_OTHERS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'struct JobSpec': {
    command: ['shell', 'run', 'script', 'exec', 'cmd'],
    depends_on: ['needs', 'after', 'requires', 'dependencies', 'deps', 'parents', 'depends'],
    env: ['environment'],
    resource_requirements: ['resources'],
    inputs: ['input', 'in'],
    outputs: ['output', 'out'],
    failure_handler: ['retries', 'retry', 'on_failure'],
    timeout: ['time_limit', 'max_time'],
    licenses: ['license', 'licences', 'licence'],
    max_running: ['max_parallel', 'max_forks', 'maxforks', 'concurrency', 'concurrency_limit'],
  },
  'struct ResourceRequirementsSpec': {
    num_cpus: ['cpus', 'cores', 'threads', 'ncpus', 'cpus_per_task'],
    num_gpus: ['gpus', 'gres'],
    num_nodes: ['nodes'],
    memory: ['mem', 'ram', 'mem_mb', 'memory_gb'],
    runtime: ['time', 'walltime', 'time_limit', 'duration'],
    licenses: ['license', 'licences', 'licence'],
  },
  'struct WorkflowSpec': {
    jobs: ['tasks', 'steps', 'rules', 'job'],
    parameters: ['matrix', 'params', 'sweep'],
    resource_requirements: ['resources'],
    limits: ['limit', 'max_cores', 'max_gpus', 'max_nodes', 'licenses', 'licences'],
  },
};

/** The field of ours that is called so elsewhere. */
export function fieldOfOthers(shape: Shape<unknown>, key: string): string | undefined {
  const words = Object.entries(WORDS_OF_OTHERS[shape.expects] ?? {});
  return words.find(([, others]) => others.includes(key.toLowerCase()))?.[0];
}

/** A sentence for a person about a field that belongs elsewhere in the file; nothing where no other object has it. */
export function unknownFieldText(shape: Shape<unknown>, key: string, sections: readonly Section[]): string | undefined {
  const homes = sections.filter((section) => section.shape !== shape && Object.hasOwn(section.shape.fields ?? {}, key));
  const [home] = homes;
  if (home === undefined) return undefined;
  const isTop = sections[0]?.shape === shape;
  if (home.title === 'workflow') return `it is a field of the workflow: write it at the top of the file, not indented`;
  const where = homes.map(({ title }) => `\`${title}\``).join(' or ');
  return isTop && homes.length < 4
    ? `it is a field of ${where}: indent it as far as the other fields of its entry`
    : `it is a field of ${where}: write it there${
        home.title === 'resource_requirements' ? ', and name that entry in the job: resource_requirements: NAME' : ''
      }`;
}

/** An object of workflow files that has fields of its own. */
export interface Section {
  /** How a file reaches it: `jobs`, `resource_monitor.jobs`; `workflow` for the file itself. */
  readonly title: string;
  readonly shape: Shape<object>;
}

/** Every object of a workflow file, each once, where it occurs first. */
export function sectionsOf(root: Shape<unknown>): Section[] {
  const sections: Section[] = [];
  const visit = (shape: Shape<unknown>, path: readonly string[]): void => {
    if (shape.of !== undefined) visit(shape.of, path);
    if (shape.fields === undefined || sections.some((section) => section.shape === shape)) return;
    sections.push({ title: path.length === 0 ? 'workflow' : path.join('.'), shape: shape as Shape<object> });
    for (const [name, field] of Object.entries(shape.fields)) visit(field.shape, [...path, name]);
  };
  visit(root, []);
  return sections;
}
