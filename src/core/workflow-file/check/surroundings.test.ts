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
])('a job with %j is refused', (more, field, words) => {
  expect(codesOf(read(job(more)))).toEqual([`SURROUNDINGS_REFUSED jobs[0].${field}`]);
  expect(errorsOf(job(more))[0]).toContain(words);
});

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
  expect(first).toContain('image_1.sif sh -c');
  expect(first).toContain(
    'for torc_folder in "$PWD" "$TORC_OUTPUT_DIR" "$TORC_WORKFLOW_SUBMISSION_DIR" ../up /data/1;',
  );
  expect(first).toContain('torc_options=(--volume /b/1:/b/1)');
  expect(first).toMatch(/ ALL OWN; do/);
  expect(second).toContain('image_2.sif sh -c');
});

it('a job without surroundings has no script, and one with an invocation script has that', () => {
  expect(planned(job({})).jobs.at(0).invocationScript).toBeUndefined();
  expect(planned(job({ invocation_script: './s' })).jobs.at(0).invocationScript).toBe('./s');
});

it('KDL has the same fields', () => {
  const kdl = `name "w"
job "j" {
  command "x"
  container { image "i"; runtime "docker"; binds "/a" "/b" }
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
      { name: 'j', command: 'x', container: { image: 'i', runtime: 'docker', binds: ['/a', '/b'] } },
      { name: 'k', command: 'x', conda: 'c', module: 'm' },
    ],
  };
  expect(jobs).toEqual([0, 1].map((number) => scriptOf(spec, number)));
});
