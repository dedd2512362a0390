-- What was written to notes: by whom, why, and the bytes a file had before, so that a write can be undone exactly.

create table if not exists note_writes (
  project bigint not null references projects (key),
  collection bigint not null references collections (key) on delete cascade,
  uri text not null,
  number bigint not null,
  written_at double precision not null,
  operation text not null,
  author text not null,
  reason text not null,
  hash text not null,
  old_content text,
  primary key (project, collection, uri, number)
);
