-- name: lease_current
select holder, taken_at, expires_at, detail from leases
where project = :project and name = :name and expires_at > :now;

-- name: lease_take
insert into leases (project, name, holder, taken_at, expires_at, detail)
values (:project, :name, :holder, :now, :expires_at, :detail)
on conflict (project, name) do update set
  holder = excluded.holder, taken_at = excluded.taken_at, expires_at = excluded.expires_at, detail = excluded.detail;

-- name: lease_owned
-- A lease that ran out but was taken by nobody is still held: only another's taking it ends it.
select 1 from leases where project = :project and name = :name and holder = :holder;

-- name: lease_renew
update leases set expires_at = :expires_at, detail = :detail
where project = :project and name = :name and holder = :holder;

-- name: lease_release
delete from leases where project = :project and name = :name and holder = :holder;
