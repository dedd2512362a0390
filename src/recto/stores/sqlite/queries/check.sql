-- name: check_lexical
select 'chunks and lexical rows differ: ' || c.n || ' and ' || l.n
from (select count(*) as n from chunks) c, (select count(*) as n from lexical_docsize) l where c.n <> l.n;

-- name: check_texts
select 'the text of ' || d.uri || ' is missing' from documents d
where not exists (select 1 from texts t where t.project = d.project and t.hash = d.text_hash);
