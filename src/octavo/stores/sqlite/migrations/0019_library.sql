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

create index chunk_inputs_by_input on chunk_inputs (input, project);

create table embedding_profiles (
  key integer primary key,
  project integer not null references projects (key),
  name text not null,
  body text not null,
  created_at real not null,
  unique (project, body)
);

-- With a checksum, like `lexical_blocks`: neither can be computed again to compare with.
create table vectors (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  profile integer not null references embedding_profiles (key),
  input integer not null references inputs (key),
  data blob not null,
  checksum integer,
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
  canonical_key text,
  doc_class text not null default '',
  sequence text not null default '',
  position integer not null default 0,
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

-- What searches look up besides the documents: the words there are, and what a reranker has already said.

create virtual table lexical_words using fts5vocab (lexical, row);

create table rerank_scores (
  project integer not null references projects (key),
  model text not null,
  question blob not null,
  passage blob not null,
  score real not null,
  scored_at real not null,
  primary key (project, model, question, passage)
) without rowid;

create index rerank_scores_by_age on rerank_scores (project, scored_at, score);

-- The graph: what each document is called, what is asked for and what that means, the links that ask, and what is
-- computed from all of it. A reference is one question (this path, from this folder), kept once however many links
-- ask it: a note that a hundred thousand others link to has a handful of references.

create table graph_names (
  key integer primary key,
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  name text not null,
  kind text not null,
  path text not null
);

create index graph_names_by_name on graph_names (project, name);
create index graph_names_by_document on graph_names (document, kind, path);

create table graph_references (
  key integer primary key,
  project integer not null references projects (key),
  collection integer not null references collections (key) on delete cascade,
  lookup text not null,
  scope text not null,
  path text not null,
  name text not null,
  -- null while there is nothing it could mean: a ghost.
  document integer references documents (key) on delete set null,
  -- 1 when what it means has to be found out again.
  stale integer not null default 1,
  unique (project, collection, path, scope, lookup)
);

create index graph_references_by_name on graph_references (project, name);
create index graph_references_by_document on graph_references (document, stale);
create index graph_references_stale on graph_references (project) where stale = 1;

-- A name may go with its document, whoever removes that: what asked for it has to look elsewhere. Names come in one
-- place, which sees to this itself, a batch at a time.
create trigger graph_names_go after delete on graph_names begin
  update graph_references set stale = 1 where project = old.project and name = old.name;
end;

create table graph_links (
  key integer primary key,
  project integer not null references projects (key),
  source integer not null references documents (key) on delete cascade,
  reference integer not null references graph_references (key) on delete cascade,
  type text not null,
  weight real not null,
  anchor text,
  context text not null,
  start integer not null,
  "end" integer not null
);

create index graph_links_by_source on graph_links (
  source, key, project, reference, type, weight, anchor, context, start, "end");
create index graph_links_by_reference on graph_links (reference, source);

create table graph_thematic_links (
  key integer primary key,
  project integer not null references projects (key),
  source integer not null references documents (key) on delete cascade,
  target integer not null references documents (key) on delete cascade,
  weight real not null
);

create index graph_thematic_links_by_source on graph_thematic_links (source, key, project, target, weight);
create index graph_thematic_links_by_target on graph_thematic_links (target);

create table graph_communities (
  document integer primary key references documents (key) on delete cascade,
  project integer not null references projects (key),
  community integer not null
);

create index graph_communities_by_number on graph_communities (project, community);

create table graph_runs (
  project integer not null references projects (key),
  kind text not null,
  at real not null,
  generation integer not null,
  facts text not null,
  primary key (project, kind)
) without rowid;

-- What memories and projects are known by: canonical keys, places in a sequence, links, folders and repositories;
-- embedding profiles by name; and which file stands for which memory.

create unique index memory_items_by_canonical_key on memory_items (project, canonical_key);
create index memory_items_by_sequence on memory_items (project, sequence, position);

create table memory_links (
  project integer not null references projects (key),
  item integer not null references memory_items (key),
  ordinal integer not null,
  target text not null,
  type text not null,
  primary key (project, item, ordinal)
) without rowid;

create index memory_links_by_target on memory_links (project, target);

create table project_places (
  project integer not null references projects (key),
  kind text not null,
  place text not null,
  created_at real not null,
  primary key (project, kind, place)
) without rowid;

create index project_places_by_place on project_places (kind, place);

create table named_profiles (
  project integer not null references projects (key),
  name text not null,
  settings text not null,
  state text not null,
  updated_at real not null,
  primary key (project, name)
) without rowid;

-- Exactly one profile of a project answers at a time.
create unique index named_profiles_active on named_profiles (project) where state = 'active';

create table memory_files (
  project integer not null references projects (key),
  folder text not null,
  path text not null,
  item text not null,
  version integer not null,
  digest text not null,
  primary key (project, folder, path)
) without rowid;

-- Commits by hash and author, and which of them touched which file. Their texts are documents.

create table commits (
  project integer not null references projects (key),
  collection integer not null references collections (key) on delete cascade,
  repository text not null,
  hash text not null,
  document integer not null references documents (key) on delete cascade,
  author text not null,
  committed_at real not null,
  made_by text not null,
  primary key (project, collection, repository, hash)
) without rowid;

create index commits_by_hash on commits (project, hash);
create index commits_by_document on commits (document, author, committed_at, made_by);

-- A path is written once: a repository has far fewer files than its commits have changes.
create table commit_paths (
  key integer primary key,
  project integer not null references projects (key),
  path text not null,
  unique (project, path)
);

create table commit_files (
  project integer not null references projects (key),
  path integer not null references commit_paths (key),
  document integer not null references documents (key) on delete cascade,
  primary key (project, path, document)
) without rowid;

create index commit_files_by_document on commit_files (document);

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

-- Snapshots: what a library's accelerators are made from, and how they learn what changed since.

-- The analysed tokens of chunks, in blocks as they were written: the lexical index keeps no second copy of them.
-- A chunk that is in several blocks counts as the newest has it; one that no longer exists counts for nothing.
create table lexical_blocks (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  chunks blob not null,
  data blob not null,
  checksum integer
);

create index lexical_blocks_by_project on lexical_blocks (project, key, chunks);

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

create index chunk_changes_by_project on chunk_changes (project, key, chunk);

create trigger chunks_that_go after delete on chunks
when exists (select 1 from snapshots where project = old.project) begin
  insert into chunk_changes (project, chunk) values (old.project, old.key);
end;

create trigger chunks_that_are_rewritten after update of id on chunks
when exists (select 1 from snapshots where project = old.project) begin
  insert into chunk_changes (project, chunk) values (old.project, old.key);
end;

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

-- What language models have answered, by model, prompt and input: nobody is asked twice.

create table completions (
  project integer not null references projects (key),
  model text not null,
  prompt text not null,
  input text not null,
  answer text not null,
  prompt_tokens integer not null,
  completion_tokens integer not null,
  size integer not null,
  made_at real not null,
  primary key (project, model, prompt, input)
) without rowid;

create index completions_by_age on completions (project, made_at, answer, prompt_tokens, completion_tokens, size);

-- What sections and files say as a whole, each with a vector. A document whose text changes loses its summaries.

create table summaries (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  profile integer not null references embedding_profiles (key) on delete cascade,
  node text not null,
  start integer not null,
  "end" integer not null,
  path text not null,
  maker text not null,
  summary text not null,
  data blob not null,
  made_at real not null
);

create index summaries_by_document on summaries (document, node, maker);
create index summaries_by_node on summaries (project, profile, node, key);

create trigger documents_lose_their_summaries after update of text_hash on documents
when old.text_hash is not new.text_hash begin
  delete from summaries where document = old.key;
end;

-- Clusters of texts by meaning: where their middles are, and which text belongs to which. The middles are little-endian
-- float32, one after the other; the profiles are those whose vectors were clustered. Cluster -1 is that of no cluster.

create table clusterings (
  project integer primary key references projects (key),
  profiles text not null,
  centroids blob not null,
  chunks integer not null,
  made_at real not null
);

create table input_clusters (
  project integer not null references projects (key),
  input integer not null references inputs (key) on delete cascade,
  cluster integer not null,
  primary key (project, input)
) without rowid;

create index input_clusters_by_cluster on input_clusters (project, cluster, input);
create index input_clusters_by_input on input_clusters (input);

-- What was asked, what was shown for it and what was opened, where somebody wants that kept. Ids, not keys: a document
-- that was removed and comes back has the same id.

create table query_log (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  at real not null,
  query text not null,
  profile text not null
);

create index query_log_by_time on query_log (project, at, query, profile);

create table query_log_hits (
  project integer not null references projects (key),
  query integer not null references query_log (key) on delete cascade,
  rank integer not null,
  document text not null,
  chunk text not null,
  opened integer not null default 0,
  primary key (project, query, rank)
);

create index query_log_hits_by_document on query_log_hits (document, query, chunk, opened);

-- Every value that no check can compute again is stored twice, on pages of two b-trees: in its row and in an index.
-- SQLite's own integrity check compares the two, whoever wrote them. Where an index was there already, it becomes wider;
-- else one is made. `project + 0 is not null` holds for every row and follows from no query, so that no query is planned
-- by an index that is there to be compared. A witness begins with what grows, so that writing appends to it.

create index library_witness on library (name, value) where value + 0 is not null;
create index projects_witness on projects (key, id, name, created_at) where key + 0 is not null;
create index collections_witness on collections (key, project, id, name, root, settings, created_at)
where project + 0 is not null;
create index recipes_witness on recipes (project, id, body, active, created_at) where project + 0 is not null;
create index documents_witness on documents (
  key, kind, title, language, description, tags, aliases, metadata, text_hash, modified_at, version)
where project + 0 is not null;
create index document_versions_witness on document_versions (
  project, document, version, document_id, uri, title, text_hash, modified_at, indexed_at, removed_at)
where project + 0 is not null;
create index texts_witness on texts (key, size) where project + 0 is not null;
create index document_tags_witness on document_tags (project, document, tag) where project + 0 is not null;
create index sections_witness on sections (project, document, ordinal, id, level, anchor, start, "end")
where project + 0 is not null;
create index chunks_witness on chunks (key, section, tokens, content_type, signature) where project + 0 is not null;
create index embedding_profiles_witness on embedding_profiles (key, name, created_at) where project + 0 is not null;
create index embedded_upto_witness on embedded_upto (project, profile, input) where project + 0 is not null;
create index ledger_witness on ledger (
  project, collection, uri, outcome, size, mtime_ns, inode, content_hash, recipe_id, document_id, reason, warnings)
where project + 0 is not null;
create index checks_witness on checks (project, collection, checked_at) where project + 0 is not null;

create index memory_items_witness on memory_items (
  key, project, id, kind, scope, title, tags, links, metadata, pinned, status, version, fingerprint, created_at,
  updated_at, canonical_key, doc_class, sequence, position)
where project + 0 is not null;
create index memory_versions_witness on memory_versions (
  project, item, number, title, text_hash, tags, author, reason, session, created_at, valid_from, valid_to, supersedes)
where project + 0 is not null;
create index memory_commits_witness on memory_commits (
  key, project, item, action, version, status, pinned, author, reason, session, idempotency_key, payload, at)
where project + 0 is not null;
create index memory_sessions_witness on memory_sessions (project, id, title, author, started_at, ended_at, summary)
where project + 0 is not null;
create index memory_links_witness on memory_links (project, item, ordinal, target, type) where project + 0 is not null;
create index memory_files_witness on memory_files (project, folder, path, item, version, digest)
where project + 0 is not null;
create index project_places_witness on project_places (project, kind, place, created_at) where project + 0 is not null;
create index named_profiles_witness on named_profiles (project, name, settings, state, updated_at)
where project + 0 is not null;
create index note_writes_witness on note_writes (
  project, collection, uri, number, written_at, operation, author, reason, hash, old_content)
where project + 0 is not null;

create index jobs_witness on jobs (
  key, project, kind, subject, payload, state, attempts, created_at, run_after, locked_by, lease_expires_at,
  finished_at, error)
where project + 0 is not null;
create index leases_witness on leases (project, name, holder, taken_at, expires_at, detail)
where project + 0 is not null;
create index snapshots_witness on snapshots (project, id, ready, created_at) where project + 0 is not null;
create index chunk_hits_witness on chunk_hits (project, chunk, hits) where project + 0 is not null;
create index graph_runs_witness on graph_runs (project, kind, at, generation, facts) where project + 0 is not null;
create index clusterings_witness on clusterings (project, profiles, centroids, chunks, made_at)
where project + 0 is not null;
create index summaries_witness on summaries (key, start, "end", path, summary, data, made_at)
where project + 0 is not null;

-- What documents name: people, projects, places, identifiers, DOIs and addresses; and sections on the same topic. A
-- document whose text changes is read again, an entity that nobody names any more goes.

create table entities (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  kind text not null,
  name text not null,
  label text not null,
  unique (project, kind, name)
);

create index entities_by_name on entities (project, name);

create table entity_mentions (
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  entity integer not null references entities (key) on delete cascade,
  role text not null,
  mentions integer not null,
  start integer not null,
  "end" integer not null,
  primary key (project, document, entity, role)
);

create index entity_mentions_by_entity on entity_mentions (entity, document);
create index entity_mentions_by_document on entity_mentions (document);

create table entity_readings (
  document integer primary key references documents (key) on delete cascade,
  project integer not null references projects (key),
  maker text not null
);

create trigger entities_go_with_their_last_mention after delete on entity_mentions begin
  delete from entities where key = old.entity
    and not exists (select 1 from entity_mentions m where m.entity = old.entity);
end;

create trigger documents_lose_their_entities after update of text_hash on documents
when old.text_hash is not new.text_hash begin
  delete from entity_mentions where document = old.key;
  delete from entity_readings where document = old.key;
end;

-- Sections by the ids that they had: what is no longer there is not shown.
create table section_links (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  source integer not null references documents (key) on delete cascade,
  source_section text not null,
  target integer not null references documents (key) on delete cascade,
  target_section text not null,
  weight real not null
);

create index section_links_by_source on section_links (source);
create index section_links_by_target on section_links (target);

-- Stored twice, as in 0017: SQLite's own check compares the two.
create index entities_witness on entities (key, project, kind, name, label) where project + 0 is not null;
create index entity_mentions_witness on entity_mentions (
  project, document, entity, role, mentions, start, "end")
where project + 0 is not null;
create index entity_readings_witness on entity_readings (document, project, maker)
where project + 0 is not null;
create index section_links_witness on section_links (
  key, project, source, source_section, target, target_section, weight)
where project + 0 is not null;

-- What a memory says is in no folder: its text is stored a second time, whoever writes it, so that either copy can be
-- put back from the other. The hash says which of them is whole.

create table memory_texts (
  project integer not null references projects (key),
  hash blob not null,
  data blob not null,
  primary key (project, hash)
) without rowid;

create trigger memory_texts_of_new_versions after insert on memory_versions begin
  insert or ignore into memory_texts (project, hash, data)
  select t.project, t.hash, t.data from texts t where t.project = new.project and t.hash = new.text_hash;
end;

-- A version changes where it held a secret: then no copy of that may stay.
create trigger memory_texts_of_changed_versions after update of text_hash on memory_versions begin
  insert or ignore into memory_texts (project, hash, data)
  select t.project, t.hash, t.data from texts t where t.project = new.project and t.hash = new.text_hash;
  delete from memory_texts where project = old.project and hash = old.text_hash and not exists (
    select 1 from memory_versions v where v.project = old.project and v.text_hash = old.text_hash);
end;
