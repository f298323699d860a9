import { describe, expect, it, test } from 'vitest';
import type { AllocationScript } from '../batch/allocation-script.ts';
import { directivesIn, pbsJobNameIn, pbsScript } from './submission-script.ts';

const submission: AllocationScript = {
  jobName: 'wf7_99_1',
  scheduler: { account: '', nodes: 1, walltime: '04:00:00', pbs: {} },
  defaults: {},
  record: { id: 5, isArray: false },
  runner: { url: 'http://host:8080/torc-service/v1', workflowId: 7, outputDir: '/out', pollIntervalSeconds: 30 },
};
const text = (over: Partial<AllocationScript> = {}) => pbsScript({ ...submission, ...over });
const asks = (over: Partial<AllocationScript['scheduler']>, needs: AllocationScript['needs'] = []) =>
  directivesIn(text({ scheduler: { ...submission.scheduler, ...over }, needs })).join(' ');

describe('the script of an allocation of PBS', () => {
  it('the script asks for what the scheduler says, appends to the files of the allocation, and runs a runner', () => {
    expect(text().split('\n')).toEqual([
      '#!/bin/bash',
      '#PBS -N wf7_99_1',
      '#PBS -l select=1:ncpus=1',
      '#PBS -l walltime=04:00:00',
      '#PBS -j oe',
      '#PBS -k oed',
      '#PBS -o /out/pbs/',
      '',
      'export TORC_PBS_JOB="${PBS_JOBID%%[.[]*}" TORC_PBS_BEGAN="$(date +%s)"',
      'export TORC_ALLOCATION=5',
      'exec >> /out/slurm_output_wf7_sl"$TORC_PBS_JOB".o 2>> /out/slurm_output_wf7_sl"$TORC_PBS_JOB".e',
      'if [ "${1:-}" = on ]; then shift; unset TORC_ALLOCATION; exec "$@"; fi',
      'export TORC_PBS_SCRIPT="$0"',
      "trap 'signaled=1' TERM; trap : USR1 USR2",
      'code=0',
      'torc-slurm-job-runner http://host:8080/torc-service/v1 7 /out --poll-interval 30 || code=$?',
      `[ -n "\${signaled:-}" ] && qstat -f "$PBS_JOBID" | grep -q 'substate = 60' || rm -f -- "$0"`,
      'exit "$code"',
      '',
    ]);
  });

  it('the script asks for as much as the largest job needs where the scheduler leaves it open, and for what select says where it does not', () => {
    const needs = [
      { num_cpus: 2, memory: '8g', num_gpus: 1 },
      { num_cpus: 4, memory: '50m', num_gpus: 0 },
    ];
    expect(asks({ nodes: 2 }, needs)).toContain('-l select=2:ncpus=4:mem=8388608kb:ngpus=1 -l place=scatter');
    expect(asks({ mem: '500m' }, needs)).toContain('-l select=1:ncpus=4:mem=512000kb:ngpus=1 -l walltime');
    expect(asks({ pbs: { select: '3:ncpus=8', place: 'scatter:excl' } }, needs)).toContain(
      '-l select=3:ncpus=8 -l place=scatter:excl',
    );
  });

  it('the script has every field of a scheduler for PBS, and its further options as a shell reads them', () => {
    const found = asks({
      account: 'ann lab',
      partition: 'workq',
      pbs: { project: 'climate' },
      walltime: '1-02:00:00',
      extra: `-l filesystems=home:eagle -W group_list="a b" -m 'e'`,
    });
    expect(found).toContain('-A ann lab -P climate -q workq');
    expect(found).toContain('-l walltime=26:00:00');
    expect(found).toMatch(/-l filesystems=home:eagle -W group_list=a b -m e$/);
  });

  it('the name of its job has only letters that PBS takes', () => {
    expect(pbsJobNameIn(text({ jobName: 'my sweep: wf7_1' }))).toBe('my_sweep__wf7_1');
  });

  it('on several nodes it starts itself on each, by a program that reports how the runner ended there', () => {
    const script = text({ runner: { ...submission.runner, perNode: {} } });
    expect(script).toContain('pbs_tmrsh "$node" /bin/bash "$0" node "$PBS_NODEFILE" &');
    expect(script).toMatch(
      /= node \]; then export PBS_NODEFILE="\$\{PBS_NODEFILE:-\$2\}"; exec torc-slurm-job-runner .* --is-subtask; fi/,
    );
  });

  it('a scheduler for Slurm is submitted as far as PBS has words for it', () => {
    const slurm = { account: 'proj', nodes: 1, walltime: '30', partition: 'gpu', gres: 'gpu:a100:2', mem: '64g' };
    const script = text({ scheduler: slurm });
    expect(directivesIn(script).join(' ')).toContain(
      '-A proj -q gpu -l select=1:ncpus=1:mem=67108864kb:ngpus=2 -l walltime=00:30:00',
    );
  });

  it('the CPUs that a plan counts on are those of its chunks, beside the further options of the scheduler', () => {
    const found = asks({ extra: '-l filesystems=home --cpus-per-task=8', mem: '1g' }, [{ num_cpus: 2 }]);
    expect(found).toContain('select=1:ncpus=8:mem=1048576kb');
    expect(found).toMatch(/-l filesystems=home$/);
  });

  test.each([
    ['qos', { qos: 'high' }, {}],
    ['tmp', { tmp: '10g' }, {}],
    ['gres', { gres: 'nvme:1' }, {}],
    ['extra', { extra: '--exclusive' }, {}],
    ['serialize_allocations', { serialize_allocations: true }, {}],
    ['slurm_defaults: mail-type', {}, { 'mail-type': 'FAIL' }],
  ])('what PBS has no word for is refused: %s', (field, more, defaults) => {
    const scheduler = { account: 'proj', nodes: 1, walltime: '30', ...more };
    expect(() => text({ scheduler, defaults })).toThrow(
      expect.objectContaining({ code: 'SUBMISSION_REFUSED', message: expect.stringContaining(field) }),
    );
  });

  it('a value that would end its line is refused', () => {
    expect(() => asks({ partition: 'a\n#PBS -q b' })).toThrow('the qsub option -q has more than one line');
  });
});
