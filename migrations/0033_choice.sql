--! beside 0032: yes, a column that may be empty, and an index of jobs that have it
--
-- The choice of `torc run --only` that named the job last. A runner of a choice claims no other jobs.
-- Null: no such command named it; then it is in no index and costs nothing.

alter table job add column choice integer;
create index job_chosen on job (choice, status, class_id, priority desc, id) where choice is not null;
