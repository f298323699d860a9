import { expect, it, test } from 'vitest';
import { codesOf, errorsOf, planned, read, readText } from '../../../../tests/spec/reading.ts';

const job = (more: object) => ({ jobs: [{ name: 'j', command: 'x', ...more }] });
const scriptOf = (spec: object, number = 0) => planned(spec).jobs.at(number).invocationScript ?? '';

test.each([
  [{ container: { image: 'i' }, conda: 'c' }, 'conda', 'an environment of the machine is not in a container'],
  [{ container: { image: 'i' }, invocation_script: 's' }, 'container', 'use one of them'],
  [{ module: 'm', invocation_script: 's' }, 'module', 'use one of them'],
  [{ container: { image: ' ' } }, 'container', 'the image is an empty text'],
  [{ conda: '' }, 'conda', 'conda is an empty text'],
  [
    { container: { image: 'i', binds: ['/data', '/data:ro'] } },
    'container',
    "'/data:ro' has options and no second path; write '/data:/data:ro'",
  ],
  [{ container: { image: 'i', binds: ['/a:/b:/c'] } }, 'container', "'/a:/b:/c' has more than two paths"],
  [{ container: { image: 'i', binds: ['~/data'] } }, 'container', "no absolute path; write '$HOME/data'"],
  [{ container: { image: 'i', binds: [''] } }, 'container', "the bind '' is no absolute path"],
])('a job with %j is refused', (more, field, words) => {
  expect(codesOf(read(job(more)))).toEqual([`SURROUNDINGS_REFUSED jobs[0].${field}`]);
  expect(errorsOf(job(more))[0]).toContain(words);
});

test.each(['/runs/18:30', '/a\\:/b:/c:ro', '$HOME/x:${HOME}/y:ro,Z', 'volume:/data', '{i}', '/a,b:/c,d'])(
  'the bind %s is accepted',
  (bind) => {
    const spec = job({ container: { image: 'i', binds: [bind] }, name: 'j{i}', parameters: { i: '["/x", "/y"]' } });
    expect(read(spec).problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  },
);

it('a runtime that torc does not know is refused with those that it does, and an image is needed', () => {
  expect(errorsOf(job({ container: { image: 'i', runtime: 'lxc' } }))[0]).toMatch(/apptainer.*podman.*docker/);
  expect(errorsOf(job({ container: { runtime: 'podman' } }))[0]).toContain('image');
});

it('the script of a job has its own image, folders and variables, and its command stays as it is written', () => {
  const spec = {
    env: { ALL: '1' },
    files: [
      { name: 'far_{i}', path: '/data/{i}/in.csv', parameters: { i: '1:2' } },
      { name: 'near_{i}', path: 'out/{i}.csv', parameters: { i: '1:2' } },
      { name: 'up', path: '../up/x.csv' },
    ],
    jobs: [
      {
        name: 'j_{i}',
        command: 'use ${files.input.far_{i}}',
        input_files: ['far_{i}', 'up'],
        output_files: ['near_{i}'],
        env: { OWN: '2' },
        container: { image: 'image_{i}.sif', runtime: 'podman', binds: ['/b/{i}'] },
        parameters: { i: '1:2' },
      },
    ],
  };
  const [first, second] = [0, 1].map((number) => scriptOf(spec, number));
  expect(first).toContain('--entrypoint sh image_1.sif -c');
  expect(first).toContain(
    'for torc_folder in "$PWD" "$TORC_OUTPUT_DIR" "$TORC_WORKFLOW_SUBMISSION_DIR" ../up /data/1;',
  );
  expect(first).toContain('\ntorc_bind /b/1 /b/1\n');
  expect(first).toMatch(/ ALL OWN; do/);
  expect(second).toContain('image_2.sif -c');
});

it('a job without surroundings has no script, and one with an invocation script has that', () => {
  expect(planned(job({})).jobs.at(0).invocationScript).toBeUndefined();
  expect(planned(job({ invocation_script: './s' })).jobs.at(0).invocationScript).toBe('./s');
});

it('KDL has the same fields', () => {
  const kdl = `name "w"
job "j" {
  command "x"
  container { image "i"; runtime "docker"; binds "/a" "/b"; keep_entrypoint #true }
}
job "k" {
  command "x"
  conda "c"
  module "m"
}
`;
  const { plan } = readText(kdl, 'kdl');
  const jobs = [0, 1].map((number) => plan?.jobs.at(number).invocationScript);
  const spec = {
    jobs: [
      {
        name: 'j',
        command: 'x',
        container: { image: 'i', runtime: 'docker', binds: ['/a', '/b'], keep_entrypoint: true },
      },
      { name: 'k', command: 'x', conda: 'c', module: 'm' },
    ],
  };
  expect(jobs).toEqual([0, 1].map((number) => scriptOf(spec, number)));
});
