--! beside 0035: yes, a column that may be empty
--
-- What a request to PBS has that one to Slurm has not, as JSON: project, select, place. Null: the scheduler is one of Slurm.

alter table slurm_scheduler add column pbs text;
