import { describe, expect, it } from 'vitest';
import { detected, type HpcProfile, registry, type MachineFacts } from './profile.ts';
import { builtInProfiles } from './sites.ts';

const here: MachineFacts = { environment: {}, hostname: 'login1', fileExists: () => false };
const nameOf = (over: Partial<MachineFacts>, profiles: readonly HpcProfile[] = builtInProfiles) =>
  detected(profiles, { ...here, ...over })?.name;
const site = (name: string, ...detection: HpcProfile['detection']): HpcProfile => ({
  name,
  display_name: name,
  description: '',
  detection,
  default_account: null,
  partitions: [],
  charge_factor_cpu: 1,
  charge_factor_gpu: 10,
  metadata: {},
});

describe('a site is recognized', () => {
  it('a site is recognized by its variable with exactly this value, and by no other value', () => {
    expect(nameOf({ environment: { NLR_CLUSTER: 'kestrel' } })).toBe('kestrel');
    expect(nameOf({ environment: { CLUSTER: 'dane' } })).toBe('dane');
    expect(nameOf({ environment: { NLR_CLUSTER: 'Kestrel' } })).toBeUndefined();
    expect(nameOf({})).toBeUndefined();
  });

  it('a site is recognized as the first of the list where two are', () => {
    expect(nameOf({ environment: { CLUSTER: 'dane', NLR_CLUSTER: 'kestrel' } })).toBe('dane');
  });

  it('a site is recognized by a pattern anywhere in the host name, by a file, by any rule of several', () => {
    const rules = site('x', { type: 'hostname_pattern', pattern: 'gin\\d' }, { type: 'file_exists', path: '/etc/x' });
    expect(nameOf({}, [rules])).toBe('x');
    expect(nameOf({ hostname: 'other', fileExists: (path) => path === '/etc/x' }, [rules])).toBe('x');
    expect(nameOf({ hostname: 'other' }, [rules])).toBeUndefined();
  });

  it('a site is recognized by no pattern that is not a regular expression', () => {
    expect(nameOf({ hostname: '(' }, [site('x', { type: 'hostname_pattern', pattern: '(' })])).toBeUndefined();
  });
});

it('a profile of the user replaces one of the same name, in its place, and others follow', () => {
  const own = [site('kestrel'), site('mine')];
  const all = registry(builtInProfiles, own);
  expect(all.map(({ name }) => name)).toEqual(['dane', 'kestrel', 'mine']);
  expect(all[1]).toBe(own[0]);
});
