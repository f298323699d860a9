--! beside 0011: no, a trigger that earlier servers do not know, and a new table
--
-- Who claimed an action, and what came of it. A runner of ours tells the end of each action that it claimed, so that one
-- whose runner was lost before the commands began is carried out again. Other clients only claim: their claim counts as
-- carried out.

create table action_claim (
  action_id integer not null references workflow_action on delete cascade,
  compute_node_id integer not null references compute_node on delete cascade,
  workflow_id integer not null,
  claimed_at_ms integer not null,
  -- null until the runner tells the end; then 'done', 'failed' or 'interrupted'. 'claimed' by a client that tells none.
  outcome text,
  primary key (action_id, compute_node_id)
) strict, without rowid;
create index action_claim_node on action_claim (compute_node_id);

-- Armed again, by whatever statement: what came of it before is over.
create trigger action_armed after update of executed on workflow_action when old.executed = 1 and new.executed = 0
begin
  delete from action_claim where action_id = new.id;
end;
