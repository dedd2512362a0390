-- name: msrl
select doc_uri from docs;

-- name: basic_memory
select p.name, e.file_path from entity e join project p on p.id = e.project_id;
