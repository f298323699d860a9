import type { UserData } from '../../../core/contract/artifact.ts';

export interface UserDataRow {
  id: number;
  workflow_id: number;
  name: string;
  data: string | null;
  is_ephemeral: number;
}

export const userDataOf = ({ data, is_ephemeral: ephemeral, ...row }: UserDataRow): UserData => ({
  ...row,
  data: data === null ? undefined : JSON.parse(data),
  is_ephemeral: ephemeral === 1,
});

export const userDataColumns =
  'user_data.id, user_data.workflow_id, user_data.name, user_data.data, user_data.is_ephemeral';
