-- Snapshots: what a library's accelerators are made from, and how they learn what changed since.

-- The analysed tokens of chunks, in blocks as they were written: the lexical index keeps no second copy of them.
-- A chunk that is in several blocks counts as the newest has it; one that no longer exists counts for nothing.
create table lexical_blocks (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  chunks blob not null,
  data blob not null
);

create index lexical_blocks_by_project on lexical_blocks (project, key);

-- Known before it is built, so that nothing that changes meanwhile is missed; `ready` once it may be read.
create table snapshots (
  project integer not null references projects (key),
  id text not null,
  ready integer not null,
  created_at real not null,
  primary key (project, id)
) without rowid;

-- Chunks that went, or that were written again under the same key. Kept only where a snapshot has to be told.
create table chunk_changes (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  chunk integer not null
);

create index chunk_changes_by_project on chunk_changes (project, key);

create trigger chunks_that_go after delete on chunks
when exists (select 1 from snapshots where project = old.project) begin
  insert into chunk_changes (project, chunk) values (old.project, old.key);
end;

create trigger chunks_that_are_rewritten after update of id on chunks
when exists (select 1 from snapshots where project = old.project) begin
  insert into chunk_changes (project, chunk) values (old.project, old.key);
end;
