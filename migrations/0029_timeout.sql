--! beside 0028: yes, a column that may be empty
--
-- The longest time that a job may run, an ISO 8601 duration. Null: its time is not limited.

alter table job add column timeout text;
