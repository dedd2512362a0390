-- name: query_log_put
insert into query_log (project, at, query, profile) values (:project, :at, :query, :profile);

-- name: query_log_newest
select coalesce(max(key), 0) from query_log where project = :project;

-- name: query_log_hit_put
insert into query_log_hits (project, query, rank, document, chunk)
values (:project, :query, :rank, :document, :chunk);

-- name: query_log_showing
select q.key from query_log_hits h join query_log q on q.key = h.query
where h.document = :document and q.project = :project and q.at >= :since
order by q.at desc, q.key desc limit 1;

-- name: query_log_open
update query_log_hits set opened = 1 where project = :project and query = :query and document = :document;

-- name: query_log_entries
select q.key, q.at, q.query, q.profile from query_log q where q.project = :project
order by q.at desc, q.key desc limit :limit;

-- name: query_log_hits
select h.query, h.document, h.chunk, h.opened from query_log_hits h
where h.project = :project and h.query in (select value from json_each(:keys)) order by h.query, h.rank;

-- name: query_log_count
select count(*) from query_log where project = :project and at < :before;

-- name: query_log_clear
delete from query_log where project = :project and at < :before;
