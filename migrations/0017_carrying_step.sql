--! beside 0016: yes, a column that may be empty
--
-- The step of Slurm inside which a runner started a job (`step_batching`). A job that was a step itself has none.

alter table slurm_stats add column slurm_step text;
