--! beside 0033: yes, columns that may be empty
--
-- What the counters of energy of the processors of a machine counted while a runner measured it, in joules, and the CPU time of all
-- its processes in that time, in seconds: by it the energy is shared out. Null: there are no such counters, or they cannot be read.

alter table compute_node add column energy_joules real;
alter table compute_node add column machine_cpu_seconds real;
