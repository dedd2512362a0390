-- name: memories
select content_hash, content, tags, memory_type, metadata, coalesce(created_at, 0) from memories
where {current} and content_hash > :after order by content_hash limit :limit;

-- name: links
select source_hash, target_hash, {type} from memory_graph order by source_hash, target_hash;
