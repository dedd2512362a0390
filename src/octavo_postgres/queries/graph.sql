-- name: graph_linked
select cast(seed.value ->> 1 as double precision), (
  select coalesce(json_agg(json_build_array(t.id, t.uri, l.weight)), '[]')::text from (
    select o.reference, o.weight from graph_links o
    where o.source = d.key and (:types is null or o.type in (select value from json_each(:types)))
    order by o.key limit :fanout) l
  join graph_references r on r.key = l.reference and r.document <> d.key
  join documents t on t.key = r.document), (
  select coalesce(json_agg(json_build_array(t.id, t.uri, l.weight)), '[]')::text from (
    select i.source, i.weight from graph_references q join graph_links i on i.reference = q.key
    where q.document = d.key and i.source <> d.key
      and (:types is null or i.type in (select value from json_each(:types)))
    limit :fanout) l
  join documents t on t.key = l.source)
from json_array_elements(:seeds::json) seed (value) join documents d on d.project = :project and d.id = seed.value ->> 0;

-- name: graph_walk
-- The best are followed first, and only so many from each document and in all. PostgreSQL neither orders nor limits
-- inside a recursion: each step looks at the `most` best there are so far, by lateral joins that stop at `fanout`.
with recursive walk (document, score, hops) as (
  select d.key, cast(seed.value ->> 1 as double precision), 0
  from json_array_elements(:seeds::json) seed (value)
  join documents d on d.project = :project and d.id = seed.value ->> 0
  union
  select n.document, n.score, n.hops from (
    select w.document, w.score, w.hops from walk w where w.hops < :hops order by w.score desc, w.document limit :most) w
  cross join lateral (
    (select r.document, w.score * :decay * l.weight as score, w.hops + 1 as hops
     from (select o.reference, o.weight from graph_links o
       where o.source = w.document and (:types is null or o.type in (select value from json_each(:types)))
       order by o.key limit :fanout) l
     join graph_references r on r.key = l.reference and r.document <> w.document)
    union all
    (select i.source, w.score * :decay * i.weight, w.hops + 1
     from graph_references q join graph_links i on i.reference = q.key
     where q.document = w.document and i.source <> w.document
       and (:types is null or i.type in (select value from json_each(:types)))
     limit :fanout)
    union all
    (select k.target, w.score * :decay * k.weight, w.hops + 1
     from graph_thematic_links k where k.source = w.document and :thematic)
    union all
    (select k.source, w.score * :decay * k.weight, w.hops + 1
     from graph_thematic_links k where k.target = w.document and :thematic)) n)
select d.id, max(w.score), min(w.hops) from walk w join documents d on d.key = w.document
where w.hops > 0 group by d.key order by max(w.score) desc, d.uri, d.id;
