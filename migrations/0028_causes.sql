--! beside 0027: yes, only values of a column that all read as text
--
-- Why attempts ended, where their return code proves it: results of earlier releases have a cause only if something other than the job
-- ended it. Without one stay 1 (a missing output, too), the codes of SIGKILL and SIGTERM (whoever sent them), and ends by a runner that
-- gave no reason. Statuses: 6 failed, 8 terminated, 10 pending_failed.

update result set cause_code = case
    when return_code = -128 then 'lost'
    when return_code = coalesce((
      select execution_config ->> '$.timeout_exit_code' from workflow where workflow.id = result.workflow_id
    ), 152) then iif(status = 8, 'time', null)
    when status = 8 or return_code in (1, 137, 143) or return_code = (
      select execution_config ->> '$.oom_exit_code' from workflow where workflow.id = result.workflow_id
    ) then null
    when return_code = 127 then 'not_found'
    when return_code = 126 then 'not_executable'
    when return_code in (132, 133, 134, 135, 136, 139, 159) then 'crash'
    when return_code between 129 and 159 then 'signal'
    else 'exit'
  end
where cause_code is null and status in (6, 8, 10) and return_code <> 0;

-- These say what their codes say.
update result set cause = null
where cause in (
  'killed by SIGKILL, and nothing says by whom',
  'it exited with 0 after a signal to end that it does not handle: a part of its work may be missing',
  'its allocation was being ended',
  'a user canceled the job'
);
