--! beside 0021: yes, a table that earlier servers do not know
--
-- A name for this database, and the number of commits that changed something. The same is in a file beside the database
-- (store/commit-count.ts): a database with fewer commits has lost some of its write-ahead log. The number is in
-- sqlite_sequence, whose page nearly every commit writes anyway, for the ids of the change log: a page of its own would cost each
-- commit 10 µs.

create table commit_count (id integer primary key autoincrement, name text not null) strict;
insert into commit_count (name) values (lower(hex(randomblob(16))));
