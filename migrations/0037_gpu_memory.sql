--! beside 0036: yes, columns that may be empty
--
-- The most memory that the processes of an attempt had on GPUs at once, and the memory of the GPUs on which they were seen, in
-- bytes. Null: no GPU was requested, or its processes were not seen.

alter table result add column peak_gpu_memory_bytes integer;
alter table result add column gpu_memory_bytes integer;
