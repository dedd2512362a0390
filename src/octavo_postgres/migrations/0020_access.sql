-- tables of SQLite's 0020

alter table access_tokens alter name type text collate "C", alter hash type text collate "C";
alter table write_audit alter who type text collate "C", alter operation type text collate "C";

create index write_audit_by_time on write_audit (at, key);
