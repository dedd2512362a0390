-- name: memory_put
insert into memory_items (
  project, id, kind, scope, title, tags, links, metadata, pinned, status, version, fingerprint, created_at, updated_at,
  canonical_key, doc_class, sequence, position)
values (
  :project, :id, :kind, :scope, :title, :tags, :links, :metadata, :pinned, :status, :version, :fingerprint,
  :created_at, :updated_at, :canonical_key, :doc_class, :sequence, :position)
on conflict (project, id) do update set
  kind = excluded.kind, scope = excluded.scope, title = excluded.title, tags = excluded.tags, links = excluded.links,
  metadata = excluded.metadata, pinned = excluded.pinned, status = excluded.status, version = excluded.version,
  fingerprint = excluded.fingerprint, created_at = excluded.created_at, updated_at = excluded.updated_at,
  canonical_key = excluded.canonical_key, doc_class = excluded.doc_class, sequence = excluded.sequence, position = excluded.position;

-- name: memory_links_remove
delete from memory_links
where project = :project and item = (select key from memory_items where project = :project and id = :id);

-- name: memory_link_put
insert into memory_links (project, item, ordinal, target, type)
select :project, m.key, :ordinal, :target, :type from memory_items m where m.project = :project and m.id = :id;

-- name: memory_last_position
select coalesce(max(position), 0) from memory_items where project = :project and sequence = :sequence;

-- name: memories_validity
select m.id, v.valid_from, v.valid_to
from json_each(:items) wanted
cross join memory_items m on m.project = :project and m.id = wanted.value
cross join memory_versions v on v.project = :project and v.item = m.key and v.number = m.version;

-- name: memories_linking
select l.target, l.type, m.id from memory_links l join memory_items m on m.key = l.item
where l.project = :project and l.target in (select value from json_each(:targets)) and m.status = 'active'
  and (:types is null or l.type in (select value from json_each(:types)))
order by l.target, m.created_at, m.id, l.ordinal;

-- name: memory_version_put
insert into memory_versions (
  project, item, number, title, text_hash, tags, author, reason, session, created_at, valid_from, valid_to, supersedes)
select
  :project, m.key, :number, :title, :text_hash, :tags, :author, :reason, :session, :created_at, :valid_from, :valid_to,
  :supersedes
from memory_items m where m.project = :project and m.id = :id;

-- name: memory_commit_put
insert into memory_commits (
  project, item, action, version, status, pinned, author, reason, session, idempotency_key, payload, at)
select :project, m.key, :action, :version, :status, :pinned, :author, :reason, :session, :idempotency_key, :payload, :at
from memory_items m where m.project = :project and m.id = :id;

-- name: fragment_memory
select m.id, m.kind, m.scope, m.title, m.tags, m.links, m.metadata, m.pinned, m.status, m.version, m.fingerprint,
  m.created_at, m.updated_at, m.canonical_key, m.doc_class, m.sequence, m.position
from memory_items m

-- name: memory_get
-- include: memory
where m.project = :project and m.id = :id;

-- name: memory_under
-- include: memory
where m.project = :project and m.canonical_key = :canonical_key;

-- name: memories_same_text
-- include: memory
where m.project = :project and m.scope = :scope and m.fingerprint = :fingerprint and m.status = 'active'
order by m.created_at, m.id;

-- name: fragment_memories_wanted
where m.project = :project
  and (:kinds is null or m.kind in (select value from json_each(:kinds)))
  and (:scopes is null or m.scope in (select value from json_each(:scopes)))
  and (:status is null or m.status = :status)
  and (not :pinned_only or m.pinned)
  and (:created_after is null or m.created_at >= :created_after)
  and (:created_before is null or m.created_at < :created_before)
  and (:items is null or m.id in (select value from json_each(:items)))
  and (:not_items is null or m.id not in (select value from json_each(:not_items)))
  and (not :canonical_only or m.canonical_key is not null)
  and (:doc_classes is null or m.doc_class in (select value from json_each(:doc_classes)))
  and (:sequences is null or m.sequence in (select value from json_each(:sequences)))

-- name: memories_find
-- include: memory
-- include: memories_wanted
order by m.created_at, m.id;

-- name: memories_named
select m.id, m.tags from memory_items m
-- include: memories_wanted
order by m.created_at, m.id;

-- name: memory_versions
select v.number, v.title, v.text_hash, v.tags, v.author, v.reason, v.session, v.created_at, v.valid_from, v.valid_to,
  v.supersedes
from memory_versions v join memory_items m on m.key = v.item
where m.project = :project and m.id = :id and v.project = :project order by v.number;

-- name: fragment_memory_commit
select m.id, c.action, c.version, c.status, c.pinned, c.author, c.reason, c.session, c.idempotency_key, c.payload, c.at
from memory_commits c join memory_items m on m.key = c.item

-- name: memory_commits
-- include: memory_commit
where m.project = :project and m.id = :id and c.project = :project order by c.key;

-- name: memory_commit_under
-- include: memory_commit
where c.project = :project and c.idempotency_key = :idempotency_key;

-- name: memory_moments
-- include: memory_commit
where c.project = :project and c.key in (
  select max(key) from memory_commits where project = :project and at <= :instant group by item)
order by c.key;

-- name: memory_session_put
insert into memory_sessions (project, id, title, author, started_at, ended_at, summary)
values (:project, :id, :title, :author, :started_at, :ended_at, :summary)
on conflict (project, id) do update set
  title = excluded.title, author = excluded.author, ended_at = excluded.ended_at, summary = excluded.summary;

-- name: memory_session
select id, title, author, started_at, ended_at, summary from memory_sessions where project = :project and id = :id;

-- name: memory_sessions
select id, title, author, started_at, ended_at, summary from memory_sessions where project = :project
order by started_at, id;

-- name: memory_file_put
insert into memory_files (project, folder, path, item, version, digest)
values (:project, :folder, :path, :item, :version, :digest)
on conflict (project, folder, path) do update set
  item = excluded.item, version = excluded.version, digest = excluded.digest;

-- name: memory_file_remove
delete from memory_files where project = :project and folder = :folder and path = :path;

-- name: memory_folders
select distinct folder from memory_files where project = :project order by folder;

-- name: memory_files
select path, item, version, digest from memory_files where project = :project and folder = :folder order by path;
