-- name: texts_known
select hash from texts where project = :project and hash in (select unhex(value) from json_each(:hashes));

-- name: text_put
insert into texts (project, hash, size, data) values (:project, :hash, :size, :data)
on conflict (project, hash) do nothing;

-- name: texts
select hash, data from texts
where project = :project and hash in (select unhex(value) from json_each(:hashes));

-- name: texts_after
select key, hash, data from texts where key > :after order by key limit :limit;

-- name: document_at
select key, version, text_hash, id from documents
where project = :project and collection = :collection and uri = :uri;

-- name: documents_at
select uri, key, version, text_hash from documents
where project = :project and collection = :collection and uri in (select value from json_each(:uris));

-- name: document_put
insert into documents (
  key, project, collection, id, uri, kind, title, title_folded, language, description, tags, aliases, metadata,
  text_hash, modified_at, version)
values (
  :key, :project, :collection, :id, :uri, :kind, :title, :title_folded, :language, :description, :tags, :aliases,
  :metadata, :text_hash, :modified_at, :version)
on conflict (key) do update set
  id = excluded.id, uri = excluded.uri, kind = excluded.kind, title = excluded.title,
  title_folded = excluded.title_folded, language = excluded.language, description = excluded.description, tags = excluded.tags, aliases = excluded.aliases, metadata = excluded.metadata,
  text_hash = excluded.text_hash, modified_at = excluded.modified_at, version = excluded.version;

-- name: document_chunks_remove
delete from chunks where document = :document;

-- name: document_sections_remove
delete from sections where project = :project and document = :document;

-- name: document_tags_remove
delete from document_tags where project = :project and document = :document;

-- name: document_tag_put
insert into document_tags (project, document, tag) values (:project, :document, :tag) on conflict do nothing;

-- name: section_put
insert into sections (project, document, ordinal, id, path, path_folded, level, anchor, start, "end")
values (:project, :document, :ordinal, :id, :path, :path_folded, :level, :anchor, :start, :end);

-- name: chunk_add
-- For keys nobody has had: a third cheaper than `chunk_put`, which has to ask.
insert into chunks (
  key, project, document, section, ordinal, id, start, "end", first_line, last_line, text_hash, tokens,
  content_type, signature)
values (
  :key, :project, :document, :section, :ordinal, :id, :start, :end, :first_line, :last_line, :text_hash, :tokens,
  :content_type, :signature);

-- name: chunk_put
insert into chunks (
  key, project, document, section, ordinal, id, start, "end", first_line, last_line, text_hash, tokens,
  content_type, signature)
values (
  :key, :project, :document, :section, :ordinal, :id, :start, :end, :first_line, :last_line, :text_hash, :tokens,
  :content_type, :signature)
on conflict (key) do update set
  section = excluded.section, ordinal = excluded.ordinal, id = excluded.id, start = excluded.start,
  "end" = excluded."end", first_line = excluded.first_line, last_line = excluded.last_line,
  text_hash = excluded.text_hash, tokens = excluded.tokens, content_type = excluded.content_type,
  signature = excluded.signature;

-- name: document_chunks
select key, text_hash from chunks where document = :document order by ordinal;

-- name: document_remove
delete from documents where project = :project and id = :id;

-- name: version_put
insert into document_versions (
  project, document, version, document_id, uri, title, text_hash, modified_at, indexed_at)
values (:project, :document, :version, :id, :uri, :title, :text_hash, :modified_at, :now);

-- name: versions_rename
update document_versions set document_id = :id where project = :project and document = :document;

-- name: version_mark_removed
update document_versions set removed_at = :now
where (project, document, version) = (select project, key, version from documents where project = :project and id = :id);

-- name: version_restore
update document_versions set removed_at = null
where project = :project and document = :document
  and version = (select max(version) from document_versions where project = :project and document = :document);

-- name: last_versions
-- The index is named: without statistics the planner takes the primary key, and reads every version of the project.
select v.document_id, v.document, v.version, v.text_hash
from json_each(:ids) wanted
cross join document_versions v indexed by document_versions_by_id
  on v.project = :project and v.document_id = wanted.value
where not exists (
  select 1 from document_versions w indexed by document_versions_by_id
  where w.project = v.project and w.document_id = v.document_id and w.version > v.version);

-- name: versions
select version, uri, title, text_hash, modified_at, indexed_at, removed_at
from document_versions where project = :project and document_id = :id order by version;

-- name: fragment_begun
-- A version begins when its file was modified. A file that was copied with its time kept (`cp -p`, `rsync -a`) says that
-- this was before the version before it was read, or removed: then it begins when it was indexed itself.
      and (v.indexed_at <= :as_of or (v.modified_at <= :as_of and not exists (
        select 1 from document_versions u
        where u.project = v.project and u.document = v.document and u.version < v.version
          and (u.indexed_at > v.modified_at or u.removed_at > v.modified_at))))

-- name: past_versions
-- What documents said at a time and no longer say: they changed since, or are gone.
select p.document_id, p.version, p.uri, p.title, p.text_hash, p.modified_at, p.indexed_at, p.removed_at
from document_versions p
left join documents d on d.project = p.project and d.key = p.document
where p.project = :project and (p.removed_at is null or p.removed_at > :as_of)
  and (d.key is null or d.version <> p.version)
  and p.version = (
    select max(v.version) from document_versions v
    where v.project = p.project and v.document = p.document
-- include: begun
  )
order by p.document_id;

-- name: fragment_stored
select d.id, col.id, col.name, d.uri, d.kind, d.title, d.language, d.description, d.tags, d.aliases,
  d.text_hash, d.modified_at, d.version, d.metadata
from documents d join collections col on col.key = d.collection

-- name: document_get
-- include: stored
where d.project = :project and d.id = :id;

-- name: documents_find
-- include: stored
where d.project = :project and d.uri = :uri and d.collection in (
  select key from collections where project = :project and (:collection is null or id = :collection))
order by col.name;

-- name: document_sections
select s.id, s.path, s.level, s.anchor, s.start, s."end"
from sections s join documents d on d.key = s.document
where d.project = :project and d.id = :id and s.project = :project order by s.ordinal;

-- name: sections_touching
-- `places` are the numbers of places, documents, starts and ends. A cross join keeps the order of the tables.
select p.value ->> 0, s.id, s.path, s.level, s.anchor, s.start, s."end"
from json_each(:places) p
cross join documents d on d.project = :project and d.id = p.value ->> 1
cross join sections s on s.project = d.project and s.document = d.key
where s.start < p.value ->> 3 and s."end" > p.value ->> 2 order by 1, s.ordinal;

-- name: chunk_key
select key from chunks where project = :project and id = :id;

-- name: candidates
-- A cross join keeps the order of the tables: without statistics the planner reads every chunk and looks it up among the
-- wanted ones, which costs the size of the library. A sequence is read from a document's metadata, which takes a sixth of
-- the time: only where the project has one.
select c.key, c.id, d.id, col.name, d.uri, d.kind, d.title, s.path, c.start, c."end", c.first_line, c.last_line,
  d.text_hash, d.modified_at,
  case when exists (select 1 from documents e where e.project = :project and e.sequence is not null)
    then d.sequence is not null else false end,
  c.ordinal, c.section, d.language, c.content_type
from json_each(:keys) k
cross join chunks c on c.key = k.value
cross join documents d on d.key = c.document
join collections col on col.key = d.collection
join sections s on s.project = c.project and s.document = c.document and s.ordinal = c.section
where c.project = :project;

-- name: document_lengths
select c.key, (select count(*) from chunks x where x.document = c.document)
from json_each(:keys) k cross join chunks c on c.key = k.value where c.project = :project;

-- name: chunk_neighbours
-- `cross join` keeps the order written: from the few keys asked for outwards. Chunks are counted once for each of these.
with asked as materialized (
  select c.key, c.project, c.document, c.ordinal, (select count(*) from chunks x where x.document = c.document) as total
  from json_each(:keys) k cross join chunks c on c.key = k.value)
select c.key, n.key, n.ordinal - c.ordinal, c.total
from asked c
cross join chunks n on n.document = c.document and n.ordinal between c.ordinal - :reach and c.ordinal + :reach
where c.project = :project and n.key <> c.key
union all
select c.key, n.key, e.position - d.position, 1
from json_each(:keys) k
cross join chunks c on c.key = k.value
cross join documents d on d.key = c.document
cross join documents e on e.project = d.project and e.collection = d.collection and e.sequence = d.sequence
  and e.position between d.position - :reach and d.position + :reach and e.key <> d.key
cross join chunks n on n.document = e.key and n.ordinal = 0
where c.project = :project and d.sequence is not null and e.sequence is not null
  and not exists (select 1 from chunks more where more.document = c.document and more.ordinal = 1)
  and not exists (select 1 from chunks more where more.document = e.key and more.ordinal = 1);

-- name: fragment_filters
  and (:collections is null or d.collection in (
    select key from collections where project = :project and name in (select value from json_each(:collections))))
  and (:path_prefix is null or substr(d.uri, 1, length(:path_prefix)) = :path_prefix)
  and (:uris is null or d.uri in (select value from json_each(:uris)))
  and (:not_uris is null or d.uri not in (select value from json_each(:not_uris)))
  and (:kinds is null or d.kind in (select value from json_each(:kinds)))
  and (:languages is null
    or d.language in (select value from json_each(:languages))
    or (d.language is null and c.signature <> '' and exists (
      select 1 from json_each(:languages) l where instr(' ' || c.signature || ' ', ' ' || l.value || ' ') > 0))
    or ('*' in (select value from json_each(:languages)) and coalesce(d.language, nullif(c.signature, '')) is not null))
  and (:documents is null or d.key in (select value from json_each(:documents)))
  and (:content_types is null or c.content_type in (select value from json_each(:content_types)))
  and (:modified_after is null or d.modified_at >= :modified_after)
  and (:modified_before is null or d.modified_at < :modified_before)
  and (:as_of is null or exists (
    select 1 from document_versions v
    where v.project = d.project and v.document = d.key and v.version = d.version
-- include: begun
  ))
  and (:title_contains is null or instr(d.title_folded, :title_contains) > 0)
  and (:tags_all is null or not exists (
    select 1 from json_each(:tags_all) wanted where not exists (
      select 1 from document_tags t where t.project = d.project and t.document = d.key
        and (t.tag = wanted.value or substr(t.tag, 1, length(wanted.value) + 1) = wanted.value || '/'))))
  and (:tags_any is null or exists (
    select 1 from json_each(:tags_any) wanted, document_tags t
    where t.project = d.project and t.document = d.key
      and (t.tag = wanted.value or substr(t.tag, 1, length(wanted.value) + 1) = wanted.value || '/')))
  and (:heading_contains is null or exists (
    select 1 from sections s where s.project = c.project and s.document = c.document
      and s.start < c."end" and s."end" > c.start and instr(s.path_folded, :heading_contains) > 0))

-- name: properties
select key, title, description, tags, aliases, metadata from documents
where project = :project and (:any = 1 or metadata <> '{}');

-- name: documents_recent
-- include: stored
where d.project = :project and d.kind not in ('commit', 'memory')
order by d.modified_at desc, col.name, d.uri limit :count;

-- name: documents_listed
-- What filters say of documents alone. The row of nulls stands for a chunk.
-- include: stored
cross join (
  select cast(null as integer) as project, cast(null as integer) as document, cast(null as text) as signature,
    cast(null as text) as content_type, cast(null as integer) as start, cast(null as integer) as "end") c
where d.project = :project and d.kind <> 'commit'
-- include: filters
order by col.name, d.uri;

-- name: documents_of_kind
select 1 from documents where project = :project and kind = :kind limit 1;

-- name: chunks_more_than
select 1 from chunks where project = :project limit 1 offset :count;

-- name: chunks_admitted
-- Documents first: most filters look at the document only, and there are far fewer of them.
select c.key from documents d cross join chunks c on c.document = d.key
where d.project = :project
-- include: filters
order by c.key;

-- name: document_touch
update documents set modified_at = :modified_at where project = :project and id = :id;
