-- What was asked, what was shown for it and what was opened, where somebody wants that kept. Ids, not keys: a document
-- that was removed and comes back has the same id.

create table if not exists query_log (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  at real not null,
  query text not null,
  profile text not null
);

create index if not exists query_log_by_time on query_log (project, at);

create table if not exists query_log_hits (
  project integer not null references projects (key),
  query integer not null references query_log (key) on delete cascade,
  rank integer not null,
  document text not null,
  chunk text not null,
  opened integer not null default 0,
  primary key (project, query, rank)
);

create index if not exists query_log_hits_by_document on query_log_hits (document, query);
