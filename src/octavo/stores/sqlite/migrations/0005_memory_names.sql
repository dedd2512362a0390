-- What memories and projects are known by: canonical keys, places in a sequence, links, folders and repositories;
-- embedding profiles by name; and which file stands for which memory.

alter table memory_items add column canonical_key text;
alter table memory_items add column doc_class text not null default '';
alter table memory_items add column sequence text not null default '';
alter table memory_items add column position integer not null default 0;

create unique index memory_items_by_canonical_key on memory_items (project, canonical_key);
create index memory_items_by_sequence on memory_items (project, sequence, position);

create table memory_links (
  project integer not null references projects (key),
  item integer not null references memory_items (key),
  ordinal integer not null,
  target text not null,
  type text not null,
  primary key (project, item, ordinal)
) without rowid;

create index memory_links_by_target on memory_links (project, target);

insert into memory_links (project, item, ordinal, target, type)
select m.project, m.key, l.key, l.value ->> 0, l.value ->> 1 from memory_items m, json_each(m.links) l;

create table project_places (
  project integer not null references projects (key),
  kind text not null,
  place text not null,
  created_at real not null,
  primary key (project, kind, place)
) without rowid;

create index project_places_by_place on project_places (kind, place);

create table named_profiles (
  project integer not null references projects (key),
  name text not null,
  settings text not null,
  state text not null,
  updated_at real not null,
  primary key (project, name)
) without rowid;

-- Exactly one profile of a project answers at a time.
create unique index named_profiles_active on named_profiles (project) where state = 'active';

create table memory_files (
  project integer not null references projects (key),
  folder text not null,
  path text not null,
  item text not null,
  version integer not null,
  digest text not null,
  primary key (project, folder, path)
) without rowid;
