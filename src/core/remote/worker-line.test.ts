import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayed, readWorkers, type Worker, workerOf } from './worker-line.ts';

const parts = (text: string) => {
  const found = workerOf(text);
  if (typeof found === 'string') throw new Error(found);
  const { user, host, port } = found;
  return [user, host, port];
};

describe('a line of a file of workers', () => {
  it.each([
    ['h1', [undefined, 'h1', undefined]],
    ['a@h1', ['a', 'h1', undefined]],
    ['h1:2222', [undefined, 'h1', 2222]],
    ['a@h1:2222', ['a', 'h1', 2222]],
    ['10.0.0.1:22', [undefined, '10.0.0.1', 22]],
    ['  h1  ', [undefined, 'h1', undefined]],
    ['[::1]', [undefined, '::1', undefined]],
    ['[::1]:2222', [undefined, '::1', 2222]],
    ['u@[2001:db8::2]:22', ['u', '2001:db8::2', 22]],
    ['h1:abc', [undefined, 'h1:abc', undefined]],
    ['h1:', [undefined, 'h1:', undefined]],
    ['u@[fe80::1%eth0]:22', ['u', 'fe80::1%eth0', 22]],
    ['first.last_2@node-1.example.org', ['first.last_2', 'node-1.example.org', undefined]],
  ])('%j names a user, a host and a port', (text, expected) => {
    expect(parts(text)).toEqual(expected);
  });

  it.each([
    ['@h1', "Empty username before '@'"],
    ['a@', "Empty hostname in 'a@'"],
    [':22', "Empty hostname in ':22'"],
    ['h1:99999', "Invalid port '99999'"],
    ['h1:0', "Invalid port '0'"],
    ['[::1', "Unclosed bracket in '[::1'"],
    ['[::1]x', 'Invalid format after IPv6'],
    ['fe80::1', 'write [fe80::1]'],
    ['-oProxyCommand', "begins with '-'"],
    ['-oProxyCommand=x', "contains '='"],
    ['h1;reboot', "'h1;reboot' contains ';': expected letters, digits and"],
    ['$(id)', "contains '$'"],
    ['h%d', "contains '%'"],
    ['h\u00e9', "contains '\u00e9'"],
    ['a@-x', "begins with '-'"],
    ['h1 --num-cpus', '--num-cpus: expected a whole number of 1 or more, found nothing'],
    ['h1 --num-cpus 0', "expected a whole number of 1 or more, found '0'"],
    ['h1 --memory-gb many', "expected a number above 0, found 'many'"],
    ['h1 --cpus 2', "Unknown option '--cpus' behind the host; known: --num-cpus"],
  ])('%j is refused with the reason', (text, message) => {
    expect(workerOf(text)).toContain(message);
  });

  it('a line of a file of workers has options of the runner on that host, in both spellings', () => {
    expect(workerOf('a@h1:22 --num-cpus 4 --memory-gb=1.5 --label gpu,big --work-dir /scratch')).toMatchObject({
      text: 'a@h1:22 --num-cpus 4 --memory-gb=1.5 --label gpu,big --work-dir /scratch',
      options: { numCpus: 4, memoryGb: 1.5, labels: ['gpu', 'big'], workDir: '/scratch' },
    });
    expect(workerOf('h1')).toMatchObject({ options: {} });
  });

  it('a folder in a line of a file of workers may have blanks in quotes, and begin in the home folder of the host', () => {
    const { workers, problems } = readWorkers(
      `h1 --work-dir "/data/my runs # 2" --output-dir='~/o u t' # "ours"\nh2 --work-dir $HOME/x --torc=\${HOME}/bin/torc\nh3 --work-dir ~\n`,
    );
    expect(problems).toEqual([]);
    expect(workers.map(({ options }) => options)).toEqual([
      { workDir: '/data/my runs # 2', outputDir: '~/o u t' },
      { workDir: '~/x', torc: '~/bin/torc' },
      { workDir: '~' },
    ]);
  });

  it.each(['~eve/x', '$SCRATCH/x', '/scratch/$USER/x', '/s/${USER}', '"$(pwd)/x"', '`pwd`', '$HOMES/x'])(
    'a folder %s is refused, as its variable is not replaced on the host',
    (folder) => {
      expect(workerOf(`h1 --output-dir ${folder}`)).toContain('--output-dir: expected a path; ~/ and $HOME/ at');
    },
  );

  it('a line of a file of workers with an open quote is refused', () => {
    expect(workerOf('h1 --work-dir "/data/my runs')).toContain('a quote is not closed in: h1 --work-dir "/data');
  });
});

describe('a file of workers', () => {
  it('a file of workers may have comments and blank lines, and each host once', () => {
    const { workers, problems } = readWorkers('# ours\n\nh1\nh2:2222 # the big one\r\na@h2:2222\n@x\nh2\n');
    expect(workers.map(({ text }) => text)).toEqual(['h1', 'h2:2222', 'h2']);
    expect(problems).toEqual([
      { line: 5, message: "Duplicate host 'h2:2222': line 4 has it, too" },
      { line: 6, message: expect.stringContaining('Empty username') },
    ]);
  });

  it('a file of workers without hosts has neither workers nor problems', () => {
    expect(readWorkers('\n # none yet\n')).toEqual({ workers: [], problems: [] });
  });
});

it('what is displayed of a host names the same host', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,10}$/);
  const host = fc.oneof(
    name,
    fc.ipV6().filter((address) => address.includes(':')),
  );
  const worker = fc.record({
    user: fc.option(name, { nil: undefined }),
    host,
    port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(worker, (given) => {
      const text = displayed({ ...given, text: '', options: {} } as Worker);
      expect(parts(text)).toEqual([given.user, given.host, given.port]);
    }),
  );
});
