--! beside 0039: yes, a new index
--
-- A command asks every few seconds for the messages of one workflow to one receiver that are not sent: without this it reads all messages of the
-- workflow.

create index message_unsent on message (workflow_id, receiver, next_at_ms) where state in ('due', 'sending');
