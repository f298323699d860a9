--! beside 0010: yes, only a new table
--
-- The jobs of a claim that takes several transactions, until the last: nobody was told of them yet. A server that starts
-- and finds such rows makes their jobs ready again.

create table open_claim (
  id integer primary key autoincrement,
  claim_id integer not null,
  workflow_id integer not null references workflow on delete cascade,
  job_ids text not null
) strict;
create index open_claim_claim on open_claim (claim_id);
create index open_claim_workflow on open_claim (workflow_id);
