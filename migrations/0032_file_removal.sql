--! beside 0031: yes, columns that may be empty, and an index
--
-- Temporary and protected outputs. `removal` says what became of a file that jobs of the workflow made (core/contract/artifact.ts); null:
-- nothing was to be removed. `removal_node` is the runner that is to delete it.

alter table file add column temporary integer;
alter table file add column protected integer;
alter table file add column removal text;
alter table file add column removal_node integer;
alter table file add column removed_bytes integer;

-- An output as the last attempt of its job that wrote it left it: its time in Unix seconds, and its size in bytes. Null: no attempt is
-- known to have made it.
alter table job_output_file add column made_mtime real;
alter table job_output_file add column made_size integer;

create index file_temporary on file (workflow_id) where temporary = 1;
create index file_to_remove on file (workflow_id) where removal in ('due', 'deleting');
