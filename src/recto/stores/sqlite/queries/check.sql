-- name: check_lexical
select n || ' chunks are missing from the lexical index'
from (select count(*) as n from chunks c where not exists (select 1 from lexical_docsize l where l.id = c.key))
where n > 0
union all
select n || ' rows of the lexical index belong to no chunk'
from (select count(*) as n from lexical_docsize l where not exists (select 1 from chunks c where c.key = l.id))
where n > 0;

-- name: check_versions
select 'version ' || d.version || ' of ' || d.uri || ' is missing' from documents d
where not exists (
  select 1 from document_versions v
  where v.project = d.project and v.document = d.key and v.version = d.version and v.text_hash = d.text_hash);

-- name: check_texts
select 'the text of version ' || v.version || ' of ' || v.uri || ' is missing' from document_versions v
where not exists (select 1 from texts t where t.project = v.project and t.hash = v.text_hash);

-- name: check_memories
select 'the text of version ' || v.number || ' of ' || m.id || ' is missing' from memory_versions v
join memory_items m on m.key = v.item
where not exists (select 1 from texts t where t.project = v.project and t.hash = v.text_hash)
union all
select 'version ' || m.version || ' of ' || m.id || ' is missing' from memory_items m
where not exists (
  select 1 from memory_versions v where v.project = m.project and v.item = m.key and v.number = m.version);
