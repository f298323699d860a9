--! beside the twentieth: a column that may be empty, and an index
--
-- A workflow is created in many requests. Whoever creates it says so first and says when it is whole: one that a killed
-- program left is not taken for a whole one. Unix milliseconds of its creation; null when it is whole.

alter table workflow add column being_created_at_ms integer;
create index workflow_being_created on workflow (being_created_at_ms) where being_created_at_ms is not null;
