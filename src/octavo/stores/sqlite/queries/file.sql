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
