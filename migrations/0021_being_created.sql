--! beside 0020: yes, a column that may be empty, and an index
--
-- A client creates a workflow in many requests. It marks the workflow as incomplete in the first request, and removes the mark in
-- the last one. Unix milliseconds of the creation; null when the workflow is complete.

alter table workflow add column being_created_at_ms integer;
create index workflow_being_created on workflow (being_created_at_ms) where being_created_at_ms is not null;
