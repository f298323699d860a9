--! beside 0040: yes, a new table
--
-- The oldest version of the tables whose programs may use this database: the first line of each migration after that one says that the
-- version before may stand beside it. A program that finds tables newer than its own reads it. `migrateDatabase` writes the row.

create table older_programs (
  one integer primary key check (one = 1),
  oldest integer not null
) strict;
