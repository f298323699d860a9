--! beside 0017: yes, a column that may be empty
--
-- What ended an attempt that did not complete, as a code (`core/contract/cause-code.ts`): decisions about failures go by it.

alter table result add column cause_code text;
