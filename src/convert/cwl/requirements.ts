import { formatRuntime } from '../../core/quantity/duration.ts';
import type { ContainerRuntime } from '../../core/workflow-file/surroundings/runtime.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import type { Report } from '../conversion.ts';
import { needed, type Needs } from './document.ts';
import { resolve, type Scope } from './references.ts';
import { type Cwl, type CwlMap, Later, Unsupported, nameIn } from './value.ts';

/** Requirements that a converter carries over, or that need nothing of a job. */
const CARRIED: ReadonlySet<string> = new Set([
  'ResourceRequirement',
  'EnvVarRequirement',
  'ShellCommandRequirement',
  'ToolTimeLimit',
  'ScatterFeatureRequirement',
  'MultipleInputFeatureRequirement',
  'StepInputExpressionRequirement',
  'SubworkflowFeatureRequirement',
  // Every expression that is met is reported by itself.
  'InlineJavascriptRequirement',
]);

/** What stands in place of the others. */
const OTHERS: Readonly<Record<string, string>> = {
  DockerRequirement:
    'the job runs without the container: its programs have to be installed where it runs, or choose a runtime with --container',
  SoftwareRequirement: 'the programs have to be installed where the job runs',
  InitialWorkDirRequirement: 'the folder of the job begins empty',
  InplaceUpdateRequirement: 'jobs read the files themselves, and change them if their program does',
  NetworkAccess: 'jobs have the network of the machine',
  WorkReuse: 'a job with unchanged inputs does not run again',
  LoadListingRequirement: 'listings of folders are not read',
  SchemaDefRequirement: 'values of these types are taken as they stand',
};
/** These change nothing of the result. */
const HARMLESS: ReadonlySet<string> = new Set([
  'NetworkAccess',
  'WorkReuse',
  'SoftwareRequirement',
  'SchemaDefRequirement',
]);

/** The container of a tool that names an image, in a runtime that is asked for. */
export function containerOf(needs: Needs, runtime: ContainerRuntime | undefined): ValueMap | undefined {
  const { dockerPull: image } = needed(needs, 'DockerRequirement') ?? {};
  if (runtime === undefined || typeof image !== 'string') return undefined;
  return { image: runtime === 'apptainer' ? `docker://${image}` : image, runtime };
}

/** Reports what a process asks for beyond its command. A hint that is not followed is a note: CWL lets a runner ignore it. */
export function reportNeeds({ required, hinted }: Needs, file: string, report: Report, isContained: boolean): void {
  const isCarried = (name: string) => CARRIED.has(name) || (isContained && name === 'DockerRequirement');
  for (const name of required.keys())
    if (!isCarried(name)) report[HARMLESS.has(name) ? 'note' : 'leaveOut'](name, insteadOf(name), undefined, file);
  for (const name of hinted.keys())
    if (!isCarried(name) && !required.has(name)) report.note(`hint ${name}`, insteadOf(name), undefined, file);
}

const insteadOf = (name: string) => OTHERS[name] ?? 'jobs know no such requirement';

export interface ToolResources {
  /** For `resource_requirements`; undefined where nothing is asked for. */
  readonly requirements: ValueMap | undefined;
  /** What `$(runtime.…)` is. */
  readonly cores: number;
  readonly ramMebibytes: number;
  /** Of the folders of the job, in MiB. */
  readonly sizes: { readonly outdirSize: number; readonly tmpdirSize: number };
}

/** CPUs, memory and time that a tool asks for. Throws `Unsupported` for amounts that are known only in a run. */
export function resourcesAskedBy(needs: Needs, scope: Scope): ToolResources {
  const { coresMin, coresMax, ramMin, ramMax, outdirMin, outdirMax, tmpdirMin, tmpdirMax } =
    needed(needs, 'ResourceRequirement') ?? {};
  const { timelimit = 0 } = needed(needs, 'ToolTimeLimit') ?? {};
  const cores = amount(coresMin ?? coresMax, scope);
  const ram = amount(ramMin ?? ramMax, scope);
  const seconds = amount(timelimit, scope);
  const isAsked = cores !== undefined || ram !== undefined || seconds;
  const requirements: ValueMap = {
    num_cpus: Math.max(1, Math.ceil(cores ?? 1)),
    // Memory is a limit here, and in CWL what is set aside: a tool that says nothing gets as much as one of Snakemake.
    memory: ram === undefined ? `${Math.max(1, Math.ceil(cores ?? 1))}g` : `${Math.max(1, Math.ceil(ram))}m`,
    ...(seconds ? { runtime: formatRuntime(Math.ceil(seconds)) } : {}),
  };
  return {
    requirements: isAsked ? requirements : undefined,
    cores: Math.max(1, Math.ceil(cores ?? 1)),
    ramMebibytes: Math.ceil(ram ?? 256),
    sizes: {
      outdirSize: Math.ceil(amount(outdirMin ?? outdirMax, scope) ?? 1024),
      tmpdirSize: Math.ceil(amount(tmpdirMin ?? tmpdirMax, scope) ?? 1024),
    },
  };
}

function amount(given: Cwl | undefined, scope: Scope): number | undefined {
  if (given === undefined || given === null) return undefined;
  const value = resolve(given, scope);
  if (value instanceof Later || typeof value !== 'number')
    throw new Unsupported('an amount of resources that is known only in a run');
  return value;
}

/** Variables of the environment, by name. */
export function variablesOf(needs: Needs, scope: Scope): readonly (readonly [string, Cwl])[] {
  const { envDef } = needed(needs, 'EnvVarRequirement') ?? {};
  const entries = Array.isArray(envDef)
    ? (envDef as readonly CwlMap[]).map((each) => [nameIn(each['envName']), each['envValue'] ?? ''] as const)
    : Object.entries((envDef ?? {}) as CwlMap).map(
        ([name, each]) =>
          [
            name,
            each !== null && typeof each === 'object' && 'envValue' in each ? (each['envValue'] ?? '') : each,
          ] as const,
      );
  return entries.map(([name, value]) => [name, resolve(value, scope)]);
}
