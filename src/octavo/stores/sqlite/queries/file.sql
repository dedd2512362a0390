-- name: schema_rows
-- With the settings of the word index that change what it answers; another is set while much is written.
select type, name, tbl_name, sql from sqlite_schema
union all
select 'setting', k, '', v from lexical_config where k in ('rank', 'version')
order by 1, 2;

-- name: counters_behind
-- Keys that only grow: the next must be larger than every one there is.
select coalesce(s.name, t.name)
from (
  select 'collections' as name, max(key) as largest from collections
  union all select 'vectors' as name, max(key) as largest from vectors
  union all select 'memory_commits' as name, max(key) as largest from memory_commits
  union all select 'jobs' as name, max(key) as largest from jobs
  union all select 'lexical_blocks' as name, max(key) as largest from lexical_blocks
  union all select 'chunk_changes' as name, max(key) as largest from chunk_changes
  union all select 'summaries' as name, max(key) as largest from summaries
  union all select 'query_log' as name, max(key) as largest from query_log) t
full join sqlite_sequence s on s.name = t.name
where t.name is null or typeof(s.seq) <> 'integer' and t.largest is not null or s.seq < t.largest;

-- name: word_counts
select id, sz from lexical_docsize where id > :after order by id limit :limit;
