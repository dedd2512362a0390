-- Fast vectors become full ones: up to where that is done, and what was found most often meanwhile.

-- Every input up to this one that a current chunk has, has its vector: what lies below need not be looked at again.
create table embedded_upto (
  project integer not null references projects (key),
  profile integer not null references embedding_profiles (key),
  input integer not null,
  primary key (project, profile)
) without rowid;

-- How often searches showed a chunk that waits for its full vector. Forgotten once none waits.
create table chunk_hits (
  project integer not null references projects (key),
  chunk integer not null,
  hits integer not null,
  primary key (project, chunk)
) without rowid;

-- With its project, so that what waits is found by the index alone.
drop index chunk_inputs_by_input;
create index chunk_inputs_by_input on chunk_inputs (input, project);
