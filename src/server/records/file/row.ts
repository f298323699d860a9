import type { File } from '../../../core/contract/artifact.ts';

export interface FileRow {
  id: number;
  workflow_id: number;
  name: string;
  path: string;
  st_mtime: number | null;
}

export const fileOf = ({ st_mtime: mtime, ...row }: FileRow): File => ({ ...row, st_mtime: mtime ?? undefined });
