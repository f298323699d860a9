--! beside 0030: yes, columns that may be empty, and an index with one of them
--
-- Named limits. Licenses are a JSON object of whole numbers by name: what a job holds while a runner has it. A class has those of its jobs, so that a
-- claim passes over all of them at once. Limits of a workflow bound the sum.

alter table job add column licenses text;
alter table resource_requirements add column licenses text;
alter table workflow add column limits text;

alter table job_class add column licenses text;
drop index job_class_of;
create unique index job_class_of on job_class (
  workflow_id, resource_requirements_id, coalesce(scheduler_id, 0), coalesce(labels, ''), coalesce(licenses, '')
);
