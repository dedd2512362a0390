-- name: completion_known
select answer, prompt_tokens, completion_tokens from completions
where project = :project and model = :model and prompt = :prompt and input = :input;

-- name: completion_put
insert into completions (project, model, prompt, input, answer, prompt_tokens, completion_tokens, size, made_at)
values (:project, :model, :prompt, :input, :answer, :prompt_tokens, :completion_tokens, :size, :now)
on conflict (project, model, prompt, input) do update set
  answer = excluded.answer, prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens,
  size = excluded.size, made_at = excluded.made_at;

-- name: completions_count
select count(*) from completions where project = :project;

-- name: completions_size
select coalesce(sum(size), 0) from completions where project = :project;

-- name: completions_prune
delete from completions where project = :project and (model, prompt, input) in (
  select model, prompt, input from (
    select model, prompt, input, sum(size) over (order by made_at desc, model, prompt, input) as newer
    from completions where project = :project) as by_age
  where newer > :keep);
