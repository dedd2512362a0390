-- name: access_token_put
insert into access_tokens (name, hash, scope, projects, rate, created_at, expires_at)
values (:name, :hash, :scope, :projects, :rate, :created_at, :expires_at);

-- name: access_tokens
select name, hash, scope, projects, rate, created_at, expires_at, revoked_at from access_tokens order by name;

-- name: access_token_by_hash
select name, hash, scope, projects, rate, created_at, expires_at, revoked_at from access_tokens where hash = :hash;

-- name: access_token_revoke
update access_tokens set revoked_at = :at where name = :name and revoked_at is null;

-- name: write_audit_put
insert into write_audit (project, at, who, operation, outcome) values (:project, :at, :who, :operation, :outcome);

-- name: write_audit_entries
select a.at, a.who, a.operation, p.name, a.outcome from write_audit a join projects p on p.key = a.project
where :who = '' or a.who = :who order by a.at desc, a.key desc limit :limit;
