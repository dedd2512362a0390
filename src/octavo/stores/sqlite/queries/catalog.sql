-- name: restored
select coalesce(max(value), 0) from library where name = 'restored';

-- name: generation
select value from library where name = 'generation';

-- name: generation_advance
update library set value = value + 1 where name = 'generation';

-- name: keys_reserve
update library set value = value + :count where name = :name;

-- name: keys_reserved
select value from library where name = :name;

-- name: project_put
insert into projects (id, name, created_at) values (:id, :name, :now) on conflict (name) do nothing;

-- name: projects
select key, id, name from projects order by name;

-- name: project_place_put
insert into project_places (project, kind, place, created_at) values (:project, :kind, :place, :now)
on conflict (project, kind, place) do nothing;

-- name: project_places
select p.id, p.name, l.place from project_places l join projects p on p.key = l.project
where l.kind = :kind order by l.created_at, p.name, l.place;

-- name: project_places_forget
delete from project_places where project = :project and kind = :kind;

-- name: collections
select key, id, name, root, settings from collections where project = :project order by name;

-- name: collection_put
insert into collections (project, id, name, root, settings, created_at)
values (:project, :id, :name, :root, :settings, :now)
on conflict (project, id) do update set root = excluded.root, settings = excluded.settings;

-- name: collection_documents
select id from documents where project = :project and collection = :collection order by uri;

-- name: collection_remove
delete from collections where project = :project and key = :collection;

-- name: recipe_active
select body from recipes where project = :project and active = 1;

-- name: recipes_retire
update recipes set active = 0 where project = :project and active = 1;

-- name: recipe_put
insert into recipes (project, id, body, active, created_at) values (:project, :id, :body, 1, :now)
on conflict (project, id) do update set active = 1;

-- name: documents_and_failed
select
  (select count(*) from documents where project = :project),
  (select count(*) from ledger where project = :project and outcome = 'failed');

-- name: counts
select
  (select count(*) from documents where project = :project),
  (select count(*) from chunks where project = :project),
  (select count(*) from sections where project = :project),
  (select count(*) from ledger where project = :project and outcome = 'indexed'),
  (select count(*) from ledger where project = :project and outcome = 'skipped'),
  (select count(*) from ledger where project = :project and outcome = 'failed'),
  (select coalesce(sum(t.size), 0) from documents d
     join texts t on t.project = d.project and t.hash = d.text_hash where d.project = :project);
