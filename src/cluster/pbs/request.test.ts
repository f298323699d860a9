import { describe, expect, it } from 'vitest';
import { partition } from '../../hpc/profile.ts';
import type { PlannedRequest } from '../batch/scheduler-request.ts';
import { pbsRequest } from './request.ts';
import { directivesIn, pbsScript } from './submission-script.ts';

const planned: PlannedRequest = {
  name: 's',
  account: '',
  mem: '2304m',
  nodes: 2,
  walltime: '00:20:00',
  partition: 'workq',
  qos: undefined,
  gres: 'gpu:1',
  tmp: undefined,
  extra: '--cpus-per-task=4',
  on: partition({ name: 'workq', cpus_per_node: 16, memory_mb: 64_000, max_walltime_secs: 3600 }),
};
const runner = { url: 'http://host:1', workflowId: 7, outputDir: '/out', pollIntervalSeconds: 30 };

/** The options of qsub about resources. */
const asked = (over: Partial<PlannedRequest>, site: Parameters<typeof pbsRequest>[1] = {}) => {
  const scheduler = pbsRequest({ ...planned, ...over }, site);
  const words = directivesIn(pbsScript({ jobName: 'j', scheduler, defaults: {}, runner }));
  const end = words.indexOf('-j');
  return [...words.slice(2, end), ...words.slice(words.indexOf('/out/pbs/') + 1)].join(' ');
};

describe('a planned allocation as a request to PBS', () => {
  it('it asks for chunks where the site says nothing', () => {
    expect(pbsRequest(planned, {})).toMatchObject({
      partition: 'workq',
      pbs: { select: '2:ncpus=4:mem=2304mb:ngpus=1' },
    });
    expect(pbsRequest(planned, {})).not.toHaveProperty('gres');
  });

  it('without GPUs nothing names them, and without a number of CPUs the node is asked for whole', () => {
    expect(pbsRequest({ ...planned, gres: undefined, extra: undefined, nodes: 1 }, {}).pbs).toMatchObject({
      select: '1:ncpus=16:mem=2304mb',
    });
  });

  it('a site that refuses chunks is asked for nodes and processors, or for the CPUs of the job; what is no chunk is the sum of its nodes', () => {
    expect(asked({}, { resources: ['nodes={nodes}:ppn={cpus}:gpus={gpus}', 'mem={memory}'] })).toBe(
      '-q workq -l walltime=00:20:00 -l nodes=2:ppn=4:gpus=1 -l mem=4608mb',
    );
    expect(asked({}, { resources: ['nodes={nodes}:ppn={cpus}:pmem={memory}', 'pmem={memory}', 'vmem={memory}'] })).toBe(
      '-q workq -l walltime=00:20:00 -l nodes=2:ppn=4:pmem=2304mb -l pmem=2304mb -l vmem=4608mb',
    );
    const alone = ['ncpus={cpus}', 'mem={memory}', 'ngpus={gpus}'];
    expect(asked({}, { resources: alone })).toBe('-q workq -l walltime=00:20:00 -l ncpus=8 -l mem=4608mb -l ngpus=2');
    expect(asked({ nodes: 1, gres: undefined }, { resources: alone })).toBe(
      '-q workq -l walltime=00:20:00 -l ncpus=4 -l mem=2304mb',
    );
  });

  it('what a site always wants is added once, also when a plan is made anew', () => {
    const site = { options: '-P climate -l filesystems=home:eagle' };
    const first = pbsRequest(planned, site);
    expect(first.extra).toBe('-P climate -l filesystems=home:eagle');
    const again = pbsRequest({ ...planned, extra: `${first.extra} --cpus-per-task=8` }, site);
    expect([again.extra, again.pbs?.select]).toEqual([site.options, '2:ncpus=8:mem=2304mb:ngpus=1']);
  });

  it('sizes of the allocation before are replaced where the site has its own form, and its other options stay', () => {
    const site = { resources: ['nodes={nodes}:ppn={cpus}'] };
    const { extra } = pbsRequest({ ...planned, extra: '-l nodes=9:ppn=1 -m e --cpus-per-task=8' }, site);
    expect(extra).toBe('-m e -l nodes=2:ppn=8');
  });

  it('sizes in another form are dropped beside chunks, which qsub refuses together, and what else stands with them stays', () => {
    const again = (extra: string) => pbsRequest({ ...planned, extra: `${extra} --cpus-per-task=8` }, {});
    expect(again('-l nodes=1:ppn=4')).toMatchObject({
      extra: undefined,
      pbs: { select: '2:ncpus=8:mem=2304mb:ngpus=1' },
    });
    expect(again('-l walltime=02:00:00,ncpus=8,mem=4gb,storage=scratch/a -m e').extra).toBe(
      '-l storage=scratch/a -m e',
    );
    expect(again('-lselect=1:ncpus=4:model=sky -l host=n5').pbs?.select).toBe('2:ncpus=8:mem=2304mb:ngpus=1:model=sky');
  });

  it('what a user wrote in all chunks beside their sizes stays, unless the site writes it itself', () => {
    const again = (select: string, resources?: string[]) =>
      pbsRequest({ ...planned, gres: undefined, pbs: { select } }, { resources }).pbs?.select;
    expect(again('3:ncpus=1:mem=1gb:mpiprocs=4:model=sky')).toBe('2:ncpus=4:mem=2304mb:model=sky');
    expect(again('1:ncpus=1:system=a:model=sky+2:ncpus=8:system=a')).toBe('2:ncpus=4:mem=2304mb:system=a');
    expect(again('1:system=a', ['select={nodes}:system=b'])).toBe('2:system=b');
    expect(again('ncpus=2:model=sky')).toBe('2:ncpus=4:mem=2304mb:model=sky');
  });

  it('a place that the site names stands for that of several nodes', () => {
    const resources = ['select={nodes}:ncpus={cpus}', 'place=scatter:excl'];
    expect(asked({}, { resources })).toBe('-q workq -l select=2:ncpus=4 -l place=scatter:excl -l walltime=00:20:00');
  });
});
