-- name: note_write_put
insert into note_writes (project, collection, uri, number, written_at, operation, author, reason, hash, old_content)
values (:project, :collection, :uri, :number, :now, :operation, :author, :reason, :hash, :old_content);

-- name: note_write_last
select coalesce(max(number), 0) from note_writes
where project = :project and collection = :collection and uri = :uri;

-- name: note_writes
select number, written_at, operation, author, reason, hash, old_content from note_writes
where project = :project and collection = :collection and uri = :uri order by number;

-- name: note_writes_prune
delete from note_writes
where project = :project and collection = :collection and uri = :uri and number <= :oldest;
