--! beside 0019: yes, columns that may be empty
--
-- Planned allocations. A record is there before sbatch runs, with its plan: what was asked for, as JSON. So whoever finds it
-- can submit it. `held` says why it is not submitted yet. A task of a job array is named by its array and number, because it
-- has no id of its own before it starts. A lease names the process that has it, so that another can prove that it ended.

alter table scheduled_compute_node add column array_job_id integer;
alter table scheduled_compute_node add column array_task_id integer;
alter table scheduled_compute_node add column plan text;
alter table scheduled_compute_node add column held text;
alter table recovery_lease add column process text;
