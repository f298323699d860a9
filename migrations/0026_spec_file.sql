--! beside 0025: yes, a column that may be empty
--
-- The workflow file that a workflow was created from, or last updated to: an absolute path on the machine of the user. An update
-- finds its workflow by it.

alter table workflow add column spec_file text;
