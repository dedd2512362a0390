-- name: table_columns
-- What is computed from other columns is not among them.
select name from pragma_table_xinfo(:table) where hidden = 0 order by cid;

-- name: counter_put
insert into library (name, value) values (:name, :value) on conflict (name) do update set value = excluded.value;

-- name: counter_remove
delete from library where name = :name;
