-- name: fragment_ledger
select l.uri, l.outcome, l.size, l.mtime_ns, l.inode, l.content_hash, l.recipe_id, l.document_id, l.reason, l.warnings

-- name: ledger_entries
-- include: ledger
from ledger l where l.project = :project and l.collection = :collection;

-- name: ledger_repositories
-- include: ledger
from ledger l where l.project = :project and l.collection = :collection and '/' || l.uri like '%/.git';

-- name: ledger_at
-- Below a path stand the uris between `path/` and `path0`: 0 is the character after the slash.
-- include: ledger
from json_each(:paths) p
cross join ledger l on l.project = :project and l.collection = :collection and l.uri = p.value
union
-- include: ledger
from json_each(:paths) p
cross join ledger l on l.project = :project and l.collection = :collection
  and l.uri >= p.value || '/' and l.uri < p.value || '0';

-- name: ledger_stamps
select l.uri, l.size, l.mtime_ns, l.inode from json_each(:uris) u
cross join ledger l on l.project = :project and l.collection = :collection and l.uri = u.value;

-- name: ledger_ending
select l.uri from ledger l join json_each(:extensions) e on lower(l.uri) like '%' || e.value
where l.project = :project and l.collection = :collection order by l.uri;

-- name: ledger_put
insert into ledger (
  project, collection, uri, outcome, size, mtime_ns, inode, content_hash, recipe_id, document_id, reason, warnings)
values (
  :project, :collection, :uri, :outcome, :size, :mtime_ns, :inode, :content_hash, :recipe_id, :document_id, :reason,
  :warnings)
on conflict (project, collection, uri) do update set
  outcome = excluded.outcome, size = excluded.size, mtime_ns = excluded.mtime_ns, inode = excluded.inode,
  content_hash = excluded.content_hash, recipe_id = excluded.recipe_id, document_id = excluded.document_id,
  reason = excluded.reason, warnings = excluded.warnings;

-- name: ledger_forget
delete from ledger where project = :project and collection = :collection and uri = :uri;

-- name: ledger_distrust
update ledger set content_hash = '' where project = :project and collection = :collection and uri = :uri;

-- name: check_put
insert into checks (project, collection, checked_at) values (:project, :collection, :now)
on conflict (project, collection) do update set checked_at = excluded.checked_at;

-- name: checks
select col.id, ch.checked_at from checks ch join collections col on col.key = ch.collection
where ch.project = :project;
