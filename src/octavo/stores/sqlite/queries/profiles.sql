-- name: named_profile_put
insert into named_profiles (project, name, settings, state, updated_at)
values (:project, :name, :settings, :state, :now)
on conflict (project, name) do update set
  settings = excluded.settings, state = excluded.state, updated_at = excluded.updated_at;

-- name: named_profiles_retire
update named_profiles set state = 'idle', updated_at = :now
where project = :project and state = 'active' and name <> :name;

-- name: named_profiles
select name, settings, state, updated_at from named_profiles where project = :project order by name;

-- name: named_profile_remove
delete from named_profiles where project = :project and name = :name;
