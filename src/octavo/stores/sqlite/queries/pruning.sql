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
