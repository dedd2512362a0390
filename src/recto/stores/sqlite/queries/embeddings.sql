-- name: inputs_known
select hash, key from inputs
where project = :project and hash in (select unhex(value) from json_each(:hashes));

-- name: input_put
insert into inputs (key, project, hash) values (:key, :project, :hash);

-- name: chunk_inputs_remove
delete from chunk_inputs where chunk between :first and :last;

-- name: chunk_input_put
insert into chunk_inputs (project, chunk, "window", input, start, "end", context)
values (:project, :chunk, :window, :input, :start, :end, :context);

-- name: profile_put
insert into embedding_profiles (project, name, body, created_at) values (:project, :name, :body, :now)
on conflict (project, body) do nothing;

-- name: profile_key
select key from embedding_profiles where project = :project and body = :body;

-- name: inputs_pending
-- Commits come last: there are many of them, and a file that was just written should not wait for them.
select ci.input, min(ci.chunk), min(case when d.kind = 'commit' then 1 else 0 end)
from chunk_inputs ci
join chunks c on c.key = ci.chunk
join documents d on d.key = c.document
where ci.project = :project and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input)
group by ci.input order by 3, 2, 1;

-- name: inputs_pending_newest
-- What was written last comes first; of commits, which are read from the newest to the oldest, what was written first.
select ci.input, min(case when d.kind = 'commit' then ci.chunk else -ci.chunk end),
  min(case when d.kind = 'commit' then 1 else 0 end)
from chunk_inputs ci
join chunks c on c.key = ci.chunk
join documents d on d.key = c.document
where ci.project = :project and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input)
group by ci.input order by 3, 2, 1;

-- name: inputs_described
-- An input that stands for several chunks is described by the first: SQLite takes the other columns from the row with
-- the minimum. The cross joins start from the wanted keys, as in `candidates`.
select i.key, i.hash, ci.context, d.text_hash, ci.start, ci."end", min(ci.chunk)
from json_each(:inputs) wanted
cross join inputs i on i.key = wanted.value
cross join chunk_inputs ci on ci.input = i.key
cross join chunks c on c.key = ci.chunk
cross join documents d on d.key = c.document
where i.project = :project
group by i.key order by i.key;

-- name: vector_put
insert into vectors (project, profile, input, data) values (:project, :profile, :input, :data)
on conflict (project, profile, input) do nothing;

-- name: chunks_without_vectors
select count(distinct ci.chunk) from chunk_inputs ci where ci.project = :project and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input);

-- name: chunks_total
select count(*) from chunks where project = :project;

-- name: chunk_input_pairs
select chunk, input from chunk_inputs where project = :project order by chunk, "window";

-- name: vectors_after
select key, input, data from vectors where project = :project and profile = :profile and key > :after order by key;
