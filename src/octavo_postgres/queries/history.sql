-- name: commits_touching
select hash, name, uri, title, committed_at, id, metadata from (
  select distinct on (c.document)
    c.hash, col.name, d.uri, d.title, c.committed_at, d.id, d.metadata
  from json_each(:paths) wanted
  join commit_paths p on p.project = :project and p.path = wanted.value
  join commit_files f on f.project = :project and f.path = p.key
  join commits c on c.document = f.document
  join documents d on d.key = c.document
  join collections col on col.key = c.collection
  where (:collection is null or col.id = :collection)
  order by c.document) found
order by committed_at desc, hash limit :limit;
