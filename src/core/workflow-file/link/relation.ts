import type { Direction, TokenKind } from './tokens.ts';

type TextList =
  | 'depends_on'
  | 'depends_on_regexes'
  | 'input_files'
  | 'output_files'
  | 'input_file_regexes'
  | 'output_file_regexes'
  | 'input_user_data'
  | 'output_user_data'
  | 'input_user_data_regexes'
  | 'output_user_data_regexes';

/** One way in which jobs name other records: two fields, the tokens of commands, and Torc's messages for its errors. */
export interface Relation {
  readonly names: TextList;
  readonly patterns: TextList;
  /** The field with paths of records, in place of their names. */
  readonly paths?: 'inputs' | 'outputs';
  readonly token?: { readonly kind: TokenKind; readonly direction: Direction };
  unknown(job: string, name: string): { message: string; creation: string };
  unmatched(job: string, pattern: string): { message: string; creation: string };
  malformed(job: string, pattern: string): { message: string; creation: string };
}
