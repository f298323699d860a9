import type { UserData } from '../../core/contract/artifact.ts';
import type { Job } from '../../core/contract/job.ts';
import type { Result } from '../../core/contract/result.ts';
import { storedEndOf, type ExitCodes } from '../../core/attempt/judge.ts';
import { sentenceOf } from '../../core/attempt/cause.ts';
import { isSecretName, secretsIn, withoutSecrets } from '../../core/text/without-secrets.ts';
import { type ReadSurroundings, surroundingsOf } from '../../core/workflow-file/surroundings/read-script.ts';
import { attemptEntity, attemptId } from '../../runner/attempt/crate/entities.ts';
import { at, type CrateNode } from './node.ts';

/** What is known of the surroundings of an attempt. */
export interface ActionFacts {
  /** The program that ran it, and who did. */
  readonly instrument: string;
  readonly agent: string;
  readonly codes: ExitCodes;
  /** Variables that the workflow gives to its jobs. */
  readonly variables: Readonly<Record<string, string>>;
  /** `@id`s of files: of those that it may have written, only those that are there. */
  readonly hasValue: (userDataId: number) => boolean;
  readonly fileIds: (files: readonly number[] | null | undefined) => string[];
}

export const COMPLETED_STATUS = 'http://schema.org/CompletedActionStatus';
export const FAILED_STATUS = 'http://schema.org/FailedActionStatus';

/**
 * An attempt as an action: its command line, when it ran, how it ended, what it read and wrote, and in which container. Properties
 * that are stored win.
 */
export function attemptAction(job: Job, result: Result, stored: CrateNode | undefined, facts: ActionFacts): CrateNode {
  const { instrument, agent, codes, variables, fileIds } = facts;
  const isDone = result.status === 'completed';
  const why = isDone ? undefined : sentenceOf(storedEndOf(result, codes));
  const attempt = result.attempt_id ?? 1;
  const described = attemptEntity({
    runId: result.run_id,
    jobId: job.id as number,
    attempt,
    name: job.name,
    endTime: result.completion_time,
    inputs: fileIds(job.input_file_ids),
    outputs: isDone ? fileIds(job.output_file_ids) : [],
  }).metadata;
  const { 'prov:hadPlan': _plan, isPartOf: _run, ...own } = described;
  const { container, conda, modules } = surroundingsOf(job.invocation_script);
  const software = softwareNodes({ modules, ...(conda === undefined ? {} : { conda }) });
  const userData = (job.input_user_data_ids ?? []).filter(facts.hasValue).map((id) => at(valueId(id)));
  const before = stored ?? own;
  const object = before['object'];
  return {
    ...before,
    // The stored instrument is the program that ran it; so it is in what is added.
    instrument: before['instrument'] && stored ? before['instrument'] : at(instrument),
    description: before['description'] ?? withoutSecrets(job.command, secretsIn({ ...variables, ...job.env })),
    startTime: before['startTime'] ?? startOf(result),
    endTime: before['endTime'] ?? result.completion_time,
    actionStatus: isDone ? COMPLETED_STATUS : FAILED_STATUS,
    ...(why === undefined ? {} : { error: why }),
    exitCode: result.return_code,
    agent: before['agent'] ?? at(agent),
    // A list, also of one, as Torc stores it.
    object: [...(Array.isArray(object) ? object : object === undefined ? [] : [object]), ...userData],
    ...(container === undefined ? {} : { containerImage: at(imageId(container.image)) }),
    ...(software.length === 0 ? {} : { softwareRequirements: software.map((node) => at(node['@id'] as string)) }),
    '@id': attemptId(job.id as number, attempt),
  };
}

const startOf = ({ completion_time: end, exec_time_minutes: minutes }: Result): string => {
  const endMs = Date.parse(end);
  return Number.isNaN(endMs) ? end : new Date(endMs - Math.max(0, minutes) * 60_000).toISOString();
};

const idPart = (text: string) => encodeURIComponent(text);
const imageId = (image: string) => `#container-${idPart(image)}`;
const valueId = (id: number) => `#user-data-${id}`;

/** The container and the software of a job, as nodes. */
export function surroundingNodes(script: Job['invocation_script']): CrateNode[] {
  const { container, ...software } = surroundingsOf(script);
  return [...(container === undefined ? [] : [imageNode(container)]), ...softwareNodes(software)];
}

/** Images of registries have a registry and a tag; a file of Apptainer has neither. */
function imageNode({ image, runtime }: NonNullable<ReadSurroundings['container']>): CrateNode {
  const isFile = runtime === 'apptainer' && !/^\w+:\/\//.test(image);
  const kind = isFile ? 'SIFImage' : 'DockerImage';
  const node = { '@id': imageId(image), '@type': 'ContainerImage', additionalType: at(`${TERMS}${kind}`) };
  if (isFile) return { ...node, name: image };
  const [, first = '', rest] = /^(?:\w+:\/\/)?([^/]+)(?:\/(.*))?$/.exec(image) ?? [];
  const hasRegistry = rest !== undefined && /[.:]|^localhost$/.test(first);
  const [name = '', tag] = (hasRegistry ? rest : image.replace(/^\w+:\/\//, '')).split(/[:@](?=[^/]*$)/);
  return { ...node, name, registry: hasRegistry ? first : 'docker.io', ...(tag === undefined ? {} : { tag }) };
}

/** Terms of runs of workflows, which the context of RO-Crate 1.1 lacks. */
export const TERMS = 'https://w3id.org/ro/terms/workflow-run#';

function softwareNodes({ conda, modules }: Omit<ReadSurroundings, 'container'>): CrateNode[] {
  const node = (id: string, name: string, version?: string): CrateNode => ({
    '@id': id,
    '@type': 'SoftwareApplication',
    name,
    ...(version === undefined ? {} : { softwareVersion: version }),
  });
  return [
    ...(conda === undefined ? [] : [node(`#conda-${idPart(conda)}`, `conda environment ${conda}`)]),
    ...modules.map((module) => {
      const [name = module, version] = module.split(/\/(.*)/s);
      return node(`#module-${idPart(module)}`, name, version);
    }),
  ];
}

/** A value that no job has written yet is none. */
export const hasValue = ({ data }: UserData): boolean => data !== undefined && data !== null;

/** Values that jobs read, as parameters of the workflow with the value that this run had. */
export function parameterNodes(values: readonly UserData[]): CrateNode[] {
  return values.flatMap(({ id, name, data }) => {
    const isHidden = isSecretName(name);
    const isNumber = typeof data === 'number' || typeof data === 'boolean';
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    const [value, parameter] = [valueId(id as number), parameterId(id as number)];
    return [
      {
        '@id': value,
        '@type': 'PropertyValue',
        name,
        value: isHidden ? '***' : isNumber ? data : withoutSecrets(text),
        exampleOfWork: at(parameter),
      },
      {
        '@id': parameter,
        '@type': 'FormalParameter',
        name,
        additionalType: typeof data === 'number' ? 'Number' : typeof data === 'boolean' ? 'Boolean' : 'Text',
        conformsTo: at('https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE'),
        workExample: at(value),
      },
    ];
  });
}

export const parameterId = (id: number) => `#parameter-${id}`;
