-- name: tables
select count(*) from (values ('memory_items'), ('memory_versions'), ('memory_links'), ('canonical_docs')) as t (name)
where to_regclass(t.name) is not null;

-- name: projects
select p.id::text, p.project_key, p.display_name, w.name, p.repo_url
from projects p join workspaces w on w.id = p.workspace_id
where exists (select 1 from memory_items i where i.project_id = p.id and i.status <> 'deleted')
order by w.name, p.project_key;

-- name: items
select id::text, kind::text, scope::text, coalesce(title, ''), tags, pinned, status, canonical_key,
  coalesce(doc_class, ''), metadata
from memory_items
where project_id = %(project)s::uuid and status <> 'deleted' and id::text > %(after)s
order by id::text limit %(limit)s;

-- name: versions
select v.item_id::text, v.content_text, extract(epoch from v.created_at)::float8, coalesce(c.author, ''),
  coalesce(c.summary, '')
from memory_versions v left join commits c on c.id = v.commit_id
where v.item_id::text = any(%(items)s) order by v.item_id, v.version_num;

-- name: links
select from_item_id::text, to_item_id::text, relation from memory_links
where from_item_id::text = any(%(items)s) order by from_item_id, to_item_id, relation;
