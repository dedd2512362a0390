-- name: versions_earlier
select v.document, v.version,
  coalesce(v.removed_at, (
    select min(w.indexed_at) from document_versions w
    where w.project = v.project and w.document = v.document and w.version > v.version), v.indexed_at) as replaced_at,
  coalesce(t.size, 0)
from document_versions v left join texts t on t.project = v.project and t.hash = v.text_hash
where v.project = :project and not exists (
  select 1 from documents d where d.project = v.project and d.key = v.document and d.version = v.version)
order by replaced_at, v.document, v.version;

-- name: version_remove
delete from document_versions where project = :project and document = :document and version = :version;

-- name: fragment_unused_texts
from texts where texts.project = :project
  and not exists (select 1 from documents d where d.project = texts.project and d.text_hash = texts.hash)
  and not exists (select 1 from document_versions v where v.project = texts.project and v.text_hash = texts.hash)
  and not exists (select 1 from memory_versions m where m.project = texts.project and m.text_hash = texts.hash)

-- name: fragment_unused_vectors
from vectors where vectors.project = :project
  and not exists (select 1 from chunk_inputs c where c.input = vectors.input)

-- name: unused
select
  (select count(*)
-- include: unused_texts
  ),
  (select cast(coalesce(sum(texts.size), 0) as bigint)
-- include: unused_texts
  ),
  (select count(*)
-- include: unused_vectors
  );

-- name: texts_unused_remove
delete
-- include: unused_texts
;

-- name: vectors_unused_remove
delete
-- include: unused_vectors
;

-- name: inputs_unused_remove
delete from inputs where inputs.project = :project
  and not exists (select 1 from chunk_inputs c where c.input = inputs.key)
  and not exists (select 1 from vectors v where v.input = inputs.key);

-- name: references_unused_remove
delete from graph_references where project = :project
  and not exists (select 1 from graph_links l where l.reference = graph_references.key);

-- name: project_texts
select key, hash, data from texts where project = :project and key > :after order by key limit :limit;

-- name: texts_of_collection
select d.text_hash from documents d join collections c on c.key = d.collection
where d.project = :project and c.id = :collection
union
select v.text_hash from document_versions v
join documents d on d.project = v.project and d.key = v.document
join collections c on c.key = d.collection
where v.project = :project and c.id = :collection;

-- name: text_titles
select title from document_versions where project = :project and text_hash = :before
union
select title from memory_versions where project = :project and text_hash = :before;

-- name: document_versions_replace_text
update document_versions set text_hash = :after, title = :title
where project = :project and text_hash = :before and title = :title_before;

-- name: memory_versions_replace_text
update memory_versions set text_hash = :after, title = :title
where project = :project and text_hash = :before and title = :title_before;

-- name: version_titles
select distinct title, text_hash from document_versions where project = :project;

-- name: version_retitle
update document_versions set title = :title
where project = :project and text_hash = :before and title = :title_before;

-- name: memory_versions_unlock
drop trigger memory_versions_never_change;

-- name: memory_versions_lock
create trigger if not exists memory_versions_never_change before update on memory_versions begin
  select raise(abort, 'a version of a memory never changes');
end;

-- name: memory_items_retitle
update memory_items set title = :title where project = :project and title = :title_before;

-- name: memories_of_text
select m.id from memory_items m join memory_versions v on v.project = m.project and v.item = m.key and v.number = m.version
where m.project = :project and v.text_hash = :after and m.status = 'active' order by m.id;
