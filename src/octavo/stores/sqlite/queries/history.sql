-- name: commit_documents
select id, key from documents where project = :project and id in (select value from json_each(:ids));

-- name: commit_put
insert into commits (project, collection, repository, hash, document, author, committed_at, made_by)
values (:project, :collection, :repository, :hash, :document, :author, :committed_at, :made_by)
on conflict (project, collection, repository, hash) do update set
  document = excluded.document, author = excluded.author, committed_at = excluded.committed_at,
  made_by = excluded.made_by;

-- name: commit_path_put
insert into commit_paths (project, path) values (:project, :path) on conflict (project, path) do nothing;

-- name: commit_file_put
insert into commit_files (project, path, document)
select :project, key, :document from commit_paths where project = :project and path = :path
on conflict (project, path, document) do nothing;

-- name: commits_known
select repository, hash, made_by from commits where project = :project and collection = :collection;

-- name: commits_any
select 1 from commits where project = :project limit 1;

-- name: commit_paths
select path from commit_paths where project = :project order by path;

-- name: fragment_found_commit
select c.hash, col.name, d.uri, d.title, c.committed_at, d.id, d.metadata
from commits c
cross join documents d on d.key = c.document
join collections col on col.key = c.collection

-- name: commits_found
-- include: found_commit
where c.project = :project and c.hash >= :first and c.hash < :last
order by col.name, d.uri;

-- name: commits_newest
-- include: found_commit
where c.project = :project and (:collection is null or col.id = :collection)
order by c.committed_at desc, c.hash limit :limit;

-- name: commits_touching
-- The cross joins keep the order of the tables: from the few paths asked for outwards.
select c.hash, col.name, d.uri, d.title, c.committed_at, d.id, d.metadata
from json_each(:paths) wanted
cross join commit_paths p on p.project = :project and p.path = wanted.value
cross join commit_files f on f.project = :project and f.path = p.key
cross join commits c on c.document = f.document
cross join documents d on d.key = c.document
join collections col on col.key = c.collection
where (:collection is null or col.id = :collection)
group by c.document
order by c.committed_at desc, c.hash limit :limit;

-- name: commits_by_author
select d.uri from commits c cross join documents d on d.key = c.document
where c.project = :project and (:author is null or instr(c.author, :author) > 0) order by d.uri;

-- name: commits_by_path
select distinct d.uri from json_each(:paths) wanted
cross join commit_paths p on p.project = :project and p.path = wanted.value
cross join commit_files f on f.project = :project and f.path = p.key
cross join commits c on c.document = f.document
cross join documents d on d.key = c.document
where (:author is null or instr(c.author, :author) > 0) order by d.uri;
