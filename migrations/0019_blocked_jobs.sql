--! beside 0018: yes, only a new index
--
-- Which kinds of jobs are blocked: a runner without work, and an allocation in the queue, stay as long as one of them may come.
-- Completed jobs are not in it, so it is empty when it is asked most.

create index job_blocked on job (class_id) where status = 1;
