-- name: sections_touching
select (p.value ->> 0)::integer, s.id, s.path, s.level, s.anchor, s.start, s."end"
from json_array_elements(:places::json) p (value)
join documents d on d.project = :project and d.id = p.value ->> 1
join sections s on s.project = d.project and s.document = d.key
where s.start < (p.value ->> 3)::integer and s."end" > (p.value ->> 2)::integer order by 1, s.ordinal;
