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

-- name: chunks_postponed
-- In the order written, from the chunks outwards: there may be any number of them, and few are wanted at once.
select c.key, d.id, s.path, c.start, c."end", c.tokens, c.signature
from chunks c
cross join documents d on d.key = c.document
cross join sections s on s.project = c.project and s.document = c.document and s.ordinal = c.section
where c.key > :after and +c.project = :project and c.content_type <> 'diff' and not exists (
  select 1 from chunk_inputs ci where ci.chunk = c.key)
order by c.key limit :limit;

-- name: chunks_postponed_count
select count(*) from chunks c
where c.key >= :first and +c.project = :project and c.content_type <> 'diff' and not exists (
  select 1 from chunk_inputs ci where ci.chunk = c.key);

-- name: chunks_postponed_first
-- Of any project.
select min(c.key) from chunks c where c.key >= :first and c.content_type <> 'diff' and not exists (
  select 1 from chunk_inputs ci where ci.chunk = c.key);

-- name: profile_put
insert into embedding_profiles (project, name, body, created_at) values (:project, :name, :body, :now)
on conflict (project, body) do nothing;

-- name: profile_key
select key from embedding_profiles where project = :project and body = :body;

-- name: inputs_pending
-- Commits come last: there are many of them, and a file that was just written should not wait for them.
select ci.input, min(ci.chunk), min(case when d.kind = 'commit' then 1 else 0 end)
from chunk_inputs ci indexed by chunk_inputs_by_input
join chunks c on c.key = ci.chunk
join documents d on d.key = c.document
where ci.input > :complete and ci.project = :project and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input)
group by ci.input order by 3, 2, 1;

-- name: inputs_pending_newest
-- What was written last comes first; of commits, which are read from the newest to the oldest, what was written first.
select ci.input, min(case when d.kind = 'commit' then ci.chunk else -ci.chunk end),
  min(case when d.kind = 'commit' then 1 else 0 end)
from chunk_inputs ci indexed by chunk_inputs_by_input
join chunks c on c.key = ci.chunk
join documents d on d.key = c.document
where ci.input > :complete and ci.project = :project and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input)
group by ci.input order by 3, 2, 1;

-- name: inputs_pending_last
-- The beginning of the same order, without reading the rest; an input that stands for several chunks may come twice.
select ci.input from chunk_inputs ci
cross join chunks c on c.key = ci.chunk
cross join documents d on d.key = c.document
where ci.project = :project and d.kind <> 'commit' and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input)
order by ci.chunk desc, ci.input limit :limit;

-- name: inputs_pending_wanted
-- What was found most often comes first, then what was changed last.
select ci.input, max(coalesce(h.hits, 0)), min(case when d.kind = 'commit' then 1 else 0 end), max(d.modified_at)
from chunk_inputs ci indexed by chunk_inputs_by_input
join chunks c on c.key = ci.chunk
join documents d on d.key = c.document
left join chunk_hits h on h.project = :project and h.chunk = ci.chunk
where ci.input > :complete and ci.project = :project and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input)
group by ci.input order by 2 desc, 3, 4 desc, 1;

-- name: inputs_pending_of_chunks
select distinct ci.input from chunk_inputs ci
where ci.project = :project and ci.chunk in (select value from json_each(:chunks)) and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input)
order by ci.input;

-- name: inputs_pending_any
select 1 from chunk_inputs ci indexed by chunk_inputs_by_input
where ci.input > :complete and ci.project = :project and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input)
limit 1;

-- name: inputs_newest
select coalesce(max(key), 0) from inputs;

-- name: embedded_upto
select input from embedded_upto where project = :project and profile = :profile;

-- name: embedded_upto_put
insert into embedded_upto (project, profile, input) values (:project, :profile, :input)
on conflict (project, profile) do update set input = excluded.input;

-- name: embedded_upto_lower
-- An input that is used again may never have been embedded: its chunk was gone before its turn came.
update embedded_upto set input = (
  select min(r.value) - 1 from json_each(:inputs) r where not exists (
    select 1 from vectors v
    where v.project = embedded_upto.project and v.profile = embedded_upto.profile and v.input = r.value))
where project = :project and exists (
  select 1 from json_each(:inputs) r where r.value <= embedded_upto.input and not exists (
    select 1 from vectors v
    where v.project = embedded_upto.project and v.profile = embedded_upto.profile and v.input = r.value));

-- name: embedded_upto_forget
delete from embedded_upto where project = :project and profile = :profile;

-- name: chunk_hit_put
-- Of chunks that have all their vectors nothing is kept.
insert into chunk_hits (project, chunk, hits)
select c.project, c.key, :hits from chunks c where c.project = :project and c.key = :chunk and exists (
  select 1 from chunk_inputs ci where ci.chunk = c.key and not exists (
    select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input))
on conflict (project, chunk) do update set hits = chunk_hits.hits + excluded.hits;

-- name: chunk_hits_forget
delete from chunk_hits where project = :project;

-- name: inputs_described
-- An input that stands for several chunks is described by the first: SQLite takes the other columns from the row with
-- the minimum. The cross joins start from the wanted keys, as in `candidates`.
select i.key, i.hash, ci.context, d.text_hash, ci.start, ci."end", c.document, min(ci.chunk)
from json_each(:inputs) wanted
cross join inputs i on i.key = wanted.value
cross join chunk_inputs ci on ci.input = i.key
cross join chunks c on c.key = ci.chunk
cross join documents d on d.key = c.document
where i.project = :project
group by i.key order by i.key;

-- name: inputs_of_document
select distinct ci.input from chunks c join chunk_inputs ci on ci.chunk = c.key
where c.project = :project and c.document = :document order by ci.input;

-- name: vector_put
insert into vectors (project, profile, input, data, checksum) values (:project, :profile, :input, :data, :checksum)
on conflict (project, profile, input) do nothing;

-- name: vectors_remove
delete from vectors where project = :project and profile = :profile
  and input in (select value from json_each(:inputs));

-- name: chunks_without_vectors
-- Few inputs come after those of which all have vectors.
select count(distinct ci.chunk) from chunk_inputs ci indexed by chunk_inputs_by_input
where ci.input > :complete and ci.project = :project and not exists (
  select 1 from vectors v where v.project = :project and v.profile = :profile and v.input = ci.input);

-- name: chunks_among_first_without_vectors
-- The same while the first vectors are computed: in the order of the chunks, which are counted without being sorted.
select count(distinct ci.chunk) from chunk_inputs ci where ci.project = :project and ci.input not in (
  select v.input from vectors v where v.project = :project and v.profile = :profile);

-- name: vectors_any
select 1 from vectors where project = :project and profile = :profile limit 1;

-- name: chunks_with_inputs
-- The same as long as none has a vector. Windows are numbered from 0.
select count(*) from chunk_inputs where project = :project and "window" = 0;

-- name: chunks_unread
select count(distinct ci.chunk) from vectors v join chunk_inputs ci on ci.input = v.input and ci.project = v.project
where v.project = :project and v.profile = :profile and v.data = zeroblob(length(v.data));

-- name: chunks_total
-- Rows of a whole table are counted by its pages, in a fiftieth of the time: nearly every library has one project.
select case when (select count(*) from projects) = 1
  then (select count(*) from chunks) else (select count(*) from chunks where project = :project) end;

-- name: chunk_input_pairs
select chunk, input from chunk_inputs where project = :project order by chunk, "window";

-- name: vectors_after
select key, input, data from vectors where project = :project and profile = :profile and key > :after order by key;

-- name: chunk_vectors
select c.key, c.tokens, count(ci.input), count(v.key), count(f.key)
from documents d
join chunks c on c.document = d.key
left join chunk_inputs ci on ci.chunk = c.key
left join vectors v on v.project = c.project and v.profile = :profile and v.input = ci.input
left join vectors f on f.project = c.project and f.profile = :fast and f.input = ci.input
where d.project = :project and d.id = :document
group by c.key, c.tokens, c.ordinal order by c.ordinal;
