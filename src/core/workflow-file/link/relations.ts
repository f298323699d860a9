import type { Relation } from './relation.ts';

/** The five ways in which a job names other records, with Torc's message for each error. */

export const dependencies: Relation = {
  names: 'depends_on',
  patterns: 'depends_on_regexes',
  unknown: (job, name) => ({
    message: `Job '${job}' depends_on non-existent job '${name}'`,
    creation: `Blocking job '${name}' not found for job '${job}'`,
  }),
  unmatched: (job, pattern) => ({
    message: `Job '${job}' depends_on_regexes '${pattern}' did not match any jobs`,
    creation: `Blocking job regex '${pattern}' did not match any jobs for job '${job}'`,
  }),
  malformed: (job, pattern) => ({
    message: `Job '${job}' has invalid depends_on_regexes '${pattern}'`,
    creation: `Invalid regex '${pattern}' for blocking job in job '${job}'`,
  }),
};

const records = (
  names: Relation['names'],
  patterns: Relation['patterns'],
  target: string,
  word: string,
  token: NonNullable<Relation['token']>,
  paths?: NonNullable<Relation['paths']>,
): Relation => ({
  names,
  patterns,
  ...(paths === undefined ? {} : { paths }),
  token,
  unknown: (job, name) => ({
    message: `Job '${job}' ${names} references non-existent ${target} '${name}'`,
    creation: `${capital(word)} '${name}' not found for job '${job}'`,
  }),
  unmatched: (job, pattern) => {
    const message = `${capital(word)} regex '${pattern}' did not match any names for job '${job}'`;
    return { message, creation: message };
  },
  malformed: (job, pattern) => ({
    message: `Job '${job}' has invalid ${patterns} '${pattern}'`,
    creation: `Invalid regex '${pattern}' for ${word} in job '${job}'`,
  }),
});

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;

export const inputFiles = records(
  'input_files',
  'input_file_regexes',
  'file',
  'input file',
  {
    kind: 'files',
    direction: 'input',
  },
  'inputs',
);
export const outputFiles = records(
  'output_files',
  'output_file_regexes',
  'file',
  'output file',
  {
    kind: 'files',
    direction: 'output',
  },
  'outputs',
);
export const inputUserData = records('input_user_data', 'input_user_data_regexes', 'user_data', 'input user data', {
  kind: 'user_data',
  direction: 'input',
});
export const outputUserData = records('output_user_data', 'output_user_data_regexes', 'user_data', 'output user data', {
  kind: 'user_data',
  direction: 'output',
});
