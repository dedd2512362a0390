-- What was written to notes: by whom, why, and the bytes a file had before, so that a write can be undone exactly.

create table note_writes (
  project integer not null references projects (key),
  collection integer not null references collections (key) on delete cascade,
  uri text not null,
  number integer not null,
  written_at real not null,
  operation text not null,
  author text not null,
  reason text not null,
  hash text not null,
  old_content text,
  primary key (project, collection, uri, number)
) without rowid;
