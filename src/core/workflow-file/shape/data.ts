import { expansion, fate } from './job.ts';
import { any, booleanShape, floatShape, may, must, object, stringShape } from './shape.ts';

export const file = object('FileSpec', {
  name: must(stringShape, 'Name by which jobs refer to the file. Unique after expansion by parameters.', {
    example: 'model_{lr}',
  }),
  path: must(stringShape, 'Path of the file, absolute or relative to the directory in which the runner was started.', {
    example: 'out/model_{lr}.bin',
    unless: 'glob',
  }),
  glob: may(
    stringShape,
    'Addition: the files that match a pattern with one * or with names in braces, below the directory in which you run torc. ' +
      'The parameters in name take the texts for which these stand as values, and every entry with use_parameters can use them.',
    { example: 'raw/*.fastq' },
  ),
  identifier: may(
    stringShape,
    'The @id of the file in the RO-Crate, in place of its path. Needs enable_ro_crate; only for files that no job writes.',
    { example: 'https://doi.org/10.5281/zenodo.1234567' },
  ),
  st_mtime: may(floatShape, 'Time of the last change of the file. Torc looks it up when the field is absent.', {
    unit: 'seconds since 1970',
    example: 1_760_000_000,
  }),
  ...fate,
  ...expansion,
});

export const userData = object('UserDataSpec', {
  name: may(
    stringShape,
    'Name by which jobs refer to the value. Unique after expansion; an entry without a name is skipped.',
    {
      example: 'settings',
    },
  ),
  data: may(any, 'The value: anything that JSON can hold. Absent for a value that a job writes.', {
    example: { threshold: 7, unit: 'km' },
  }),
  is_ephemeral: may(booleanShape, 'Marks a value that belongs to one run only. Torc does not delete it by itself.', {
    standard: false,
    example: true,
  }),
  ...expansion,
});
