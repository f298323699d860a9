--! beside 0037: yes, new tables
--
-- A message of a workflow to a receiver: at most one of each trigger in a run. `receiver` is a name: its address and its secrets stand in the
-- configuration alone. `key` is the same in each attempt to send it. A `waiting` one is about what must last until `next_at_ms`; one that is
-- `covered` was sent together with another.

create table message (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  run_id integer not null,
  trigger_type text not null,
  receiver text not null,
  key text not null,
  state text not null check (state in ('waiting', 'due', 'sending', 'sent', 'covered', 'failed')),
  digest text,
  attempts integer not null default 0,
  due_at_ms integer not null,
  next_at_ms integer not null,
  ended_at_ms integer,
  problem text,
  unique (workflow_id, run_id, receiver, trigger_type)
) strict;
create index message_open on message (receiver, next_at_ms) where state in ('waiting', 'due', 'sending');

-- Receivers of the server that a workflow names, in addition to those that get messages of every workflow.
create table message_wanted (
  workflow_id integer not null references workflow on delete cascade,
  receiver text not null,
  primary key (workflow_id, receiver)
) strict, without rowid;

-- Changes up to here were looked at for messages. Without a row the server that ran last sent none.
create table message_cursor (
  one integer primary key check (one = 1),
  change_id integer not null
) strict;
