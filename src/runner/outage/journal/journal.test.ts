import { isJournalOf, journalName } from '../../../core/contract/files/journal.ts';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/programs.ts';
import { ended } from '../../../../tests/support/service.ts';
import { JobCompletion } from '../../../core/contract/result.ts';
import { readJournal, writeJournal } from './file.ts';
import { createJournal, journalEntryOf } from './journal.ts';

const owner = { workflowId: 7, runId: 2, nodeId: 5, label: 'wf7_hnode_r2' };
const end = (id: number, returnCode = 0) => ended({ id, attempt_id: 1 }, returnCode);
const at = Date.parse('2026-03-01T12:00:00Z');
const journalIn = (folder: string) => createJournal({ ...owner, outputDir: folder }, () => at);
const filesIn = (folder: string) => readdirSync(join(folder, 'offline_journal')).sort();
const jobsIn = (path: string) => readJournal(path).payloads.map((text) => (JSON.parse(text) as JobCompletion).job_id);

describe('a journal', () => {
  it('a journal has the name, the table and the payload of Torc 1.0.0', () => {
    const folder = temporaryFolder();
    const journal = journalIn(folder);
    journal.write([end(11, 3)]);
    expect(filesIn(folder)).toEqual(['offline_results_wf7_r2_wf7_hnode_r2.db']);
    const db = new DatabaseSync(journal.written?.path as string, { readOnly: true });
    const [row] = db.prepare('select * from journaled_completions').all() as { payload: string }[];
    db.close();
    expect(row).toEqual({
      job_id: 11,
      run_id: 2,
      status: 'failed',
      payload: expect.any(String),
      journaled_at: '2026-03-01T12:00:00.000Z',
    });
    expect(JobCompletion.parse(JSON.parse(row?.payload as string))).toEqual(journalEntryOf(end(11, 3), owner));
    expect(journalEntryOf(end(11, 3), owner)).toMatchObject({
      job_id: 11,
      run_id: 2,
      status: 'failed',
      result: { job_id: 11, workflow_id: 7, run_id: 2, attempt_id: 1, compute_node_id: 5, return_code: 3 },
    });
  });

  it('a journal contains the last results that were written, in one file, with no file beside it', () => {
    const folder = temporaryFolder();
    const journal = journalIn(folder);
    journal.write([end(1), end(2)]);
    journal.write([end(2), end(3), end(3, 1)]);
    expect(journal.written?.completions).toBe(2);
    expect([filesIn(folder), jobsIn(journal.written?.path as string)]).toEqual([
      ['offline_results_wf7_r2_wf7_hnode_r2.db'],
      [2, 3],
    ]);
  });

  it('a journal exists from its first result until it is removed, and can be written again under its name', () => {
    const folder = temporaryFolder();
    const journal = journalIn(folder);
    expect([journal.written, readdirSync(folder)]).toEqual([undefined, []]);
    journal.write([end(1)]);
    journal.remove();
    expect([journal.written, filesIn(folder)]).toEqual([undefined, []]);
    journal.write([end(2)]);
    expect(filesIn(folder)).toEqual(['offline_results_wf7_r2_wf7_hnode_r2.db']);
  });

  it('a journal never replaces that of another runner: runners of one host and run have numbers after their names', () => {
    const folder = temporaryFolder();
    const journals = [journalIn(folder), journalIn(folder), journalIn(folder)];
    for (const [index, journal] of journals.entries()) journal.write([end(index)]);
    expect(filesIn(folder)).toEqual([
      'offline_results_wf7_r2_wf7_hnode_r2.db',
      'offline_results_wf7_r2_wf7_hnode_r2_2.db',
      'offline_results_wf7_r2_wf7_hnode_r2_3.db',
    ]);
    expect(journals.map(({ written }) => jobsIn(written?.path as string))).toEqual([[0], [1], [2]]);
  });

  it.runIf(process.getuid?.() !== 0)(
    'a failed write of a journal is reported, and the journal keeps its content',
    () => {
      const folder = temporaryFolder();
      const journal = journalIn(folder);
      journal.write([end(1)]);
      chmodSync(join(folder, 'offline_journal'), 0o500);
      expect(() => journal.write([end(1), end(2)])).toThrow();
      chmodSync(join(folder, 'offline_journal'), 0o700);
      expect([filesIn(folder), jobsIn(journal.written?.path as string)]).toEqual([
        ['offline_results_wf7_r2_wf7_hnode_r2.db'],
        [1],
      ]);
    },
  );

  it('a write that fails half-way leaves the previous journal, and no partial file', () => {
    const folder = temporaryFolder();
    const journal = journalIn(folder);
    const failing = function* () {
      yield end(2);
      throw new Error('no space left on device');
    };
    expect(() => journal.write(failing())).toThrow('no space left');
    expect([journal.written, filesIn(folder)]).toEqual([undefined, []]);
    journal.write([end(1)]);
    expect(() => journal.write(failing())).toThrow('no space left');
    expect([filesIn(folder).length, jobsIn(journal.written?.path as string)]).toEqual([1, [1]]);
  });
});

describe('reading a journal', () => {
  const written = (folder: string) => {
    const path = join(folder, 'x#?%.db');
    writeJournal(
      path,
      [1, 2].map((id) => journalEntryOf(end(id), owner)),
      at,
    );
    return path;
  };

  it('reading a journal changes nothing in its folder, for any name', () => {
    const folder = temporaryFolder();
    const path = written(folder);
    const before = readFileSync(path);
    expect([jobsIn(path), readdirSync(folder), readFileSync(path).equals(before)]).toEqual([[1, 2], ['x#?%.db'], true]);
  });

  it.each([
    ['does not exist', (path: string) => rmSync(path)],
    ['is empty', (path: string) => writeFileSync(path, '')],
    ['is not a database', (path: string) => writeFileSync(path, 'SQLite format 3\0 and then nothing')],
    ['is half of a database', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, 4096))],
  ])('reading a journal that %s returns no results and the reason', (_, spoil) => {
    const path = written(temporaryFolder());
    spoil(path);
    expect(readJournal(path)).toEqual({ payloads: [], fault: expect.stringMatching(/./) });
  });
});

it('journals are recognised by their names, also those of other workflows and runs', () => {
  expect(isJournalOf(journalName(7, 2, 'x'), 7, 2)).toBe(true);
  for (const name of [
    journalName(7, 21, 'x'),
    journalName(77, 2, 'x'),
    `${journalName(7, 2, 'x')}-wal`,
    `${journalName(7, 2, 'x')}.99.part`,
    'resource_metrics_wf7_r2_x.db',
  ])
    expect([name, isJournalOf(name, 7, 2)]).toEqual([name, false]);
});
