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

drop index rerank_scores_by_age;
create index rerank_scores_by_age on rerank_scores (project, scored_at, score);
drop index completions_by_age;
create index completions_by_age on completions (project, made_at, answer, prompt_tokens, completion_tokens, size);
drop index graph_names_by_document;
create index graph_names_by_document on graph_names (document, kind, path);
drop index graph_references_by_document;
create index graph_references_by_document on graph_references (document, stale);
drop index graph_links_by_source;
create index graph_links_by_source on graph_links (
  source, key, project, reference, type, weight, anchor, context, start, "end");
drop index graph_thematic_links_by_source;
create index graph_thematic_links_by_source on graph_thematic_links (source, key, project, target, weight);
drop index commits_by_document;
create index commits_by_document on commits (document, author, committed_at, made_by);
drop index lexical_blocks_by_project;
create index lexical_blocks_by_project on lexical_blocks (project, key, chunks);
drop index chunk_changes_by_project;
create index chunk_changes_by_project on chunk_changes (project, key, chunk);
drop index query_log_by_time;
create index query_log_by_time on query_log (project, at, query, profile);
drop index query_log_hits_by_document;
create index query_log_hits_by_document on query_log_hits (document, query, chunk, opened);
