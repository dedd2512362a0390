-- name: rerank_scores_known
select hex(passage), score from rerank_scores
where project = :project and model = :model and question = unhex(:question)
  and passage in (select unhex(value) from json_each(:passages));

-- name: rerank_score_put
insert into rerank_scores (project, model, question, passage, score, scored_at)
values (:project, :model, unhex(:question), unhex(:passage), :score, :now)
on conflict (project, model, question, passage) do update set score = excluded.score, scored_at = excluded.scored_at;

-- name: rerank_scores_count
select count(*) from rerank_scores where project = :project;

-- name: rerank_scores_prune
delete from rerank_scores where project = :project and (model, question, passage) in (
  select model, question, passage from rerank_scores where project = :project
  order by scored_at desc, model, question, passage limit -1 offset :keep);
