--! beside 0004: no, it asks for tasks by their old name
--
-- What administrators do with SQL, and the table of tasks under the name that their statements know.

alter table task rename to async_handle;

-- Without a reference to workflows: its rows outlive them.
create table admin_audit_log (
  id integer primary key autoincrement,
  user_name text not null,
  timestamp integer not null,
  sql_text text not null,
  is_write integer not null,
  allow_full_table integer not null,
  committed integer not null,
  success integer not null,
  rows_affected integer,
  error text
) strict;
