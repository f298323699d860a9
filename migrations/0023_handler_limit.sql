--! beside 0022: yes, a column that may be empty
--
-- Why a failure handler gives a job no more, as a code (`core/contract/cause-code.ts`). Results of earlier versions say it in the
-- words of their cause alone: these are read once, here.

alter table result add column handler_limit text;
update result set handler_limit = 'max' where cause like '%, the max of on_oom' or cause like '%, the max of on_timeout';
update result set handler_limit = 'attempts'
where cause like '%, the last that on_oom allows' or cause like '%, the last that on_timeout allows';
update result set cause_code = 'disk'
where
  cause_code is null
  and cause in (
    'the disk of its output was full when it ended',
    'the disk of its output could hold no more files when it ended',
    'the disk quota for its output was used up when it ended'
  );
