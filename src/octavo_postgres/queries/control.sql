-- name: begin_writing
begin;
set local lock_timeout = :busy_ms;
select pg_advisory_xact_lock(hashtext('octavo write ' || current_schema()));

-- name: commit_writing
commit;

-- name: begin_reading
begin isolation level repeatable read read only;
select value from library where name = 'generation';

-- name: primary_position
-- The library's own server may itself be a replica, which others follow. At the end of a page of the log the next record
-- begins behind the page's header (40 bytes at the start of a file, else 24), which no replica replays by itself.
with written as (
  select pg_wal_lsn_diff(
    case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_insert_lsn() end, '0/0')::bigint as at)
select at - case
  when mod(at, pg_size_bytes(current_setting('wal_segment_size'))) = 40 then 40
  when mod(at, current_setting('wal_block_size')::bigint) = 24 then 24
  else 0 end
from written;

-- name: replica_position
select
  pg_is_in_recovery(),
  coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0'), 0)::bigint,
  coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 0)::float8;

-- name: server_identity
select system_identifier, current_database(), current_schema() from pg_control_system();

-- name: migration_lock
select pg_advisory_xact_lock(hashtext('octavo schema ' || current_schema()));

-- name: schema_present
-- From the catalogue and not by `to_regclass`: that may remember that there was none before another server made it.
select coalesce(bool_or(c.relname = 'library'), false), coalesce(bool_or(c.relname <> 'library'), false)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where n.nspname = any(current_schemas(false)) and c.relname in ('library', 'documents', 'projects');

-- name: schema_version
select value from library where name = 'schema';

-- name: schema_put
update library set value = :version where name = 'schema';

-- name: schema_usable
-- The oldest schema whose Octavo may use the library; that of the library itself where nothing is written.
select value from library where name = 'schema_usable_from';

-- name: schema_usable_put
insert into library (name, value) values ('schema_usable_from', :version)
on conflict (name) do update set value = excluded.value;

-- name: schema_isolated
-- A role that sees one project alone sees no more of the tables that a migration made.
do $$ begin
  if to_regproc('isolate_projects') is not null then
    perform isolate_projects();
  end if;
end $$;

-- name: extensions
select name, default_version, installed_version from pg_available_extensions where name in ('vector', 'pg_trgm');

-- name: extension_make_vector
create extension if not exists vector;

-- name: extension_make_pg_trgm
create extension if not exists pg_trgm;

-- name: halfvec_type
select t.oid::bigint, t.typarray::bigint, e.extversion, to_regclass('lexical_terms_by_trigram') is not null
from pg_extension e, pg_type t
where e.extname = 'vector' and t.oid = to_regtype('halfvec');

-- name: rows_of_arrays
-- In place of the values of an insert; the arrays follow.
select * from unnest;

-- name: column_types
select attname, format_type(atttypid, null) from pg_attribute
where attrelid = :table::regclass and attnum > 0 and not attisdropped;
