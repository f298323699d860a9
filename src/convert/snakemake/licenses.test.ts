import { describe, expect, it } from 'vitest';
import { printedJob } from '../../../tests/support/snakemake.ts';
import { planned } from '../../../tests/spec/reading.ts';
import { leavesOut, noteText } from '../conversion.ts';
import { convertSnakemake } from './convert.ts';

interface Given {
  /** What a dry run prints of the resources of the job, and of its later attempts. */
  readonly resources: string;
  readonly later?: readonly string[];
  readonly profiles?: readonly string[];
  /** Lines before the rule. */
  readonly head?: string;
}

/** A rule with one job, and a second one whose job has no resources. */
function convert({ resources, later = [], profiles = [], head = '' }: Given) {
  const printed = (of: string) =>
    [printedJob('r', { output: 'o', resources: of }, 'x'), printedJob('s', { output: 'p' }, 'y')].join('\n');
  const retries = later.length === 0 ? '' : `  retries: ${later.length}\n`;
  const conversion = convertSnakemake({
    files: [{ path: 'Snakefile', text: `${head}rule r:\n${retries}  shell: "x"\nrule s:\n  shell: "y"\n` }],
    printed: printed(resources),
    later: later.map(printed),
    profiles: profiles.map((text, at) => ({ path: `profiles/${at}/config.yaml`, text })),
  });
  const { workflow, notes } = conversion;
  // What the converter writes can be created.
  planned(workflow);
  const [first, second] = workflow['jobs'] as readonly { readonly licenses?: object }[];
  expect(second).not.toHaveProperty('licenses');
  return {
    licenses: first?.licenses,
    limits: workflow['limits'],
    notes: notes.map(noteText),
    leavesOut: leavesOut(conversion),
  };
}

describe('a resource of the Snakefile itself', () => {
  it('it is a license of its jobs, limited as a profile limits it, and nothing is reported of it', () => {
    expect(
      convert({ resources: 'tmpdir=/tmp, license=2, api=1', profiles: ['resources: [license=4, api=9]'] }),
    ).toEqual({ licenses: { api: 1, license: 2 }, limits: { api: 9, license: 4 }, notes: [], leavesOut: false });
  });

  it('without a known limit it is a license, and the report says where the limit of --resources belongs', () => {
    const { licenses, limits, notes, leavesOut: leaves } = convert({ resources: 'license=2' });
    expect([licenses, limits, leaves]).toEqual([{ license: 2 }, undefined, false]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^Snakefile:1: note: the resource license: .* write limits: \{ license: N \} into the file$/,
      ),
    ]);
  });

  it.each([
    ['resources:\n  license: 4\n', 4],
    ['retries: 2\nresources:\n  - license=4\n  - mem_mb=8000\n', 4],
    ['resources: license=4\n', 4],
    ['resources: ["license = 4"]\n', 4],
    ['default-resources: [license=7]\n', undefined],
    ['set-resources: {r: {license: 7}}\n', undefined],
    ['# resources: [license=7]\n', undefined],
    ['', undefined],
  ])('the profile %j gives it the limit %j', (profile, limit) => {
    const { limits, licenses } = convert({ resources: 'license=2', profiles: [profile] });
    expect(licenses).toEqual({ license: 2 });
    expect(limits).toEqual(limit === undefined ? undefined : { license: limit });
  });

  it('it has the limit of the last of several profiles that name any', () => {
    const profiles = ['resources: {license: 3}', 'resources: {license: 4}', 'retries: 1'];
    expect(convert({ resources: 'license=2', profiles }).limits).toEqual({ license: 4 });
  });

  it('a job that needs more of it than there is has what there is, as Snakemake gives it', () => {
    const { licenses, limits } = convert({ resources: 'license=9', profiles: ['resources: {license: 4}'] });
    expect([licenses, limits]).toEqual([{ license: 4 }, { license: 4 }]);
  });

  it('it is no license where a job has none, or there is none', () => {
    expect(convert({ resources: 'license=0', profiles: ['resources: {license: 4}'] })).toMatchObject({
      licenses: undefined,
      limits: undefined,
      notes: [],
    });
    expect(convert({ resources: 'license=2', profiles: ['resources: {license: 0}'] })).toMatchObject({
      licenses: undefined,
      limits: undefined,
    });
  });

  it('one that grows by attempt is held as the last attempt needs it', () => {
    const {
      licenses,
      notes,
      leavesOut: leaves,
    } = convert({
      resources: 'license=1',
      later: ['license=2', 'license=3'],
      profiles: ['resources: {license: 4}'],
    });
    expect([licenses, leaves]).toEqual([{ license: 3 }, false]);
    expect(notes).toEqual([expect.stringContaining('note: the resource license of rule r by attempt: ')]);
  });

  it('it is left out where a workflow cannot count it, and the others are carried over', () => {
    const {
      licenses,
      notes,
      leavesOut: leaves,
    } = convert({
      resources: 'jobs=1, license=2',
      profiles: ['resources: {license: 4}'],
    });
    expect([licenses, leaves]).toEqual([{ license: 2 }, true]);
    expect(notes).toEqual([expect.stringContaining("left out: the resource jobs of rule r: licenses names 'jobs'")]);
  });
});

describe('a limit that a Snakefile sets', () => {
  it.each([
    ['workflow.global_resources["license"] = 3', undefined, 3],
    ["workflow.global_resources.setdefault('license', 3)  # of the server", undefined, 3],
    ['workflow.global_resources["license"] = 3', 'resources: {license: 4}', 3],
    ['workflow.global_resources.setdefault("license", 3)', 'resources: {license: 4}', 4],
    ['# workflow.global_resources["license"] = 3', undefined, undefined],
  ])('by %s, with the profile %j, the limit is %j', (line, profile, limit) => {
    const profiles = profile === undefined ? [] : [profile];
    const found = convert({ resources: 'license=1', head: `${line}\n`, profiles });
    expect(found.limits).toEqual(limit === undefined ? undefined : { license: limit });
    expect(found.leavesOut).toBe(false);
  });

  it.each([
    'workflow.global_resources["license"] = config["most"]',
    'workflow.global_resources.setdefault("license", most())',
    '  workflow.global_resources["license"] = 3',
  ])('the line %j, about which a program decides, is left out', (line) => {
    const { notes, limits } = convert({ resources: 'license=1', head: `if True:\n${line}\n` });
    expect(limits).toBeUndefined();
    expect(notes).toContain(
      `Snakefile:2: left out: ${line.trim()}: a program decides about this limit: write limits: { license: N } into the file`,
    );
  });

  it('there is none where a Snakefile only reads one', () => {
    const head = 'if workflow.global_resources["gpus"] == 3:\n    pass\n';
    expect(convert({ resources: 'tmpdir=/tmp', head }).notes).toEqual([]);
  });
});

describe('a limit of what every rule has', () => {
  it('a limit of GPUs is the limit of GPUs of the workflow, if a job has any', () => {
    const profiles = ['resources: {gpu: 15}'];
    expect(convert({ resources: 'gpu=2', profiles })).toMatchObject({ licenses: undefined, limits: { gpus: 15 } });
    expect(convert({ resources: 'tmpdir=/tmp', profiles }).limits).toBeUndefined();
  });

  it('a limit of space on a disk makes jobs hold it; without one nothing is held', () => {
    const resources = 'disk_mb=500, disk=500 MB, disk_mib=477';
    expect(convert({ resources, profiles: ['resources: {disk_mb: 900}'] })).toEqual({
      licenses: { disk_mb: 500 },
      limits: { disk_mb: 900 },
      notes: [],
      leavesOut: false,
    });
    const { licenses, notes } = convert({ resources });
    expect([licenses, notes]).toEqual([undefined, [expect.stringContaining('torc does not count disk space')]]);
  });

  it('a limit of memory is a matter of the runner, which the report says', () => {
    const { licenses, limits, notes } = convert({ resources: 'mem_mb=500', profiles: ['resources: {mem_mb: 900}'] });
    expect([licenses, limits]).toEqual([undefined, undefined]);
    expect(notes).toEqual([expect.stringContaining('note: resources: mem_mb=900: ')]);
  });
});

it('limits of a profile that is no YAML are left out, and one without limits is passed over', () => {
  expect(convert({ resources: 'license=1', profiles: ['resources: {license: 4'] }).notes).toContainEqual(
    expect.stringContaining('profiles/0/config.yaml: left out: resources: the profile is no YAML'),
  );
  expect(convert({ resources: 'license=1', profiles: ['retries: {'] }).leavesOut).toBe(false);
});
