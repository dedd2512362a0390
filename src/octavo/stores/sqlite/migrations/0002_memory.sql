-- Memory: items with their versions, the log of every change, sessions; and the outbox of promised work.

create table memory_items (
  key integer primary key,
  project integer not null references projects (key),
  id text not null,
  kind text not null,
  scope text not null,
  title text not null,
  tags text not null,
  links text not null,
  metadata text not null,
  pinned integer not null,
  status text not null,
  version integer not null,
  fingerprint blob not null,
  created_at real not null,
  updated_at real not null,
  unique (project, id)
);

create index memory_items_by_text on memory_items (project, scope, fingerprint);

create table memory_versions (
  project integer not null references projects (key),
  item integer not null references memory_items (key),
  number integer not null,
  title text not null,
  text_hash blob not null,
  tags text not null,
  author text not null,
  reason text not null,
  session text,
  created_at real not null,
  valid_from real not null,
  valid_to real,
  supersedes integer,
  primary key (project, item, number)
) without rowid;

create table memory_commits (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  item integer not null references memory_items (key),
  action text not null,
  version integer not null,
  status text not null,
  pinned integer not null,
  author text not null,
  reason text not null,
  session text,
  idempotency_key text,
  payload text not null,
  at real not null,
  unique (project, idempotency_key)
);

create index memory_commits_by_item on memory_commits (project, item, key);

-- History is only ever added to, whoever holds the connection.
create trigger memory_versions_never_change before update on memory_versions begin
  select raise(abort, 'a version of a memory never changes');
end;

create trigger memory_versions_never_go before delete on memory_versions begin
  select raise(abort, 'a version of a memory is never deleted');
end;

create trigger memory_commits_never_change before update on memory_commits begin
  select raise(abort, 'the log of memories never changes');
end;

create trigger memory_commits_never_go before delete on memory_commits begin
  select raise(abort, 'the log of memories is never shortened');
end;

create table memory_sessions (
  project integer not null references projects (key),
  id text not null,
  title text not null,
  author text not null,
  started_at real not null,
  ended_at real,
  summary text not null,
  primary key (project, id)
) without rowid;

create table jobs (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  kind text not null,
  subject text not null,
  payload text not null,
  state text not null,
  attempts integer not null,
  created_at real not null,
  run_after real not null,
  locked_by text not null,
  lease_expires_at real,
  finished_at real,
  error text not null
);

create index jobs_by_state on jobs (project, state, run_after);
create index jobs_by_subject on jobs (project, kind, subject, state);
