-- name: tables
select name from sqlite_schema where type = 'table';

-- name: columns
select name from pragma_table_info(:table);
