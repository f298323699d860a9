/** The page of the causes for which attempts end. */
import { type Again, type Cause, CAUSES } from '../src/core/attempt/cause.ts';
import type { CauseCode } from '../src/core/contract/cause-code.ts';
import { write } from './write-generated.ts';

const RECOVERS: Readonly<Record<Again, string>> = {
  'as it is': 'runs it again as it is',
  'with more memory': 'raises its memory, and runs it again',
  'with more time': 'raises its runtime, and runs it again',
  no: 'leaves it as it is',
};

/** Return codes that stand in the sentences: SIGSEGV and SIGINT are of them. */
const EXAMPLES: Readonly<Partial<Record<CauseCode, number>>> = {
  crash: 139,
  signal: 130,
  not_found: 127,
  not_executable: 126,
};
const USUAL_EXAMPLE = 3;

/** It follows the job that it waits for. */
const DEPENDENCY: CauseCode = 'dependency';

const rows = Object.entries(CAUSES).map(([code, { sentence, proof, again, rule, next }]: [string, Cause]) => {
  const words = sentence(EXAMPLES[code as CauseCode] ?? USUAL_EXAMPLE);
  const handled = rule === undefined ? '' : `\`${rule}\``;
  const recovers = code === DEPENDENCY ? 'runs it behind the other job' : RECOVERS[again];
  return `| \`${code}\` | ${words} | ${proof} | ${recovers} | ${handled} | ${next} |`;
});

write(
  'docs/reference/causes.md',
  `# Why attempts end

Made from the vocabulary in \`src/core/attempt/cause.ts\` by \`npm run gen\`.

Each attempt that did not succeed ended for one of these causes. Its result has the code (\`cause_code\`), and in \`cause\` what is known besides, such as
paths, amounts of memory, or the State of Slurm. The end of \`torc run\`, \`torc jobs explain\`, \`torc results list\`, \`torc recover\`, the page,
\`torc tui\` and the tools for agents say the same sentence, with the return code of the attempt. The codes in this table are examples.

| cause | the sentence | what proves it | \`torc recover\` | rule | what a person does next |
| --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

- A success has a cause only where its work may be incomplete: \`asked\` and \`stale_output\`. With
  \`execution_config: {stale_outputs: fail}\` the second one has failed.
- The rule is that of a [failure handler](../how-to/retry-jobs-that-fail.md) about this cause. Rules by exit code are about every attempt that failed.
- \`torc recover\` also goes by what was measured: a job that used more memory, time or CPUs than it asked for runs again with more, whatever its
  cause, and one whose time was up because its runner ended long before its own limit runs again as it is. With \`--retry-unknown\` it also runs again what
  it leaves ([guide](../how-to/recover-a-workflow.md)).
- The return codes of jobs that were ended for their memory and for their time are 137 and 152; a workflow may have others (\`oom_exit_code\`,
  \`timeout_exit_code\`).

## Results without a cause

Torc's own runner reports no causes. The server stores the one that a return code proves: 126, 127, the signals of a crash, -128 (\`lost\`), the code for
time of a job that was terminated, and other exit codes as \`exit\`. Some codes have two meanings there, and stay without a cause:

| return code | what it may be |
| --- | --- |
| 1 | the command itself ended with 1, or it did not write a declared output |
| 137, and \`oom_exit_code\` | it was killed for its memory, or by another process |
| 143 | it was asked to end, by its runner or by another process |
| \`timeout_exit_code\`, of a job that failed | its time was up, or the command itself ended with that code |
`,
);
