-- name: graph_documents
select d.id, d.key from json_each(:ids) wanted
cross join documents d on d.project = :project and d.id = wanted.value;

-- name: graph_names_of
select key, document, name, kind, path from graph_names where document in (select value from json_each(:documents));

-- name: graph_names_remove
delete from graph_names where key in (select value from json_each(:keys));

-- name: graph_name_put
insert into graph_names (project, document, name, kind, path) values (:project, :document, :name, :kind, :path);

-- name: graph_references_mark_stale
update graph_references set stale = 1 where key in (
  select r.key from json_each(:names) come
  cross join graph_references r on r.project = :project and r.name = come.value
  where r.stale = 0);

-- name: graph_references_resolved_any
select 1 from graph_references where document is null and stale = 0
union all
select 1 from graph_references where document is not null
limit 1;

-- name: graph_links_references
select distinct reference from graph_links where source in (select value from json_each(:documents));

-- name: graph_links_remove
delete from graph_links where source in (select value from json_each(:documents));

-- name: graph_references_remove_unused
delete from graph_references where key in (select value from json_each(:keys))
  and not exists (select 1 from graph_links l where l.reference = graph_references.key);

-- name: graph_references_known
select r.key, r.lookup, r.scope, r.path from json_each(:paths) wanted
cross join graph_references r on r.project = :project and r.collection = :collection and r.path = wanted.value;

-- name: graph_references_last
select coalesce(max(key), 0) from graph_references;

-- name: graph_reference_put
insert into graph_references (key, project, collection, lookup, scope, path, name, document, stale)
values (:key, :project, :collection, :lookup, :scope, :path, :name, null, 1);

-- name: graph_link_put
insert into graph_links (project, source, reference, type, weight, anchor, context, start, "end")
values (:project, :source, :reference, :type, :weight, :anchor, :context, :start, :end);

-- name: graph_references_stale
select r.key, c.id, r.lookup, r.scope, r.path, r.name, r.document
from graph_references r join collections c on c.key = r.collection
where r.project = :project and r.stale = 1;

-- name: graph_references_stale_any
select 1 from graph_references where project = :project and stale = 1 limit 1;

-- name: graph_candidates
select n.name, n.document, c.id, d.uri, n.kind, n.path from json_each(:names) wanted
cross join graph_names n on n.project = :project and n.name = wanted.value
cross join documents d on d.key = n.document
join collections c on c.key = d.collection;

-- name: graph_references_mark_resolved
update graph_references set stale = 0 where project = :project and stale = 1;

-- name: graph_reference_resolve
update graph_references set document = :document where key = :key;

-- name: graph_out
select s.id, t.id, l.type, l.weight, r.path, l.anchor, l.context, l.start, l."end", r.lookup
from documents s cross join graph_links l on l.source = s.key
cross join graph_references r on r.key = l.reference
left join documents t on t.key = r.document
where s.project = :project and s.id = :id and (:types is null or l.type in (select value from json_each(:types)))
order by l.key limit :limit;

-- name: graph_in
select s.id, t.id, l.type, l.weight, r.path, l.anchor, l.context, l.start, l."end", r.lookup
from documents t cross join graph_references r on r.document = t.key
cross join graph_links l on l.reference = r.key
cross join documents s on s.key = l.source
where t.project = :project and t.id = :id and l.source <> t.key
  and (:types is null or l.type in (select value from json_each(:types)))
limit :limit;

-- name: graph_in_ghost
select s.id, null, l.type, l.weight, r.path, l.anchor, l.context, l.start, l."end", r.lookup
from graph_references r cross join graph_links l on l.reference = r.key
cross join documents s on s.key = l.source
where r.project = :project and r.name = :name and r.document is null
  and r.lookup in (select value from json_each(:lookups))
order by s.id, l.start;

-- name: graph_in_count
select count(*), count(distinct l.source)
from documents t cross join graph_references r on r.document = t.key
cross join graph_links l on l.reference = r.key
where t.project = :project and t.id = :id and l.source <> t.key;

-- name: graph_thematic_of
select s.id, t.id, k.weight from documents d
cross join graph_thematic_links k on k.source = d.key
join documents s on s.key = k.source join documents t on t.key = k.target
where d.project = :project and d.id = :id
union all
select s.id, t.id, k.weight from documents d
cross join graph_thematic_links k on k.target = d.key
join documents s on s.key = k.source join documents t on t.key = k.target
where d.project = :project and d.id = :id;

-- name: graph_nodes
select d.id, c.name, d.uri, d.title, d.kind, d.tags, d.aliases from documents d join collections c on c.key = d.collection
where d.project = :project order by c.name, d.uri;

-- name: graph_nodes_of
select d.id, c.name, d.uri, d.title, d.kind, d.tags, d.aliases from documents d join collections c on c.key = d.collection
where d.project = :project and d.id in (select value from json_each(:ids)) order by c.name, d.uri;

-- name: graph_edges
select s.id, t.id, l.type, l.weight, r.path, l.anchor, l.context, l.start, l."end", r.lookup
from graph_links l join documents s on s.key = l.source
join graph_references r on r.key = l.reference
left join documents t on t.key = r.document
where l.project = :project and l.type not in (select value from json_each(:without)) order by l.source, l.key;

-- name: graph_drift
select
  (select count(*) from documents where project = :project and kind <> 'commit'),
  (select count(*) from documents d join document_versions v
     on v.project = d.project and v.document = d.key and v.version = d.version
   where d.project = :project and d.kind <> 'commit' and v.indexed_at > :since),
  (select count(*) from graph_communities where project = :project),
  (select count(*) from (
     select 1 from graph_links l join graph_references r on r.key = l.reference
     where l.project = :project and l.type not in ('changes', 'contains') and r.document is not null limit 100) led);

-- name: graph_thematic
select s.id, t.id, k.weight from graph_thematic_links k
join documents s on s.key = k.source join documents t on t.key = k.target
where k.project = :project order by k.key;

-- name: graph_chunks
select c.key, d.id from chunks c join documents d on d.key = c.document where c.project = :project order by c.key;

-- name: graph_chunks_of
select c.key, d.id from documents d cross join chunks c on c.document = d.key
where d.project = :project and d.id = :id order by c.key;

-- name: graph_ghosts
select min(r.path), count(*) as links, min(s.uri)
from graph_references r cross join graph_links l on l.reference = r.key
cross join documents s on s.key = l.source
where r.project = :project and r.document is null and r.lookup in (select value from json_each(:lookups))
group by lower(r.path) order by links desc, min(r.path) limit :limit;

-- name: graph_linked
-- A walk of one hop, in half of the time of a recursion. Only a scalar subquery is stopped at `fanout` for each document
-- without reading its links a second time.
select seed.value ->> 1, (
  select json_group_array(json_array(t.id, t.uri, l.weight)) from (
    select o.reference, o.weight from graph_links o
    where o.source = d.key and (:types is null or instr(:types, '"' || o.type || '"'))
    limit :fanout) l
  cross join graph_references r on r.key = l.reference and r.document <> d.key
  cross join documents t on t.key = r.document), (
  select json_group_array(json_array(t.id, t.uri, l.weight)) from (
    select i.source, i.weight from graph_references q cross join graph_links i on i.reference = q.key
    where q.document = d.key and i.source <> d.key and (:types is null or instr(:types, '"' || i.type || '"'))
    limit :fanout) l
  cross join documents t on t.key = l.source)
from json_each(:seeds) seed cross join documents d on d.project = :project and d.id = seed.value ->> 0;

-- name: graph_walk
-- The best are followed first, and only so many, from each document and in all: neither a circle nor a note that
-- everything links to makes it long. A cross join keeps the order written, from where the walk is outwards. A type is
-- looked for in the text of the list: a list that is read costs as much, for every document, as all else here.
with recursive walk (document, score, hops) as (
  select d.key, cast(seed.value ->> 1 as real), 0
  from json_each(:seeds) seed cross join documents d on d.project = :project and d.id = seed.value ->> 0
  union
  select r.document, w.score * :decay * l.weight, w.hops + 1
  from walk w
  cross join graph_links l on l.key in (
    select o.key from graph_links o
    where o.source = w.document and (:types is null or instr(:types, '"' || o.type || '"'))
    limit :fanout)
  cross join graph_references r on r.key = l.reference and r.document <> w.document
  where w.hops < :hops
  union
  select l.source, w.score * :decay * l.weight, w.hops + 1
  from walk w
  cross join graph_links l on l.key in (
    select i.key from graph_references q cross join graph_links i on i.reference = q.key
    where q.document = w.document and i.source <> w.document
      and (:types is null or instr(:types, '"' || i.type || '"'))
    limit :fanout)
  where w.hops < :hops
  union
  select k.target, w.score * :decay * k.weight, w.hops + 1
  from walk w cross join graph_thematic_links k on k.source = w.document
  where w.hops < :hops and :thematic
  union
  select k.source, w.score * :decay * k.weight, w.hops + 1
  from walk w cross join graph_thematic_links k on k.target = w.document
  where w.hops < :hops and :thematic
  order by 2 desc, 3, 1 limit :most)
select d.id, max(w.score), min(w.hops) from walk w cross join documents d on d.key = w.document
where w.hops > 0 group by d.key order by max(w.score) desc, d.uri, d.id;

-- name: graph_thematic_clear
delete from graph_thematic_links where project = :project;

-- name: graph_thematic_put
insert into graph_thematic_links (project, source, target, weight)
select :project, s.key, t.key, :weight from documents s, documents t
where s.project = :project and s.id = :source and t.project = :project and t.id = :target;

-- name: graph_communities_clear
delete from graph_communities where project = :project;

-- name: graph_community_put
insert into graph_communities (document, project, community)
select key, project, :community from documents where project = :project and id = :id;

-- name: graph_communities
select d.id, m.community from graph_communities m join documents d on d.key = m.document
where m.project = :project and (:ids is null or d.id in (select value from json_each(:ids)))
order by m.community, d.uri;

-- name: graph_run_put
insert into graph_runs (project, kind, at, generation, facts) values (:project, :kind, :at, :generation, :facts)
on conflict (project, kind) do update set
  at = excluded.at, generation = excluded.generation, facts = excluded.facts;

-- name: graph_run_remove
delete from graph_runs where project = :project and kind = :kind;

-- name: graph_runs
select kind, at, generation, facts from graph_runs where project = :project order by kind;
