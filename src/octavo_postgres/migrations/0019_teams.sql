-- Vectors of more than 4,000 dimensions do not fit a page. Whatever does stays in its row, as before; the rest goes out of
-- line, uncompressed. Rows that are there already need no change.
alter table vectors alter column data set storage external;
alter table vectors set (toast_tuple_target = 8160);

-- A row refers to rows of its own project alone: every foreign key starts with the project.
do $$
declare
  link record;
begin
  for link in
    select c.conname, c.conrelid::regclass child, c.confrelid::regclass parent, c.confdeltype deleted, a.attname col
    from pg_constraint c
    join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f' and c.connamespace = current_schema()::regnamespace and c.confrelid <> 'projects'::regclass
    order by 2, 1
  loop
    if not exists (select 1 from pg_constraint where conrelid = link.parent and conname = link.parent || '_of_project') then
      execute format('alter table %s add constraint %I unique (project, key)', link.parent, link.parent || '_of_project');
    end if;
    if link.deleted = 'n' then
      -- The project of a row whose target goes must stay, so the old key sets the column null; this one is looked at last.
      execute format(
        'alter table %s add constraint %I foreign key (project, %I) references %s (project, key) deferrable initially deferred',
        link.child, link.conname || '_of_project', link.col, link.parent);
    else
      execute format('alter table %s drop constraint %I', link.child, link.conname);
      execute format(
        'alter table %s add constraint %I foreign key (project, %I) references %s (project, key) %s',
        link.child, link.conname, link.col, link.parent, case link.deleted when 'c' then 'on delete cascade' else '' end);
    end if;
  end loop;
end $$;

-- History is emptied as little as it is changed.
create trigger memory_versions_are_never_emptied before truncate on memory_versions
for each statement execute function memory_never_changes();

create trigger memory_commits_are_never_emptied before truncate on memory_commits
for each statement execute function memory_never_changes();

-- A role that sees one project alone. Nobody else notices: their policies admit every row.
create function isolate_project(project_name text, role_name name) returns void language plpgsql as $$
declare
  number bigint := (select key from projects where name = project_name);
begin
  if number is null then
    raise exception 'there is no project %', project_name;
  end if;
  alter table projects enable row level security;
  if not exists (select 1 from pg_policy where polrelid = 'projects'::regclass and polname = 'everyone') then
    create policy everyone on projects using (true) with check (true);
  end if;
  execute format('drop policy if exists %I on projects', 'isolated_' || role_name);
  execute format(
    'create policy %I on projects as restrictive to %I using (key = %s) with check (key = %s)',
    'isolated_' || role_name, role_name, number, number);
  perform isolate_projects();
end $$;

-- Gives every table the policies that `projects` has; asked again after every upgrade, which may have made tables.
create function isolate_projects() returns void language plpgsql as $$
declare
  bound record;
  owned record;
begin
  for bound in
    select p.polname, r.rolname, (regexp_match(pg_get_expr(p.polqual, p.polrelid), '\d+'))[1] number
    from pg_policy p join pg_roles r on r.oid = p.polroles[1]
    where p.polrelid = 'projects'::regclass and not p.polpermissive
  loop
    for owned in
      -- What belongs to no project is the library's, and not for them; but for its counters, which every write advances.
      select c.oid, c.relname, case when a.attname is null then 'false' else 'project = ' || bound.number end admitted
      from pg_class c left join pg_attribute a on a.attrelid = c.oid and a.attname = 'project'
      where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
        and c.relname not in ('projects', 'library')
    loop
      execute format('alter table %I enable row level security', owned.relname);
      if not exists (select 1 from pg_policy where polrelid = owned.oid and polname = 'everyone') then
        execute format('create policy everyone on %I using (true) with check (true)', owned.relname);
      end if;
      execute format('drop policy if exists %I on %I', bound.polname, owned.relname);
      execute format(
        'create policy %I on %I as restrictive to %I using (%s) with check (%s)',
        bound.polname, owned.relname, bound.rolname, owned.admitted, owned.admitted);
    end loop;
  end loop;
end $$;
