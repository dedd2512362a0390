-- name: page
select {columns} from {table} where {beyond} order by {key} limit :page_size;

-- name: put
insert into {table} ({columns}) values ({parameters});

-- name: last
select {columns} from {table} order by {key} desc limit 1;

-- name: count
select count(*) from {table};
