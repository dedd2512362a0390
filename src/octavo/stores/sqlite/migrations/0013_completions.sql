-- What language models have answered, by model, prompt and input: nobody is asked twice.

create table if not exists completions (
  project integer not null references projects (key),
  model text not null,
  prompt text not null,
  input text not null,
  answer text not null,
  prompt_tokens integer not null,
  completion_tokens integer not null,
  size integer not null,
  made_at real not null,
  primary key (project, model, prompt, input)
) without rowid;

create index if not exists completions_by_age on completions (project, made_at);
