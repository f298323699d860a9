import { describe, expect, it, test } from 'vitest';
import { testedByPbs } from './can-run.ts';
import { parseDsv } from './dsv.ts';
import { pbsScript } from './submission-script.ts';

const QUEUES = `Queue: workq|queue_type=Execution|enabled=True|started=True
Queue: short|queue_type=Execution|resources_max.walltime=00:02:00|enabled=True|started=True
Queue: off|queue_type=Execution|enabled=False|started=True
Queue: halted|queue_type=Execution|enabled=True|started=False
Queue: users|queue_type=Execution|acl_user_enable=True|acl_users=ann@*,bob|enabled=True|started=True
Queue: empty|queue_type=Execution|default_chunk.Qlist=none|enabled=True|started=True
`;
const NODES = `Name=n1|state=free|resources_available.mem=4096mb|resources_available.ncpus=4|resources_available.ngpus=2|resources_available.Qlist=a
Name=n2|state=free|resources_available.mem=16gb|resources_available.ncpus=8|resources_available.Qlist=b
`;
const cluster = {
  queues: parseDsv('queue', QUEUES),
  nodes: parseDsv('node', NODES),
  server: parseDsv('server', 'Server: pbs|default_queue=workq\n')[0] as ReturnType<typeof parseDsv>[0],
  user: { name: 'cara', group: 'staff' },
};
const runner = { url: 'http://host:1', workflowId: 7, outputDir: '/out', pollIntervalSeconds: 30 };

/** What is said of a scheduler. */
const tested = (over: Partial<Parameters<typeof pbsScript>[0]['scheduler']>) => {
  const scheduler = { account: '', nodes: 1, walltime: '00:01:00', pbs: {}, ...over };
  return testedByPbs(pbsScript({ jobName: 'j', scheduler, defaults: {}, runner }), cluster);
};
const chunks = (select: string, place?: string) => tested({ pbs: { select, place } });

describe('what PBS would do with an allocation, by its queues and nodes', () => {
  test.each([
    ['1:ncpus=8:mem=16gb', undefined],
    ['1:ncpus=4:mem=4gb:ngpus=2', undefined],
    ['2:ncpus=4', 'scatter'],
    ['1:ncpus=4+1:ncpus=8', undefined],
  ])('nothing is known against the chunks %s', (select, place) => {
    expect(chunks(select, place)).toBeUndefined();
  });

  test.each([
    ['1:ncpus=64', 'has no node with 64 CPUs; it has nodes with 4 CPUs and 4g and 2 GPUs, 8 CPUs and 16g'],
    ['1:ncpus=8:ngpus=1', 'has no node with 8 CPUs and 1 GPUs'],
    ['1:ncpus=1:mem=20gb', 'has no node with 1 CPUs and 20g'],
    ['1:ncpus=1+1:ncpus=9', 'has no node with 9 CPUs'],
  ])('the chunks %s can never start, and PBS takes them all the same', (select, words) => {
    expect(chunks(select)).toMatchObject({ kind: 'refused', isFinal: false, words: expect.stringContaining(words) });
  });

  it('more nodes than there are can never start where each chunk has a node of its own, and may where it has not', () => {
    expect(chunks('2:ncpus=8', 'scatter')).toMatchObject({
      words: 'queue workq has 1 nodes with 8 CPUs, and 2 are asked for',
    });
    expect(chunks('2:ncpus=2', 'pack')).toBeUndefined();
  });

  it('the older forms are read as well', () => {
    expect(tested({ extra: '-l nodes=1:ppn=16' })).toMatchObject({ words: expect.stringContaining('16 CPUs') });
    expect(tested({ extra: '-l ncpus=9 -l mem=1gb' })).toMatchObject({ words: expect.stringContaining('9 CPUs') });
    expect(tested({ extra: '-l nodes=2:ppn=4 -l mem=8gb' })).toBeUndefined();
  });

  test.each([
    ['nosuch', true, 'there is no queue nosuch; the queues here: workq, short, off, halted, users, empty'],
    ['off', true, 'queue off is disabled: it takes no jobs'],
    ['users', true, 'queue users takes jobs of these users only: ann@*, bob'],
    ['halted', false, 'queue halted is stopped: its jobs do not start'],
    ['empty', false, 'queue empty has no nodes'],
  ])('of the queue %s it is said whether qsub refuses the allocation (%s): %s', (partition, isFinal, words) => {
    expect(tested({ partition })).toEqual({ kind: 'refused', isFinal, words });
  });

  it('a walltime above the limit of the queue is refused, and one below it is not', () => {
    const partition = 'short';
    expect(tested({ partition, walltime: '00:03:00' })).toEqual({
      kind: 'refused',
      isFinal: true,
      words: 'queue short has a limit of 00:02:00',
    });
    expect(tested({ partition, walltime: '00:02:00' })).toBeUndefined();
  });

  it('nothing is said of a queue of another server', () => {
    expect(tested({ partition: 'gpu@other' })).toBeUndefined();
  });
});
