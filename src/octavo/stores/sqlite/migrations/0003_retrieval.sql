-- What searches look up besides the documents: the words there are, and what a reranker has already said.

create virtual table lexical_words using fts5vocab (lexical, row);

create table rerank_scores (
  project integer not null references projects (key),
  model text not null,
  question blob not null,
  passage blob not null,
  score real not null,
  scored_at real not null,
  primary key (project, model, question, passage)
) without rowid;

create index rerank_scores_by_age on rerank_scores (project, scored_at);
