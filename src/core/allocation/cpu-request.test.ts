import { expect, it, test } from 'vitest';
import { cpusToAsk } from './cpu-request.ts';

const needs = [{ num_cpus: 2 }, { num_cpus: 8 }];

it('an allocation asks for the CPUs of its largest job where the scheduler does not say how many', () => {
  expect(cpusToAsk({ defaults: { qos: 'high' }, extra: '--constraint=c64' }, needs)).toBe(8);
  expect(cpusToAsk({ defaults: {}, extra: undefined }, [])).toBe(1);
});

test.each([
  [{ exclusive: true }, undefined],
  [{ cpus_per_task: 4 }, undefined],
  [{ 'ntasks-per-node': 4 }, undefined],
  [{}, '--exclusive'],
  [{}, '--reservation=x --cpus-per-task=4'],
  [{}, '-c 4'],
  [{}, '-c4 -x n1'],
])('nothing is added to the defaults %j and the extra options %j, which ask for CPUs', (defaults, extra) => {
  expect(cpusToAsk({ defaults, extra }, needs)).toBeUndefined();
});
