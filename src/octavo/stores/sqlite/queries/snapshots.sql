-- name: lexical_block_put
insert into lexical_blocks (project, chunks, data, checksum) values (:project, :chunks, :data, :checksum);

-- name: lexical_blocks_after
select key, chunks, data from lexical_blocks where project = :project and key > :after and key <= :last order by key;

-- name: lexical_block_chunks
select key, chunks from lexical_blocks where project = :project and key > :after and key <= :last order by key;

-- name: lexical_blocks_newest
select coalesce(max(key), 0) from lexical_blocks where project = :project;

-- name: snapshot_begin
insert into snapshots (project, id, ready, created_at) values (:project, :id, 0, :now);

-- name: snapshot_finish
update snapshots set ready = 1 where project = :project and id = :id;

-- name: snapshot_forget
delete from snapshots where project = :project and id = :id;

-- name: snapshots_known
select id, ready from snapshots where project = :project order by id;

-- name: chunk_changes_after
select key, chunk from chunk_changes where project = :project and key > :after order by key;

-- name: chunk_changes_newest
select coalesce(max(key), 0) from chunk_changes where project = :project;

-- name: chunk_changes_forget
delete from chunk_changes where project = :project and key <= :last;

-- name: vectors_newest
-- From the end of the table: an index on the project would be read from end to end.
select coalesce((select key from vectors where +project = :project order by key desc limit 1), 0);

-- name: chunks_with_new_vectors
select distinct ci.chunk from vectors v cross join chunk_inputs ci on ci.input = v.input
where v.key > :after and +v.project = :project and +v.profile in (:full, :fast) and ci.project = :project;

-- name: chunk_places
select c.key, c.document from chunks c where c.project = :project and c.key > :after order by c.key limit :limit;

-- name: chunk_runs
select c.document, min(c.key), max(c.key), count(*) from documents d
cross join chunks c indexed by chunks_by_document on c.document = d.key
where d.project = :project group by d.key;

-- name: chunk_places_of
select c.key, c.document from json_each(:keys) k cross join chunks c on c.key = k.value
where c.project = :project order by c.key;

-- name: chunk_sections
select c.key, c.document, c.section from json_each(:keys) k cross join chunks c on c.key = k.value
where c.project = :project order by c.key;

-- name: section_levels
select s.document, s.ordinal, s.level from json_each(:documents) d
cross join sections s on s.project = :project and s.document = d.value order by s.document, s.ordinal;

-- name: document_uris
select key, uri from documents where project = :project;

-- name: document_uris_of
select d.key, d.uri from json_each(:keys) k cross join documents d on d.key = k.value where d.project = :project;

-- name: documents_admitted
-- What filters say of documents alone: there is no chunk here for the others to look at. The row of nulls stands for it:
-- an empty selection from the chunks would be looked for in all of them, once for each document.
select d.key from documents d
cross join (
  select null as project, null as document, null as section, null as signature, null as content_type, null as start,
    null as "end") c
where d.project = :project
-- include: filters
order by d.key;

-- name: windows_of
select ci.chunk, ci.input, f.data, s.data from json_each(:keys) k cross join chunk_inputs ci on ci.chunk = k.value
left join vectors f on f.project = :project and f.profile = :full and f.input = ci.input
left join vectors s on s.project = :project and s.profile = :fast and s.input = ci.input and f.key is null
where ci.project = :project order by ci.chunk, ci.window;
