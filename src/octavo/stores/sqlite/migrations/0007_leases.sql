-- Who does what only one may do at a time, and when each folder was last compared with the library.

create table leases (
  project integer not null references projects (key),
  name text not null,
  holder text not null,
  taken_at real not null,
  expires_at real not null,
  detail text not null,
  primary key (project, name)
) without rowid;

create table checks (
  project integer not null references projects (key),
  collection integer not null references collections (key) on delete cascade,
  checked_at real not null,
  primary key (project, collection)
) without rowid;
