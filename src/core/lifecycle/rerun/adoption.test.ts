import fc from 'fast-check';
import { expect, test } from 'vitest';
import { adoptionOf } from './adoption.ts';

/** Each job writes the file of its number and reads some of earlier jobs. */
const sketches = fc
  .array(
    fc.record({ reads: fc.array(fc.nat({ max: 7 }), { maxLength: 3 }), writes: fc.boolean(), isThere: fc.boolean() }),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((jobs) => jobs.map((job, at) => ({ ...job, reads: [...new Set(job.reads.filter((each) => each < at))] })));

test('what is left to run finds its inputs or makes them, and all that is behind it is left too', () => {
  fc.assert(
    fc.property(sketches, (sketch) => {
      const jobs = sketch.map(({ reads, writes }, id) => ({
        id,
        name: `job${id}`,
        status: 'ready' as const,
        depends_on_job_ids: reads,
        input_file_ids: reads,
        output_file_ids: writes ? [id] : [],
      }));
      const files = sketch.map(({ isThere }, id) => ({ id, path: `${id}`, mtime: isThere ? 1 : undefined }));
      const { adopted, left } = adoptionOf({ jobs, files, open: new Set(jobs.map(({ id }) => id)) });
      const runs = new Set(left.map(({ job_id: id }) => id));
      expect(new Set([...adopted, ...runs])).toEqual(new Set(jobs.keys()));
      expect(adopted.some((id) => runs.has(id))).toBe(false);
      const isThere = (file: number) => files[file]?.mtime !== undefined;
      for (const { id, input_file_ids: inputs, output_file_ids: outputs } of jobs) {
        const readers = jobs.filter((job) => job.input_file_ids.includes(id));
        if (runs.has(id)) {
          for (const input of inputs)
            if (sketch[input]?.writes === true) expect(isThere(input) || runs.has(input)).toBe(true);
          expect(readers.every((job) => runs.has(job.id))).toBe(true);
        } else if (outputs.length > 0) {
          // Taken as made: its output is there, or only such jobs read it.
          expect(isThere(id) || (readers.length > 0 && readers.every((job) => !runs.has(job.id)))).toBe(true);
        } else expect(readers.length).toBeGreaterThan(0);
      }
    }),
  );
});
