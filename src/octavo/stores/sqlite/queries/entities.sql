-- name: entities_unread
select d.id, d.text_hash from documents d
where d.project = :project and d.kind <> 'commit'
  and not exists (select 1 from entity_readings r where r.document = d.key and r.maker = :maker)
order by d.key limit :limit;

-- name: entities_unread_count
select count(*) from documents d
where d.project = :project and d.kind <> 'commit'
  and not exists (select 1 from entity_readings r where r.document = d.key and r.maker = :maker);

-- name: entity_sources
select d.id, d.uri, d.kind, d.title, d.tags, d.aliases, d.metadata from documents d
where d.project = :project and d.kind <> 'commit' and (:ids is null or d.id in (select value from json_each(:ids)))
order by d.key;

-- name: entity_document
select key from documents where project = :project and id = :id and text_hash = :text_hash;

-- name: entity_mentions_remove
delete from entity_mentions where document = :document;

-- name: entity_put
insert into entities (project, kind, name, label) values (:project, :kind, :name, :label)
on conflict (project, kind, name) do nothing;

-- name: entity_mention_put
insert into entity_mentions (project, document, entity, role, mentions, start, "end")
select e.project, :document, e.key, :role, :mentions, :start, :end from entities e
where e.project = :project and e.kind = :kind and e.name = :name;

-- name: entity_reading_put
insert into entity_readings (document, project, maker) values (:document, :project, :maker)
on conflict (document) do update set maker = excluded.maker;

-- name: entities_listed
select e.kind, e.name, e.label, count(distinct m.document), sum(m.mentions)
from entities e join entity_mentions m on m.entity = e.key
where e.project = :project and (:kinds is null or e.kind in (select value from json_each(:kinds)))
  and (:part is null or e.name like :part escape '\')
  and (:ids is null or m.document in (
    select d.key from documents d where d.project = :project and d.id in (select value from json_each(:ids))))
group by e.key, e.kind, e.name, e.label
having count(distinct m.document) >= :least
order by count(distinct m.document) desc, sum(m.mentions) desc, e.name, e.kind limit :limit;

-- name: entities_count
select count(*) from entities where project = :project;

-- name: entity_mentions_of
select d.id, e.kind, e.name, e.label, m.role, m.mentions, m.start, m."end",
  (select count(distinct o.document) from entity_mentions o where o.entity = e.key)
from entities e join entity_mentions m on m.entity = e.key join documents d on d.key = m.document
where e.project = :project and e.name = :name and (:kind is null or e.kind = :kind)
order by m.mentions desc, d.uri, d.id, e.kind, m.role limit :limit;

-- name: entity_mentions_in
select d.id, e.kind, e.name, e.label, m.role, m.mentions, m.start, m."end",
  (select count(distinct o.document) from entity_mentions o where o.entity = e.key)
from documents d join entity_mentions m on m.document = d.key join entities e on e.key = m.entity
where d.project = :project and d.id = :id
order by m.mentions desc, e.name, e.kind, m.role;

-- name: entity_mentions_all
select d.id, e.kind, e.name, e.label, m.role, m.mentions, m.start, m."end", 0
from entity_mentions m join documents d on d.key = m.document join entities e on e.key = m.entity
where m.project = :project order by d.key, e.name, e.kind, m.role;

-- name: entities_shared
select o.id, e.kind, e.name, e.label, m.role, n.role,
  (select count(distinct c.document) from entity_mentions c where c.entity = e.key) as named
from documents d join entity_mentions m on m.document = d.key join entities e on e.key = m.entity
join entity_mentions n on n.entity = e.key and n.document <> d.key
join documents o on o.key = n.document
where d.project = :project and d.id = :id
  and (select count(distinct c.document) from entity_mentions c where c.entity = e.key) <= :most
order by named, e.name, e.kind, o.uri, o.id, m.role, n.role limit :limit;

-- name: entity_documents
select m.document, e.name, e.label from entity_mentions m join entities e on e.key = m.entity
where m.project = :project and (:names is null or e.name in (select value from json_each(:names)));

-- name: entities_clear_mentions
delete from entity_mentions where project = :project;

-- name: entities_clear_readings
delete from entity_readings where project = :project;

-- name: section_chunks
select c.key, d.id, s.id, s.level from chunks c join documents d on d.key = c.document
join sections s on s.project = c.project and s.document = c.document and s.ordinal = c.section
where c.project = :project and d.kind not in ('commit', 'code') order by c.key;

-- name: section_links_clear
delete from section_links where project = :project;

-- name: section_link_put
insert into section_links (project, source, source_section, target, target_section, weight)
select :project, s.key, :source_section, t.key, :target_section, :weight from documents s, documents t
where s.project = :project and s.id = :source and t.project = :project and t.id = :target;

-- name: section_links
select s.id, a.anchor, a.path, t.id, b.anchor, b.path, k.weight from section_links k
join documents s on s.key = k.source join documents t on t.key = k.target
join sections a on a.project = k.project and a.document = k.source and a.id = k.source_section
join sections b on b.project = k.project and b.document = k.target and b.id = k.target_section
where k.project = :project and (:id is null or s.id = :id or t.id = :id)
order by k.weight desc, s.uri, t.uri, k.key;
