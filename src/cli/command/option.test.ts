import { describe, expect, expectTypeOf, it } from 'vitest';
import { checkedByServer, integerOption, optionName, optionsOf, type ValuesOf } from './option.ts';

const table = optionsOf([
  { flags: '-o, --output-dir <folder>', says: 'a folder', setting: 'client.run.output_dir' },
  {
    flags: '-j, --max-parallel-jobs <n>',
    says: 'a number',
    setting: 'client.run.max_parallel_jobs',
    read: integerOption(),
  },
  { flags: '--limit <n>', says: 'a number', default: 10, read: integerOption() },
  { flags: '--name <name>', says: 'a name', required: true },
  { flags: '--link <mode>', says: 'a mode', choices: ['product', 'zip'] },
  { flags: '--label <label>', says: 'labels', many: true },
  { flags: '-x, --exclude <column...>', says: 'columns' },
  { flags: '--batch [n]', says: 'a number, or nothing', read: integerOption() },
  { flags: '--status <status>', says: 'a word', read: checkedByServer<'ready' | 'running'>() },
  { flags: '--force', says: 'a flag' },
  { flags: '--no-prompts', says: 'a negated flag' },
]);
type Table = ValuesOf<typeof table>;

describe('the types of the values of options', () => {
  it('the names of the values are those under which the parser stores them', () => {
    const names = table.map((option) => optionName(option)).map((name) => (name === 'noPrompts' ? 'prompts' : name));
    expectTypeOf<keyof Table>().toEqualTypeOf<
      | 'outputDir'
      | 'maxParallelJobs'
      | 'limit'
      | 'name'
      | 'link'
      | 'label'
      | 'exclude'
      | 'batch'
      | 'status'
      | 'force'
      | 'prompts'
    >();
    expect(names).toEqual([
      'outputDir',
      'maxParallelJobs',
      'limit',
      'name',
      'link',
      'label',
      'exclude',
      'batch',
      'status',
      'force',
      'prompts',
    ]);
  });

  it('an option with a default, a required option and one that the configuration always sets are never absent', () => {
    expectTypeOf<Table['outputDir']>().toEqualTypeOf<string>();
    expectTypeOf<Table['limit']>().toEqualTypeOf<number>();
    expectTypeOf<Table['name']>().toEqualTypeOf<string>();
    expectTypeOf<Table['prompts']>().toEqualTypeOf<boolean>();
  });

  it('other options may be absent', () => {
    expectTypeOf<Table['maxParallelJobs']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Table['link']>().toEqualTypeOf<'product' | 'zip' | undefined>();
    expectTypeOf<Table['label']>().toEqualTypeOf<string[] | undefined>();
    expectTypeOf<Table['exclude']>().toEqualTypeOf<string[] | undefined>();
    expectTypeOf<Table['batch']>().toEqualTypeOf<number | true | undefined>();
    expectTypeOf<Table['status']>().toEqualTypeOf<'ready' | 'running' | undefined>();
    expectTypeOf<Table['force']>().toEqualTypeOf<boolean | undefined>();
  });
});
