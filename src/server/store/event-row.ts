import type { Event } from '../../core/contract/event.ts';

export const eventOf = ({
  data,
  ...row
}: {
  id: number;
  workflow_id: number;
  timestamp: number;
  data: string;
}): Event => ({
  ...row,
  data: JSON.parse(data),
});
