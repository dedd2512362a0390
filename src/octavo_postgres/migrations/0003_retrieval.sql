-- What a reranker has already said.

create table rerank_scores (
  project bigint not null references projects (key),
  model text collate "C" not null,
  question bytea not null,
  passage bytea not null,
  score double precision not null,
  scored_at double precision not null,
  primary key (project, model, question, passage)
);

create index rerank_scores_by_age on rerank_scores (project, scored_at);
