-- Up to where vectors are complete, and what was found most often while it waited for its own.

create table embedded_upto (
  project bigint not null references projects (key),
  profile bigint not null references embedding_profiles (key),
  input bigint not null,
  primary key (project, profile)
);

create table chunk_hits (
  project bigint not null references projects (key),
  chunk bigint not null,
  hits bigint not null,
  primary key (project, chunk)
);
