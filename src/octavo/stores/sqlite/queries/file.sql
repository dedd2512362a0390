-- name: schema_rows
-- With the settings of the word index that change what it answers; another is set while much is written.
select type, name, tbl_name, sql from sqlite_schema
union all
select 'setting', k, '', v from lexical_config where k in ('rank', 'version')
order by 1, 2;

-- name: key_counters
-- Tables whose keys only grow, each with its counter; and counters of no such table.
select t.name, s.name, s.seq
from (select name from sqlite_schema where type = 'table' and sql like '%primary key autoincrement%') t
full join sqlite_sequence s on s.name = t.name;

-- name: word_counts
select id, sz from lexical_docsize where id > :after order by id limit :limit;

-- name: memory_texts_after
select project, hash, data from memory_texts where (project, hash) > (:project, :hash)
order by project, hash limit :limit;

-- name: memory_texts_missing
-- Texts of memories that have no second copy.
select distinct t.project, t.hash, t.data from memory_versions v
join texts t on t.project = v.project and t.hash = v.text_hash
where not exists (select 1 from memory_texts c where c.project = v.project and c.hash = v.text_hash);

-- name: memory_text_put
insert or replace into memory_texts (project, hash, data) values (:project, :hash, :data);

-- name: memory_text_remove
delete from memory_texts where project = :project and hash = :hash;

-- name: text_data
select data from texts where project = :project and hash = :hash;

-- name: text_put_back
insert into texts (project, hash, size, data) values (:project, :hash, :size, :data)
on conflict (project, hash) do update set size = excluded.size, data = excluded.data;
