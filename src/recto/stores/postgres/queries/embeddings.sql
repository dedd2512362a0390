-- name: inputs_described
select distinct on (i.key) i.key, i.hash, ci.context, d.text_hash, ci.start, ci."end", ci.chunk
from inputs i
join chunk_inputs ci on ci.input = i.key
join chunks c on c.key = ci.chunk
join documents d on d.key = c.document
where i.project = :project and i.key in (select value from json_each(:inputs))
order by i.key, ci.chunk, ci."window";

-- name: vectors_after
select key, input, halfvec_send(data) from vectors
where project = :project and profile = :profile and key > :after order by key;
