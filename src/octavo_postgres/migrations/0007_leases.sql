-- Who does what only one may do at a time, and when each folder was last compared with the library.

create table leases (
  project bigint not null references projects (key),
  name text collate "C" not null,
  holder text not null,
  taken_at double precision not null,
  expires_at double precision not null,
  detail text not null,
  primary key (project, name)
);

create table checks (
  project bigint not null references projects (key),
  collection bigint not null references collections (key) on delete cascade,
  checked_at double precision not null,
  primary key (project, collection)
);
