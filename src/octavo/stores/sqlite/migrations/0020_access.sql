-- Who may ask a server, by the hash of a token, and what was changed by whom. Tokens are the library's, for all or some
-- of its projects.

create table access_tokens (
  name text primary key,
  hash text not null unique,
  scope text not null,
  projects text not null,
  rate integer,
  created_at real not null,
  expires_at real,
  revoked_at real
) without rowid;

create index access_tokens_witness on access_tokens
  (created_at, name, hash, scope, projects, rate, expires_at, revoked_at) where created_at + 0 is not null;

create table write_audit (
  key integer primary key autoincrement,
  project integer not null references projects (key),
  at real not null,
  who text not null,
  operation text not null,
  outcome text not null
);

create index write_audit_by_time on write_audit (at, project, who, operation, outcome);
