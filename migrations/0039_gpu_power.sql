--! beside 0038: yes, a column that may be empty
--
-- The power that the GPUs of an attempt drew on average while its processes were seen on them, in watts; of a GPU that several steps
-- use, a part. Null: it was not measured.

alter table result add column avg_gpu_watts real;
