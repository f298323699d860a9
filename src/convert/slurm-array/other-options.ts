import type { Report } from '../conversion.ts';
import { type Directive, wordSet } from '../array/script.ts';
import { directiveText } from './requirements.ts';

/** Options that change how allocations are made, and nothing in the result of a task. */
const OF_ALLOCATIONS = wordSet(`
  account partition qos constraint reservation nodelist exclude clusters
  distribution contiguous oversubscribe extra-node-info hint mem-bind threads-per-core cpu-bind begin
  deadline nice priority hold tmp switches core-spec gpu-bind wckey prefer cluster-constraint power
  spread-job use-min-nodes sockets-per-node cores-per-socket gpu-freq
`);

/** Options with no counterpart, and no effect on the result. */
const WITHOUT_EFFECT = wordSet(`
  mail-user mail-type comment verbose quiet parsable wait no-kill overcommit open-mode profile
  acctg-freq ignore-pbs get-user-env propagate test-only reboot
`);

/** What the report says of the options that are neither resources nor carried over otherwise. */
export function reportOther(directive: Directive, report: Report): void {
  const { name, line } = directive;
  const text = directiveText(directive);
  if (OF_ALLOCATIONS.has(name)) {
    report.note(
      text,
      'jobs do not choose allocations; torc slurm generate writes them into the file, for an account',
      line,
    );
  } else if (name === 'output' || name === 'error') {
    report.note(text, 'torc writes what jobs print below torc_output/job_stdio; torc jobs output shows it', line);
  } else if (name === 'time-min') {
    report.note(text, 'each job asks for the whole time of --time', line);
  } else if (name === 'exclusive') {
    report.leaveOut(text, 'a job shares its node with others: ask for all of its CPUs and memory', line);
  } else if (name === 'dependency') {
    report.leaveOut(text, 'it names jobs of Slurm; add depends_on if the other job becomes part of the workflow', line);
  } else if (name === 'signal') {
    report.leaveOut(text, 'see execution_config, srun_termination_signal and the signals of direct mode', line);
  } else if (WITHOUT_EFFECT.has(name)) report.note(text, 'not carried over; it does not change what the jobs do', line);
  else report.leaveOut(text, 'the converter does not know this option', line);
}
