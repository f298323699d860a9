import { formatProblem, type Problem } from '../core/workflow-file/problems/problems.ts';

/** A workflow with errors, each with its place; nothing was created. */
export class InvalidWorkflow extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map((problem) => formatProblem(problem)).join('\n'));
    this.name = 'InvalidWorkflow';
    this.problems = problems;
  }
}
