-- name: memory_versions_unlock
alter table memory_versions disable trigger memory_versions_never_change;

-- name: memory_versions_lock
alter table memory_versions enable trigger memory_versions_never_change;
