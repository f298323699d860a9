--! beside 0034: yes, a column that may be empty
--
-- The SHA-256 of an input as the last attempt of its job found it, in hexadecimal. Null: it is compared by time and size.

alter table job_input_file add column read_hash text;
