-- The graph: what each document is called, what is asked for and what that means, the links that ask, and what is
-- computed from all of it. A reference is one question (this path, from this folder), kept once however many links
-- ask it: a note that a hundred thousand others link to has a handful of references.

create table graph_names (
  key integer primary key,
  project integer not null references projects (key),
  document integer not null references documents (key) on delete cascade,
  name text not null,
  kind text not null,
  path text not null
);

create index graph_names_by_name on graph_names (project, name);
create index graph_names_by_document on graph_names (document);

create table graph_references (
  key integer primary key,
  project integer not null references projects (key),
  collection integer not null references collections (key) on delete cascade,
  lookup text not null,
  scope text not null,
  path text not null,
  name text not null,
  -- null while there is nothing it could mean: a ghost.
  document integer references documents (key) on delete set null,
  -- 1 when what it means has to be found out again.
  stale integer not null default 1,
  unique (project, collection, path, scope, lookup)
);

create index graph_references_by_name on graph_references (project, name);
create index graph_references_by_document on graph_references (document);
create index graph_references_stale on graph_references (project) where stale = 1;

-- A name may go with its document, whoever removes that: what asked for it has to look elsewhere. Names come in one
-- place, which sees to this itself, a batch at a time.
create trigger graph_names_go after delete on graph_names begin
  update graph_references set stale = 1 where project = old.project and name = old.name;
end;

create table graph_links (
  key integer primary key,
  project integer not null references projects (key),
  source integer not null references documents (key) on delete cascade,
  reference integer not null references graph_references (key) on delete cascade,
  type text not null,
  weight real not null,
  anchor text,
  context text not null,
  start integer not null,
  "end" integer not null
);

create index graph_links_by_source on graph_links (source);
create index graph_links_by_reference on graph_links (reference, source);

create table graph_thematic_links (
  key integer primary key,
  project integer not null references projects (key),
  source integer not null references documents (key) on delete cascade,
  target integer not null references documents (key) on delete cascade,
  weight real not null
);

create index graph_thematic_links_by_source on graph_thematic_links (source);
create index graph_thematic_links_by_target on graph_thematic_links (target);

create table graph_communities (
  document integer primary key references documents (key) on delete cascade,
  project integer not null references projects (key),
  community integer not null
);

create index graph_communities_by_number on graph_communities (project, community);

create table graph_runs (
  project integer not null references projects (key),
  kind text not null,
  at real not null,
  generation integer not null,
  facts text not null,
  primary key (project, kind)
) without rowid;
