-- name: pg_search_catalogue
-- PostgreSQL has an operator @@@ of its own, so an operator counts only if pg_search's functions are behind it.
select 'extension', extversion from pg_extension where extname = 'pg_search'
union all
select 'index', i.relname from pg_index x join pg_class i on i.oid = x.indexrelid join pg_am a on a.oid = i.relam
where a.amname = 'bm25' and x.indrelid = to_regclass('lexical_texts') and x.indisvalid
  and exists (select 1 from library where name = 'lexical_texts' and value = 2)
union all
select distinct 'operator', o.oprname from pg_operator o
join pg_proc p on p.oid = o.oprcode join pg_namespace n on n.oid = p.pronamespace
where n.nspname in ('paradedb', 'pdb') and o.oprname in ('@@@', '|||') and o.oprright = 'text'::regtype
union all
select distinct 'function', n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where p.proname = 'score' and n.nspname in ('paradedb', 'pdb');

-- name: lexical_texts_put
insert into lexical_texts (key, project, title, headings, keywords, description, tags, aliases, body)
values (:key, :project, :title, :headings, :keywords, :description, :tags, :aliases, :body)
on conflict (key) do nothing;

-- name: lexical_texts_remove
delete from lexical_texts where key in (select value from json_each(:chunks));

-- name: lexical_texts_missing
select c.key from chunks c where c.key in (select value from json_each(:chunks))
and not exists (select 1 from lexical_texts t where t.key = c.key);

-- name: bm25_make
create index concurrently lexical_texts_bm25 on lexical_texts
using bm25 (key, project, title, headings, keywords, description, tags, aliases, body)
with (key_field = 'key', text_fields = '{
  "title": {"tokenizer": {"type": "whitespace"}}, "headings": {"tokenizer": {"type": "whitespace"}},
  "keywords": {"tokenizer": {"type": "whitespace"}}, "description": {"tokenizer": {"type": "whitespace"}},
  "tags": {"tokenizer": {"type": "whitespace"}}, "aliases": {"tokenizer": {"type": "whitespace"}},
  "body": {"tokenizer": {"type": "whitespace"}}}');

-- name: bm25_drop
drop index concurrently if exists lexical_texts_bm25;

-- name: bm25_by_itself
-- Starting other processes takes longer than the search.
set local max_parallel_workers_per_gather = 0;

-- name: bm25_parsed_paradedb
-- Sums stand where plain columns would do: a condition that pg_search takes over adds to the score. The query names the
-- project, with a weight of nothing.
select t.key, paradedb.score(t.key) from lexical_texts t
where t.key @@@ :query and (:admitted::bigint[] is null or t.key + 0 = any(:admitted))
order by paradedb.score(t.key) desc, t.key limit :limit;

-- name: bm25_parsed_pdb
select t.key, pdb.score(t.key) from lexical_texts t
where t.key @@@ :query and (:admitted::bigint[] is null or t.key + 0 = any(:admitted))
order by pdb.score(t.key) desc, t.key limit :limit;

-- name: bm25_matched_paradedb
select t.key, paradedb.score(t.key) from lexical_texts t
where (t.title ||| :words::pdb.boost(3) or t.headings ||| :words::pdb.boost(2.5) or t.keywords ||| :words::pdb.boost(2.5)
    or t.description ||| :words::pdb.boost(2) or t.tags ||| :words::pdb.boost(2) or t.aliases ||| :words::pdb.boost(1.5)
    or t.body ||| :words)
  and t.project + 0 = :project and (:admitted::bigint[] is null or t.key + 0 = any(:admitted))
order by paradedb.score(t.key) desc, t.key limit :limit;

-- name: bm25_matched_pdb
select t.key, pdb.score(t.key) from lexical_texts t
where (t.title ||| :words::pdb.boost(3) or t.headings ||| :words::pdb.boost(2.5) or t.keywords ||| :words::pdb.boost(2.5)
    or t.description ||| :words::pdb.boost(2) or t.tags ||| :words::pdb.boost(2) or t.aliases ||| :words::pdb.boost(1.5)
    or t.body ||| :words)
  and t.project + 0 = :project and (:admitted::bigint[] is null or t.key + 0 = any(:admitted))
order by pdb.score(t.key) desc, t.key limit :limit;
