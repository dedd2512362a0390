-- What language models have answered, by model, prompt and input: nobody is asked twice.

create table if not exists completions (
  project bigint not null references projects (key),
  model text collate "C" not null,
  prompt text collate "C" not null,
  input text collate "C" not null,
  answer text not null,
  prompt_tokens integer not null,
  completion_tokens integer not null,
  size integer not null,
  made_at double precision not null,
  primary key (project, model, prompt, input)
);

create index if not exists completions_by_age on completions (project, made_at);
