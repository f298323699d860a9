import { each } from '../../src/core/lists/sequence.ts';
import { planned } from '../spec/reading.ts';

/** A job as it runs, with the names of jobs and the paths of files. */
export interface SingleJob {
  readonly name: string;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly before: readonly string[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** The jobs of a workflow, those of entries with parameters each by itself. */
export function singleJobs(workflow: object): readonly SingleJob[] {
  const { jobs, files } = planned(workflow);
  const pathsOf = (numbers: Int32Array) => [...numbers].map((at) => files.at(at).path);
  return [...each(jobs)].map(({ name, command, settings, dependsOn, inputFiles, outputFiles }) => ({
    name,
    command,
    env: settings.env ?? {},
    before: [...dependsOn].map((at) => jobs.at(at).name),
    inputs: pathsOf(inputFiles),
    outputs: pathsOf(outputFiles),
  }));
}
