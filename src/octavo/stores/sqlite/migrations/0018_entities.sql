-- What documents name: people, projects, places, identifiers, DOIs and addresses; and sections on the same topic. A
-- document whose text changes is read again, an entity that nobody names any more goes.

create table if not exists entities (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  kind text not null,
  name text not null,
  label text not null,
  unique (project, kind, name)
);

create index if not exists entities_by_name on entities (project, name);

create table if not exists entity_mentions (
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  entity integer not null references entities (key) on delete cascade,
  role text not null,
  mentions integer not null,
  start integer not null,
  "end" integer not null,
  primary key (project, document, entity, role)
);

create index if not exists entity_mentions_by_entity on entity_mentions (entity, document);
create index if not exists entity_mentions_by_document on entity_mentions (document);

create table if not exists entity_readings (
  document integer primary key references documents (key) on delete cascade,
  project integer not null references projects (key),
  maker text not null
);

create trigger if not exists entities_go_with_their_last_mention after delete on entity_mentions begin
  delete from entities where key = old.entity
    and not exists (select 1 from entity_mentions m where m.entity = old.entity);
end;

create trigger if not exists documents_lose_their_entities after update of text_hash on documents
when old.text_hash is not new.text_hash begin
  delete from entity_mentions where document = old.key;
  delete from entity_readings where document = old.key;
end;

-- Sections by the ids that they had: what is no longer there is not shown.
create table if not exists section_links (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  source integer not null references documents (key) on delete cascade,
  source_section text not null,
  target integer not null references documents (key) on delete cascade,
  target_section text not null,
  weight real not null
);

create index if not exists section_links_by_source on section_links (source);
create index if not exists section_links_by_target on section_links (target);

-- Stored twice, as in 0017: SQLite's own check compares the two.
create index if not exists entities_witness on entities (key, project, kind, name, label) where project + 0 is not null;
create index if not exists entity_mentions_witness on entity_mentions (
  project, document, entity, role, mentions, start, "end")
where project + 0 is not null;
create index if not exists entity_readings_witness on entity_readings (document, project, maker)
where project + 0 is not null;
create index if not exists section_links_witness on section_links (
  key, project, source, source_section, target, target_section, weight)
where project + 0 is not null;
