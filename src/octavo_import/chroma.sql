-- name: versions
select dir, max(version) from migrations group by dir;

-- name: collections
select c.id, c.name, c.dimension, {database}, {configuration}, {schema} from collections c order by c.name, c.id;

-- name: segment
select id from segments where collection = :collection and scope = :scope;

-- name: waiting
-- Changes in the log that the records do not show yet: all of them, where none was ever carried out. Before its fifth
-- change the table held numbers as bytes, and Chroma carried changes out as they came.
select count(*) from embeddings_queue q where q.topic like '%' || :collection and q.seq_id > coalesce((
  select case typeof(seq_id) when 'integer' then seq_id else 9223372036854775807 end
  from max_seq_id where segment_id = :segment), 0);

-- name: count
select count(*) from embeddings where segment_id = :segment;

-- name: records
select id, embedding_id, created_at from embeddings
where segment_id = :segment and embedding_id > :after order by embedding_id limit :limit;

-- name: values
select id, key, string_value, int_value, float_value, {truth} from embedding_metadata
where id in (select value from json_each(:rows)) order by id, key;

-- name: lists
select id, key, string_value, int_value, float_value, bool_value from embedding_metadata_array
where id in (select value from json_each(:rows)) order by rowid;

-- name: queued
select id, max(seq_id) from embeddings_queue
where topic like '%' || :collection and vector is not null group by id;

-- name: queued_vector
select vector, encoding from embeddings_queue where seq_id = :seq_id;
