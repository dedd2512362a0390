-- name: pg_search_catalogue
select 'extension', extversion from pg_extension where extname = 'pg_search'
union all
select 'index', i.relname from pg_class i join pg_am a on a.oid = i.relam
where a.amname = 'bm25' and i.relnamespace = current_schema()::regnamespace
union all
select distinct 'operator', oprname from pg_operator where oprname in ('@@@', '|||')
union all
select distinct 'function', n.nspname || '.' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where p.proname = 'score' and n.nspname in ('paradedb', 'pdb');
