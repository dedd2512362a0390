-- name: rerank_scores_prune
delete from rerank_scores where project = :project and (model, question, passage) in (
  select model, question, passage from rerank_scores where project = :project
  order by scored_at desc, model, question, passage offset :keep);
