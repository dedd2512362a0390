-- name: inputs_described
select distinct on (i.key) i.key, i.hash, ci.context, d.text_hash, ci.start, ci."end", c.document, ci.chunk
from inputs i
join chunk_inputs ci on ci.input = i.key
join chunks c on c.key = ci.chunk
join documents d on d.key = c.document
where i.project = :project and i.key in (select value from json_each(:inputs))
order by i.key, ci.chunk, ci."window";

-- name: vectors_after
select key, input, halfvec_send(data) from vectors
where project = :project and profile = :profile and key > :after order by key;

-- name: vectors_counted
-- No further than asked: this is asked after every batch.
select count(*) from (select 1 from vectors where project = :project and profile = :profile limit :most) counted;

-- name: active_profile_settings
select settings from named_profiles where project = :project and state = 'active';

-- name: hnsw_set_ef_search
set local hnsw.ef_search = :ef_search;

-- name: hnsw_enable_iterative_scan
set local hnsw.iterative_scan = relaxed_order;

-- name: vectors_nearest
-- Stage A. Vectors have the length one, so the inner product is the cosine. The width and the profile stand here as
-- numbers: only then is this the expression of the profile's index, and its condition.
select input from vectors where profile = :profile
order by data::halfvec(:dimensions) <#> :vector::halfvec(:dimensions) limit :candidates;

-- name: vectors_nearest_long
-- Stage A of vectors that are too long for an index: by their beginning, as far as one reaches.
select input from vectors where profile = :profile
order by subvector(data, 1, :indexed)::halfvec(:indexed)
  <#> subvector(:vector::halfvec(:dimensions), 1, :indexed)::halfvec(:indexed) limit :candidates;

-- name: windows_of_inputs
-- Stage B: the chunks that the inputs stand for, each with its windows among them. They are compared where they are
-- wanted, in double precision as everywhere: the server's own products are single. What is wanted is found first,
-- whatever the statistics say.
with wanted as materialized (
  select project, chunk, "window", input from chunk_inputs where input = any(:listed::bigint[]))
select w.chunk, halfvec_send(v.data) from wanted w
join vectors v on v.project = :project and v.profile = any(:profiles::bigint[]) and v.input = w.input and v.input = any(:listed::bigint[])
where w.project = :project order by w.chunk, w."window";

-- name: windows_of_chunks
with wanted as materialized (
  select project, chunk, "window", input from chunk_inputs where chunk = any(:listed::bigint[]))
select w.chunk, halfvec_send(v.data) from wanted w
join vectors v on v.project = :project and v.profile = any(:profiles::bigint[]) and v.input = w.input
where w.project = :project order by w.chunk, w."window";

-- name: vectors_of_chunks_counted
select count(distinct ci.chunk) from chunk_inputs ci
join vectors v on v.project = ci.project and v.profile = any(:profiles::bigint[]) and v.input = ci.input
where ci.project = :project and ci.chunk = any(:listed::bigint[]);

-- name: hnsw_described
select i.indisvalid, a.amname, o.opcname, pg_get_indexdef(i.indexrelid, 1, false), pg_get_expr(i.indpred, i.indrelid),
  c.reloptions
from pg_index i
join pg_class c on c.oid = i.indexrelid
join pg_am a on a.oid = c.relam
join pg_opclass o on o.oid = i.indclass[0]
where i.indexrelid = to_regclass(:name);

-- name: index_lock
-- Held by a transaction that does nothing else, on a connection of its own: an index is made in no transaction, and a
-- lock of the session would stay behind with whatever connection a pooler happened to lend.
select pg_advisory_xact_lock(hashtext('octavo index ' || current_schema()), :number);

-- name: hnsw_drop
drop index concurrently if exists {name};

-- name: hnsw_table
-- Where vectors are partitioned by project, that project's part: an index is made concurrently of no more than one.
select coalesce(
  (select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where i.inhparent = 'vectors'::regclass and pg_get_expr(c.relpartbound, c.oid) = format('FOR VALUES IN (%L)', :project)),
  (select c.relname from pg_partitioned_table p join pg_class c on c.oid = p.partdefid
   where p.partrelid = 'vectors'::regclass),
  'vectors');

-- name: hnsw_rename
alter index {name} rename to {new};

-- name: hnsw_present
select to_regclass(:name) is not null;

-- name: hnsw_make_long
create index concurrently {name} on {table} using hnsw ((subvector(data, 1, :indexed)::halfvec(:indexed)) halfvec_ip_ops)
with (m = :m, ef_construction = :ef_construction) where profile = :profile;

-- name: hnsw_make
create index concurrently {name} on {table} using hnsw ((data::halfvec(:dimensions)) halfvec_ip_ops)
with (m = :m, ef_construction = :ef_construction) where profile = :profile;

-- name: statistics_stale
select relname from pg_stat_user_tables
where schemaname = current_schema() and n_mod_since_analyze > 1000 + 0.2 * n_live_tup order by relname;

-- name: statistics_take
analyze {table};

-- name: chunks_nearest
select ci.chunk from chunk_inputs ci
join vectors v on v.project = ci.project and v.profile = any(:profiles::bigint[]) and v.input = ci.input
where ci.project = :project and ci.chunk in (select value from json_each(:chunks))
group by ci.chunk
order by min(v.data::halfvec(:dimensions) <#> :vector::halfvec(:dimensions)), ci.chunk limit :limit;

-- name: planner_prefers_indexes
set local enable_seqscan = off;
set local enable_sort = off;

-- name: checked_vectors
select v.key, halfvec_send(v.data), v.checksum, p.body from vectors v join embedding_profiles p on p.key = v.profile
where v.key in (select value from json_each(:keys)) order by v.key;

-- name: chunks_unread
select count(distinct ci.chunk) from vectors v join chunk_inputs ci on ci.input = v.input and ci.project = v.project
where v.project = :project and v.profile = :profile and l2_norm(v.data) = 0;
