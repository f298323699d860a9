import { describe, expect, it, test } from 'vitest';
import { parseDsv, type PbsRecord } from './dsv.ts';
import { testedByPbs } from './can-run.ts';
import { pbsPartitions } from './partitions.ts';

// `qstat -Q -f -F dsv`, `qstat -B -f -F dsv` and `pbsnodes -a -F dsv` of OpenPBS 23.06.06 on a cluster of three nodes, with the limits set by
// qmgr; without the fields that are never read.
const QUEUES = `Queue: workq|queue_type=Execution|total_jobs=0|resources_assigned.ncpus=0|kill_delay=3|enabled=True|started=True
Queue: short|queue_type=Execution|total_jobs=0|resources_max.walltime=00:02:00|resources_default.walltime=00:01:00|kill_delay=3|enabled=True|started=True
Queue: lim|queue_type=Execution|total_jobs=0|max_queued=[u:PBS_GENERIC=2]|max_queued=[u:ann=7]|resources_max.ncpus=2|resources_max.walltime=01:00:00|resources_min.ncpus=2|max_run=[u:PBS_GENERIC=1]|enabled=True|started=True
Queue: users|queue_type=Execution|total_jobs=0|acl_user_enable=True|acl_users=ann@*,bob|enabled=True|started=True
Queue: groups|queue_type=Execution|total_jobs=0|acl_group_enable=True|acl_groups=climate,ocean|enabled=True|started=True
Queue: off|queue_type=Execution|total_jobs=0|enabled=False|started=True
Queue: halted|queue_type=Execution|total_jobs=0|enabled=True|started=False
Queue: inner|queue_type=Execution|total_jobs=0|from_route_only=True|resources_max.walltime=12:00:00|enabled=True|started=True
Queue: route|queue_type=Route|total_jobs=0|route_destinations=inner,short|enabled=True|started=True
`;
const SERVER = 'Server: pbs|server_state=Active|default_queue=workq|max_array_size=10000|pbs_version=23.06.06\n';
const NODES = `Name=n1|ntype=PBS|state=free|resources_available.mem=4096mb|resources_available.ncpus=4|resources_available.ngpus=2|sharing=default_shared
Name=n2|ntype=PBS|state=free|resources_available.mem=4096mb|resources_available.ncpus=4|resources_available.ngpus=2|sharing=default_shared
Name=n3|ntype=PBS|state=free|resources_available.mem=16gb|resources_available.ncpus=8|resources_available.ngpus=0|sharing=default_shared
`;

const partitions = ({ queues = QUEUES, nodes = NODES, server = SERVER, name = 'cara', group = 'staff' } = {}) =>
  pbsPartitions({
    queues: parseDsv('queue', queues),
    nodes: parseDsv('node', nodes),
    server: parseDsv('server', server)[0] as ReturnType<typeof parseDsv>[0],
    user: { name, group },
  });
const partition = (name: string, given: Parameters<typeof partitions>[0] = {}) =>
  partitions(given).find((each) => each.name === name);
const queue = (fields: string) => `Queue: q|queue_type=Execution|${fields}enabled=True|started=True\n`;
const node = (name: string, fields: string) => `Name=${name}|state=free|${fields}\n`;

describe('the queues of a PBS server as partitions', () => {
  it('a queue without limits has what its nodes have, and no limit of time', () => {
    expect(partition('workq')).toMatchObject({
      cpus_per_node: 4,
      memory_mb: 4096,
      gpus_per_node: 2,
      total_nodes: 3,
      max_walltime_secs: 365 * 86_400,
      is_default: true,
      shared: true,
    });
    expect(partition('workq')).not.toHaveProperty('refusal');
  });

  it('a limit of the queue counts, and one of the server where it is lower', () => {
    expect(partition('lim')).toMatchObject({ cpus_per_node: 2, max_walltime_secs: 3600 });
    const server = SERVER.replace('|default', '|resources_max.walltime=00:30:00|default');
    expect(partition('lim', { server })).toMatchObject({ max_walltime_secs: 1800 });
    expect(partition('short', { server })).toMatchObject({ max_walltime_secs: 120 });
  });

  test.each([
    ['off', 'is disabled: it takes no jobs'],
    ['halted', 'is stopped: its jobs do not start'],
    ['users', 'takes jobs of these users only: ann@*, bob'],
    ['groups', 'takes jobs of these groups only: climate, ocean'],
    ['inner', 'takes jobs of the queue route only'],
  ])('the queue %s takes no job of this user, and says why: it %s', (name, refusal) => {
    expect(partition(name)).toMatchObject({ refusal });
  });

  test.each([
    ['users', { name: 'ann' }],
    ['users', { name: 'bob' }],
    ['groups', { group: 'ocean' }],
  ])('the queue %s takes jobs of a user on its list: %o', (name, given) => {
    expect(partition(name, given)).not.toHaveProperty('refusal');
  });

  test.each([
    ['-bob,+', 'cara', true],
    ['-bob,+', 'bob', false],
    ['-bob@*,+@*', 'bob', false],
    ['', 'cara', false],
  ])('the list "%s" lets %s in: %s', (list, name, isIn) => {
    const queues = queue(`acl_user_enable=True|acl_users=${list}|`);
    expect(partition('q', { queues, name })?.refusal === undefined).toBe(isIn);
  });

  it('a group that cannot be asked refuses nothing: qsub decides', () => {
    const user = { name: 'cara', group: undefined };
    const server = parseDsv('server', SERVER)[0] as ReturnType<typeof parseDsv>[0];
    const found = pbsPartitions({ queues: parseDsv('queue', QUEUES), nodes: parseDsv('node', NODES), server, user });
    expect(found.find(({ name }) => name === 'groups')).not.toHaveProperty('refusal');
  });

  it('a queue that routes jobs has the longest time of the queues behind it that take jobs of this user', () => {
    expect(partition('route')).toMatchObject({ max_walltime_secs: 43_200, cpus_per_node: 4 });
    const stopped = QUEUES.replace('12:00:00|enabled=True|started=True', '12:00:00|enabled=True|started=False');
    expect(partition('route', { queues: stopped })).toMatchObject({ max_walltime_secs: 120 });
  });

  it('routes are followed to their end, also where they lead back', () => {
    const route = (name: string, to: string) =>
      `Queue: ${name}|queue_type=Route|route_destinations=${to}|enabled=True|started=True\n`;
    const queues = QUEUES + route('first', 'second,off') + route('second', 'first,third') + route('third', 'short');
    expect(partition('first', { queues })).toMatchObject({ total_nodes: 3, max_walltime_secs: 120 });
    const round = route('first', 'second') + route('second', 'first');
    expect(partition('first', { queues: round })).toMatchObject({ total_nodes: 0, refusal: 'has no nodes' });
  });

  it('limits of CPUs and memory hold for a whole job, so that it has as many nodes as they give, and a least number', () => {
    const limited = queue('resources_max.ncpus=10|resources_max.mem=100gb|resources_min.nodect=2|');
    expect(partition('q', { queues: limited })).toMatchObject({ cpus_per_node: 4, max_nodes: 2, min_nodes: 2 });
    const memory = queue('resources_max.mem=12gb|');
    expect(partition('q', { queues: memory })).toMatchObject({ memory_mb: 4096, max_nodes: 3, min_nodes: null });
    const both = queue('resources_max.ncpus=10|resources_max.nodect=1|');
    expect(partition('q', { queues: both })).toMatchObject({ max_nodes: 1 });
    const small = queue('resources_max.mem=2gb|resources_max.ngpus=1|');
    expect(partition('q', { queues: small })).toMatchObject({ memory_mb: 2048, gpus_per_node: 1, max_nodes: 1 });
  });

  it('a queue has the most jobs that this user may have in it: the own limit before that of all users', () => {
    expect(partition('lim')).toMatchObject({ max_queued_per_user: 2 });
    expect(partition('lim', { name: 'ann' })).toMatchObject({ max_queued_per_user: 7 });
    expect(partition('workq')).not.toHaveProperty('max_queued_per_user');
    const all = queue('max_queued=[u:PBS_GENERIC=20],[o:PBS_ALL=10]|');
    expect(partition('q', { queues: all })).toMatchObject({ max_queued_per_user: 10 });
  });
});

describe('the nodes of a queue', () => {
  const cpu = 'resources_available.ncpus=4|resources_available.mem=8gb';

  it('nodes that are bound to a queue serve that one alone', () => {
    const nodes =
      node('a', `${cpu}|queue=other`) + node('b', 'resources_available.ncpus=2|resources_available.mem=4gb');
    const queues = queue('') + queue('').replace('q|', 'other|');
    expect(partition('q', { queues, nodes })).toMatchObject({ cpus_per_node: 2, total_nodes: 1 });
    expect(partition('other', { queues, nodes })).toMatchObject({ cpus_per_node: 4, total_nodes: 1 });
  });

  it('nodes that have the mark which the queue gives to chunks serve it, and others do not', () => {
    const nodes =
      node('a', `${cpu}|resources_available.Qlist=gpu`) + node('b', `${cpu}|resources_available.Qlist=cpu,q`);
    const of = (mark: string) => partition('q', { queues: queue(`default_chunk.Qlist=${mark}|`), nodes });
    expect(of('q')).toMatchObject({ total_nodes: 1 });
    expect(of('none')).toMatchObject({ refusal: 'has no nodes' });
    // A number that all chunks have by themselves is no mark.
    const counted = queue('default_chunk.ncpus=1|default_chunk.mem=1gb|');
    expect(partition('q', { queues: counted, nodes })).toMatchObject({ total_nodes: 2 });
  });

  it('where nodes differ, the shape is the one with the most CPUs in all, and only nodes that have it count', () => {
    const nodes = Array.from({ length: 10 }, (_, at) => node(`s${at}`, cpu)).join('');
    const large = 'resources_available.ncpus=64|resources_available.mem=256gb';
    expect(partition('q', { queues: queue(''), nodes: nodes + node('l', large) })).toMatchObject({
      cpus_per_node: 64,
      total_nodes: 1,
    });
    const small = 'resources_available.ncpus=8|resources_available.mem=256gb';
    expect(partition('q', { queues: queue(''), nodes: nodes + node('l', small) })).toMatchObject({
      cpus_per_node: 4,
      total_nodes: 11,
    });
  });

  it('where smaller nodes have the GPUs, no shape leaves them out', () => {
    const gpu = 'resources_available.ncpus=4|resources_available.mem=8gb|resources_available.ngpus=4';
    const large = 'resources_available.ncpus=64|resources_available.mem=256gb';
    expect(partition('q', { queues: queue(''), nodes: node('a', gpu) + node('b', large) })).toMatchObject({
      cpus_per_node: 4,
      gpus_per_node: 4,
    });
  });
});

it('each queue of a large cluster looks at each of its nodes a few times, and a script at those of its own queue', () => {
  let looks = 0;
  class Counted extends Map<string, string> {
    override get(name: string) {
      looks += 1;
      return super.get(name);
    }
  }
  const nodes = Array.from({ length: 10_000 }, (_, at): PbsRecord => {
    const cpus = String([32, 64, 128][at % 3]);
    const fields = [
      ['state', 'free'],
      ['resources_available.ncpus', cpus],
      ['resources_available.mem', '256gb'],
    ] as const;
    return { id: `n${at}`, fields: new Counted(fields) };
  });
  const names = Array.from({ length: 20 }, (_, at) => `q${at}`);
  const route = `Queue: route|queue_type=Route|route_destinations=${names.join(',')}|enabled=True|started=True\n`;
  const cluster = {
    nodes,
    queues: parseDsv('queue', names.map((name) => queue('').replace('q|', `${name}|`)).join('') + route),
    server: parseDsv('server', SERVER)[0] as PbsRecord,
    user: { name: 'cara', group: undefined },
  };
  const all = pbsPartitions(cluster);
  expect(all.map(({ total_nodes: count }) => count)).toEqual(Array(21).fill(6666));
  // 20 queues by themselves, and once more behind the route.
  expect(looks / (nodes.length * 40)).toBeLessThan(8);
  looks = 0;
  expect(testedByPbs('#PBS -q q3\n#PBS -l select=4:ncpus=128\n', cluster)).toBeUndefined();
  expect(looks / nodes.length).toBeLessThan(8);
});
