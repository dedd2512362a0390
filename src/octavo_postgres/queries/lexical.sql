-- name: lexical_row_put
insert into lexical_rows (key, project, chunk, length) values (:key, :project, :chunk, :length);

-- name: lexical_rows_replaced
update lexical_rows set gone = (select value + 1 from library where name = 'generation')
where gone is null and chunk in (select value from json_each(:chunks));

-- name: lexical_postings_put
insert into lexical_postings (project, term, field, block, places) values (:project, :term, :field, :block, :places);

-- name: lexical_terms_put
insert into lexical_terms (project, term)
select :project, t.value from json_each(:terms) t
where not exists (select 1 from lexical_terms k where k.project = :project and k.term = t.value);

-- name: lexical_rows_since
-- What came, and what went, since a state that is remembered.
select key, chunk, length, coalesce(gone, 0) from lexical_rows
where project = :project and key > :after and gone is null
union all
select key, chunk, length, gone from lexical_rows where project = :project and gone > :generation and key <= :after
order by 1;

-- name: lexical_places
select field, term, places from lexical_postings
where project = :project and term = any(:terms) order by term, field, block;

-- name: lexical_terms_starting
select term from lexical_terms where project = :project and term >= :prefix and starts_with(term, :prefix);

-- name: lexical_terms_like
-- Trigrams as pg_trgm counts them.
select term from lexical_terms where project = :project and term % :token
order by similarity(term, :token) desc, term limit :limit;

-- name: lexical_terms_all
select term from lexical_terms where project = :project;

-- name: lexical_gone
-- Per project: rows that are gone and rows in all.
select project, count(gone), count(*) from lexical_rows group by project order by project;

-- name: lexical_gone_rows
select key from lexical_rows where project = :project and gone <= :generation order by key;

-- name: lexical_postings_replace
update lexical_postings p set places = g.places
from unnest(:terms::text[], :fields::bigint[], :blocks::bigint[], :several::bytea[]) g (term, field, block, places)
where p.project = :project and p.term = g.term and p.field = g.field and p.block = g.block;

-- name: lexical_postings_empty
delete from lexical_postings where project = :project and length(places) = 0;

-- name: lexical_terms_empty
delete from lexical_terms t where t.project = :project
and not exists (select 1 from lexical_postings p where p.project = t.project and p.term = t.term);

-- name: lexical_blocks_empty
delete from lexical_blocks b where b.project = :project
and not exists (select 1 from lexical_postings p where p.project = b.project and p.block = b.block);

-- name: lexical_rows_forget
delete from lexical_rows where project = :project and gone <= :generation;

-- name: lexical_block_put
insert into lexical_blocks (project, block, rows) values (:project, :block, :rows);

-- name: lexical_blocks_small
select block, rows from lexical_blocks where project = :project and rows >= :least and rows < :most order by block;

-- name: lexical_blocks_join
with joined as (
  delete from lexical_postings
  where project = :project and block in (select value from json_each(:blocks))
  returning term, field, block, places)
insert into lexical_postings (project, term, field, block, places)
select :project, term, field, :block, string_agg(places, ''::bytea order by block) from joined group by term, field;

-- name: lexical_blocks_remove
delete from lexical_blocks
where project = :project and block in (select value from json_each(:blocks));

-- name: similarity_at_least
set local pg_trgm.similarity_threshold = :share;

-- name: check_lexical
select n || ' chunks are missing from the lexical index'
from (select count(*) as n from chunks c
  where not exists (select 1 from lexical_rows l where l.chunk = c.key and l.gone is null)) missing
where n > 0
union all
select n || ' chunks are missing from the texts that pg_search indexes'
from (select count(*) as n from chunks c
  where exists (select 1 from library where name = 'lexical_texts' and value = 2)
    and not exists (select 1 from lexical_texts t where t.key = c.key)) unwritten
where n > 0
union all
select n || ' rows of the lexical index belong to no chunk'
from (select count(*) as n from lexical_rows l
  where l.gone is null and not exists (select 1 from chunks c where c.key = l.chunk)) extra
where n > 0;

-- name: lexical_last
select coalesce(max(chunk), 0) from lexical_rows where gone is null;

-- name: lexical_projects
select key from projects order by key;

-- name: lexical_live_rows
select key, chunk from lexical_rows where project = :project and gone is null order by chunk;

-- name: lexical_postings_after
select term, field, block, places from lexical_postings
where project = :project and (term, field, block) > (:term, :field, :block) order by term, field, block limit :limit;
