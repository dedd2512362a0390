-- A library: content-addressed texts, documents with their sections and chunks, a lexical index,
-- embedding inputs with their vectors, and the ledger. Every row carries its project.

create table library (
  name text primary key,
  value integer not null
) without rowid;

insert into library (name, value) values ('generation', 0), ('chunk_key', 0), ('document_key', 0), ('input_key', 0);

create table projects (
  key integer primary key,
  id text not null unique,
  name text not null unique,
  created_at real not null
);

-- A collection's key is never used twice: a process that still remembers a removed one must not meet another.
create table collections (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  id text not null,
  name text not null,
  root text not null,
  settings text not null,
  created_at real not null,
  unique (project, id),
  unique (project, name)
);

create table recipes (
  project integer not null references projects (key),
  id text not null,
  body text not null,
  active integer not null,
  created_at real not null,
  primary key (project, id)
) without rowid;

create table texts (
  key integer primary key,
  project integer not null references projects (key),
  hash blob not null,
  size integer not null,
  data blob not null,
  unique (project, hash)
);

-- What a person looks for is folded in Python: SQLite's own `lower` knows only ASCII.
create table documents (
  key integer primary key,
  project integer not null references projects (key),
  collection integer not null references collections (key),
  id text not null,
  uri text not null,
  kind text not null,
  title text not null,
  title_folded text not null,
  language text,
  description text not null,
  tags text not null,
  aliases text not null,
  metadata text not null,
  text_hash blob not null,
  modified_at real not null,
  version integer not null,
  -- A document that is one of a series (a turn of a conversation, a day of a journal) says so in its metadata.
  sequence text generated always as (metadata ->> '$.sequence') virtual,
  position integer generated always as (metadata ->> '$.position') virtual,
  unique (project, id),
  unique (project, collection, uri)
);

create index documents_by_sequence on documents (project, collection, sequence, position) where sequence is not null;

create table document_versions (
  project integer not null references projects (key),
  document integer not null,
  version integer not null,
  document_id text not null,
  uri text not null,
  title text not null,
  text_hash blob not null,
  modified_at real not null,
  indexed_at real not null,
  removed_at real,
  primary key (project, document, version)
) without rowid;

create index document_versions_by_id on document_versions (project, document_id, version);

create table document_tags (
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  tag text not null,
  primary key (project, document, tag)
) without rowid;

create table sections (
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  ordinal integer not null,
  id text not null,
  path text not null,
  path_folded text not null,
  level integer not null,
  anchor text not null,
  start integer not null,
  "end" integer not null,
  primary key (project, document, ordinal)
) without rowid;

create table chunks (
  key integer primary key,
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  section integer not null,
  ordinal integer not null,
  id text not null,
  start integer not null,
  "end" integer not null,
  first_line integer not null,
  last_line integer not null,
  text_hash blob not null,
  tokens integer not null,
  content_type text not null,
  signature text not null,
  unique (project, id)
);

create index chunks_by_document on chunks (document, ordinal);

-- The analyzer has already folded, split and stemmed: the tokenizer only separates at blanks.
-- A contentless table stores no second copy of the text; `contentless_delete` lets rows go again.
create virtual table lexical using fts5 (
  title, headings, keywords, description, tags, aliases, body,
  content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);

insert into lexical (lexical, rank) values ('rank', 'bm25(3.0, 2.5, 2.5, 2.0, 2.0, 1.5, 1.0)');

create trigger chunks_leave_the_lexical_index after delete on chunks begin
  delete from lexical where rowid = old.key;
end;

create table inputs (
  key integer primary key,
  project integer not null references projects (key),
  hash blob not null,
  unique (project, hash)
);

create table chunk_inputs (
  project integer not null references projects (key),
  chunk integer not null references chunks (key) on delete cascade,
  window integer not null,
  input integer not null references inputs (key),
  start integer not null,
  "end" integer not null,
  context text not null,
  primary key (chunk, window)
) without rowid;

create index chunk_inputs_by_input on chunk_inputs (input);

create table embedding_profiles (
  key integer primary key,
  project integer not null references projects (key),
  name text not null,
  body text not null,
  created_at real not null,
  unique (project, body)
);

create table vectors (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  profile integer not null references embedding_profiles (key),
  input integer not null references inputs (key),
  data blob not null,
  unique (project, profile, input)
);

create table ledger (
  project integer not null references projects (key),
  collection integer not null references collections (key) on delete cascade,
  uri text not null,
  outcome text not null,
  size integer not null,
  mtime_ns integer not null,
  inode integer not null,
  content_hash text not null,
  recipe_id text,
  document_id text,
  reason text not null,
  warnings text not null,
  primary key (project, collection, uri)
) without rowid;
