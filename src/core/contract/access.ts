import * as z from 'zod';
import { flag, id, integer, maybe, queryInteger, stored, text } from './shape.ts';

/** A named group of users. */
export const NewAccessGroup = z.object({
  id: maybe(id),
  name: text,
  description: maybe(text),
  created_at: maybe(text),
});
export type NewAccessGroup = z.output<typeof NewAccessGroup>;
export const AccessGroup = stored(NewAccessGroup);
export type AccessGroup = z.output<typeof AccessGroup>;

/** A user in a group. `role` is free text; a member with the role `admin` may add and remove members. */
export const NewMembership = z.object({
  id: maybe(id),
  user_name: text,
  group_id: id,
  role: text,
  created_at: maybe(text),
});
export type NewMembership = z.output<typeof NewMembership>;
export const Membership = stored(NewMembership);
export type Membership = z.output<typeof Membership>;

/** A workflow that the members of a group may see. */
export const WorkflowAccessGroup = z.object({ workflow_id: id, group_id: id, created_at: maybe(text) });
export type WorkflowAccessGroup = z.output<typeof WorkflowAccessGroup>;

/** A user who may see a workflow of another user. */
export const WorkflowAccessUser = z.object({ workflow_id: id, user_name: text, created_at: text });
export type WorkflowAccessUser = z.output<typeof WorkflowAccessUser>;

export const AccessCheck = z.object({
  has_access: flag,
  reason: maybe(text),
  user_name: text,
  workflow_id: id,
});

/** The page type for lists of groups; Torc 1.0.0 has a separate type for them too. */
export const groupPage = <T extends z.ZodType>(item: T) =>
  z.object({
    items: z.array(item),
    offset: integer,
    limit: integer,
    total_count: integer,
    has_more: flag,
  });

export const groupPaging = z.object({ offset: queryInteger.optional(), limit: queryInteger.optional() });
export type GroupPaging = z.output<typeof groupPaging>;
