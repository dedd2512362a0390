-- Commits by hash and author, and which of them touched which file. Their texts are documents.

create table commits (
  project integer not null references projects (key),
  collection integer not null references collections (key) on delete cascade,
  repository text not null,
  hash text not null,
  document integer not null references documents (key) on delete cascade,
  author text not null,
  committed_at real not null,
  made_by text not null,
  primary key (project, collection, repository, hash)
) without rowid;

create index commits_by_hash on commits (project, hash);
create index commits_by_document on commits (document);

-- A path is written once: a repository has far fewer files than its commits have changes.
create table commit_paths (
  key integer primary key,
  project integer not null references projects (key),
  path text not null,
  unique (project, path)
);

create table commit_files (
  project integer not null references projects (key),
  path integer not null references commit_paths (key),
  document integer not null references documents (key) on delete cascade,
  primary key (project, path, document)
) without rowid;

create index commit_files_by_document on commit_files (document);
