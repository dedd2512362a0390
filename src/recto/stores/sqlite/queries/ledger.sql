-- name: ledger_entries
select uri, outcome, size, mtime_ns, inode, content_hash, recipe_id, document_id, reason, warnings
from ledger where project = :project and collection = :collection;

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
