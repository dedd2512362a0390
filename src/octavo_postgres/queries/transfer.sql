-- name: table_columns
select attname from pg_attribute
where attrelid = :table::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum;

-- name: sequences_set
-- What was copied with its keys has not moved the counters that new keys come from.
select setval(pg_get_serial_sequence(c.relname, 'key'), greatest(:highest, 1)) from pg_class c
where c.oid = :table::regclass and pg_get_serial_sequence(c.relname, 'key') is not null;
