import { describe, expect, it, test } from 'vitest';
import { lineOf } from './read.ts';

const toml = `# about client
[client]
api_url = "x" # run
"log_level" = 'info'
run.poll_interval = 5

[ client . tls ]
  insecure = true
text = """
insecure = 1
"""
[[profiles.mine.partitions]]
name = "a"
inline = { deep = 1 }`;

describe('the line of a key', () => {
  test.each([
    [['client'], 2],
    [['client', 'api_url'], 3],
    [['client', 'log_level'], 4],
    [['client', 'run', 'poll_interval'], 5],
    [['client', 'tls', 'insecure'], 8],
  ])('the line of %j is %i', (path, line) => {
    expect(lineOf(toml, path)).toBe(line);
  });

  it('a key without a line has the line of the nearest table or key around it', () => {
    expect(lineOf(toml, ['profiles', 'mine', 'partitions', '1', 'cpus'])).toBe(12);
    expect(lineOf(toml, ['profiles', 'mine', 'partitions', 'inline', 'deep'])).toBe(14);
  });

  it('a missing key has no line', () => {
    expect(lineOf(toml, ['server', 'port'])).toBeUndefined();
  });
});
