-- name: counts
select
  (select count(*) from documents where project = :project),
  (select count(*) from chunks where project = :project),
  (select count(*) from sections where project = :project),
  (select count(*) from ledger where project = :project and outcome = 'indexed'),
  (select count(*) from ledger where project = :project and outcome = 'skipped'),
  (select count(*) from ledger where project = :project and outcome = 'failed'),
  (select coalesce(sum(t.size), 0)::bigint from documents d
     join texts t on t.project = d.project and t.hash = d.text_hash where d.project = :project);

-- name: library_size
select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint from pg_class c
where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace;

-- name: server_described
select current_setting('server_version'), (select extversion from pg_extension where extname = 'vector'),
  (select count(*) from pg_class i join pg_index x on x.indexrelid = i.oid
   where i.relname like 'vectors_hnsw_%' and x.indisvalid and i.relnamespace = current_schema()::regnamespace);
