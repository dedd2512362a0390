-- name: check_lexical
-- Outer joins walk through both trees once; `not exists` starts from the root for every row, in four times the time.
select n || ' chunks are missing from the lexical index'
from (select count(*) as n from chunks c left join lexical_docsize l on l.id = c.key where l.id is null)
where n > 0
union all
select n || ' rows of the lexical index belong to no chunk'
from (select count(*) as n from lexical_docsize l left join chunks c on c.key = l.id where c.key is null)
where n > 0;

-- name: check_versions
select 'version ' || d.version || ' of ' || d.uri || ' is missing' from documents d
where not exists (
  select 1 from document_versions v
  where v.project = d.project and v.document = d.key and v.version = d.version and v.text_hash = d.text_hash);

-- name: check_texts
select 'the text of version ' || v.version || ' of ' || v.uri || ' is missing' from document_versions v
where not exists (select 1 from texts t where t.project = v.project and t.hash = v.text_hash);

-- name: versions_unreadable
select v.text_hash, 'the text of version ' || v.version || ' of ' || v.uri from document_versions v
where v.text_hash in (select unhex(value) from json_each(:hashes))
or not exists (select 1 from texts t where t.project = v.project and t.hash = v.text_hash)
order by v.uri, v.version;

-- name: check_memories
select 'the text of version ' || v.number || ' of ' || m.id || ' is missing' from memory_versions v
join memory_items m on m.key = v.item
where not exists (select 1 from texts t where t.project = v.project and t.hash = v.text_hash)
union all
select 'version ' || m.version || ' of ' || m.id || ' is missing' from memory_items m
where not exists (
  select 1 from memory_versions v where v.project = m.project and v.item = m.key and v.number = m.version)
union all
select m.id || ' stands at version ' || m.version || ', and its newest is ' || m.newest
from (
  select i.id, i.version, (
    select max(v.number) from memory_versions v where v.project = i.project and v.item = i.key) as newest
  from memory_items i) m
where m.newest > m.version;

-- name: check_ledger
select n || ' rows of the ledger name documents that are missing'
from (select count(*) as n from ledger l where l.document_id is not null and l.outcome = 'indexed' and not exists (
  select 1 from documents d where d.project = l.project and d.id = l.document_id)) missing
where n > 0;

-- name: check_documents_count
select count(*), coalesce(max(key), 0) from documents;

-- name: check_vectors_count
select count(*), coalesce(max(key), 0) from vectors;

-- name: checked_documents
-- Each with its text.
select d.key, d.uri, d.id, p.id, c.id, d.title, d.title_folded, d.tags, d.aliases, d.metadata, d.text_hash, t.data
from documents d
join projects p on p.key = d.project
join collections c on c.key = d.collection
left join texts t on t.project = d.project and t.hash = d.text_hash
where d.key in (select value from json_each(:keys)) order by d.key;

-- name: checked_chunks
select c.document, c.id, c.start, c."end", c.first_line, c.last_line, c.text_hash, s.ordinal
from chunks c
left join sections s on s.project = c.project and s.document = c.document and s.ordinal = c.section
where c.document in (select value from json_each(:documents));

-- name: checked_sections
select s.document, s.path, s.path_folded, s.start, s."end" from documents d
join sections s on s.project = d.project and s.document = d.key
where d.key in (select value from json_each(:documents));

-- name: checked_inputs
select c.document, ci.start, ci."end", ci.context, i.hash
from chunks c
join chunk_inputs ci on ci.chunk = c.key
join inputs i on i.key = ci.input
where c.document in (select value from json_each(:documents));

-- name: checked_vectors
select v.key, v.data, v.checksum, p.body from vectors v join embedding_profiles p on p.key = v.profile
where v.key in (select value from json_each(:keys)) order by v.key;

-- name: vectors_remove_keys
delete from vectors where key in (select value from json_each(:keys));

-- name: embedded_upto_forget_all
delete from embedded_upto;

-- name: text_remove
delete from texts where hash = :hash;

-- name: documents_without_text_remove
-- What cannot be shown must not be found. A file is read again, from its folder.
delete from documents where not exists (
  select 1 from texts t where t.project = documents.project and t.hash = documents.text_hash);

-- name: ledger_without_document_remove
delete from ledger where document_id is not null and not exists (
  select 1 from documents d where d.project = ledger.project and d.id = ledger.document_id);

-- name: versions_without_text_remove
delete from document_versions where not exists (
  select 1 from texts t where t.project = document_versions.project and t.hash = document_versions.text_hash)
or exists (
  select 1 from documents d
  where d.project = document_versions.project and d.key = document_versions.document
    and d.version = document_versions.version and d.text_hash <> document_versions.text_hash);

-- name: versions_of_current_put
insert into document_versions (project, document, version, document_id, uri, title, text_hash, modified_at, indexed_at)
select d.project, d.key, d.version, d.id, d.uri, d.title, d.text_hash, d.modified_at, d.modified_at from documents d
where not exists (
  select 1 from document_versions v where v.project = d.project and v.document = d.key and v.version = d.version);
