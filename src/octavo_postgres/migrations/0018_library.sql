-- tables of SQLite's 0019, without lexical_blocks, snapshots, chunk_changes, memory_texts

-- What PostgreSQL does otherwise. Every row carries its project, and every key that could be the same in two projects
-- starts with it.

-- Lists of parameters and hashes are asked for in SQLite's words; these let PostgreSQL understand them.
-- A list may name a NUL, which no text here holds: it matches nothing.
create function json_each(text) returns table (value text) language sql immutable parallel safe
as $$ select json_array_elements_text(replace($1, '\u0000', '\ufdd1\ufdd0')::json) $$;

create function json_keys(text) returns table (value bigint) language sql immutable parallel safe
as $$ select json_array_elements_text($1::json)::bigint $$;

create function unhex(text) returns bytea language sql immutable parallel safe
as $$ select case when $1 ~ '^([0-9a-fA-F]{2})*$' then decode($1, 'hex') end $$;

create function hex(bytea) returns text language sql immutable parallel safe
as $$ select encode($1, 'hex') $$;

create function instr(text, text) returns integer language sql immutable parallel safe
as $$ select strpos($1, $2) $$;

insert into library (name, value) values
  ('schema', 0), ('generation', 0), ('chunk_key', 0), ('document_key', 0), ('input_key', 0), ('lexical_row', 0),
  ('lexical_block', 0);

-- A document that is one of a series says so in its metadata. What JSON may say and PostgreSQL cannot hold is no series.
alter table documents
  add sequence text generated always as (
    case when strpos(metadata, '"sequence"') > 0 and strpos(metadata, '\u0000') = 0
      then metadata::json ->> 'sequence' end) stored,
  add position bigint generated always as (
    case when strpos(metadata, '"position"') > 0 and strpos(metadata, '\u0000') = 0
      and metadata::json ->> 'position' ~ '^-?[0-9]{1,18}$'
      then (metadata::json ->> 'position')::bigint end) stored;

create index documents_by_sequence on documents (project, collection, sequence, position) where sequence is not null;

-- Names and ids are compared by their bytes, as SQLite compares every text.
alter table projects alter id type text collate "C", alter name type text collate "C";
alter table collections alter id type text collate "C", alter name type text collate "C";
alter table recipes alter id type text collate "C";
alter table documents alter id type text collate "C", alter uri type text collate "C";
alter table document_versions alter document_id type text collate "C", alter uri type text collate "C";
alter table document_tags alter tag type text collate "C";
alter table sections alter id type text collate "C";
alter table chunks alter id type text collate "C";
alter table ledger alter uri type text collate "C";
alter table memory_items
  alter id type text collate "C", alter canonical_key type text collate "C", alter sequence type text collate "C";
alter table memory_sessions alter id type text collate "C";
alter table rerank_scores alter model type text collate "C";
alter table graph_names
  alter name type text collate "C", alter kind type text collate "C", alter path type text collate "C";
alter table graph_references
  alter lookup type text collate "C", alter scope type text collate "C",
  alter path type text collate "C", alter name type text collate "C";
alter table graph_runs alter kind type text collate "C";
alter table memory_links alter target type text collate "C";
alter table project_places alter kind type text collate "C", alter place type text collate "C";
alter table named_profiles alter name type text collate "C";
alter table memory_files alter folder type text collate "C", alter path type text collate "C";
alter table commits alter repository type text collate "C", alter hash type text collate "C";
alter table commit_paths alter path type text collate "C";
alter table leases alter name type text collate "C";
alter table completions
  alter model type text collate "C", alter prompt type text collate "C", alter input type text collate "C";
alter table summaries alter node type text collate "C", alter maker type text collate "C";
alter table query_log_hits alter document type text collate "C", alter chunk type text collate "C";
alter table entities alter kind type text collate "C", alter name type text collate "C";
alter table entity_mentions alter role type text collate "C";
alter table entity_readings alter maker type text collate "C";
alter table section_links alter source_section type text collate "C", alter target_section type text collate "C";

-- These numbers come from counters in `library`, or are those of another table.
alter table documents alter key drop identity;
alter table chunks alter key drop identity;
alter table inputs alter key drop identity;
alter table graph_references alter key drop identity;
alter table graph_communities alter document drop identity;
alter table clusterings alter project drop identity;
alter table entity_readings alter document drop identity;

alter table recipes alter active type integer;
alter table vectors alter data type halfvec using null;
alter table memory_items alter pinned type boolean using pinned <> 0;
alter table memory_commits alter pinned type boolean using pinned <> 0;
alter table completions alter prompt_tokens type integer, alter completion_tokens type integer, alter size type integer;

-- Texts are compressed already, vectors do not compress.
alter table texts alter column data set storage external;
alter table vectors alter column data set storage plain;

-- A cascade or a check of a foreign key looks rows up by that key alone. SQLite's indexes are wider: it reads them alone.
create index documents_by_collection on documents (collection);
create index document_tags_by_document on document_tags (document);
create index sections_by_document on sections (document);
create index chunk_inputs_by_input on chunk_inputs (input);
create index chunk_inputs_by_project on chunk_inputs (project, chunk, "window") include (input);
create index vectors_by_profile on vectors (project, profile, key);
create index vectors_by_input on vectors (input);
create index rerank_scores_by_age on rerank_scores (project, scored_at);
create index graph_names_by_document on graph_names (document);
create index graph_references_by_document on graph_references (document);
create index graph_links_by_source on graph_links (source);
create index graph_thematic_links_by_source on graph_thematic_links (source);
create index commits_by_document on commits (document);
create index completions_by_age on completions (project, made_at);
create index query_log_by_time on query_log (project, at);
create index query_log_hits_by_document on query_log_hits (document, query);

-- Words → chunks. A row of the index is a chunk as it was analysed once; analysed again, it is another row. Rows are
-- numbered in the order they come and never changed, so postings are only ever added: a row that is gone says when.
create table lexical_rows (
  key bigint primary key,
  project bigint not null references projects (key),
  chunk bigint not null,
  length bigint not null,
  gone bigint
);

create unique index lexical_rows_by_chunk on lexical_rows (chunk) where gone is null;
create index lexical_rows_by_project on lexical_rows (project, key) include (chunk, length, gone);
create index lexical_rows_gone on lexical_rows (project, gone) where gone is not null;

create function chunk_leaves_the_lexical_index() returns trigger language plpgsql as $$
begin
  update lexical_rows set gone = (select value + 1 from library where name = 'generation')
  where chunk = old.key and gone is null;
  return null;
end $$;

create trigger chunks_leave_the_lexical_index after delete on chunks
for each row execute function chunk_leaves_the_lexical_index();

-- Where a word stands, in the field with this number: eight bytes for each place, row and position in one number, as
-- many as one writing brought. Blocks follow one another, so joining them is joining their bytes.
create table lexical_postings (
  project bigint not null references projects (key),
  term text collate "C" not null,
  field bigint not null,
  block bigint not null,
  places bytea not null,
  primary key (project, term, field, block)
);

create index lexical_postings_by_block on lexical_postings (project, block);

-- How many rows of the index a block holds: many small blocks are joined into a larger one.
create table lexical_blocks (
  project bigint not null references projects (key),
  block bigint not null,
  rows bigint not null,
  primary key (project, block)
);

create table lexical_terms (
  project bigint not null references projects (key),
  term text collate "C" not null,
  primary key (project, term)
);

-- Where the server has pg_trgm; elsewhere the vocabulary is read for words like a misspelt one.
do $$ begin
  if exists (select 1 from pg_extension where extname = 'pg_trgm') then
    create index lexical_terms_by_trigram on lexical_terms using gin (term gin_trgm_ops);
  end if;
end $$;

-- The analysed texts themselves, for pg_search to index. Kept only in a library that was told to have them
-- (`lexical_texts` in `library`): 1 while they are being filled in, 2 once every chunk has its row.

create table lexical_texts (
  key bigint primary key references chunks (key) on delete cascade,
  project bigint not null references projects (key),
  title text not null,
  headings text not null,
  keywords text not null,
  description text not null,
  tags text not null,
  aliases text not null,
  body text not null
);

-- History is only ever added to, whoever holds the connection.
create function memory_never_changes() returns trigger language plpgsql as $$
begin
  raise exception 'the history of memories never changes';
end $$;

create trigger memory_versions_never_change before update or delete on memory_versions
for each row execute function memory_never_changes();

create trigger memory_commits_never_change before update or delete on memory_commits
for each row execute function memory_never_changes();

-- Workers listen, and look at once when something was promised.
create function job_is_promised() returns trigger language plpgsql as $$
begin
  perform pg_notify('octavo_jobs', new.project::text);
  return null;
end $$;

create trigger jobs_are_promised after insert or update of state on jobs
for each row when (new.state = 'ready') execute function job_is_promised();

-- Whoever adds or takes away a name, and be it by removing a document, makes the references that ask for it stale.
create function graph_name_comes_or_goes() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update graph_references set stale = 1 where project = new.project and name = new.name;
  else
    update graph_references set stale = 1 where project = old.project and name = old.name;
  end if;
  return null;
end $$;

create trigger graph_names_come_and_go after insert or delete on graph_names
for each row execute function graph_name_comes_or_goes();

-- A document whose text changes loses its summaries and is read again for entities; an entity goes with its last mention.
create function document_loses_its_summaries() returns trigger language plpgsql as $$
begin
  delete from summaries where document = old.key;
  return null;
end $$;

create trigger documents_lose_their_summaries after update of text_hash on documents
for each row when (old.text_hash is distinct from new.text_hash) execute function document_loses_its_summaries();

create function entity_goes_with_its_last_mention() returns trigger language plpgsql as $$
begin
  delete from entities where key = old.entity
    and not exists (select 1 from entity_mentions m where m.entity = old.entity);
  return null;
end $$;

create trigger entities_go_with_their_last_mention after delete on entity_mentions
for each row execute function entity_goes_with_its_last_mention();

create function document_loses_its_entities() returns trigger language plpgsql as $$
begin
  delete from entity_mentions where document = old.key;
  delete from entity_readings where document = old.key;
  return null;
end $$;

create trigger documents_lose_their_entities after update of text_hash on documents
for each row when (old.text_hash is distinct from new.text_hash) execute function document_loses_its_entities();
