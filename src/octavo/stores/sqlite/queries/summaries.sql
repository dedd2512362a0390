-- name: summaries_missing
select d.id, d.title, d.text_hash from documents d
where d.project = :project and d.kind <> 'commit'
  and exists (select 1 from chunks c where c.document = d.key)
  and not exists (
    select 1 from summaries s
    where s.document = d.key and s.node = 'file_summary' and s.maker = :maker and s.profile = :profile)
order by d.key
limit :limit;

-- name: summary_document
select key from documents where project = :project and id = :id and text_hash = :text_hash;

-- name: summaries_remove
delete from summaries where document = :document;

-- name: summary_put
insert into summaries (project, document, profile, node, start, "end", path, maker, summary, data, made_at)
values (:project, :document, :profile, :node, :start, :end, :path, :maker, :summary, :data, :now);

-- name: summary_chunks
select c.key, c.start, c."end" from documents d join chunks c on c.document = d.key
where d.project = :project and d.id = :id order by c.ordinal;

-- name: summaries_of_document
select s.maker, s.node, s.start, s."end", s.path, s.summary, s.data from documents d
join summaries s on s.document = d.key
where d.project = :project and d.id = :id order by s.node, s.key;

-- name: summaries_state
select count(*), coalesce(max(key), 0) from summaries where project = :project and profile = :profile;

-- name: summary_vectors
select key, data from summaries where project = :project and profile = :profile and node = :node order by key;

-- name: summary_chunks_below
select s.key, c.key from json_each(:keys) wanted
cross join summaries s on s.key = wanted.value and s.project = :project
cross join chunks c on c.document = s.document and c.start >= s.start and c.start < s."end"
order by s.key, c.key;

-- name: summaries_counted
select
  (select count(*) from summaries where project = :project and profile = :profile and node = 'file_summary'),
  (select count(*) from documents d where d.project = :project and d.kind <> 'commit'
    and exists (select 1 from chunks c where c.document = d.key)),
  (select count(*) from summaries where project = :project and profile = :profile and node = 'section_summary');

-- name: summaries_count
select count(*) from summaries where project = :project;

-- name: summaries_clear
delete from summaries where project = :project;
