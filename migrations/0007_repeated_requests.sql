--! beside 0006: yes, only new tables
--
-- What makes a request that is delivered twice, or sent again after a lost answer, count once.

-- The last turn of each runner's conversation, with what its answer handed out and refused. A turn with the same number is
-- answered from here; one with a lower number is refused.
create table runner_turn (
  compute_node_id integer primary key references compute_node on delete cascade,
  number integer not null,
  job_ids text not null,
  errors text not null
) strict;

-- Replies to requests that carried an Idempotency-Key. Rows are removed when they are older than a client retries.
create table stored_reply (
  key text primary key,
  at_ms integer not null,
  request text not null,
  reply text not null
) strict, without rowid;
create index stored_reply_age on stored_reply (at_ms);
