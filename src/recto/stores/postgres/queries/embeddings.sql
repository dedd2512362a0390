-- name: inputs_described
select distinct on (i.key) i.key, i.hash, ci.context, d.text_hash, ci.start, ci."end", ci.chunk
from inputs i
join chunk_inputs ci on ci.input = i.key
join chunks c on c.key = ci.chunk
join documents d on d.key = c.document
where i.project = :project and i.key in (select value from json_each(:inputs))
order by i.key, ci.chunk, ci."window";

-- name: vectors_after
select key, input, halfvec_send(data) from vectors
where project = :project and profile = :profile and key > :after order by key;

-- name: vectors_count
select count(*) from vectors where project = :project and profile = :profile;

-- name: active_profile_settings
select settings from named_profiles where project = :project and state = 'active';

-- name: hnsw_look_at
set local hnsw.ef_search = :ef_search;

-- name: hnsw_look_on
set local hnsw.iterative_scan = relaxed_order;

-- name: vectors_nearest
-- Stage A. Vectors have the length one, so the inner product is the cosine. The width and the profile stand here as
-- numbers: only then is this the expression of the profile's index, and its condition.
select input from vectors where profile = :profile
order by data::halfvec(:dimensions) <#> :vector::halfvec(:dimensions) limit :candidates;

-- name: windows_of_inputs
-- Stage B: every window of every chunk that one of the inputs stands for.
select ci.chunk, halfvec_send(v.data) from chunk_inputs ci
join vectors v on v.project = ci.project and v.profile = :profile and v.input = ci.input
where ci.project = :project and ci.input = any(:listed)
order by ci.chunk, ci."window";

-- name: windows_of_chunks
select ci.chunk, halfvec_send(v.data) from chunk_inputs ci
join vectors v on v.project = ci.project and v.profile = :profile and v.input = ci.input
where ci.project = :project and ci.chunk = any(:listed)
order by ci.chunk, ci."window";

-- name: hnsw_described
select i.indisvalid, pg_get_indexdef(i.indexrelid) from pg_index i where i.indexrelid = to_regclass(:name);

-- name: hnsw_lock
-- Held by the session, on a connection that does nothing else: an index is made in no transaction.
select pg_advisory_lock(hashtext('recto hnsw ' || current_schema()), :profile);

-- name: hnsw_unlock
select pg_advisory_unlock(hashtext('recto hnsw ' || current_schema()), :profile);

-- name: hnsw_drop
drop index concurrently if exists {name};

-- name: hnsw_make
create index concurrently {name} on vectors using hnsw ((data::halfvec(:dimensions)) halfvec_ip_ops)
with (m = :m, ef_construction = :ef_construction) where profile = :profile;

-- name: stage_a_explained
explain select input from vectors where profile = :profile
order by data::halfvec(:dimensions) <#> :vector::halfvec(:dimensions) limit :candidates;
