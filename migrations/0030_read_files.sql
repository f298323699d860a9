--! beside 0029: yes, columns that may be empty
--
-- An input as the last attempt of its job found it: its time in Unix seconds, and its size in bytes. Null: no runner has said it.

alter table job_input_file add column read_mtime real;
alter table job_input_file add column read_size integer;
