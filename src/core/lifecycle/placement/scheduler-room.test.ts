import { describe, expect, it, test } from 'vitest';
import { marginsOf } from '../../allocation/usable-time.ts';
import { obstacles } from './obstacles.ts';
import { roomOfScheduler, type SchedulerShape } from './scheduler-room.ts';

const scheduler = (over: Partial<SchedulerShape> = {}): SchedulerShape => ({
  id: 7,
  name: 's',
  nodes: 2,
  walltime: '01:00:00',
  ...over,
});
const room = (over: Partial<SchedulerShape> = {}, workflow: Parameters<typeof roomOfScheduler>[1] = {}) =>
  roomOfScheduler(scheduler(over), workflow);

describe('the runner of a future allocation', () => {
  it('the runner of a future allocation has the time of the walltime, and what the site decides is unlimited', () => {
    expect(room()).toEqual({
      labels: [],
      schedulerId: 7,
      isStrict: false,
      countsJobs: false,
      cpus: Infinity,
      memoryBytes: Infinity,
      gpus: Infinity,
      nodes: 1,
      time: { leftSeconds: 3599, usableSeconds: 3509, claimableSeconds: 3719 },
      future: { scheduler: 's', walltime: '01:00:00', margins: marginsOf({}) },
    });
  });

  it('the runner of an allocation of chunks has the largest of them, and what they leave open is unlimited', () => {
    const of = (select: string, place?: string) => room({ pbs: { select, place } });
    expect(of('2:ncpus=4:mem=2304mb:ngpus=1')).toMatchObject({ cpus: 4, memoryBytes: 2304 * 2 ** 20, gpus: 1 });
    expect(of('1:ncpus=2:mem=1gb+1:ncpus=8:mem=1gb')).toMatchObject({ cpus: 8, memoryBytes: 2 ** 30 });
    expect(of('1')).toMatchObject({ cpus: 1, memoryBytes: Infinity, gpus: Infinity });
    expect(room({ pbs: {}, mem: '500m' })).toMatchObject({ cpus: Infinity, memoryBytes: 500 * 2 ** 20 });
  });

  it('chunks that may lie on one node say nothing of what a runner has', () => {
    expect(room({ pbs: { select: '2:ncpus=4', place: 'free' } }).cpus).toBe(Infinity);
    expect(room({ pbs: { select: '2:ncpus=4', place: 'scatter:excl' } }).cpus).toBe(4);
  });

  it('the runner of an allocation of PBS uses all of its nodes in every mode, unless each node has a runner of its own', () => {
    const pbs = { select: '2:ncpus=4' };
    const direct = { execution_config: { mode: 'direct' as const } };
    expect([room({ pbs }).nodes, room({ pbs }, direct).nodes, room({}, direct).nodes]).toEqual([2, 2, 1]);
    expect(roomOfScheduler(scheduler({ pbs }), direct, true).nodes).toBe(1);
    // The name of a job, and nodes in the older form.
    expect(room({ pbs, extra: '-N name -l place=scatter' }).nodes).toBe(2);
    expect(room({ pbs: {}, extra: '-l nodes=3:ppn=4' }).nodes).toBe(Infinity);
  });

  it('the runner of a future allocation uses all of its nodes where jobs are steps, and has whole minutes for each', () => {
    const steps = room({ walltime: '00:01:30' }, { execution_config: { mode: 'auto' } });
    expect(steps).toMatchObject({ nodes: 2, time: { leftSeconds: 119, usableSeconds: 0, claimableSeconds: 0 } });
  });

  test.each([
    ['500m', 500],
    ['2g', 2048],
    ['1000', 1000],
    ['0', Infinity],
    ['much', Infinity],
    [undefined, Infinity],
  ])('the memory of a future allocation with mem %s is %s MB', (mem, megabytes) => {
    expect(room({ mem }).memoryBytes).toBe(megabytes * 2 ** 20);
  });

  test.each([
    ['gpu:2', 2],
    ['nvme:1,gpu:a100:4', 4],
    // The site decides.
    ['gpu', Infinity],
    ['', Infinity],
  ])('the GPUs of a future allocation with gres "%s" are %s', (gres, gpus) => {
    expect(room({ gres }).gpus).toBe(gpus);
  });

  test.each<[string, string | undefined, Record<string, unknown>, number]>([
    ['its CPUs per task', '--cpus-per-task=4', {}, 4],
    ['its CPUs per task, in short', '--constraint=big -c 8', {}, 8],
    ['those of the workflow', undefined, { cpus_per_task: 6 }, 6],
    ['its own before those of the workflow', '--cpus-per-task=4', { 'cpus-per-task': 6 }, 4],
    ['unknown with several tasks', '--ntasks-per-node=2 --cpus-per-task=4', {}, Infinity],
    ['those of the node where it is whole', '--cpus-per-task=4', { exclusive: true }, Infinity],
    ['unknown without an option', '--constraint=big', {}, Infinity],
  ])('the CPUs of a future allocation are %s', (_, extra, slurm_defaults, cpus) => {
    expect(room({ extra }, { slurm_defaults: slurm_defaults as never }).cpus).toBe(cpus);
  });

  it('a job for which the time of a future allocation is too short is shown with the sum', () => {
    const need = { num_cpus: 1, memory_bytes: 1, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
    const kind = { labels: [], schedulerId: null, need };
    expect(obstacles(kind, room({ walltime: '00:01:30' }, { execution_config: { mode: 'slurm' } }))).toEqual([
      {
        reason: 'time',
        needs: 'runtime 00:01:00 + headroom 00:01:00 + lead 00:00:00 + start 00:01:30 = 00:03:30',
        has: 'a walltime of 00:01:30',
        scheduler: 's',
      },
    ]);
    expect(obstacles(kind, room({ walltime: '00:04:00' }, { execution_config: { mode: 'slurm' } }))).toEqual([]);
    // As long as the allocation itself: it starts, and is ended early if it uses all of its time.
    const long = { ...kind, need: { ...need, runtime_seconds: 3600 } };
    expect(obstacles(long, room())).toEqual([]);
  });

  it('the time of a future allocation is unknown where its walltime cannot be read', () => {
    expect(room({ walltime: '2h' }).time).toBeUndefined();
  });
});
