import * as z from 'zod';
import { id, maybe, queryInteger } from './shape.ts';

/** A named group of users. */
export const AccessGroup = z.object({
  id: maybe(id),
  name: z.string(),
  description: maybe(z.string()),
  created_at: maybe(z.string()),
});
export type AccessGroup = z.output<typeof AccessGroup>;

/** A user in a group. `role` is free text; `admin` may say who else belongs to it. */
export const Membership = z.object({
  id: maybe(id),
  user_name: z.string(),
  group_id: id,
  role: z.string(),
  created_at: maybe(z.string()),
});
export type Membership = z.output<typeof Membership>;

/** A workflow that the members of a group may see. */
export const WorkflowAccessGroup = z.object({ workflow_id: id, group_id: id, created_at: maybe(z.string()) });
export type WorkflowAccessGroup = z.output<typeof WorkflowAccessGroup>;

export const AccessCheck = z.object({
  has_access: z.boolean(),
  reason: maybe(z.string()),
  user_name: z.string(),
  workflow_id: id,
});

/** The page of lists of groups, which the original has of its own kind. */
export const groupPage = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    offset: z.int(),
    limit: z.int(),
    total_count: z.int(),
    has_more: z.boolean(),
  });

export const groupPaging = z.object({ offset: queryInteger.optional(), limit: queryInteger.optional() });
export type GroupPaging = z.output<typeof groupPaging>;
