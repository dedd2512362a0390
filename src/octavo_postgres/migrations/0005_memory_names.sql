-- What memories and projects are known by: canonical keys, places in a sequence, links, folders and repositories;
-- embedding profiles by name; and which file stands for which memory.

alter table memory_items add column canonical_key text collate "C";
alter table memory_items add column doc_class text not null default '';
alter table memory_items add column sequence text collate "C" not null default '';
alter table memory_items add column position bigint not null default 0;

create unique index memory_items_by_canonical_key on memory_items (project, canonical_key);
create index memory_items_by_sequence on memory_items (project, sequence, position);

create table memory_links (
  project bigint not null references projects (key),
  item bigint not null references memory_items (key),
  ordinal bigint not null,
  target text collate "C" not null,
  type text not null,
  primary key (project, item, ordinal)
);

create index memory_links_by_target on memory_links (project, target);

insert into memory_links (project, item, ordinal, target, type)
select m.project, m.key, l.place - 1, l.link ->> 0, l.link ->> 1
from memory_items m, json_array_elements(m.links::json) with ordinality l (link, place);

create table project_places (
  project bigint not null references projects (key),
  kind text collate "C" not null,
  place text collate "C" not null,
  created_at double precision not null,
  primary key (project, kind, place)
);

create index project_places_by_place on project_places (kind, place);

create table named_profiles (
  project bigint not null references projects (key),
  name text collate "C" not null,
  settings text not null,
  state text not null,
  updated_at double precision not null,
  primary key (project, name)
);

-- Exactly one profile of a project answers at a time.
create unique index named_profiles_active on named_profiles (project) where state = 'active';

create table memory_files (
  project bigint not null references projects (key),
  folder text collate "C" not null,
  path text collate "C" not null,
  item text not null,
  version bigint not null,
  digest text not null,
  primary key (project, folder, path)
);
