import { Refusal } from '../../core/contract/refusals.ts';
import type { ContainerRuntime } from '../../core/workflow-file/surroundings/runtime.ts';
import type { ValueMap } from '../../core/workflow-file/text/value.ts';
import { type Conversion, reportOf } from '../conversion.ts';
import { fileEntries } from '../file-names.ts';
import { uniqueNames } from '../unique-names.ts';
import { needsOf, NO_NEEDS, processAt, type ReadDocument } from './document.ts';
import { located, withDefaults } from './inputs.ts';
import { containerOf, reportNeeds } from './requirements.ts';
import { MOST_RUNS, tooManyRuns } from './scatter.ts';
import { jobOf } from './tool.ts';
import { type CwlMap, entriesOf, filesIn, isCwlMap, laterIn, pathOfCwlFile, Unsupported, nameIn } from './value.ts';
import { type ProcessRun, runCwlWorkflow } from './workflow.ts';

interface Given {
  /** The tool or workflow: `flow.cwl`, or `flow.cwl#main` of a file with several. */
  readonly process: string;
  /** The file with the values of its inputs; undefined if its defaults are all. */
  readonly inputs: string | undefined;
  readonly read: ReadDocument;
  /** Runs tools with an image in containers of this runtime; undefined: none runs in a container. */
  readonly runtime?: ContainerRuntime | undefined;
}

/**
 * A tool or workflow of CWL with its inputs as jobs with files: each runs in a folder of its own. References such as
 * `$(inputs.file.path)` are resolved; JavaScript is not run.
 *
 * Throws: `CONVERSION_REFUSED` where nothing can be carried over, `EXPANSION_TOO_LARGE`.
 */
export function convertCwl({ process: named, inputs: inputsPath, read, runtime }: Given): Conversion {
  const [path = named] = named.split('#');
  const report = reportOf(path);
  const stem = path.replace(/^.*\//, '').replace(/\.\w+$/, '');
  const names = fileEntries();
  const unique = uniqueNames();
  const kinds = new Map<string, ValueMap>();
  const jobs: ValueMap[] = [];

  let runs = 0;
  const run: ProcessRun = (process, inputs, needs, name) => {
    runs += 1;
    if (runs > MOST_RUNS) throw tooManyRuns(named);
    if (process.body['class'] === 'Workflow')
      return runCwlWorkflow(process, inputs, { needs, name, read, run, leaveOut: leaveStep });
    if (process.body['class'] !== 'CommandLineTool')
      throw new Unsupported(
        `${nameIn(process.body['class'])}: it computes values with JavaScript, and runs no program`,
      );
    const own = unique(name === '' ? stem : name);
    const job = jobOf(process, inputs, needs, `${stem}_output/${own}`);
    const container = containerOf(needs, runtime);
    reportNeeds(needs, process.path, report, container !== undefined);
    const { requirements } = job.asked;
    const key = JSON.stringify(requirements);
    if (requirements !== undefined && !kinds.has(key))
      kinds.set(key, { name: `needs_${kinds.size + 1}`, ...requirements });
    jobs.push({
      name: own,
      command: job.command,
      ...(container === undefined ? {} : { container }),
      ...(requirements === undefined ? {} : { resource_requirements: kinds.get(key)?.['name'] ?? '' }),
      ...(job.reads.length === 0 ? {} : { input_files: job.reads.map(names.nameOf) }),
      ...(job.writes.length === 0 ? {} : { output_files: job.writes.map(names.nameOf) }),
    });
    return job.outputs;
  };
  const leaveStep = (step: string, why: string, file: string) => report.leaveOut(`step ${step}`, why, undefined, file);

  try {
    const process = processAt(named, { path: '', above: [] }, read);
    const given = givenIn(inputsPath, read);
    const known = new Set(entriesOf(process.body['inputs'], 'id', 'type').map(([name]) => name));
    // A misspelled name of an optional input would leave its default in place, and no message would say so.
    for (const name of Object.keys(given).filter((each) => !known.has(each)))
      report.note(
        `input ${name}`,
        `${named} has no input of this name, and its value is not used`,
        undefined,
        inputsPath,
      );
    const outputs = run(process, withDefaults(process, given), needsOf(process.body, NO_NEEDS), '');
    reportOutputs(outputs, report);
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    throw new Refusal('CONVERSION_REFUSED', `${named}: ${error.message}`, {}, { cause: error });
  }
  if (jobs.length === 0) {
    const [left] = report.notes;
    throw new Refusal(
      'CONVERSION_REFUSED',
      `${named}: no job can be made of it${left === undefined ? '' : `: ${left.found}: ${left.instead}`}`,
    );
  }
  return {
    workflow: {
      name: stem,
      description: `${named}, a workflow of CWL`,
      jobs,
      ...(names.entries.length === 0 ? {} : { files: names.entries }),
      ...(kinds.size === 0 ? {} : { resource_requirements: [...kinds.values()] }),
    },
    notes: report.notes,
  };
}

function givenIn(path: string | undefined, read: ReadDocument): CwlMap {
  if (path === undefined) return {};
  const value = read(path);
  if (!isCwlMap(value)) throw new Unsupported(`${path} has no values of inputs: it is no map`);
  const values = Object.entries(value).filter(([name]) => !name.startsWith('cwl:'));
  if (values.length < Object.keys(value).length) throw new Unsupported(`${path} has requirements of its own (cwl:…)`);
  return Object.fromEntries(values.map(([name, each]) => [name, located(each, path)]));
}

/** Where each output of the whole lies. */
function reportOutputs(outputs: CwlMap, report: ReturnType<typeof reportOf>): void {
  for (const [name, value] of Object.entries(outputs)) {
    const files = filesIn(value);
    const later = laterIn(value);
    if (later?.pattern !== undefined) report.note(`output ${name}`, `it is what matches ${later.pattern}`);
    else if (later !== undefined)
      report.leaveOut(`output ${name}`, `${later.why}; what the job wrote lies in its folder`);
    else if (files.length > 0)
      report.note(
        `output ${name}`,
        `it is ${files.map(pathOfCwlFile).slice(0, 5).join(', ')}${files.length > 5 ? ', …' : ''}`,
      );
  }
}
