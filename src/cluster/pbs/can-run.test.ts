import { describe, expect, it, test } from 'vitest';
import { testedByPbs } from './can-run.ts';
import { parseDsv } from './dsv.ts';
import { pbsScript } from './submission-script.ts';

const QUEUES = `Queue: workq|queue_type=Execution|enabled=True|started=True
Queue: short|queue_type=Execution|resources_max.walltime=00:02:00|enabled=True|started=True
Queue: off|queue_type=Execution|enabled=False|started=True
Queue: halted|queue_type=Execution|enabled=True|started=False
Queue: users|queue_type=Execution|acl_user_enable=True|acl_users=ann@*,bob|enabled=True|started=True
Queue: limited|queue_type=Execution|resources_max.ncpus=6|resources_max.mem=6gb|resources_max.nodect=3|resources_min.nodect=2|enabled=True|started=True
Queue: long|queue_type=Execution|resources_max.walltime=24:59:59|enabled=True|started=True
Queue: climate|queue_type=Execution|acl_group_enable=True|acl_groups=climate|enabled=True|started=True
Queue: route|queue_type=Route|route_destinations=marked|enabled=True|started=True
Queue: away|queue_type=Route|route_destinations=q@other|enabled=True|started=True
Queue: marked|queue_type=Execution|from_route_only=True|default_chunk.Qlist=b|enabled=True|started=True
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
const wordsOf = (over: Parameters<typeof tested>[0]) => {
  const found = tested(over);
  return found?.kind === 'refused' ? found.words : found;
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
    ['1:ncpus=64', 'has no node with 64 CPUs; its nodes have 4 CPUs, 4g and 2 GPUs; 8 CPUs and 16g'],
    ['1:ncpus=8:ngpus=1', 'has no node with 8 CPUs and 1 GPU'],
    ['1:ncpus=1:mem=20gb', 'has no node with 1 CPU and 20g'],
    ['1:ncpus=1+1:ncpus=9', 'has no node with 9 CPUs'],
  ])('the chunks %s can never start, and PBS takes them all the same', (select, words) => {
    expect(chunks(select)).toMatchObject({ kind: 'refused', isFinal: false, words: expect.stringContaining(words) });
  });

  it('more nodes than there are can never start where each chunk has a node of its own, and may where it has not', () => {
    expect(chunks('2:ncpus=8', 'scatter')).toMatchObject({
      words: 'queue workq has 1 node with 8 CPUs, and 2 are asked for',
    });
    expect(chunks('2:ncpus=2', 'pack')).toBeUndefined();
  });

  it('the older forms are read as well', () => {
    expect(tested({ extra: '-l nodes=1:ppn=16' })).toMatchObject({ words: expect.stringContaining('16 CPUs') });
    expect(tested({ extra: '-l ncpus=9 -l mem=1gb' })).toMatchObject({ words: expect.stringContaining('9 CPUs') });
    expect(tested({ extra: '-l nodes=2:ppn=4 -l mem=8gb' })).toBeUndefined();
  });

  test.each([
    ['nosuch', true, 'there is no queue nosuch; the queues here: workq, short, off, halted, users and 7 more'],
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

  it('a limit of a day and more is said in hours, as PBS does', () => {
    expect(wordsOf({ partition: 'long', walltime: '48:00:00' })).toBe('queue long has a limit of 24:59:59');
  });

  test.each([
    ['2:ncpus=4', 'gives a job 6 CPUs at most, and 8 are asked for'],
    ['2:ncpus=3:mem=4gb', 'gives a job 6g at most, and 8g are asked for'],
    ['4:ncpus=1', 'gives a job 3 nodes at most, and 4 are asked for'],
    ['1:ncpus=1', 'gives a job 2 nodes at least, and 1 is asked for'],
    ['2:ncpus=3:mem=3gb', undefined],
  ])('limits of a queue hold for all chunks together: of %s it is said that the queue %s', (select, words) => {
    const found = tested({ partition: 'limited', pbs: { select } });
    expect(found).toEqual(words && { kind: 'refused', isFinal: true, words: `queue limited ${words}` });
  });

  it('a job of another group, which its options name, is let in by the list of groups', () => {
    const of = (extra?: string) => wordsOf({ partition: 'climate', extra });
    expect([of('-W group_list=climate'), of('-W umask=022,group_list=climate@pbs')]).toEqual([undefined, undefined]);
    expect([of(), of('-W group_list=ocean')]).toEqual(
      Array(2).fill('queue climate takes jobs of these groups only: climate'),
    );
  });

  it('a queue that routes jobs has the nodes behind it, and those of another server are not known', () => {
    expect(tested({ partition: 'route', pbs: { select: '1:ncpus=8' } })).toBeUndefined();
    expect(wordsOf({ partition: 'route', pbs: { select: '1:ncpus=9' } })).toContain('queue route has no node with 9');
    expect(tested({ partition: 'away', pbs: { select: '1:ncpus=900' } })).toBeUndefined();
  });

  it('nothing is said of a queue of another server', () => {
    expect(tested({ partition: 'gpu@other' })).toBeUndefined();
  });
});
