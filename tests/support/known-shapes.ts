import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Of it, five percent are allowed for what shells around it take: 0.25 s. */
export const BURNED_SECONDS = 5;
export const RAMP_MEGABYTES = 200;
export const CARD = { uuid: 'GPU-known-shape', useMegabytes: 512, computePercent: 70 } as const;
/** A process on the card that is no job's. */
const STRANGER = 4_194_303;

/**
 * What each job does; all print their processes on their standard output, `pid 7`. They wait for samples instead of for a time:
 * a step that takes them starts after the jobs, on a busy machine some seconds later.
 */
const SCRIPTS = {
  burner: `
    bash -c 'echo pid $$; ulimit -t ${BURNED_SECONDS}; while :; do :; done'
    times > times-$$; echo times $(cat times-$$)
    wait_for_samples`,
  // What \`tail\` holds grows until its input ends, and its first byte comes then. The group is looked at when all is held.
  ramp: `
    (for i in $(seq 20); do head -c ${RAMP_MEGABYTES / 20}M /dev/zero; sleep 0.2; done) | tail | (
      head -c 1 > /dev/null
      group=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory:\\(.*step_[^/]*\\).*/\\1/p' /proc/self/cgroup)
      echo group $(sed -n 's/^total_rss //p' $group/memory.stat)
      wait_for_samples)`,
  tree: `
    for i in 1 2 3; do bash -c 'echo pid $$; sleep 600 & echo pid $!; wait' & leaves="$leaves $!"; done
    sleep 600 &
    echo pid $!
    wait_for_samples
    pkill -P $(echo $leaves | tr ' ' ,); kill $!; wait`,
  short: 'exec sleep 0.3',
  gpu: `
    echo $$ > gpu-$TORC_WORKFLOW_ID/pid
    wait_for_samples`,
} as const;

export type Shape = keyof typeof SCRIPTS;
export const shapes = Object.keys(SCRIPTS) as readonly Shape[];

/** The second new sample was begun after the first was written, so it was taken after the call. */
const HEAD = `echo pid $$
wait_for_samples() {
  for i in 1 2; do
    mark=$(mktemp -p .)
    until [ -n "$(find out-$TORC_WORKFLOW_ID/sonar -name '0+sample-*' -newer $mark 2> /dev/null)" ]; do sleep 0.2; done
    rm $mark
  done
}
`;

/** The text of a workflow of these jobs; \`writeShapes\` writes what they run. */
export const workflowOfShapes = (execution: string): string => `resource_requirements:
  - {name: small, num_cpus: 1, memory: 60m, runtime: PT5M}
  - {name: large, num_cpus: 1, memory: ${RAMP_MEGABYTES + 60}m, runtime: PT5M}
  - {name: card, num_cpus: 1, num_gpus: 1, memory: 60m, runtime: PT5M}
execution_config: ${execution}
resource_monitor: {sonar: true, sample_interval_seconds: 1}
jobs:
${shapes
  .map((shape) => {
    const needs = shape === 'ramp' ? 'large' : shape === 'gpu' ? 'card' : 'small';
    return `  - {name: ${shape}, resource_requirements: ${needs}, command: "exec bash ${shape}.sh"}\n`;
  })
  .join('')}`;

export function writeShapes(folder: string): void {
  for (const shape of shapes) writeFileSync(join(folder, `${shape}.sh`), HEAD + SCRIPTS[shape]);
}

/** An nvidia-smi for the runner of a workflow: its one card is used by the job that says so, and by a stranger. Returns its folder. */
export function writeCardTool(folder: string, workflow: number): string {
  const own = join(folder, `gpu-${workflow}`);
  mkdirSync(own);
  const { uuid, useMegabytes, computePercent } = CARD;
  const card = `0, ${uuid}, 0:1, Card, 1, 2, 9.0, Disabled, 1024, 512, 300, 300, 100, 50, 1, 2, 3, 4, 5, 60, Default, P2, 7, 8`;
  writeFileSync(
    join(own, 'nvidia-smi'),
    `#!/bin/bash
pids="${STRANGER} $(cat '${own}/pid' 2> /dev/null)"
case "$1" in
  --query-gpu*) echo '${card}' ;;
  --query-compute-apps*) for pid in $pids; do echo "${uuid}, $pid, ${useMegabytes}"; done ;;
  pmon)
    echo '# gpu pid type sm mem enc dec command'
    for pid in $pids; do echo "0 $pid C ${computePercent} 10 - - name"; done ;;
esac
`,
  );
  chmodSync(join(own, 'nvidia-smi'), 0o755);
  return own;
}
